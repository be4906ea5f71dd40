"""The equations of a mechanism, on any kind of number. Blanco-Claraco et al. (2021), (1)-(4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

from screwgraph.model.mechanism.forces import INFLUENCES, Motion
from screwgraph.model.mechanism.mass_matrix import compute_mass_entries, kinetic_energy

if TYPE_CHECKING:
    from screwgraph.model.mechanism.mechanism import Mechanism


def residual(mechanism: Mechanism, q: Any) -> list[Any]:
    """Return Phi(q), one number a row."""
    return [value for constraint in mechanism.constraints for value in constraint(q)]


def jacobian(mechanism: Mechanism, q: Any) -> dict[tuple[int, int], Any]:
    """Return the entries of Phi_q that are not always zero, by row and place in q."""
    entries, first = {}, 0
    for constraint in mechanism.constraints:
        rows = constraint.gradient(q)
        for i, row in enumerate(rows, first):
            entries |= {(i, j): value for j, value in zip(constraint.coordinates, row, strict=True)}
        first += len(rows)
    return {place: value for place, value in entries.items() if not (isinstance(value, float) and value == 0.0)}


def constraint_derivatives(mechanism: Mechanism, q: Any, qd: Any, qdd: Any) -> list[Any]:
    """Return each row with its time derivatives: Phi, Phi_q qd, Phi_q qdd + (Phi_q qd)_q qd."""
    return [value for constraint in mechanism.constraints for value in constraint.derivatives_along(q, qd, qdd)]


def forces(mechanism: Mechanism, q: Any, qd: Any) -> list[Any]:
    """Return the generalised forces Q (N, N m), one number a coordinate."""
    total: list[Any] = [0.0] * mechanism.n
    motion = Motion(mechanism, q, qd)
    for influence in INFLUENCES.values():
        for part in influence.parts(mechanism):
            for slot, force in influence.forces(motion, part).items():
                total[slot] = total[slot] + force
    return total


def energies(mechanism: Mechanism, q: Any, qd: Any) -> tuple[Any, Any, Any]:
    """Return kinetic and potential energy (J), and the power (W) of forces and torques less that of dampers."""
    motion, potential, power = Motion(mechanism, q, qd), 0.0, 0.0
    for influence in INFLUENCES.values():
        for part in influence.parts(mechanism):
            potential = potential + influence.potential(motion, part)
            power = power + influence.power(motion, part) - influence.dissipation(motion, part)
    return kinetic_energy(motion), potential, power


def mass_matrix(mechanism: Mechanism) -> Float[np.ndarray, "n n"]:
    """Return the mass matrix M, constant; zero for angles."""
    M = np.zeros((mechanism.n, mechanism.n))
    for place, value in compute_mass_entries(mechanism).items():
        M[place] = value
    return M
