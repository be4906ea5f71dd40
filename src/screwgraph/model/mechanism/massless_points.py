"""Points without mass: what keeps the inertia of a mechanism regular."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.model.mechanism.equations import mass_matrix
from screwgraph.model.mechanism.mechanism import Mechanism

POSITIVE = 1e-10
"""Part of the largest eigenvalue that the smallest of a positive definite matrix exceeds."""


@lru_cache(maxsize=64)
def constraint_weights(mechanism: Mechanism) -> tuple[float, ...]:
    """Return how much of the squared constraints is added to the mass matrix, by row that counts.

    Raises:
        InputError: some motion moves no mass.
        ModelError: the mechanism cannot be assembled.
    """
    if mechanism.bound is not None:
        return constraint_weights(mechanism.nominal)
    found = regular_weights(mechanism, mass_matrix(mechanism))
    if found is None:
        raise InputError(
            f"mechanism {mechanism.name!r} can move without moving any mass",
            why="its accelerations are not determined",
            fix="give masses and inertias to the bodies",
        )
    return found


def find_defining_rows(mechanism: Mechanism) -> tuple[tuple[int, int], ...]:
    """Return each angle's place in q, and the place of the row that defines it among those that count."""
    kept = mechanism.freedom.kept
    return tuple((slot, kept.index(row)) for slot, row in mechanism.defining_rows)


def regular_weights(mechanism: Mechanism, mass: Float[np.ndarray, "n n"]) -> tuple[float, ...] | None:
    """Choose weights w such that M + J' diag(w) J is positive definite where it is assembled, angles taken out.

    Points without mass leave M singular. Adding J' w J to it, and J' w c to the forces, changes no acceleration that
    satisfies J qdd = c. Rows that touch no massless coordinate are left out if they can. None where no weights do: then
    some motion moves no mass. Raises ModelError where the mechanism cannot be assembled.
    """
    jacobian = mechanism.closing_program.interpreter(mechanism.home)[1][list(mechanism.freedom.kept)]
    angles = find_defining_rows(mechanism)
    slots, defining = [slot for slot, _ in angles], [row for _, row in angles]
    points = [i for i in range(len(mass)) if i not in slots]
    others, whole = [i for i in range(len(jacobian)) if i not in defining], len(jacobian)
    follow = jacobian[defining][:, points] / jacobian[defining, slots][:, None]
    jacobian = jacobian[others][:, points] - jacobian[others][:, slots] @ follow
    moved = np.zeros((len(mass), len(points)))
    moved[points, range(len(points))] = 1.0
    moved[slots] = -follow
    mass = moved.T @ mass @ moved
    massless = np.abs(mass).max(axis=1, initial=0.0) <= POSITIVE * np.abs(mass).max(initial=0.0)
    scale = (np.trace(mass) or 1.0) / max(1, int((~massless).sum()))
    size = np.maximum(np.abs(jacobian).max(axis=1, initial=0.0), 1e-100) ** 2
    for rows in (
        np.zeros(len(jacobian), bool),
        (jacobian[:, massless] != 0.0).any(axis=1),
        np.ones(len(jacobian), bool),
    ):
        chosen = np.where(rows, scale / size, 0.0)
        eigenvalues = np.linalg.eigvalsh(mass + jacobian.T @ (chosen[:, None] * jacobian))
        if len(eigenvalues) and eigenvalues[0] > POSITIVE * eigenvalues[-1]:
            rows = np.zeros(whole)
            rows[others] = chosen
            return tuple(float(w) for w in rows)
    return None
