"""Nonlinear effects: what torques and forces hold all accelerations at zero."""

from __future__ import annotations

from collections.abc import Sequence

from screwgraph.arguments import checked
from screwgraph.compiler import Function, Order
from screwgraph.dynamics import mechanism
from screwgraph.dynamics.closed_chains import INDEPENDENT, SPANNING, in_coordinates
from screwgraph.dynamics.query import Query, check_moves, of_joints, zeros
from screwgraph.models.mechanism import Mechanism
from screwgraph.robot import Robot, without_loops


@checked
def bias_forces(
    robot: Robot | Mechanism,
    *,
    coordinates: str = SPANNING,
    ordering: Order = "auto",
    external_wrenches: Sequence[str] = (),
    dtype: str = "float64",
) -> Function:
    """Return the nonlinear effects h(q, qd): Coriolis and centrifugal terms, gravity, damping.

    tau = M(q) qdd + h(q, qd). Arrays as for `inverse_dynamics`. In spanning coordinates loops and couplings play no
    part in it; with `coordinates` "independent", the accelerations of the independent joints are held at zero.
    """
    if isinstance(robot, Mechanism):
        return mechanism.bias_forces(robot, coordinates, ordering, external_wrenches).astype(dtype)
    check_moves(robot)
    robot = robot if coordinates == INDEPENDENT else without_loops(robot)
    arguments = tuple((kind, of_joints(robot, kind)) for kind in ("q", "qd"))
    frames = tuple(external_wrenches)
    fixed = zeros(robot, of_joints(robot, "qdd"))
    query = Query("bias_forces", robot, arguments, of_joints(robot, "tau"), fixed, external_wrenches=frames)
    return in_coordinates(query, coordinates).compiled(ordering, dtype)
