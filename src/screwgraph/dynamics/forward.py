"""Forward dynamics."""

from __future__ import annotations

from collections.abc import Sequence

from screwgraph.compiler import Function, Order
from screwgraph.dynamics import mechanism
from screwgraph.dynamics.closed_chains import SPANNING, in_coordinates
from screwgraph.dynamics.query import Query, check_moves, checked_names, of_joints
from screwgraph.dynamics.singular import naming_idle_joints
from screwgraph.models.mechanism import Mechanism
from screwgraph.robot import Robot


def forward_dynamics(
    robot: Robot | Mechanism,
    *,
    coordinates: str = SPANNING,
    ordering: Order = "auto",
    external_wrenches: Sequence[str] = (),
    dtype: str = "float64",
) -> Function:
    """Return qdd(q, qd, tau): the accelerations that torques cause; arrays and `coordinates` as for `inverse_dynamics`.

    In spanning coordinates torques may act at every joint of a closed chain.

    Raises:
        EliminationError: the order is impossible, or a joint moves nothing that has inertia.
        InputError: unknown names, or loops that cannot be closed.
    """
    if isinstance(robot, Mechanism):
        return mechanism.forward_dynamics(robot, coordinates, ordering, external_wrenches).astype(dtype)
    check_moves(robot)
    arguments = tuple((kind, of_joints(robot, kind)) for kind in ("q", "qd", "tau"))
    frames = checked_names(external_wrenches, "links or frames")
    query = Query("forward_dynamics", robot, arguments, of_joints(robot, "qdd"), external_wrenches=frames)
    with naming_idle_joints(robot, robot.joint_names):
        return in_coordinates(query, coordinates).compiled(ordering, dtype)
