"""Hybrid dynamics."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from screwgraph.base.argument_checks import check_arguments
from screwgraph.base.errors import InputError
from screwgraph.compiler import Function, Order
from screwgraph.graph import Key
from screwgraph.mechanics.dynamics.closed_chains import (
    INDEPENDENT,
    SPANNING,
    check_free,
    convert_coordinates,
    find_driving_joints,
)
from screwgraph.mechanics.dynamics.independent_positions import check_positions, convert_positions
from screwgraph.mechanics.dynamics.mass_matrix import name_idle_joints
from screwgraph.mechanics.dynamics.mechanism import ANSWERS
from screwgraph.mechanics.dynamics.query import Query, joint_variables
from screwgraph.model.model import answered_by
from screwgraph.model.robot import Robot
from screwgraph.model.robot.parameters import parameters_of


@check_arguments
@answered_by(ANSWERS)
def hybrid_dynamics(
    robot: Robot,
    accelerations: Iterable[str],
    *,
    coordinates: str = SPANNING,
    positions: str = SPANNING,
    ordering: Order = "auto",
    external_wrenches: Sequence[str] = (),
    parameters: Sequence[str] = (),
    payload: str | None = None,
    dtype: str = "float64",
) -> Function:
    """Return unknown(q, qd, given): given[i] is qdd_i for the joints named in `accelerations`, tau_i else.

    The result holds, in the same places, what was not given: tau_i for the named joints, qdd_i else.
    Arrays, `coordinates` and `positions` as for `inverse_dynamics`.
    With `parameters` and `payload`, numbers of the robot are inputs, the last argument: see `inverse_dynamics`.
    Featherstone (2008), section 9.2; Xie & Dellaert (2019), VI.

    Raises:
        EliminationError: the order is impossible, or a joint of unknown acceleration moves nothing that has inertia.
        InputError: unknown names, or joints whose motion follows from that of others.
    """
    check_positions(positions)
    named = {robot.joint(name).name for name in accelerations}
    follow = named - set(find_driving_joints(robot)) if coordinates == INDEPENDENT else ()
    if follow:
        raise InputError(
            f"the motion of joint {', '.join(map(repr, sorted(follow)))} follows from the independent ones",
            fix=f"name some of {', '.join(robot.independent_joints)}",
        )
    check_free(robot, [name for name in robot.joint_names if name in named])
    given = tuple(Key("qdd" if name in named else "tau", name) for name in robot.joint_names)
    result = tuple(Key("tau" if name in named else "qdd", name) for name in robot.joint_names)
    arguments = (("q", joint_variables(robot, "q")), ("qd", joint_variables(robot, "qd")), ("given", given))
    frames = tuple(external_wrenches)
    live = parameters_of(robot, parameters, payload)
    query = Query("hybrid_dynamics", robot, arguments, result, external_wrenches=frames, parameters=live)
    with name_idle_joints(robot, [name for name in robot.joint_names if name not in named]):
        function = convert_coordinates(query, coordinates).compile(ordering, dtype)
    return convert_positions(function, robot, positions, live)
