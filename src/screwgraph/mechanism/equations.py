"""The equations of motion of a mechanism as CasADi expressions of its coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from screwgraph.mechanism.build_constraints import constraints_of
from screwgraph.mechanism.constraints import Constraint
from screwgraph.mechanism.forces import INFLUENCES, Motion
from screwgraph.mechanism.kinetic import kinetic_energy
from screwgraph.mechanism.mechanism import Mechanism


@dataclass(frozen=True, eq=False)
class Equations:
    """Expressions in `q` and `qd`, columns of CasADi symbols.

    Figures of the mechanism may be symbols, too. `rows` says for each row of the constraints what it stems from;
    constraints between fixed points have none.
    """

    mechanism: Mechanism
    q: Any
    qd: Any

    @cached_property
    def constraints(self) -> tuple[Constraint, ...]:
        """The constraints that involve coordinates."""
        return tuple(c for c in constraints_of(self.mechanism) if c.coordinates)

    @cached_property
    def _entries(self) -> list[tuple[str, Any]]:
        return [(c.part, value) for c in self.constraints for value in c(self.q)]

    @property
    def rows(self) -> tuple[str, ...]:
        """The part that each row stems from."""
        return tuple(part for part, _ in self._entries)

    @cached_property
    def residual(self) -> Any:
        """Phi(q), (m,). Blanco-Claraco et al. (2021), eq. (1)."""
        import casadi as ca

        return ca.vertcat(ca.SX(0, 1), *(value for _, value in self._entries))

    @cached_property
    def jacobian(self) -> Any:
        """Phi_q, (m, n). Blanco-Claraco et al. (2021), eq. (2)."""
        import casadi as ca

        return ca.jacobian(self.residual, self.q)

    @cached_property
    def jacobian_rate(self) -> Any:
        """The time derivative of Phi_q, (m, n). Blanco-Claraco et al. (2021), eqs. (40a), (40c)."""
        import casadi as ca

        return ca.jacobian(self.jacobian @ self.qd, self.q)

    @cached_property
    def bias(self) -> Any:
        """What Phi_q qdd must be, c = - d/dt(Phi_q) qd, (m,). Blanco-Claraco et al. (2021), eq. (3)."""
        return -(self.jacobian_rate @ self.qd)

    @cached_property
    def mass_matrix(self) -> Any:
        """M, (n, n), constant; zero for angles. Blanco-Claraco et al. (2021), eq. (4)."""
        import casadi as ca

        return ca.hessian(self.kinetic, self.qd)[0]

    @cached_property
    def kinetic(self) -> Any:
        """Kinetic energy (J)."""
        import casadi as ca

        return ca.SX(kinetic_energy(self._motion))

    @cached_property
    def potential(self) -> Any:
        """Potential energy (J)."""
        return self._total("potential")

    @cached_property
    def force(self) -> Any:
        """Generalised forces Q(q, qd), (n,). Blanco-Claraco et al. (2021), eq. (4)."""
        import casadi as ca

        work = self._total("power") - 0.5 * self._total("dissipation")
        return -ca.gradient(self.potential, self.q) + ca.gradient(work, self.qd)

    @property
    def power(self) -> Any:
        """Power of forces and torques less that of dampers (W)."""
        return self._total("power") - self._total("dissipation")

    def _total(self, kind: str) -> Any:
        import casadi as ca

        return ca.SX(sum(getattr(influence, kind)(self._motion) for influence in INFLUENCES.values()))

    @property
    def _motion(self) -> Motion:
        return Motion(self.mechanism, self.q, self.qd)


def equations(mechanism: Mechanism) -> Equations:
    """Return the equations of a mechanism in symbols of their own."""
    import casadi as ca

    return Equations(mechanism, ca.SX.sym("q", mechanism.n), ca.SX.sym("qd", mechanism.n))
