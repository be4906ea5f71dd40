"""Observability: what measurements determine, how well they agree with the model, and where they contradict it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.model import Model
from screwgraph.model.robot import Robot
from screwgraph.model.robot.parameters import checked_parameters, with_values
from screwgraph.motion.estimation.mechanisms.templates import SymbolicMechanism
from screwgraph.motion.estimation.parameters import Parameters
from screwgraph.motion.estimation.readings.measurements import Samples
from screwgraph.motion.estimation.window_rules import effective_inertias
from screwgraph.motion.simulation import coordinate_names
from screwgraph.optimize import Problem, Result, Variables, solve
from screwgraph.optimize.linear import SingularError
from screwgraph.optimize.whitening import whiten_residual

WEAK = 0.5
"""Part of the prior's standard deviation that is left where measurements say little."""

DAMPING = 3e-13
"""Part of the diagonal of the normal equations below which rounding leaves no digits."""

SHARE = 0.3
"""Entry of a unit direction from which on a coordinate has a share in it."""

DYNAMICS = "dynamics"

FORCELESS = 1e5
"""How many times larger standard deviations of the equations of motion are where sensors are followed."""

FASTER = (1.0, 10.0, 100.0)
"""Steps over the time constants of dampers with which a search begins anew."""


def find_unobserved(covariance: Float[np.ndarray, "n n"], prior_sigma: float, names: Sequence[str]) -> list[str]:
    """Return the names of entries with a share in a direction that hardly anything but a prior determines."""
    variance, directions = np.linalg.eigh(covariance)
    weak = np.abs(directions[:, np.sqrt(np.maximum(variance, 0.0)) > WEAK * prior_sigma])
    return [name for name, shares in zip(names, weak, strict=True) if (shares > SHARE).any()]


def compute_damped_covariances(result: Result, families: Sequence[Variables]) -> dict[str, Float[np.ndarray, "N n n"]]:
    """Return covariances where a search ended, of families by name; none where these are not finite there.

    Directions that nothing determines get large ones: the matrix is damped by what rounding takes away.
    """
    assembly, layout = result.problem.assembly, result.problem.layout
    _, gradient, entries = assembly.linearise(result.iterate.x)
    if not np.isfinite(gradient).all():
        return {}
    try:
        factored = assembly.normal.factor(entries, DAMPING * assembly.diagonal(entries))
        found = {}
        for family in families:
            first, dim = layout.directions[family.name].start, family.manifold.dim
            found[family.name] = factored.covariance(range(first, first + dim))[None]
    except SingularError:
        return {}
    return found


def rms_residual(samples: Samples, residuals: Float[np.ndarray, "k rows"], sigma: Any) -> float:
    """Return the root mean square of a sensor's residuals in its standard deviations."""
    off = samples.fill_rows(residuals / sigma)
    return float(np.sqrt(np.nanmean(off * off)))


def find_undetermined(
    shared: Parameters | SymbolicMechanism,
    values: Float[np.ndarray, " k"],
    covariance: Float[np.ndarray, "k k"],
    prior_sigma: float,
) -> tuple[str, ...]:
    """Return the names of parameters that hardly anything but priors determines, or that may be zero or twice as large.

    `prior_sigma` is relative to their scales.
    """
    sigma = np.sqrt(np.diag(covariance))
    weak = sigma > np.minimum(WEAK * prior_sigma * shared.scale, np.maximum(np.abs(values), shared.scale))
    return tuple(name for name, is_weak in zip(shared.names, weak, strict=True) if is_weak)


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
