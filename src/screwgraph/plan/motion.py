"""How frames move: velocities and their rates as CasADi functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from screwgraph.plan.mechanics import Mechanics
from screwgraph.robot import frame_velocity


def twist_of(mechanics: Mechanics, frame: str) -> Any:
    """Return a CasADi function of q, qd to a frame's angular velocity and its origin's velocity (6,), in base axes."""
    return mechanics.kept(("twist", frame), lambda: _twist(mechanics, frame))


def rate_of(mechanics: Mechanics, key: Any, of: Callable[[Any, Any, Any], Any], parameters: int) -> Any:
    """Return the time derivative of of(q, qd, parameters) as a CasADi function of q, qd, qdd, parameters.

    `key` is what it is kept by.
    """
    return mechanics.kept(("rate", key), lambda: _rate(mechanics, of, parameters))


def _twist(mechanics: Mechanics, frame: str) -> Any:
    import casadi as ca

    q, qd = ca.SX.sym("q", mechanics.robot.nq), ca.SX.sym("qd", mechanics.robot.nv)
    robot = mechanics.robot
    return ca.Function("twist", [q, qd], [ca.densify(ca.SX(frame_velocity(robot, robot.frame(frame), q, qd)))])


def _rate(mechanics: Mechanics, of: Callable[[Any, Any, Any], Any], parameters: int) -> Any:
    import casadi as ca

    nv = mechanics.robot.nv
    q, qd, qdd = ca.SX.sym("q", mechanics.robot.nq), ca.SX.sym("qd", nv), ca.SX.sym("qdd", nv)
    given = ca.SX.sym("parameters", parameters)
    value = of(q, qd, given)
    found = ca.jtimes(value, q, mechanics.positions.rate(q, qd)) + ca.jtimes(value, qd, qdd)
    return ca.Function("rate", [q, qd, qdd, given], [ca.densify(found)])
