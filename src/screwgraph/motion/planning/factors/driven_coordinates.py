"""Driven coordinates of plans: constraints that depend on time, kept as loops are kept closed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from screwgraph.base.errors import InputError
from screwgraph.motion.planning.collocation import UNTIED
from screwgraph.motion.planning.factors.loop_closure import SETTLING
from screwgraph.motion.planning.trajectory_unknowns import TrajectoryUnknowns
from screwgraph.optimize import Factors, each, equality
from screwgraph.spatial import concatenate

MET = 1e-6
"""Difference of a given value or rate, relative to the largest (or 1), that is the rounding of what a user gives."""


@dataclass(frozen=True)
class StabilisedDrive:
    """Coordinates less functions of time, e = q - u: e'' + 2 a e' + a^2 e, a = rate / h, vanishes where they agree.

    Collocation of accelerations alone would let errors grow, as of loops.
    """

    places: tuple[int, ...]

    def __call__(self, q: Any, qd: Any, qdd: Any, *, motion: Any, h: Any, rate: float = SETTLING) -> Any:
        """Return that (k,); `motion` (3 k,) are values, rates and accelerations of the functions."""
        e, first, second = _levels(self.places, (q, qd, qdd), motion)
        a = rate / h
        return second + 2.0 * a * first + a * a * e


@dataclass(frozen=True)
class DriveError:
    """Coordinates less their functions of time; with rates and accelerations, as many as are unknown."""

    places: tuple[int, ...]

    def __call__(self, *states: Any, motion: Any) -> Any:
        """Return them one after the other; `motion` has values, rates and accelerations of the functions."""
        return concatenate(*_levels(self.places, states, motion))


def _levels(places: tuple[int, ...], states: tuple[Any, ...], motion: Any) -> list[Any]:
    k = len(places)
    return [x[list(places)] - motion[i * k : (i + 1) * k] for i, x in enumerate(states)]


def hold_start(robot: Any, given: Mapping[str, Any], order: int) -> dict[str, Any]:
    """Return what is given at the start by coordinate, and values (order 0) or rates (1) of driven coordinates.

    Raises:
        InputError: another value than the function's is given, or it is not known at t = 0.
    """
    held = {name: float(function(0.0)[order]) for name, function in robot.driven.items()}
    for name, value in held.items():
        own = given.get(name, value)
        if not np.all(np.abs(np.asarray(own, dtype=float) - value) <= MET * max(1.0, abs(value))):
            raise InputError(
                f"{name!r} begins at {float(np.ravel(own)[0]):.6g}",
                why=f"it is driven, and is {value:.6g} at t = 0",
                fix="leave it out",
            )
    return {**given, **held}


def make_driven_factors(steps: TrajectoryUnknowns, *, has_accelerations: bool) -> list[Factors]:
    """Return the factors that lead driven coordinates along their functions of time: none where nothing is driven.

    Blanco-Claraco et al. (2021), (1)-(3).

    Raises:
        InputError: a duration is free, or a function is not known at a time of the plan.
    """
    robot = steps.mechanics.robot
    if not robot.driven:
        return []
    if steps.duration is not None:
        raise InputError(
            f"{', '.join(robot.driven)} is driven, and a duration is free",
            why="a function of time tells how fast it moves",
            fix="give durations of phases",
        )
    places = tuple(robot.joint_names.index(name) for name in robot.driven)
    functions = np.array([function(steps.times) for function in robot.driven.values()])  # (k, 3, K)
    motion = np.moveaxis(functions, -1, 0).transpose(0, 2, 1).reshape(len(steps.times), -1)
    if not has_accelerations:
        free = steps.free_points
        return [equality(DriveError(places), steps.q[free], motion=each(motion[free]), name="driven")]
    if steps.collocation == UNTIED:
        free = np.flatnonzero(np.isin(steps.points, steps.free_points))
        at = steps.points[free]
        states = steps.q[at], steps.qd[at], steps.qdd[free]
        return [equality(DriveError(places), *states, motion=each(motion[at]), name="driven")]
    step = np.minimum(np.searchsorted(steps.first, steps.points, side="right") - 1, len(steps.first) - 1)
    at, h = steps.points, np.array([p.duration for p in steps.phases])[steps.phase_of_sample]
    timing = {"h": each(h * steps.lengths[step] / steps.per_step), "motion": each(motion[at])}
    found = [equality(StabilisedDrive(places), steps.q[at], steps.qd[at], steps.qdd, **timing, name="driven")]
    if any(steps.given[family].get(0) is None for family in ("q", "qd")):
        begun = each(motion[[0]])
        found.append(equality(DriveError(places), steps.q[[0]], steps.qd[[0]], motion=begun, name="start of driven"))
    return found
