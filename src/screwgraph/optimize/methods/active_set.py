"""Solving again near a solution: whole Newton steps on the KKT equations of the active inequalities.

Where the last matrix serves, it is taken again; where inequalities join or leave, only what these touch, and what is
above in its tree, is eliminated again. After each step, active inequalities whose multipliers are negative
leave, and those that are violated join, many at once: Hintermueller, Ito, Kunisch, The primal-dual active set strategy
as a semismooth Newton method (2002). There is no barrier, so that solutions are exact, and no line search.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from screwgraph.optimize.linear import Factored, SingularError
from screwgraph.optimize.methods.active_set_kernels import HardTable, ProductTable, compile_active_set
from screwgraph.optimize.methods.base import max_magnitude
from screwgraph.optimize.methods.kkt import KktSystem
from screwgraph.optimize.methods.local_model import LocalModel
from screwgraph.optimize.methods.newton_step import ROUGH

STIFF = 1e8
"""How much stiffer than costs active inequalities are in the matrix; multipliers make up for what that leaves."""
VIOLATED = 1e-10
"""Residual beyond which an inequality becomes active."""
NEGATIVE = 1e-9
"""Multiplier below minus which an inequality leaves: rounding does not decide what takes another matrix."""
DEAREST = 8.0
"""Steps that a new matrix costs as much as, with those that are still taken after it."""
EXCHANGES = 5
"""Steps in a row after which inequalities join or leave, before a new matrix is made."""
LEAST = 0.02
"""Part of the error that the next step leaves, at least: parts of residuals are not those of unknowns."""
ERROR = 1e-8
"""Largest error of the KKT equations at a solution."""
MOST = 20
"""Steps, after which another way is better."""
WORSE, LOST = 1e3, 1e8
"""Times the first error that steps may lead to; the same where inequalities changed: those that join may be broken by
far."""


@dataclass(frozen=True, eq=False)
class ActivePoint:
    """Unknowns, multipliers of equalities y and inequalities z, which inequalities are active (1, else 0)."""

    x: Float[np.ndarray, " s"]
    y: Float[np.ndarray, " m"]
    z: Float[np.ndarray, " k"]
    active: Int[np.ndarray, " k"]

    def copy(self) -> ActivePoint:
        """Return the point in memory of its own."""
        return ActivePoint(self.x.copy(), self.y.copy(), self.z.copy(), self.active.copy())

    @cached_property
    def addresses(self) -> tuple[int, int, int]:
        """Addresses of y, z and which inequalities are active, as NumPy takes half a microsecond for each."""
        return self.y.ctypes.data, self.z.ctypes.data, self.active.ctypes.data


@dataclass(frozen=True, eq=False)
class ActiveMatrix:
    """A factored matrix, which inequalities are active in it, and how stiff they are where they are.

    Others with a few changes are made in its place: it ends then.
    """

    factored: Factored
    active: Int[np.ndarray, " k"]
    stiffness: Float[np.ndarray, " k"]

    @cached_property
    def stiffness_address(self) -> int:
        """Address of the stiffness."""
        return self.stiffness.ctypes.data


@dataclass(frozen=True, eq=False)
class ActiveSolution:
    """A point, where hard factors were evaluated last, the last matrix; steps and new matrices on the way.

    `is_solved` tells whether steps have become small.
    """

    point: ActivePoint
    matrix: ActiveMatrix | None
    steps: int
    matrices: int
    is_solved: bool


class ActiveEquations:
    """The KKT equations of a problem's active inequalities: numbers change, arrays are used again.

    Jacobians are those of the last matrix; between matrices, slopes are products J'y, from sweeps backwards.
    """

    def __init__(self, kkt: KktSystem) -> None:
        self.kkt, self.bound = kkt, kkt.bind()
        equal, unequal, bound = kkt.assembly.equalities, kkt.assembly.inequalities, self.bound
        n = kkt.assembly.layout.size
        self._counts = (equal.count, unequal.count)
        self.slope, self._right, self._pull = np.empty(n), np.empty(n + equal.count), np.empty(unequal.count)
        units = np.ones(n) if kkt.units is None else np.ascontiguousarray(kkt.units)
        entries = np.argsort(unequal.rows, kind="stable")
        self._table = HardTable(
            residuals=bound.g,
            values=bound.G,
            columns=np.ascontiguousarray(unequal.columns),
            entries=entries,
            firsts=np.searchsorted(unequal.rows[entries], np.arange(unequal.count + 1)),
        )
        self._units = units
        self._unequal, self._residuals = self._table.addresses, bound.c.ctypes.data
        arrays = (bound.gradient, self.slope, self._right, self._pull, units)
        self._gradient, self._slope, self._right_side, self._pulls, self._unit = (a.ctypes.data for a in arrays)
        self._ahead = [self._make_point(), self._make_point()]
        self._functions: Any = compile_active_set().functions

    def _make_point(self) -> ActivePoint:
        """Return memory for a point."""
        m, k = self._counts
        return ActivePoint(np.empty(len(self.bound.x)), np.empty(m), np.empty(k), np.empty(k, dtype=np.int64))

    @cached_property
    def _products(self) -> tuple[int, ...]:
        """Addresses and counts of products with multipliers, of equalities and inequalities."""
        tables = [(ProductTable(values=h.products, columns=h.columns), len(h.columns)) for h in self.bound.hard_slopes]
        return tuple(x for table, count in tables for x in (*table.addresses, count))

    def choose_active(self, before: ActivePoint, point: ActivePoint) -> bool:
        """Write which inequalities are active at a point after a step; return whether others are."""
        (_, z, active), count = point.addresses, self._counts[1]
        given = (count, before.addresses[2], active, z)
        return self._functions["choose_active"](*self._unequal, *given, VIOLATED) > 0

    def evaluate_hard(self, point: ActivePoint) -> None:
        """Write residuals of hard factors, and products of their slopes with multipliers."""
        self.bound.evaluate_hard_slopes(point.x, point.y, point.z)

    def measure_error(self, point: ActivePoint) -> float:
        """Write the gradient of the Lagrangian, of what was evaluated last, and return the error."""
        (m, k), slopes = self._counts, (self._slope, len(self.slope))
        y, _, active = point.addresses
        self._functions["write_slope"](*self._products, self._gradient, self._unit, *slopes)
        return self._functions["measure_error"](
            self._residuals, m, *self._unequal, k, self._gradient, *slopes, y, active
        )

    def take_step(self, point: ActivePoint, matrix: ActiveMatrix) -> tuple[ActivePoint, Float[np.ndarray, " n"]]:
        """Return the point after a step, and the step; the gradient of the Lagrangian was written there.

        The point, whose active inequalities are not chosen yet, stands in memory that the step after the next one uses.
        """
        (m, k), n = self._counts, len(self.slope)
        ahead = self._ahead[self._ahead[0] is point]
        (_, z, active), stiffness = point.addresses, matrix.stiffness_address
        given = (self._slope, n, z, active, stiffness, self._pulls, self._right_side)
        self._functions["write_right"](self._residuals, m, *self._unequal, k, *given)
        both = matrix.factored.correction(self._right, ROUGH)
        given = (both.ctypes.data, active, stiffness, self._pulls, ahead.addresses[1])
        self._functions["write_multipliers"](*self._unequal, k, *given, NEGATIVE)
        ahead.x[:] = self.kkt.retract(point.x, both[:n])
        np.add(point.y, both[n:], out=ahead.y)
        return ahead, both[:n]

    def measure_step(self, step: Float[np.ndarray, " n"], sizes: Float[np.ndarray, " n"]) -> float:
        """Return the largest part of its size by which a direction moves."""
        return self._functions["measure_step"](step.ctypes.data, sizes.ctypes.data, len(sizes))

    def make_matrix(self, point: ActivePoint) -> ActiveMatrix | None:
        """Return the factored equations at a point, None where they are not those of a minimum.

        Where signs of pivots may be rounding, multipliers are regularised more.
        """
        kkt, model = self.kkt, self.bound.evaluate(point.x)
        stiffness = _find_stiffness(kkt, model)
        ratios = np.where(point.active, stiffness, 0.0)
        multipliers = (point.y, point.z) if kkt.curved else None
        for firm in (False, True):
            try:
                factored = kkt.factor(model, multipliers, ratios, 0.0, 0.0, firm=firm)
            except SingularError:
                continue
            if factored.negative == len(model.c):
                factored.detach()
                return ActiveMatrix(factored, point.active.copy(), stiffness)
        return None

    def reweight(self, x: Float[np.ndarray, " s"], matrix: ActiveMatrix, names: Iterable[str]) -> ActiveMatrix | None:
        """Return the matrix with some soft factors at x; all else stays. None where it is not that of a minimum."""
        entries = self.bound.evaluate_entries(x, names)
        try:
            factored = self.kkt.factor_with_costs(matrix.factored, entries)
        except SingularError:
            return None
        if factored.negative != self._counts[0]:
            return None
        return ActiveMatrix(factored, matrix.active, matrix.stiffness)

    def exchange(self, matrix: ActiveMatrix, active: Int[np.ndarray, " k"]) -> ActiveMatrix | None:
        """Return the matrix with other active inequalities; all else stays. None where it is not that of a minimum."""
        ratios, changed = np.where(active, matrix.stiffness, 0.0), matrix.active != active
        try:
            factored = self.kkt.factor_again(matrix.factored, self.bound.G, changed, ratios)
        except SingularError:
            return None
        if factored.negative != self._counts[0]:
            return None
        return ActiveMatrix(factored, active.copy(), matrix.stiffness)


def find_active_solution(
    equations: ActiveEquations,
    start: ActivePoint,
    matrix: ActiveMatrix | None,
    accuracy: float,
    *,
    is_known: bool = False,
) -> ActiveSolution:
    """Take steps until they are expected to change unknowns by less than `accuracy`, relative to families beyond 1.

    `matrix` is None where numbers have changed on which it depends; see there what becomes of it. `is_known`: hard
    factors were evaluated last at the start, and have not changed since.
    """
    point, count, matrices, bound = start, 0, 0, equations.bound
    sizes, before, exchanges = _measure_sizes(equations.kkt, start.x), 0.0, 0
    if not is_known:
        equations.evaluate_hard(point)
    bound.evaluate_cost_slopes(point.x)
    first = error = equations.measure_error(point)
    while count < MOST:
        if matrix is None:
            matrix, matrices = equations.make_matrix(point), matrices + 1
        elif not np.array_equal(matrix.active, point.active):
            matrix = equations.exchange(matrix, point.active)
        if matrix is None:
            break
        ahead, step = equations.take_step(point, matrix)
        moved, count = equations.measure_step(step, sizes), count + 1
        equations.evaluate_hard(ahead)
        is_other = equations.choose_active(point, ahead)
        bound.evaluate_cost_slopes(ahead.x)
        left = equations.measure_error(ahead)
        if not left <= (LOST if is_other else WORSE) * first:
            break
        part = left / error if error else 0.0
        if not is_other and left <= ERROR and moved * min(max(part, LEAST), 1.0) <= accuracy:
            return ActiveSolution(ahead.copy(), matrix, count, matrices, is_solved=True)
        exchanges = exchanges + 1 if is_other else 0
        if is_other:
            is_slow = exchanges >= EXCHANGES and not matrices
        else:
            is_slow = count > 1 and _predict_steps(moved, before, accuracy) > DEAREST
        if is_slow:
            matrix = None
        point, error, before = ahead, left, moved
    return ActiveSolution(start, matrix, count, matrices, is_solved=False)


def _predict_steps(moved: float, before: float, accuracy: float) -> float:
    """Return how many steps follow one that moved unknowns so far, where each is shorter as this one was.

    The first step tells nothing: what it leaves of the error is how equations bend along it, which no matrix changes.
    Deuflhard (2011), section 2.1.2.
    """
    if not moved < before:
        return np.inf
    return np.log(accuracy / moved) / np.log(moved / before) if moved > accuracy else 0.0


def _measure_sizes(kkt: KktSystem, x: Float[np.ndarray, " s"]) -> Float[np.ndarray, " n"]:
    """Return the largest size in each direction's family, at least 1."""
    layout = kkt.assembly.layout
    sizes = np.empty(layout.size)
    for name, places in layout.directions.items():
        sizes[places] = max(1.0, max_magnitude(x[layout.places[name]]))
    return sizes


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
