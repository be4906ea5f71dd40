"""Inverse, forward and hybrid dynamics: robot -> graph -> order -> function. The shortest road through the house."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from screwgraph.compiler import (
    ROBOT_PASSES,
    Function,
    Made,
    Order,
    Origin,
    Problem,
    check_free,
    compile_problem,
    driven,
    driving_joints,
    improved,
    in_independent_coordinates,
    make_function,
    robot_arguments,
    stable,
    without_metadata,
)
from screwgraph.compiler import (
    actuated as driven_by,
)
from screwgraph.elimination import Dag, Group, eliminate_rows, equations, orderings
from screwgraph.errors import EliminationError, InputError
from screwgraph.graph import Key, dynamics_graph
from screwgraph.robot import Robot, idle_joints, massless_links, regular_states, with_gravity, without_loops
from screwgraph.tape import Number, factor_out, program

SPANNING, INDEPENDENT = "spanning", "independent"
"""Coordinates: all joints', or those of `robot.independent_joints`."""
INVERSE_ORDERS = ("rnea", "lynch_park")
FORWARD_ORDERS = ("aba", "articulated", "composite")
CLOSED_ORDERS = ("embedding", "mixed", "mixed_articulated", "ancestor", "articulated", "cluster_lambda", "kkt")
"""What "auto" chooses from."""


def inverse_dynamics(
    robot: Robot,
    *,
    coordinates: str = SPANNING,
    ordering: Order = "auto",
    external_wrenches: Sequence[str] = (),
    dtype: str = "float64",
    actuated: Iterable[str] | None = None,
    weights: Mapping[str, float] | None = None,
) -> Function:
    """Return tau(q, qd, qdd): the efforts that a motion needs.

    Arrays are (..., nq), (..., nv), (..., nv) -> (..., nv), SI units, coordinates as in `robot.joint_names`.
    With `external_wrenches`, names of links or frames, there is one more argument (..., k, 6): wrenches
    (moment, force) on the robot at these frames, in their axes. `dtype` "float32" computes with such numbers.
    Closed chains are driven by their independent joints: only these joints' accelerations are read, the efforts of the
    others are zero. With `coordinates` "independent", velocities, accelerations and efforts (..., n) are those of
    `robot.independent_joints` alone; positions are those of all joints, at which the loops close.
    `actuated` names the joints that drive a robot instead; where these are more than its freedoms, their efforts are
    the smallest: of all that cause the motion, the sum of weight tau^2 is the least, with `weights` for some of these
    joints, 1 for the others.

    Raises:
        EliminationError: the order is impossible, or only a part of a joint is independent.
        InputError: unknown names, loops that cannot be closed, or a motion that none of the actuated joints drives.
    """
    problem = _problem("inverse_dynamics", robot, ("q", "qd", "qdd"), _keys(robot, "tau"), external_wrenches)
    problem = _in_coordinates(problem, coordinates)
    if actuated is not None:
        if coordinates == INDEPENDENT:
            raise InputError(
                "actuated joints go with spanning coordinates only",
                why="independent efforts are those of the independent joints",
                fix="leave out coordinates= or actuated=",
            )
        problem = driven_by(problem, _names(actuated, "joints"), weights)
        return compile_problem(problem, ordering, CLOSED_ORDERS).astype(dtype)
    if weights is not None:
        raise InputError("weights without actuated joints", fix="name these joints by actuated=")
    if robot.is_closed:
        return compile_problem(driven(problem), ordering, CLOSED_ORDERS).astype(dtype)
    return compile_problem(problem, ordering, INVERSE_ORDERS).astype(dtype)


def forward_dynamics(
    robot: Robot,
    *,
    coordinates: str = SPANNING,
    ordering: Order = "auto",
    external_wrenches: Sequence[str] = (),
    dtype: str = "float64",
) -> Function:
    """Return qdd(q, qd, tau): the accelerations that efforts cause; arrays and `coordinates` as for `inverse_dynamics`.

    In spanning coordinates efforts may act at every joint of a closed chain.

    Raises:
        EliminationError: the order is impossible, or a joint moves nothing that has inertia.
        InputError: unknown names, or loops that cannot be closed.
    """
    problem = _problem("forward_dynamics", robot, ("q", "qd", "tau"), _keys(robot, "qdd"), external_wrenches)
    problem = _in_coordinates(problem, coordinates)
    try:
        return compile_problem(problem, ordering, _forward_orders(robot)).astype(dtype)
    except EliminationError as error:
        raise _named_singularity(robot, robot.joint_names) or error from error


def hybrid_dynamics(
    robot: Robot,
    accelerations: Iterable[str],
    *,
    coordinates: str = SPANNING,
    ordering: Order = "auto",
    external_wrenches: Sequence[str] = (),
    dtype: str = "float64",
) -> Function:
    """Return unknown(q, qd, given): given[i] is qdd_i for the joints named in `accelerations`, tau_i else.

    The result holds, in the same places, what was not given: tau_i for the named joints, qdd_i else.
    Arrays and `coordinates` as for `inverse_dynamics`. Featherstone (2008), section 9.2; Xie & Dellaert (2019), section
    VI.

    Raises:
        EliminationError: the order is impossible, or a joint of unknown acceleration moves nothing that has inertia.
        InputError: unknown names, or joints whose motion follows from that of others.
    """
    _check_moves(robot)
    named = {robot.joint(name).name for name in _names(accelerations, "joints")}
    follow = named - set(driving_joints(robot)) if coordinates == INDEPENDENT else ()
    if follow:
        raise InputError(
            f"the motion of joint {', '.join(map(repr, sorted(follow)))} follows from the independent ones",
            fix=f"name some of {', '.join(robot.independent_joints)}",
        )
    check_free(robot, [name for name in robot.joint_names if name in named])
    free = [name for name in robot.joint_names if name not in named]
    given = [Key("qdd" if name in named else "tau", name) for name in robot.joint_names]
    result = [Key("tau" if name in named else "qdd", name) for name in robot.joint_names]
    problem = _problem("hybrid_dynamics", robot, ("q", "qd", ("given", given)), result, external_wrenches)
    problem = _in_coordinates(problem, coordinates)
    try:
        return compile_problem(problem, ordering, _forward_orders(robot)).astype(dtype)
    except EliminationError as error:
        raise _named_singularity(robot, free) or error from error


def mass_matrix(robot: Robot, *, coordinates: str = SPANNING, dtype: str = "float64") -> Function:
    """Return M(q), (..., nq) -> (..., nv, nv), symmetric, rotors included (kg m^2, kg m, kg).

    It is what composite-inertia elimination leaves of the torque equations when joint accelerations stay
    unknown: Dellaert's slides, "Back to Mass Matrix". In spanning coordinates loops and couplings play no part in it.
        With `coordinates` "independent" it is (..., n, n), of the independent joints of closed chains: G' M G, where qd
        = G yd.

    Raises:
        EliminationError: the dependent joints do not follow from the others, or only a part of a joint is independent.
        InputError: loops that cannot be closed.
    """
    _check_moves(robot)
    _check_coordinates(coordinates)
    joints = driving_joints(robot) if coordinates == INDEPENDENT else robot.joint_names
    robot = robot if coordinates == INDEPENDENT else without_loops(robot)

    def make(inputs: Sequence[str]) -> Made:
        dag, entries = _mass_matrix_entries(robot, joints, tuple(ROBOT_PASSES))
        code = factor_out(program(dag.equations.tape, entries, inputs))
        return Made(stable(robot, code, "composite"), "composite")

    def origin(_: Made) -> Origin:
        return Origin(lambda: _without_joints(robot), lambda: _mass_matrix_savings(robot, joints))

    question = ("mass_matrix", without_metadata(robot), ROBOT_PASSES)
    arguments = robot_arguments(robot, [("q", _keys(robot, "q"))])
    size = sum(robot.joint(name).type.nv for name in joints)
    return make_function("mass_matrix", question, arguments, make, origin, (size, size)).astype(dtype)


def _mass_matrix_savings(robot: Robot, joints: Sequence[str]) -> dict[str, int]:
    made, name = {}, ""
    for done, name in enumerate(("as it is", *ROBOT_PASSES)):
        dag, entries = _mass_matrix_entries(robot, joints, tuple(ROBOT_PASSES)[:done])
        made[name] = program(dag.equations.tape, entries)
    made["common factors"] = factor_out(made[name])
    return {name: code.operations.total for name, code in made.items()}


def _mass_matrix_entries(robot: Robot, joints: Sequence[str], passes: Sequence[str]) -> tuple[Dag, list[Number]]:
    """Return the matrix row by row, on the tape of the elimination of the robot that passes make."""
    dag = _without_joints(improved(robot, passes))
    keys = [Key("qdd", name) for name in joints]
    columns = [(key, i) for key in keys for i in range(dag.graph.variables[key].dim)]
    rows = {(row.factor.arguments.get("tau"), row.number): row for row in dag.elimination.remaining}
    if any((Key("tau", key.name), i) not in rows for key, i in columns):
        raise EliminationError(
            f"the accelerations of the dependent joints of robot {robot.name!r} do not follow from the others",
            fix="choose others with robot.with_independent_joints(names)",
        )
    return dag, [rows[Key("tau", key.name), i].terms.get(c, 0.0) for key, i in columns for c in columns]


def bias_forces(
    robot: Robot,
    *,
    coordinates: str = SPANNING,
    ordering: Order = "auto",
    external_wrenches: Sequence[str] = (),
    dtype: str = "float64",
) -> Function:
    """Return the efforts h(q, qd) that hold all accelerations at zero: velocity products, gravity, damping.

    tau = M(q) qdd + h(q, qd). Arrays as for `inverse_dynamics`. In spanning coordinates loops and couplings play no
    part in it; with `coordinates` "independent", the accelerations of the independent joints are held at zero.
    """
    robot = robot if coordinates == INDEPENDENT else without_loops(robot)
    problem = _problem("bias_forces", robot, ("q", "qd"), _keys(robot, "tau"), external_wrenches, at_rest=("qdd",))
    problem = _in_coordinates(problem, coordinates)
    orders = CLOSED_ORDERS if robot.is_closed else INVERSE_ORDERS
    return compile_problem(problem, ordering, orders).astype(dtype)


def _forward_orders(robot: Robot) -> tuple[str, ...]:
    return CLOSED_ORDERS if robot.is_closed else FORWARD_ORDERS


def _problem(
    name: str,
    robot: Robot,
    arguments: Sequence[str | tuple[str, list[Key]]],
    result: list[Key],
    external_wrenches: Sequence[str],
    at_rest: tuple[str, ...] = (),
) -> Problem:
    """Put a problem together; an argument is a kind of variable, or a name and variables."""
    _check_moves(robot)
    external = _names(external_wrenches, "links or frames")
    described = [(a, _keys(robot, a)) if isinstance(a, str) else a for a in arguments]
    known = [key for _, keys in described for key in keys]
    if external:
        described.append(("wrenches", [Key("external", frame) for frame in external]))
    zero = {key: np.zeros(robot.joint(key.name).type.nv) for kind in at_rest for key in _keys(robot, kind)}
    kinds = ("external",) if external else ()
    return Problem(name, robot, (*known, *zero, *kinds), described, result, zero, external)


def _in_coordinates(problem: Problem, coordinates: str) -> Problem:
    _check_coordinates(coordinates)
    return in_independent_coordinates(problem) if coordinates == INDEPENDENT else problem


def _check_coordinates(coordinates: str) -> None:
    if coordinates not in (SPANNING, INDEPENDENT):
        raise InputError(f"there are no coordinates {coordinates!r}", fix=f"choose {SPANNING!r} or {INDEPENDENT!r}")


def _without_joints(robot: Robot) -> Dag:
    """Eliminate wrenches and accelerations at rest and without gravity; accelerations of independent joints stay."""
    graph = dynamics_graph(with_gravity(robot, (0.0, 0.0, 0.0))).given("q", "qd", "tau")
    at_rest = {v.key: np.zeros(v.dim) for v in graph.inputs if v.key.kind != "q"}
    system = equations(graph, at_rest)
    order = orderings.composite().order(graph)
    bodies = [key for key in order if isinstance(key, Key) and key.kind not in ("qdd", "lambda")]
    groups = [Group(tuple((key, i) for i in range(graph.variables[key].dim))) for key in bodies]
    closing = orderings.embedding().closing(graph) if robot.is_closed else []
    return Dag(graph, system, eliminate_rows(system.rows, [*groups, *closing]))


def _keys(robot: Robot, kind: str) -> list[Key]:
    return [Key(kind, name) for name in robot.joint_names]


def _names(names: Iterable[str], what: str) -> tuple[str, ...]:
    """Return names as a tuple; a text is one name."""
    given = (names,) if isinstance(names, str) or not isinstance(names, Iterable) else tuple(names)
    for name in given:
        if not isinstance(name, str):
            raise InputError(f"expected a name (str), got {name!r}", fix=f"give the names of {what}")
    return given


def _check_moves(robot: Robot) -> None:
    if not robot.joints:
        raise InputError(
            f"robot {robot.name!r} has no joint that moves", fix='load it with base="floating", or lock less'
        )


def _named_singularity(robot: Robot, joints: Sequence[str]) -> EliminationError | None:
    """Find the joints that can move without inertia, as loops and couplings let them; None if there are none."""
    (q,) = regular_states(robot, 1)
    names = idle_joints(robot, q, mass_matrix(robot)(q), joints)
    if not names:
        return None
    massless = ", ".join(map(repr, massless_links(robot))) or "none"
    return EliminationError(
        f"the acceleration of joint {', '.join(map(repr, names))} is not determined",
        why=f"what it moves has no inertia along it; massless links: {massless}",
        fix="give these links inertia, give the joint an armature, or lock it",
    )
