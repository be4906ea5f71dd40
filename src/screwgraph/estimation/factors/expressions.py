"""Expressions that several templates share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from screwgraph.mechanism.compiled import compiled_mechanism
from screwgraph.mechanism.elimination import constrained_motion
from screwgraph.mechanism.equations import Equations
from screwgraph.models.mechanism.massless import constraint_weights, defining_among_kept
from screwgraph.models.mechanism.mechanism import Mechanism
from screwgraph.spatial import Array
from screwgraph.tape import Number, jacobian, substituted, tape_of
from screwgraph.tape.rows import product


def acceleration_of(mechanism: Mechanism, q: Array, qd: Array, force: Array | float = 0.0) -> Array:
    """Return qdd(q, qd) of the equations of motion (n,); `force` (n,) is added to the mechanism's own.

    Blanco-Claraco et al. (2021), eq. (6).
    """
    if mechanism.nominal is None:
        return compiled_mechanism(mechanism).acceleration(q, qd, force + np.zeros(mechanism.n))
    return Equations(mechanism, q, qd).solved_motion(force + np.zeros(mechanism.n))[0]


@dataclass(frozen=True)
class Acceleration:
    """`acceleration_of` one mechanism, as integration rules ask for it."""

    mechanism: Mechanism

    def __call__(self, q: Array, qd: Array, force: Array | float) -> Array:
        """Return qdd(q, qd) (n,)."""
        return acceleration_of(self.mechanism, q, qd, force)


def acceleration_slope(mechanism: Mechanism, q: Array, qd: Array, force: Array | float, *torques: Array) -> Array:
    """Return the derivatives of accelerations (n, 2n + k) by q, qd and, where given, inputs that `force` depends on.

    All are inputs of a tape. K (qdd, lam) = (Q, c), Blanco-Claraco et al. (2021), eq. (5), is differentiated as it
    stands: the derivatives of its residual are few, and solved for with K, whose inverse has n rows that count.
    """
    e, n, tape = Equations(mechanism, q, qd), mechanism.n, tape_of(q)
    rows = list(mechanism.freedom.kept)
    J, c, inputs = e.jacobian[rows], e.bias[rows], [x for vector in (q, qd, *torques) for x in vector]
    found = tape.inputs("solved", (n + len(rows),))
    accelerations, multipliers = found[:n], found[n:]
    off = [*(e.mass_matrix @ accelerations + J.T @ multipliers - e.force - force), *(J @ accelerations - c)]
    slope = jacobian(off, inputs)
    solved: list[Number] = [x for part in e.solved_motion(force) for x in part]
    values = iter(substituted([x for row in slope for x in row.values()], dict(zip(found, solved, strict=True))))
    slope = [{j: next(values) for j in row} for row in slope]
    right = tape.inputs("right", (n + len(rows),))
    regular = constraint_weights(mechanism), defining_among_kept(mechanism)
    inverse = jacobian(list(constrained_motion(e.mass_matrix, J, right[:n], right[n:], *regular)[0]), list(right))
    result = np.zeros((n, len(inputs)), dtype=object)
    for i, row in enumerate(product(inverse, slope)):
        for j, x in row.items():
            result[i, j] = -x
    return result


def torques_as_forces(mechanism: Mechanism, tau: Array) -> Array:
    """Return the forces on all coordinates (n,) that torques of the motors (motors,) are."""
    force = np.zeros(mechanism.n, dtype=object)
    for i, angle in enumerate(mechanism.motors):
        force[mechanism.angle_slots[angle]] = tau[i]
    return force
