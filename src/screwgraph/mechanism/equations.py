"""The equations of motion of a mechanism as CasADi expressions: for factors of time steps."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from screwgraph.mechanism.elimination import constrained_motion
from screwgraph.models.mechanism import Mechanism
from screwgraph.models.mechanism.equations import along, forces, jacobian, residual
from screwgraph.models.mechanism.kinetic import mass_entries
from screwgraph.models.mechanism.massless import constraint_weights, defining_among_kept


@dataclass(frozen=True, eq=False)
class Equations:
    """Expressions in `q` and `qd`, columns of CasADi symbols; figures of the mechanism may be symbols, too."""

    mechanism: Mechanism
    q: Any
    qd: Any

    @cached_property
    def residual(self) -> Any:
        """Phi(q), (m,)."""
        return _column(residual(self.mechanism, self._numbers(self.q)))

    @cached_property
    def jacobian(self) -> Any:
        """Phi_q, (m, n)."""
        import casadi as ca

        J = ca.SX(self.residual.numel(), self.mechanism.n)
        for place, value in jacobian(self.mechanism, self._numbers(self.q)).items():
            J[place] = value
        return J

    @cached_property
    def bias(self) -> Any:
        """What Phi_q qdd must be, (m,)."""
        still = [0.0] * self.mechanism.n
        motion = along(self.mechanism, self._numbers(self.q), self._numbers(self.qd), still)
        return -_column([value.second for value in motion])

    @cached_property
    def mass_matrix(self) -> Any:
        """M, (n, n), constant; zero for angles."""
        import casadi as ca

        M = ca.SX(self.mechanism.n, self.mechanism.n)
        for place, value in mass_entries(self.mechanism).items():
            M[place] = value
        return M

    @cached_property
    def force(self) -> Any:
        """Generalised forces Q(q, qd), (n,)."""
        return _column(forces(self.mechanism, self._numbers(self.q), self._numbers(self.qd)))

    def solved_motion(self, force: Any) -> tuple[Any, Any]:
        """Return accelerations and multipliers; `force` (n,) is added to the mechanism's own."""
        rows = list(self.mechanism.freedom.kept)
        J, c = self.jacobian[rows, :], self.bias[rows]
        added, defining = constraint_weights(self.mechanism), defining_among_kept(self.mechanism)
        return constrained_motion(self.mass_matrix, J, self.force + force, c, added, defining)

    def _numbers(self, column: Any) -> list[Any]:
        import casadi as ca

        return ca.vertsplit(column)


@lru_cache(maxsize=64)
def equations(mechanism: Mechanism) -> Equations:
    """Return the equations of a mechanism in symbols of their own."""
    import casadi as ca

    return Equations(mechanism, ca.SX.sym("q", mechanism.n), ca.SX.sym("qd", mechanism.n))


def _column(values: list[Any]) -> Any:
    import casadi as ca

    return ca.vertcat(ca.SX(0, 1), *values)
