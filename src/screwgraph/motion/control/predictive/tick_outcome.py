"""Outcome of a tick: its command, whether there is a solution, and how good it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from screwgraph.base.summary import one_line
from screwgraph.motion.control.live_numbers import NO_SENSE, have_sense
from screwgraph.motion.control.predictive.horizon import Horizon
from screwgraph.motion.control.predictive.stage_terms import clip
from screwgraph.motion.control.predictive.step_search import ENDLESS
from screwgraph.spatial import choose
from screwgraph.tape import Number

SOLUTION = ("status", "cost", "violation", "defect", "change", "barrier")
"""Numbers of a tick's result; see `mpc`."""
LATE = 1.5
"""Of the time between instants, what a first interval is less than: rounding aside it is one at most."""
UNFINISHED = 1.0
"""Status where the step was shortened: the trajectory is not the optimum yet."""


@dataclass(frozen=True, eq=False)
class TickOutcome:
    """The last expression of a tick of a horizon."""

    __repr__ = one_line

    own: Horizon

    def finish(
        self,
        solved: Any,
        barrier: Any,
        cost: Any,
        violation: Any,
        defect: Any,
        change: Any,
        efforts: Any,
        gap: Any,
        sense: Any,
        left: Any,
        *more: Any,
    ) -> list[Number]:
        """Return the command within its limits, the head of the next solution, how good it is, whether it was lost.

        `gap` is that of the first stage, which has no numbers where the state has no dynamics; `left` is 1 where the
        trajectory begins far from the state. `more` are, of horizons that have them, the first interval, the length of
        the step, the weights of the last state, then all other weights.
        """
        first, more = (list(more[0]), more[1:]) if self.own.is_timed else ([], more)
        length, rest = (more[0], more[1:]) if self.own.shortenings else ((1.0,), more)
        end, weights = (rest[0], rest[1:]) if self.own.terminal_shape else ((), rest)
        # Efforts and gaps are no numbers where there are no dynamics, as of loops that cannot be closed.
        sound = sense[0] * have_sense([x for own in weights for x in own], [*end, *efforts, *gap])
        for x in first:
            sound = sound * (x > 0.0) * (x < LATE * self.own.dt)
        lost = choose(length[0] > 0.0, 0.0, choose(solved[0] < NO_SENSE, 0.0, 1.0))
        status = choose(sound * (cost[0] < ENDLESS) > 0.5, choose(lost > 0.5, UNFINISHED, solved[0]), NO_SENSE)
        sound = status < NO_SENSE
        bounds = zip(efforts, *self.own.effort_bounds, strict=True)
        tau = [choose(sound, clip(x, least, most), 0.0) for x, least, most in bounds]
        numbers = [choose(sound, x[0], 0.0) for x in (cost, violation, change, barrier)]
        # The last state that was found may have no dynamics, and is one of the others once the horizon moves on.
        goes_on = sound * (defect[0] < ENDLESS)
        numbers.insert(2, choose(goes_on, defect[0], choose(sound, ENDLESS, 0.0)))
        begins_here = left[0] < 0.5
        told = choose(sound, choose((length[0] > 0.9) * begins_here > 0.5, status, UNFINISHED), status)
        taken = choose(begins_here, 1.0 + length[0], -1.0 - length[0])
        head = [choose(goes_on, taken, 0.0), choose(lost > 0.5, 0.0, numbers[-1]), *first]
        return [*tau, *head, told, *numbers, lost]
