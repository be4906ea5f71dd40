"""Where a model contradicts its sensors: residuals of the equations of motion by coordinate, and stiffer dampers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from screwgraph.model import Model
from screwgraph.model.robot import Robot
from screwgraph.model.robot.parameters import checked_parameters, with_values
from screwgraph.motion.estimation.window_rules import effective_inertias
from screwgraph.motion.simulation import coordinate_names
from screwgraph.optimize import Problem, Result, solve
from screwgraph.optimize.whitening import whiten_residual

DYNAMICS = "dynamics"
FORCELESS = 1e5
"""How many times larger standard deviations of the equations of motion are where sensors are followed."""
FASTER = (1.0, 10.0, 100.0)
"""Steps over the time constants of dampers with which a search begins anew."""


def residuals_by_coordinate(model: Model, result: Result, *, scaled: bool = True) -> dict[str, float]:
    """Return the largest residual of the equation of motion of each coordinate, in standard deviations or N m, N.

    Empty where a model has no such equation for each coordinate.
    """
    names, found = coordinate_names(model)["qd"], dict[str, float]()
    for factors in result.problem.factors:
        left = result.residuals.get(factors.name)
        if not factors.name.startswith(DYNAMICS) or left is None or left.shape[1:] != (len(names),):
            continue
        sizes = np.abs(whiten_residual(left, dict(factors.shared)) if scaled else left).max(axis=0)
        found = {name: max(size, found.get(name, 0.0)) for name, size in zip(names, sizes.tolist(), strict=True)}
    return found


def contradiction(model: Model, problem: Callable[[float], Problem], values: Mapping[str, np.ndarray]) -> str:
    """Say which equation of motion is off the furthest where sensors are followed.

    `problem` returns the factors, with standard deviations of the equations of motion so many times larger.
    """
    loose = solve(problem(FORCELESS), values, method="levenberg_marquardt", iterations=50)
    ratios = residuals_by_coordinate(model, loose)
    if not ratios or not np.isfinite(list(ratios.values())).all():
        return ""
    name = max(ratios, key=lambda name: ratios[name])
    off = residuals_by_coordinate(model, loose, scaled=False)[name]
    return f"sensors are followed where the equation of motion of {name} is off by up to {off:.3g} (N m, N)"


def stiffer_robots(robot: Robot, parameters: Sequence[str], q: np.ndarray, dt: float) -> Iterator[Robot]:
    """Yield robots whose unknown dampings, where they are less, are those of dampers as fast as a step and faster."""
    dampings = checked_parameters("expected", ("damping",), robot, _dampings(parameters))
    inertias = effective_inertias(robot, q, 0.0)
    for faster in FASTER:
        levels = {p: faster * inertias[robot.v_slices[p.part]] / dt for p in dampings}
        raised = {p: level for p, level in levels.items() if (level > p.nominal(robot)).all()}
        if raised:
            yield with_values(robot, raised)


def _dampings(parameters: Sequence[str]) -> tuple[str, ...]:
    return tuple(name for name in parameters if name.endswith(".damping"))
