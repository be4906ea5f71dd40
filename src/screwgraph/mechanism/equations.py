"""The equations of motion of a mechanism on any kind of number: for factors of time steps."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from screwgraph.mechanism.elimination import constrained_motion
from screwgraph.models.mechanism import Mechanism
from screwgraph.models.mechanism.equations import along, forces, jacobian, residual
from screwgraph.models.mechanism.kinetic import mass_entries
from screwgraph.models.mechanism.massless import constraint_weights, defining_among_kept
from screwgraph.spatial import Array


@dataclass(frozen=True, eq=False)
class Equations:
    """What they say at q and qd (n,); figures of the mechanism may be scalars of a tape, too."""

    mechanism: Mechanism
    q: Array
    qd: Array

    @cached_property
    def residual(self) -> Array:
        """Phi(q), (m,)."""
        return _vector(residual(self.mechanism, list(self.q)))

    @cached_property
    def jacobian(self) -> Array:
        """Phi_q, (m, n)."""
        J = np.zeros((len(self.residual), self.mechanism.n), dtype=object)
        for place, value in jacobian(self.mechanism, list(self.q)).items():
            J[place] = value
        return J

    @cached_property
    def bias(self) -> Array:
        """What Phi_q qdd must be, (m,)."""
        motion = along(self.mechanism, list(self.q), list(self.qd), [0.0] * self.mechanism.n)
        return -_vector([value.second for value in motion])

    @cached_property
    def mass_matrix(self) -> Array:
        """M, (n, n), constant; zero for angles."""
        M = np.zeros((self.mechanism.n, self.mechanism.n), dtype=object)
        for place, value in mass_entries(self.mechanism).items():
            M[place] = value
        return M

    @cached_property
    def force(self) -> Array:
        """Generalised forces Q(q, qd), (n,)."""
        return _vector(forces(self.mechanism, list(self.q), list(self.qd)))

    def solved_motion(self, force: Array) -> tuple[Array, Array]:
        """Return accelerations and multipliers; `force` (n,) is added to the mechanism's own."""
        rows = list(self.mechanism.freedom.kept)
        added, defining = constraint_weights(self.mechanism), defining_among_kept(self.mechanism)
        return constrained_motion(
            self.mass_matrix, self.jacobian[rows], self.force + force, self.bias[rows], added, defining
        )


def _vector(values: list) -> Array:
    return np.array(values, dtype=object)
