"""Nonlinear effects: what torques and forces hold all accelerations at zero."""

from __future__ import annotations

from collections.abc import Sequence

from screwgraph.base.argument_checks import check_arguments
from screwgraph.compiler import Function, Order
from screwgraph.mechanics.dynamics.closed_chains import INDEPENDENT, SPANNING, convert_coordinates
from screwgraph.mechanics.dynamics.independent_positions import check_positions, convert_positions
from screwgraph.mechanics.dynamics.mechanism import ANSWERS
from screwgraph.mechanics.dynamics.query import Query, joint_variables, zero_values
from screwgraph.model.model import answered_by
from screwgraph.model.robot import Robot, without_loops
from screwgraph.model.robot.parameters import KINDS, LOOPS, checked_parameters


@check_arguments
@answered_by(ANSWERS)
def bias_forces(
    robot: Robot,
    *,
    coordinates: str = SPANNING,
    positions: str = SPANNING,
    ordering: Order = "auto",
    external_wrenches: Sequence[str] = (),
    parameters: Sequence[str] = (),
    payload: str | None = None,
    dtype: str = "float64",
) -> Function:
    """Return the nonlinear effects h(q, qd): Coriolis and centrifugal terms, gravity, damping.

    tau = M(q) qdd + h(q, qd). Arrays as for `inverse_dynamics`. In spanning coordinates loops and couplings play no
    part in it; with `coordinates` "independent", the accelerations of the independent joints are held at zero.
    With `positions` "independent", q are the independent joints' positions, as for `inverse_dynamics`.

    With `parameters` and `payload`, numbers of the robot are inputs, the last argument: see `inverse_dynamics`.
    """
    check_positions(positions)
    moving = robot if coordinates == INDEPENDENT else without_loops(robot)
    arguments = tuple((kind, joint_variables(moving, kind)) for kind in ("q", "qd"))
    frames = tuple(external_wrenches)
    fixed = zero_values(moving, joint_variables(moving, "qdd"))
    kinds = [kind for kind in KINDS if coordinates == INDEPENDENT or kind not in LOOPS]
    live = checked_parameters(
        "in spanning coordinates, bias_forces do not depend on", kinds, robot, parameters, payload
    )
    query = Query(
        "bias_forces",
        moving,
        arguments,
        joint_variables(moving, "tau"),
        fixed,
        external_wrenches=frames,
        parameters=live,
    )
    return convert_positions(convert_coordinates(query, coordinates).compile(ordering, dtype), robot, positions, live)
