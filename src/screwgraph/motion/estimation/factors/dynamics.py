"""Accelerations that the equations of motion demand, under known forces or under torques to be found.

Their Jacobians differentiate the equations of motion, not the elimination that solves them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from screwgraph.graph import Key
from screwgraph.mechanics.mechanism.mechanism_functions import CompiledMechanism, compile_mechanism
from screwgraph.model.mechanism.mechanism import Mechanism
from screwgraph.spatial import Array
from screwgraph.tape import Number, jacobian, substitute_scalars, tape_of
from screwgraph.tape.sparse_rows import multiply_rows


@dataclass(frozen=True)
class ForwardDynamics:
    """qdd(q, qd) less qdd. Blanco-Claraco et al. (2021), eq. (26)."""

    mechanism: Mechanism

    def __call__(self, q: Any, qd: Any, qdd: Any, *, force: Any = 0.0) -> Any:
        """Residual (n,); `force` (n,) is added to the mechanism's own."""
        return solve_acceleration(self.mechanism, q, qd, force) - qdd

    def jacobian(self, q: Any, qd: Any, qdd: Any, *, force: Any = 0.0) -> Any:
        """Derivatives (n, 3n) by q, qd, qdd."""
        return _less(acceleration_jacobian(self.mechanism, q, qd, force), range(self.mechanism.n))


@dataclass(frozen=True)
class IndependentForwardDynamics:
    """zdd(q, qd) less zdd: the independent rows of the same. Blanco-Claraco et al. (2021), eqs. (15), (27)."""

    mechanism: Mechanism

    def __call__(self, q: Any, qd: Any, zdd: Any, *, force: Any = 0.0) -> Any:
        """Residual (f,); `force` (n,) is added to the mechanism's own."""
        return solve_acceleration(self.mechanism, q, qd, force)[_independent(self.mechanism)] - zdd

    def jacobian(self, q: Any, qd: Any, zdd: Any, *, force: Any = 0.0) -> Any:
        """Derivatives (f, 2n + f) by q, qd, zdd."""
        return _less(acceleration_jacobian(self.mechanism, q, qd, force), _independent(self.mechanism))


@dataclass(frozen=True)
class InverseDynamics:
    """qdd(q, qd, tau) less qdd, with torques of the motors to be found. Blanco-Claraco et al. (2021), eq. (28)."""

    mechanism: Mechanism

    def __call__(self, q: Any, qd: Any, qdd: Any, tau: Any) -> Any:
        """Residual (n,)."""
        return solve_acceleration(self.mechanism, q, qd, self.mechanism.motor_forces(tau)) - qdd

    def jacobian(self, q: Any, qd: Any, qdd: Any, tau: Any) -> Any:
        """Derivatives (n, 3n + motors) by q, qd, qdd, tau.

        Blanco-Claraco et al. (2021), eq. (47), and those that it leaves out.
        """
        slope = acceleration_jacobian(self.mechanism, q, qd, self.mechanism.motor_forces(tau), tau)
        return _less(slope, range(self.mechanism.n), len(tau))


@dataclass(frozen=True)
class IndependentInverseDynamics:
    """zdd(q, qd, tau) less zdd. Blanco-Claraco et al. (2021), eq. (29)."""

    mechanism: Mechanism

    def __call__(self, q: Any, qd: Any, zdd: Any, tau: Any) -> Any:
        """Residual (f,)."""
        force = self.mechanism.motor_forces(tau)
        return solve_acceleration(self.mechanism, q, qd, force)[_independent(self.mechanism)] - zdd

    def jacobian(self, q: Any, qd: Any, zdd: Any, tau: Any) -> Any:
        """Derivatives (f, 2n + f + motors) by q, qd, zdd, tau.

        Blanco-Claraco et al. (2021), eq. (50), and those that it leaves out.
        """
        slope = acceleration_jacobian(self.mechanism, q, qd, self.mechanism.motor_forces(tau), tau)
        return _less(slope, _independent(self.mechanism), len(tau))


def _independent(mechanism: Mechanism) -> list[int]:
    return list(mechanism.freedom.independent)


def _less(slope: Any, rows: Sequence[int], torques: int = 0) -> Any:
    """Return some rows of the accelerations' derivatives, with those by the accelerations that are taken away."""
    kept, before = slope[list(rows)], slope.shape[1] - torques
    return np.concatenate([kept[:, :before], -np.eye(len(rows)), kept[:, before:]], axis=1)


def solve_acceleration(mechanism: Mechanism, q: Array, qd: Array, force: Array | float = 0.0) -> Array:
    """Return qdd(q, qd) of the equations of motion (n,); `force` (n,) is added to the mechanism's own.

    Blanco-Claraco et al. (2021), eq. (6).
    """
    return _motion(mechanism, q, qd, force)[0]


def solve_multipliers(mechanism: Mechanism, q: Array, qd: Array, force: Array | float = 0.0) -> Array:
    """Return multipliers of the rows of constraints that count (m,); `force` (n,) is added to the mechanism's own."""
    return _motion(mechanism, q, qd, force)[1]


@dataclass(frozen=True)
class Acceleration:
    """`solve_acceleration` one mechanism, as integration rules ask for it."""

    mechanism: Mechanism

    def __call__(self, q: Array, qd: Array, force: Array | float) -> Array:
        """Return qdd(q, qd) (n,)."""
        return solve_acceleration(self.mechanism, q, qd, force)


def acceleration_jacobian(mechanism: Mechanism, q: Array, qd: Array, force: Array | float, *torques: Array) -> Array:
    """Return the derivatives of accelerations (n, 2n + k) by q, qd and, where given, inputs that `force` depends on.

    All are inputs of a tape. The equations of motion, Blanco-Claraco et al. (2021), eq. (5), are differentiated as they
    stand: the derivatives of their residuals are few, and solved for with the derivatives by right-hand sides, of which
    n rows count.
    """
    n, tape, equations = mechanism.n, tape_of(q), _compile_mechanism(mechanism).equations
    size = n + sum(v.dim for v in equations.variables.values() if v.key.kind == "drift")
    inputs = [x for vector in (q, qd, *torques) for x in vector]
    found, right = tape.inputs("solved", (size,)), tape.inputs("right", (size,))
    slope = jacobian(_residuals(mechanism, q, qd, force, found), inputs)
    solved: list[Number] = [x for part in _motion(mechanism, q, qd, force) for x in part]
    values = iter(substitute_scalars([x for row in slope for x in row.values()], dict(zip(found, solved, strict=True))))
    slope = [{j: next(values) for j in row} for row in slope]
    inverse = jacobian(list(_motion(mechanism, q, qd, right[:n], right[n:])[0]), list(right))
    result = np.zeros((n, len(inputs)), dtype=object)
    for i, row in enumerate(multiply_rows(inverse, slope)):
        for j, x in row.items():
            result[i, j] = -x
    return result


def _compile_mechanism(mechanism: Mechanism) -> CompiledMechanism:
    return compile_mechanism(mechanism.nominal, mechanism.bound.live.names if mechanism.bound else ())


def _motion(mechanism: Mechanism, q: Array, qd: Array, force: Any, drift: Any = 0.0) -> tuple[Array, Array]:
    """Return accelerations (n,) and multipliers (m,); on the tape of q, if that is of scalars."""
    given = {"q": q, "qd": qd, "force": force, "drift": drift}
    if mechanism.bound is not None:
        given["parameters"] = np.array(mechanism.bound.values)
    motion = _compile_mechanism(mechanism).motion
    return motion(*(given[argument.name] + np.zeros(argument.shape) for argument in motion.arguments))


def _residuals(mechanism: Mechanism, q: Array, qd: Array, force: Any, solved: Array) -> list[Number]:
    """Return what the equations of motion are off by, balances first, at accelerations and multipliers in a row."""
    graph, n = _compile_mechanism(mechanism).equations, mechanism.n
    values: dict[Key, Array] = {}
    known = {"q": q, "qd": qd, "qdd": solved[:n], "lambda": solved[n:], "force": force + np.zeros(n)}
    if mechanism.bound is not None:
        known["parameter"] = np.array(mechanism.bound.values)
    taken = dict.fromkeys(known, 0)
    for variable in graph.variables.values():
        kind, start = variable.key.kind, taken.get(variable.key.kind, 0)
        values[variable.key] = known[kind][start : start + variable.dim] if kind in known else np.zeros(variable.dim)
        taken[kind] = start + variable.dim
    return [x for factor in graph.factors for x in factor.residual(values)]
