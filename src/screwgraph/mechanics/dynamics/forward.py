"""Forward dynamics."""

from __future__ import annotations

from collections.abc import Sequence

from screwgraph.base.argument_checks import check_arguments
from screwgraph.compiler import Function, Order
from screwgraph.mechanics.dynamics.actuator_efforts import take_efforts
from screwgraph.mechanics.dynamics.closed_chains import SPANNING, check_coordinates, convert_coordinates
from screwgraph.mechanics.dynamics.independent_positions import check_positions, convert_positions
from screwgraph.mechanics.dynamics.mass_matrix import name_idle_joints
from screwgraph.mechanics.dynamics.mechanism import ANSWERS
from screwgraph.mechanics.dynamics.query import Query, joint_variables
from screwgraph.model.model import answered_by
from screwgraph.model.robot import Robot
from screwgraph.model.robot.parameters import parameters_of


@check_arguments
@answered_by(ANSWERS)
def forward_dynamics(
    robot: Robot,
    *,
    coordinates: str = SPANNING,
    positions: str = SPANNING,
    ordering: Order = "auto",
    external_wrenches: Sequence[str] = (),
    parameters: Sequence[str] = (),
    payload: str | None = None,
    dtype: str = "float64",
    actuators: bool = False,
) -> Function:
    """Return qdd(q, qd, tau): the accelerations that torques cause; arrays and `coordinates` as for `inverse_dynamics`.

    In spanning coordinates torques may act at every joint of a closed chain. With `actuators`, the efforts (..., n) of
    `robot.actuators` (N m or N) take the place of torques: qdd(q, qd, effort), as tau = B(q) effort.

    With `positions` "independent", q (..., n) are those of the independent joints, as for `inverse_dynamics`.

    With `parameters` and `payload`, numbers of the robot are inputs, the last argument: see `inverse_dynamics`.

    Raises:
        EliminationError: the order is impossible, or a joint moves nothing that has inertia.
        InputError: unknown names, or loops that cannot be closed.
    """
    check_positions(positions)
    check_coordinates(coordinates)
    arguments = tuple((kind, joint_variables(robot, kind)) for kind in ("q", "qd", "tau"))
    frames = tuple(external_wrenches)
    live = parameters_of(robot, parameters, payload)
    result = joint_variables(robot, "qdd")
    query = Query("forward_dynamics", robot, arguments, result, external_wrenches=frames, parameters=live)
    with name_idle_joints(robot, robot.joint_names):
        query = take_efforts(query, coordinates) if actuators else convert_coordinates(query, coordinates)
        return convert_positions(query.compile(ordering, dtype), robot, positions, live)
