"""Expressions that several templates share, on CasADi columns."""

from __future__ import annotations

from typing import Any

from screwgraph.mechanism.elimination import constrained_motion
from screwgraph.mechanism.equations import Equations, equations
from screwgraph.mechanism.mechanics import mechanics_of
from screwgraph.models.mechanism.massless import constraint_weights, defining_among_kept
from screwgraph.models.mechanism.mechanism import Mechanism


def acceleration_of(mechanism: Mechanism, q: Any, qd: Any, force: Any = 0.0) -> Any:
    """Return qdd(q, qd) of the equations of motion (n,); `force` (n,) is added to the mechanism's own. Paper 1 (6)."""
    if mechanism.nominal is None:
        import casadi as ca

        return mechanics_of(mechanism).acceleration.casadi(q, qd, force + ca.SX.zeros(mechanism.n))
    e = symbolic(mechanism)
    return substituted(e.solved_motion(force)[0], (e.q, q), (e.qd, qd))


def acceleration_slope(mechanism: Mechanism, q: Any, qd: Any, force: Any, *torques: Any) -> Any:
    """Return the derivatives of accelerations (n, 2n + k) by q, qd and, where given, symbols in `force`.

    K (qdd, lam) = (Q, c), Blanco-Claraco et al. (2021), eq. (5), is differentiated as it stands: the derivatives of its
    residual are few, and solved for with K, whose inverse has n rows that count.
    """
    import casadi as ca

    e, n = symbolic(mechanism), mechanism.n
    rows = list(mechanism.freedom.kept)
    J, c = e.jacobian[rows, :], e.bias[rows]
    accelerations, multipliers = ca.SX.sym("qdd", n), ca.SX.sym("lam", len(rows))
    off = ca.vertcat(
        e.mass_matrix @ accelerations + J.T @ multipliers - e.force - force,
        J @ accelerations - c,
    )
    slope = ca.jacobian(off, ca.vertcat(e.q, e.qd, *torques))
    slope = ca.substitute(slope, ca.vertcat(accelerations, multipliers), ca.vertcat(*e.solved_motion(force)))
    right = ca.SX.sym("right", n + len(rows))
    regular = constraint_weights(mechanism), defining_among_kept(mechanism)
    solved = constrained_motion(e.mass_matrix, J, right[:n], right[n:], *regular)[0]
    inverse = ca.substitute(ca.jacobian(solved, right), right, ca.SX.zeros(right.numel()))
    return substituted(-(inverse @ slope), (e.q, q), (e.qd, qd))


def symbolic(mechanism: Mechanism) -> Equations:
    """Return the equations in the symbols in which they are kept."""
    return equations(mechanism)


def substituted(expression: Any, *pairs: tuple[Any, Any]) -> Any:
    """Replace symbols by expressions, all at once."""
    import casadi as ca

    return ca.substitute([expression], [old for old, _ in pairs], [ca.SX(new) for _, new in pairs])[0]


def torques_as_forces(mechanism: Mechanism, tau: Any) -> Any:
    """Return the forces on all coordinates (n,) that torques of the motors (motors,) are."""
    import casadi as ca

    force = ca.SX.zeros(mechanism.n)
    for i, angle in enumerate(mechanism.motors):
        force[mechanism.angle_slots[angle]] = tau[i]
    return force
