"""Shorter steps in the place of one by which a coordinate goes far.

A step has one mass matrix, that of its start, and Coriolis' forces and arcs of constant velocities: errors of the order
of (h qd)^3. Where a coordinate would go more than a tenth of a radian, shorter steps follow one another, each of which
obeys all laws: a half, a quarter, ... of the whole, as the velocity at the start of each asks. Where impulses that obey
the laws are not found, or loops not closed, a step is taken again, half as long, too. Velocities belong to the middles
of steps, so that positions glide from half of one step after these to half of the next one: lengths change without an
error of the first order. Steps of robots with loops end there by themselves, with the length of the next one known, so
that loops are closed there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from screwgraph.base.summary import one_line
from screwgraph.motion.simulation.contacts.laws.sweeps import add_vectors, choose_vector, largest
from screwgraph.motion.simulation.contacts.steps.named_vectors import MakeParts
from screwgraph.motion.simulation.contacts.terms.coupled_velocities import CoupledVelocities
from screwgraph.spatial import choose, maximum, minimum
from screwgraph.spatial.manifolds import Manifold
from screwgraph.spatial.manifolds.gliding import carry, glide
from screwgraph.tape import Memory, Number, Part, SettledWhen, SettlingLoop

WHOLE = "whole "
"""Before names of arguments as the caller has them; those of a shorter step stand beside."""
FAST = 0.1
"""Way of a coordinate in a step (rad, m) from which on it is shorter, and energy is bounded where contacts push."""
FAR = 2.0 * FAST
"""Way of a coordinate in a step (rad, m) from which on it is taken again, shorter, where impacts make it so long."""
MOVED = ("q", "qd", "dt", "forces")
"""Arguments that shorter steps have of their own."""
HALVED = 5
"""How often a step is halved at most."""
RESULTS = ("q'", "qd'", "forces'", "gaps'", "solution")
"""Results of a step."""
KEPT = "kept "
"""Before names of results of shorter steps so far."""
LEAST = 1.5 * 0.5**HALVED
"""Part of a step beyond which shorter ones are halved."""
TINY = 1e-3
"""Part of a step that is none: what rounding leaves of it."""
UNSOLVED = 9.0
"""How many times as large as the change that ends sweeps a residual is with which a step is taken again, shorter."""
SPLIT, SHARES = "split", 4
"""The state: whether a step is split and goes on, whether it is split, the time that is left of it (s), the residual of
the last one, in smallest changes of sweeps."""


@dataclass(frozen=True, eq=False)
class ShorterSteps:
    """The loop over shorter steps of a model with this manifold of positions."""

    __repr__ = one_line

    manifold: Manifold
    coupled: CoupledVelocities
    """Which velocities say how far a step goes: rotors behind gears turn about axes of their own, on no arcs."""

    @property
    def closes(self) -> bool:
        """Whether a step itself goes on to where its velocity belongs to the next one, and closes loops there."""
        return bool(self.coupled.loops)

    def add_to(self, memory: Memory) -> None:
        """Add the results of shorter steps to the memory."""
        for name in RESULTS:
            memory.add(f"{KEPT}{name}", len(memory.places(name)))

    def list_parts(
        self, memory: Memory, names: Sequence[str], step: Sequence[Part], make: MakeParts
    ) -> tuple[Part, ...]:
        """Return the parts of a step in which a whole one, or shorter ones, are taken by the parts `step`.

        `names` are those of all arguments.
        """
        goes, given = memory.places(SPLIT).start, [f"{WHOLE}{name}" for name in names]
        begin = make("begin", given, [*names, SPLIT], self.begin)
        lead = make("shorten", [*MOVED[:3], SPLIT], MOVED[:3], self.shorten)
        changed = [*MOVED, *RESULTS, *(f"{KEPT}{name}" for name in RESULTS), SPLIT]
        follow = make("follow", [*changed, f"{WHOLE}dt"], changed, self.follow)
        # Samples that are done keep their results, though the others of a batch go on, or are left for later.
        after = SettledWhen(goes + 1, follow)
        return *begin, SettledWhen(goes, lead), SettlingLoop(goes, (*step, after))

    def begin(self, at: Mapping[str, Any]) -> list[Number]:
        """Return the arguments of a whole step, and whether it is split."""
        (h,), fastest = at[f"{WHOLE}dt"], self._find_fastest(at[f"{WHOLE}qd"])
        splits = choose(h * fastest > FAST, 1.0, 0.0)
        return [*(x for vector in at.values() for x in vector), splits, splits, h, 0.0]

    def shorten(self, at: Mapping[str, Any]) -> list[Number]:
        """Return position, velocity and length of the first shorter step."""
        q, qd, (h,), (goes, *_) = at["q"], at["qd"], at["dt"], at[SPLIT]
        short = choose_length(self._find_fastest(qd), h, h)
        found = [*([*q, *qd] if self.closes else self._glide(q, qd, 0.5 * (short - h))), short]
        return choose_vector(goes > 0.5, found, [*q, *qd, h])

    def follow(self, at: Mapping[str, Any]) -> list[Number]:
        """Return the start of the next shorter step, the results so far, and whether to go on.

        Forces are means, gaps those of the first, the residual is the largest. A step that goes too far, or is not
        solved, is taken again, half as long.
        """
        (goes, splits, left, residual), (short,), (whole,) = at[SPLIT], at["dt"], at[f"{WHOLE}dt"]
        fails = find_failure(short * self._find_fastest(at["qd'"]), residual)
        repeats = choose(short > LEAST * whole, goes * fails, 0.0) > 0.5
        is_on, is_first, after = goes > 0.5, left > (1.0 - TINY) * whole, choose(repeats, left, left - short)
        ends = after < TINY * whole
        state = choose_vector(repeats, [*at["q"], *at["qd"]], [*at["q'"], *at["qd'"]])
        q, qd = state[: len(at["q"])], state[len(at["q"]) :]
        length = choose(ends, whole, choose(repeats, 0.5 * short, choose_length(self._find_fastest(qd), whole, after)))
        shift = 0.5 * (length - short)
        ahead = self._glide(q, qd, choose(repeats, shift, 0.0) if self.closes else shift)
        sums = [choose(is_first, 0.0, f) for f in at[f"{KEPT}forces'"]]
        sums = add_vectors(sums, [short / whole * f for f in at["forces'"]])
        gaps = choose_vector(is_first, at["gaps'"], at[f"{KEPT}gaps'"])
        (worst, passages), (before, others) = at["solution"], (choose(is_first, 0.0, x) for x in at[f"{KEPT}solution"])
        found = [*ahead, *sums, *gaps, maximum(worst, before), passages + others]
        takes = choose(repeats, 0.0, goes) > 0.5
        kept = choose_vector(takes, found, [x for name in RESULTS for x in at[f"{KEPT}{name}"]])
        return [
            *choose_vector(is_on, ahead, [*at["q"], *at["qd"]]),
            choose(is_on, length, short),
            *choose_vector(takes, at["forces'"], at["forces"]),
            *choose_vector(splits > 0.5, kept, [x for name in RESULTS for x in at[name]]),
            *kept,
            *(choose(ends, 0.0, goes), splits, choose(is_on, after, left), residual),
        ]

    def _find_fastest(self, qd: Any) -> Number:
        """Return the largest velocity of a coordinate that couplings leave free."""
        return largest(self.coupled.select(list(qd)))

    def _glide(self, q: Any, qd: Any, time: Number) -> list[Number]:
        """Return position and velocity after a time of constant velocity."""
        step = np.array([time * v for v in qd], dtype=object)
        q = np.array(q, dtype=object)
        at = glide(self.manifold, q, step)[0]
        return [*at, *carry(self.manifold, q, at, np.array(qd, dtype=object))]


def choose_length(fastest: Number, whole: Number, left: Number) -> Number:
    """Return the length of the next step: one, a half, a quarter, ... of the whole, no longer than what is left."""
    way, length = whole * fastest, whole
    for k in range(HALVED):
        length = choose(way > FAST * 2.0**k, whole * 0.5 ** (k + 1), length)
    return minimum(length, left)


def find_lead(fastest: Number, at: Mapping[str, Any]) -> Number:
    """Return the time from the end of a step with loops to where its velocity belongs to the middle of the next one.

    Robots with loops begin and end with the length that their velocity asks for, also beyond a whole step.
    """
    (whole,), (short,), (_, _, left, _) = at[f"{WHOLE}dt"], at["dt"], at[SPLIT]
    after = left - short
    ahead = choose_length(fastest, whole, choose(after < TINY * whole, whole, after))
    return 0.5 * (ahead - short)


def find_failure(way: Number, residual: Number) -> Number:
    """Return 1 where coordinates go too far in a step (rad, m), or laws are not obeyed, by so many smallest changes."""
    return choose(way > FAR, 1.0, choose(residual > UNSOLVED, 1.0, 0.0))


def split_failed_step(way: Number, residual: Number, split: Sequence[Number]) -> list[Number]:
    """Return the state `SPLIT` after a step in which coordinates went some way: a whole one that fails goes on."""
    goes, splits, left, _ = split
    again = choose(splits > 0.5, 0.0, find_failure(way, residual))
    return [maximum(goes, again), maximum(splits, again), left, residual]
