"""The mass matrix: what partial elimination leaves of the balances of torques."""

from __future__ import annotations

from collections.abc import Sequence

from screwgraph.base.argument_checks import check_arguments
from screwgraph.compiler import Function, compile_matrix
from screwgraph.graph import Key
from screwgraph.mechanics.dynamics.closed_chains import INDEPENDENT, SPANNING, check_coordinates, find_driving_joints
from screwgraph.mechanics.dynamics.independent_positions import check_positions, convert_positions
from screwgraph.mechanics.dynamics.mechanism import ANSWERS
from screwgraph.mechanics.dynamics.query import Query, joint_variables, zero_values
from screwgraph.model.model import answered_by
from screwgraph.model.robot import Robot, with_gravity, without_loops
from screwgraph.model.robot.parameters import LOOPS, ROTORS, checked_parameters


@check_arguments
@answered_by(ANSWERS)
def mass_matrix(
    robot: Robot,
    *,
    coordinates: str = SPANNING,
    positions: str = SPANNING,
    parameters: Sequence[str] = (),
    payload: str | None = None,
    dtype: str = "float64",
) -> Function:
    """Return M(q), (..., nq) -> (..., nv, nv), symmetric, rotors included (kg m^2, kg m, kg).

    It is what composite-inertia elimination leaves of the torque equations when joint accelerations stay unknown:
    Dellaert's slides, "Back to Mass Matrix". In spanning coordinates loops and couplings play no part in it. With
    `coordinates` "independent" it is (..., n, n), of the independent joints of closed chains: G' M G, where qd = G yd.

    With `positions` "independent", q are the independent joints' positions, as for `inverse_dynamics`.

    With `parameters` and `payload`, numbers of the robot are inputs, the last argument: see `inverse_dynamics`.

    Raises:
        EliminationError: the dependent joints do not follow from the others, or only a part of a joint is independent.
        InputError: loops that cannot be closed.
    """
    check_positions(positions)
    check_coordinates(coordinates)
    joints = find_driving_joints(robot) if coordinates == INDEPENDENT else robot.joint_names
    still = with_gravity(robot if coordinates == INDEPENDENT else without_loops(robot), (0.0, 0.0, 0.0))
    fixed = zero_values(robot, [*joint_variables(robot, "qd"), *joint_variables(robot, "tau")])
    columns = tuple(Key("qdd", name) for name in joints)
    kinds = (*ROTORS, *(LOOPS if coordinates == INDEPENDENT else ()))
    live = checked_parameters("mass_matrix does not depend on", kinds, robot, parameters, payload)
    query = Query("mass_matrix", still, (("q", joint_variables(robot, "q")),), columns, fixed, parameters=live)
    return convert_positions(compile_matrix(query.problem).astype(dtype), robot, positions, live)
