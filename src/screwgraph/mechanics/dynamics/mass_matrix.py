"""The mass matrix: what partial elimination leaves of the balances of torques.

It is singular where joints move nothing that has inertia.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from screwgraph.base.argument_checks import check_arguments
from screwgraph.base.errors import EliminationError
from screwgraph.compiler import Function, compile_matrix
from screwgraph.graph import Key
from screwgraph.mechanics.dynamics.closed_chains import INDEPENDENT, SPANNING, check_coordinates, find_driving_joints
from screwgraph.mechanics.dynamics.independent_positions import check_positions, convert_positions
from screwgraph.mechanics.dynamics.mechanism import ANSWERS
from screwgraph.mechanics.dynamics.query import Query, joint_variables, zero_values
from screwgraph.model.model import answered_by
from screwgraph.model.robot import Robot, idle_joints, massless_links, regular_states, with_gravity, without_loops
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


@contextmanager
def name_idle_joints(robot: Robot, joints: Sequence[str]) -> Iterator[None]:
    """Let an EliminationError name those of the joints that can move without inertia, where there are some."""
    try:
        yield
    except EliminationError as error:
        raise _named_singularity(robot, joints) or error from error


def _named_singularity(robot: Robot, joints: Sequence[str]) -> EliminationError | None:
    """Find the joints that can move without inertia, as loops and couplings let them; None if there are none."""
    M, massless = mass_matrix(robot), ", ".join(map(repr, massless_links(robot))) or "none"
    states = [("", regular_states(robot, 1)[0])]
    if not robot.is_closed:
        states += [(" at the neutral position", robot.neutral())]
    for where, q in states:
        if names := idle_joints(robot, q, M(q), joints):
            return EliminationError(
                f"the acceleration of joint {', '.join(map(repr, names))} is not determined{where}",
                why=f"what it moves has no inertia along it; massless links: {massless}",
                fix="give these links inertia, give the joint an armature, or lock it",
            )
    return None
