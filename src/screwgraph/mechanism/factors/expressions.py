"""Expressions that several templates share, on CasADi columns."""

from __future__ import annotations

from typing import Any

from screwgraph.mechanism.equations import Equations
from screwgraph.mechanism.mechanism import Mechanism


def acceleration_of(mechanism: Mechanism, q: Any, qd: Any, force: Any = 0.0) -> Any:
    """Return qdd(q, qd) of the equations of motion (n,); `force` (n,) is added to the mechanism's own. Paper 1 (6)."""
    e = symbolic(mechanism)
    return substituted(mechanism.mechanics.solved_motion(e, force)[0], (e.q, q), (e.qd, qd))


def symbolic(mechanism: Mechanism) -> Equations:
    """Return the equations in the symbols in which they are kept."""
    return mechanism.mechanics.equations


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
