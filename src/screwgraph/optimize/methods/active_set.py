"""Solving again near a solution: whole Newton steps on the KKT equations of the active inequalities.

Where the last matrix serves, it is taken again; where inequalities join or leave, only what these touch, and what is
above in its tree, is eliminated again. After each step, active inequalities whose multipliers are negative
leave, and those that are violated join, many at once: Hintermueller, Ito, Kunisch, The primal-dual active set strategy
as a semismooth Newton method (2002). There is no barrier, so that solutions are exact, and no line search.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Float

from screwgraph.optimize.linear import Factored, SingularError
from screwgraph.optimize.methods.base import max_magnitude
from screwgraph.optimize.methods.kkt import KktSystem, LocalModel
from screwgraph.optimize.methods.newton_step import ROUGH

STIFF = 1e8
"""How much stiffer than costs active inequalities are in the matrix; multipliers make up for what that leaves."""
VIOLATED = 1e-12
"""Residual beyond which an inequality becomes active."""
WORTHWHILE = 0.1
"""What a step may leave of the error, so that as much is not done faster by one with a new matrix."""
LEAST = 0.02
"""The same of the next step, at least: parts of residuals are not those of unknowns."""
ERROR = 1e-8
"""Largest error of the KKT equations at a solution."""
MOST = 12
"""Steps, after which another way is better."""
WORSE = 1e3
"""Times the first error that steps may lead to: where inequalities change, errors do not only come down."""


@dataclass(frozen=True, eq=False)
class ActivePoint:
    """Unknowns, multipliers of equalities y and inequalities z, which inequalities are active."""

    x: Float[np.ndarray, " s"]
    y: Float[np.ndarray, " m"]
    z: Float[np.ndarray, " k"]
    active: Bool[np.ndarray, " k"]


@dataclass(frozen=True, eq=False)
class ActiveMatrix:
    """A factored matrix, which inequalities are active in it, and how stiff they are where they are."""

    factored: Factored
    active: Bool[np.ndarray, " k"]
    stiffness: Float[np.ndarray, " k"]


@dataclass(frozen=True, eq=False)
class ActiveSolution:
    """A point, the problem there, the last matrix; steps and new matrices on the way.

    `is_solved` tells whether steps have become small.
    """

    point: ActivePoint
    model: LocalModel
    matrix: ActiveMatrix | None
    steps: int
    matrices: int
    is_solved: bool


def find_active_solution(
    kkt: KktSystem, start: ActivePoint, model: LocalModel, matrix: ActiveMatrix | None, accuracy: float
) -> ActiveSolution:
    """Take steps until they are expected to change unknowns by less than `accuracy`, relative to families beyond 1.

    `model` is the problem at the start; `matrix` is None where numbers have changed on which the matrix depends.
    """
    point, count, matrices, sizes = start, 0, 0, _measure_sizes(kkt, start.x)
    slope = _gradient(kkt, model, point)
    first = error = _measure(model, point, slope)
    while count < MOST:
        if matrix is None:
            matrix, matrices = _make_matrix(kkt, model, point), matrices + 1
        elif not np.array_equal(matrix.active, point.active):
            matrix = _exchange(kkt, model, matrix, point.active)
        if matrix is None:
            break
        ahead, step = _take_step(kkt, model, point, matrix, slope)
        moved = max_magnitude(step / sizes)
        model, count = kkt.model(ahead.x), count + 1
        ahead = replace(ahead, active=np.where(point.active, ahead.z > 0.0, model.g > VIOLATED))
        ahead = replace(ahead, z=np.where(ahead.active, ahead.z, 0.0))
        slope = _gradient(kkt, model, ahead)
        left = _measure(model, ahead, slope)
        is_same = bool((ahead.active == point.active).all())
        if not left < WORSE * first or not np.isfinite(left):
            break
        part = left / error if error else 0.0
        if is_same and left <= ERROR and moved * min(max(part, LEAST), 1.0) <= accuracy:
            return ActiveSolution(ahead, model, matrix, count, matrices, is_solved=True)
        if part > WORTHWHILE and (is_same or not matrices):  # else it is what joined and left
            matrix = None
        point, error = ahead, left
    return ActiveSolution(point, model, matrix, count, matrices, is_solved=False)


def _measure_sizes(kkt: KktSystem, x: Float[np.ndarray, " s"]) -> Float[np.ndarray, " n"]:
    """Return the largest size in each direction's family, at least 1."""
    layout = kkt.assembly.layout
    sizes = np.empty(layout.size)
    for name, places in layout.directions.items():
        sizes[places] = max(1.0, max_magnitude(x[layout.places[name]]))
    return sizes


def _gradient(kkt: KktSystem, model: LocalModel, point: ActivePoint) -> Float[np.ndarray, " n"]:
    """Return the gradient of the Lagrangian."""
    return model.gradient + kkt.multiply_transposed(model, point.y, point.z)


def _measure(model: LocalModel, point: ActivePoint, slope: Float[np.ndarray, " n"]) -> float:
    """Return the error of the KKT equations."""
    broken = np.where(point.active, np.abs(model.g), np.maximum(model.g, 0.0))
    size = max(1.0, max_magnitude(model.gradient), max_magnitude(point.y))
    return max(max_magnitude(slope) / size, max_magnitude(model.c), max_magnitude(broken))


def _find_stiffness(kkt: KktSystem, model: LocalModel) -> Float[np.ndarray, " k"]:
    """Return how stiff inequalities are where they are active."""
    unequal = kkt.assembly.inequalities
    if not unequal.count:
        return np.zeros(0)
    diagonal = kkt.assembly.diagonal(model.entries)
    used = diagonal[diagonal > 0.0]
    typical = float(np.median(used)) if used.size else 1.0
    squares = np.bincount(unequal.rows, model.G**2, unequal.count)
    return STIFF * typical / np.where(squares > 0.0, squares, 1.0)


def _make_matrix(kkt: KktSystem, model: LocalModel, point: ActivePoint) -> ActiveMatrix | None:
    """Return the factored equations, None where they are not those of a minimum.

    Where signs of pivots may be rounding, multipliers are regularised more.
    """
    stiffness, shift = _find_stiffness(kkt, model), np.zeros(len(model.gradient))
    ratios = np.where(point.active, stiffness, 0.0)
    multipliers = (point.y, point.z) if kkt.curved else None
    for firm in (False, True):
        try:
            factored = kkt.factor(point.x, model, multipliers, ratios, shift, 0.0, firm=firm)
        except SingularError:
            continue
        if factored.negative == len(model.c):
            return ActiveMatrix(factored, point.active, stiffness)
    return None


def reweight(kkt: KktSystem, model: LocalModel, matrix: ActiveMatrix) -> ActiveMatrix | None:
    """Return the matrix with the soft factors of a model; all else stays. None where it is not that of a minimum."""
    try:
        factored = kkt.factor_with_costs(matrix.factored, model)
    except SingularError:
        return None
    return replace(matrix, factored=factored) if factored.negative == len(model.c) else None


def _exchange(
    kkt: KktSystem, model: LocalModel, matrix: ActiveMatrix, active: Bool[np.ndarray, " k"]
) -> ActiveMatrix | None:
    """Return the matrix with other active inequalities; all else stays. None where it is not that of a minimum."""
    ratios = np.where(active, matrix.stiffness, 0.0)
    try:
        factored = kkt.factor_again(matrix.factored, model, matrix.active != active, ratios)
    except SingularError:
        return None
    return ActiveMatrix(factored, active, matrix.stiffness) if factored.negative == len(model.c) else None


def _take_step(
    kkt: KktSystem,
    model: LocalModel,
    point: ActivePoint,
    matrix: ActiveMatrix,
    slope: Float[np.ndarray, " n"],
) -> tuple[ActivePoint, Float[np.ndarray, " n"]]:
    """Return the point after a step, and the step."""
    n, stiffness = len(model.gradient), matrix.stiffness
    pull = np.where(point.active, point.z + stiffness * model.g, 0.0)
    more = kkt.multiply_inequalities_transposed(model, pull - point.z)
    both = matrix.factored.correction(np.concatenate([-slope - more, -model.c]), ROUGH)
    step = both[:n]
    z = np.where(point.active, pull + stiffness * kkt.multiply_inequalities(model, step), 0.0)
    x = kkt.retract(point.x, step)
    return ActivePoint(x, point.y + both[n:], z, point.active), step
