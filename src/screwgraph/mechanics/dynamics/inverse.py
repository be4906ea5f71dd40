"""Inverse dynamics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from screwgraph.base.argument_checks import check_arguments
from screwgraph.base.errors import InputError
from screwgraph.compiler import Function, Order
from screwgraph.mechanics.dynamics.actuator_efforts import return_efforts
from screwgraph.mechanics.dynamics.bounded_efforts import bound_efforts
from screwgraph.mechanics.dynamics.closed_chains import (
    SPANNING,
    check_coordinates,
    convert_coordinates,
    drive_independent_joints,
)
from screwgraph.mechanics.dynamics.independent_positions import check_positions, convert_positions
from screwgraph.mechanics.dynamics.mechanism import ANSWERS
from screwgraph.mechanics.dynamics.query import Query, joint_variables
from screwgraph.mechanics.dynamics.redundant_actuation import minimise_torques
from screwgraph.model.model import answered_by
from screwgraph.model.robot import Robot
from screwgraph.model.robot.parameters import parameters_of


@check_arguments
@answered_by(ANSWERS)
def inverse_dynamics(
    robot: Robot,
    *,
    coordinates: str = SPANNING,
    positions: str = SPANNING,
    ordering: Order = "auto",
    external_wrenches: Sequence[str] = (),
    parameters: Sequence[str] = (),
    payload: str | None = None,
    dtype: str = "float64",
    actuated: Iterable[str] | None = None,
    weights: Mapping[str, float] | None = None,
    actuators: bool = False,
    effort_limits: bool = False,
) -> Function:
    """Return tau(q, qd, qdd): the torques that a motion needs.

    Arrays are (..., nq), (..., nv), (..., nv) -> (..., nv), SI units, coordinates as in `robot.joint_names`.
    With `external_wrenches`, names of links or frames, there is one more argument of this name (..., k, 6): wrenches
    (moment, force) on the robot at these frames, in their axes. Of planar mechanisms these are names of points or
    angles, and the argument is `force` (..., k), along their coordinates. `dtype` "float32" computes with such numbers.
    Closed chains are driven by their independent joints: only these joints' accelerations are read, the torques of the
    others are zero. With `coordinates` "independent", velocities, accelerations and torques (..., n) are those of
    `robot.independent_joints` alone; positions are those of all joints, at which the loops close.
    With `positions` "independent", q (..., n) are the independent joints' positions, too, and where loops have several
    assembly modes or no closed form, one more argument `guess` (..., nq) comes last: see `closed_positions`.
    `parameters` of the robot may be inputs, the last argument (..., k), numbers in the order of these names: "link7"
    (inertia: m, hx, hy, hz, Ixx, Iyy, Izz, Ixy, Ixz, Iyz; h = m c, I about the link's origin, in its axes),
    "link7.mass" (the centre of mass and the inertia about it stay), "joint3.armature", "joint3.damping",
    "joint3.friction" (F, which adds F tanh(qd / 0.01)), "joint3.stiffness" (k, rest, which add k (q - rest)),
    "joint3.origin" and "frame.origin" (x, y, z, roll, pitch, yaw). With `payload`, the name of a link or frame, there
    is a body at it, in its axes, that is not in the file: parameter "payload", ten numbers, last if `parameters` does
    not name it. Of planar mechanisms, parameters are named as in their files: "mass:coupler".
    `actuated` names the joints that drive a robot instead; where these outnumber its degrees of freedom, their torques
    are weighted minimum-norm torques: of all that cause the motion, the sum of weight tau^2 is the least, with
    `weights` for some of these joints, 1 for the others. Where the independent joints do not determine the motion (a
    stretched leg), ordering "auto" then reads the accelerations of all joints, which the loops must allow. With
    `actuators`, the result (..., n) are the efforts of `robot.actuators` (N m or N), weighted minimum-norm ones
    likewise; `actuated` and `weights` then name actuators. With `effort_limits`, these are the weighted minimum-norm
    ones of all within the bounds of the actuators, as cables that only pull; NaN where there are none.

    Raises:
        EliminationError: the order is impossible, or only a part of a joint is independent.
        InputError: unknown names, loops that cannot be closed, or a motion that none of the actuated joints drives.
    """
    check_positions(positions)
    check_coordinates(coordinates)
    arguments = tuple((kind, joint_variables(robot, kind)) for kind in ("q", "qd", "qdd"))
    frames = tuple(external_wrenches)
    live = parameters_of(robot, parameters, payload)
    result = joint_variables(robot, "tau")
    query = Query("inverse_dynamics", robot, arguments, result, external_wrenches=frames, parameters=live)
    if effort_limits:
        if not actuators or SPANNING not in (coordinates, positions) or positions != coordinates:
            raise InputError(
                "effort limits are those of actuators in spanning coordinates",
                fix="give actuators=True, and leave out coordinates= and positions=",
            )
        torques = query if not robot.is_closed else drive_independent_joints(query)
        shares = return_efforts(query, coordinates, actuated, weights).weights
        return bound_efforts(torques.compile(ordering, "float64"), robot, shares).astype(dtype)
    if actuators:
        query = return_efforts(query, coordinates, actuated, weights)
        return convert_positions(query.compile(ordering, dtype), robot, positions, live)
    if actuated is None and weights is not None:
        raise InputError("weights without actuated joints", fix="name these joints by actuated=")
    if actuated is not None and coordinates != SPANNING:
        raise InputError(
            "actuated joints go with spanning coordinates only",
            why="independent torques are those of the independent joints",
            fix="leave out coordinates= or actuated=",
        )
    if actuated is not None:
        query = minimise_torques(query, tuple(actuated), weights)
    elif robot.is_closed:
        query = drive_independent_joints(convert_coordinates(query, coordinates))
    return convert_positions(query.compile(ordering, dtype), robot, positions, live)
