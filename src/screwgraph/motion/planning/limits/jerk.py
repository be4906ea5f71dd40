"""Limits of joint jerks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from screwgraph.base.errors import InputError
from screwgraph.motion.integration_rules import lagrange_polynomials
from screwgraph.motion.planning.collocation import UNTIED
from screwgraph.motion.planning.limits.base import make_bounds, read_limit, symmetric_bounds
from screwgraph.motion.planning.limits.bernstein import ControlPointLimit, make_piece, node_rows
from screwgraph.motion.planning.trajectory_unknowns import TrajectoryUnknowns
from screwgraph.optimize import Factors, equality, hinge, inequality


@dataclass(frozen=True)
class AccelerationJump:
    """How far the acceleration at the beginning of a step is from that at the end of the step before.

    `weights` are those of the accelerations at the samples of the step in that at its beginning.
    """

    weights: tuple[float, ...]

    def __call__(self, before: Any, *samples: Any) -> Any:
        """Return the difference."""
        return sum(w * a for w, a in zip(self.weights, samples, strict=True)) - before


@dataclass(frozen=True, eq=False)
class JerkLimit:
    """Rates of joint accelerations stay within bounds (rad/s^3, m/s^3), at points and between.

    `bounds`: b for +-b, (lower, upper), or {joint: one of these}. Accelerations are polynomials in each step; where a
    rule of collocation lets them jump from step to step, they are continuous, also where two phases meet. A `sigma`
    makes the bounds soft: they cost half the square of what comes nearer than `threshold`, over sigma.
    """

    bounds: Any = None
    sigma: float | None = None
    threshold: float = 0.0

    read = classmethod(read_limit)

    def factors(self, steps: TrajectoryUnknowns, name: str) -> Iterable[Factors]:
        """Return one factor for each step, and one for each two steps between which accelerations may jump.

        Raises:
            InputError: a bound is wrong, or accelerations are constant over each step.
        """
        rule = steps.collocation
        if self.bounds is None:
            raise InputError(
                "files of robots have no jerk limits", fix="give numbers: jerk: 100, or jerk: {joint: 100}"
            )
        bounds = make_bounds(steps.mechanics, self.bounds, lambda joint: symmetric_bounds(None), "jerk")
        piece = None if rule == UNTIED or rule.holds or steps.is_open else make_piece(rule, "qdd")
        if piece is None or not piece.degree:
            raise InputError(
                f"collocation {rule.name!r} has no jerk that could be limited",
                why="no rule joins its points" if rule == UNTIED else "torques, and with them accelerations, jump",
                fix="collocation: linear_acceleration, or radau",
            )
        slopes = piece.degree * np.diff(np.array(piece.weights), axis=0)
        lower, upper = bounds
        above, below = (tuple(np.flatnonzero(np.isfinite(b)).tolist()) for b in (upper, lower))
        count, powers = len(piece.arguments), (-1,) * len(piece.arguments)
        template = ControlPointLimit(
            "jerk", tuple(map(tuple, slopes.tolist())), powers, (above,) * count, (below,) * count
        )
        arguments = [steps.qdd[node_rows(steps, "qdd", node)] for _, node in piece.arguments]
        template, arguments, timing = steps.scale_by_duration(
            template, *arguments, phases=steps.phase_of_step, scale=steps.lengths
        )
        parameters: dict[str, Any] = {
            key: b[list(c)] for key, b, c in (("upper", upper, above), ("lower", lower, below)) if c
        }
        if self.sigma is None:
            yield inequality(template, *arguments, name=name, **timing, **parameters)
        else:
            noise: dict[str, Any] = {"sigma": self.sigma, "threshold": self.threshold}
            yield hinge(template, *arguments, name=name, **noise, **timing, **parameters)
        yield from _make_continuity_factors(steps, name)


def _make_continuity_factors(steps: TrajectoryUnknowns, name: str) -> Iterable[Factors]:
    """Return factors that keep accelerations from jumping where steps meet that do not share a sample there."""
    rule = steps.collocation
    through = lagrange_polynomials(tuple(rule.nodes[i] for i in rule.accelerated))
    before = steps.sample_at(rule.accelerated[-1])[:-1]
    after = [steps.sample_at(i)[1:] for i in rule.accelerated]
    apart = np.flatnonzero(before != after[0])
    if len(apart):
        selections = [steps.qdd[rows[apart]] for rows in (before, *after)]
        template = AccelerationJump(tuple(float(p(0.0)) for p in through))
        yield equality(template, *selections, name=f"{name}: continuous accelerations")
