"""Closed chains: loop-closure errors as expressions, and the factors that keep them closed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from screwgraph.motion.planning.collocation import UNTIED
from screwgraph.motion.planning.mechanics import Mechanics, Template
from screwgraph.motion.planning.models import find_model_kind
from screwgraph.motion.planning.trajectory_unknowns import TrajectoryUnknowns
from screwgraph.optimize import Factors, Variables, Vector, equality
from screwgraph.spatial import Array, concatenate
from screwgraph.tape import jacobian, substitute_scalars, tape_of

SETTLING = 0.2
"""How fast closure errors that collocation leaves decay, per step."""


def make_loop_multipliers(steps: TrajectoryUnknowns) -> Variables | None:
    """Return the family of multipliers that keep loops and couplings closed, one for each sample; None for trees."""
    robot = steps.mechanics.robot
    return Variables("loops", Vector(robot.mobility.rank), len(steps.points)) if robot.is_closed else None


def closure_errors(mechanics: Mechanics, q: Array) -> Array:
    """Return the loop-closure errors and residuals of couplings (r,), of the independent rows."""
    return find_model_kind(mechanics.robot).closure_errors(mechanics.robot, q)


@dataclass(frozen=True)
class StabilisedClosure:
    """Closure errors g at one time: g'' + 2 a g' + a^2 g, a = rate / h, vanishes where loops close and stay so.

    Collocation of accelerations alone would let errors grow; positions and accelerations together would be too much.
    """

    mechanics: Mechanics

    def __call__(self, q: Any, qd: Any, qdd: Any, *, h: Any, rate: float = SETTLING) -> Any:
        """Return that, one entry for each independent row."""
        g, first, second = _levels(self.mechanics, q, qd, qdd)
        a = rate / h
        return second + 2.0 * a * first + a * a * g


@dataclass(frozen=True)
class Closure:
    """The closure errors of loops and couplings with their first and second derivatives in time."""

    mechanics: Mechanics

    def __call__(self, q: Any, qd: Any, qdd: Any) -> Any:
        """Return them one after the other, each with one entry for each independent row."""
        return concatenate(*_levels(self.mechanics, q, qd, qdd))


def _levels(mechanics: Mechanics, q: Any, qd: Any, qdd: Any) -> tuple[Any, Any, Any]:
    """Return closure errors and their first two derivatives in time."""
    (t,) = moments = list(tape_of(q).inputs("t", (1,)))
    g = closure_errors(mechanics, mechanics.positions.near(q, t * qd + 0.5 * t * t * qdd)).tolist()
    first = [row.get(0, 0.0) for row in jacobian(g, moments)]
    second = [row.get(0, 0.0) for row in jacobian(first, moments)]
    g, first, second = (np.array(substitute_scalars(x, {t: 0.0}), dtype=object) for x in (g, first, second))
    return g, first, second


@dataclass(frozen=True)
class ClosureRate:
    """The closure errors (order 0), or their first or second derivative in time."""

    mechanics: Mechanics
    order: int = 0

    def __call__(self, q: Any, *rates: Any) -> Any:
        """Return them, one entry for each independent row; `rates` are qd, and qdd for the second derivative."""
        if not self.order:
            return closure_errors(self.mechanics, q)
        qd, qdd = (*rates, 0.0 * rates[0])[:2]
        return _levels(self.mechanics, q, qd, qdd)[self.order]


def make_loop_factors(steps: TrajectoryUnknowns, *, has_accelerations: bool) -> list[Factors]:
    """Return the factors that keep a robot's loops closed: none for a tree."""
    if not steps.mechanics.robot.is_closed:
        return []
    if not has_accelerations:
        return [equality(ClosureRate(steps.mechanics), steps.q[steps.free_points], name="loops")]
    if steps.collocation == UNTIED:  # nothing integrates accelerations: all three levels are unknown at each point
        free = np.flatnonzero(np.isin(steps.points, steps.free_points))
        at = steps.points[free]
        return [equality(Closure(steps.mechanics), steps.q[at], steps.qd[at], steps.qdd[free], name="loops")]
    step = np.minimum(np.searchsorted(steps.first, steps.points, side="right") - 1, len(steps.first) - 1)
    scale = steps.lengths[step] / steps.per_step
    unknowns = (steps.q[steps.points], steps.qd[steps.points], steps.qdd)
    template: Template = StabilisedClosure(steps.mechanics)
    made, arguments, timing = steps.scale_by_duration(template, *unknowns, phases=steps.phase_of_sample, scale=scale)
    return [equality(made, *arguments, name="loops", **timing), *_make_start_closure(steps)]


def _make_start_closure(steps: TrajectoryUnknowns) -> list[Factors]:
    """Return the factors that close loops at the start where its state is free: accelerations keep them as they are."""
    found, (q, qd) = [], (steps.given[family].get(0) for family in ("q", "qd"))
    if q is None:
        found.append(equality(ClosureRate(steps.mechanics), steps.q[[0]], name="loops at the start"))
    if qd is None or (q is None and qd.any()):
        rates = ClosureRate(steps.mechanics, 1)
        found.append(equality(rates, steps.q[[0]], steps.qd[[0]], name="rates of loops at the start"))
    return found
