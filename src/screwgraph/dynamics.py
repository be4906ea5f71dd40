"""Inverse, forward and hybrid dynamics: robot -> graph -> order -> function. The shortest road through the house."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from screwgraph.compiler import Function, compile_graph, make_function
from screwgraph.elimination import Dag, Ordering, eliminate_rows, equations, orderings
from screwgraph.errors import EliminationError, InputError
from screwgraph.graph import Key, dynamics_graph
from screwgraph.robot import Robot, massless_links, with_gravity

Order = str | Ordering | Sequence[str | Key]
"""The name of an order, "auto", an Ordering, or a list of variables."""

INVERSE_ORDERS = ("rnea", "lynch_park")
FORWARD_ORDERS = ("aba", "composite")
"""What "auto" chooses from."""


def inverse_dynamics(robot: Robot, *, ordering: Order = "auto", external_wrenches: Sequence[str] = ()) -> Function:
    """Return tau(q, qd, qdd): the efforts that a motion needs.

    Arrays are (..., nq), (..., nv), (..., nv) -> (..., nv), SI units, coordinates as in `robot.joint_names`.
    With `external_wrenches`, names of links or frames, there is one more argument (..., k, 6): wrenches
    (moment, force) on the robot at these frames, in their axes.

    Raises:
        EliminationError: the order is impossible.
        InputError: unknown names.
    """
    _check_moves(robot)
    external_wrenches = _names(external_wrenches, "links or frames")
    graph = dynamics_graph(robot, external_wrenches).given("q", "qd", "qdd", *_external(external_wrenches))
    return compile_graph(
        "inverse_dynamics",
        graph,
        arguments=_arguments(robot, ("q", "qd", "qdd"), external_wrenches),
        result=_keys(robot, "tau"),
        ordering=ordering,
        candidates=INVERSE_ORDERS,
        robot=robot,
    )


def forward_dynamics(robot: Robot, *, ordering: Order = "auto", external_wrenches: Sequence[str] = ()) -> Function:
    """Return qdd(q, qd, tau): the accelerations that efforts cause; arrays as for `inverse_dynamics`.

    Raises:
        EliminationError: the order is impossible, or a joint moves nothing that has inertia.
        InputError: unknown names.
    """
    _check_moves(robot)
    external_wrenches = _names(external_wrenches, "links or frames")
    graph = dynamics_graph(robot, external_wrenches).given("q", "qd", "tau", *_external(external_wrenches))
    try:
        return compile_graph(
            "forward_dynamics",
            graph,
            arguments=_arguments(robot, ("q", "qd", "tau"), external_wrenches),
            result=_keys(robot, "qdd"),
            ordering=ordering,
            candidates=FORWARD_ORDERS,
            robot=robot,
        )
    except EliminationError as error:
        raise _named_singularity(robot, robot.joint_names) or error from error


def hybrid_dynamics(
    robot: Robot,
    accelerations: Iterable[str],
    *,
    ordering: Order = "auto",
    external_wrenches: Sequence[str] = (),
) -> Function:
    """Return unknown(q, qd, given): given[i] is qdd_i for the joints named in `accelerations`, tau_i else.

    The result holds, in the same places, what was not given: tau_i for the named joints, qdd_i else.
    Arrays as for `inverse_dynamics`. Featherstone (2008), section 9.2; paper 0, section VI.

    Raises:
        EliminationError: the order is impossible, or a joint of unknown acceleration moves nothing that has inertia.
        InputError: unknown names.
    """
    _check_moves(robot)
    external_wrenches = _names(external_wrenches, "links or frames")
    named = {robot.joint(name).name for name in _names(accelerations, "joints")}
    free = [name for name in robot.joint_names if name not in named]
    given = [Key("qdd" if name in named else "tau", name) for name in robot.joint_names]
    result = [Key("tau" if name in named else "qdd", name) for name in robot.joint_names]
    graph = dynamics_graph(robot, external_wrenches).given("q", "qd", *given, *_external(external_wrenches))
    try:
        return compile_graph(
            "hybrid_dynamics",
            graph,
            arguments=[
                *_arguments(robot, ("q", "qd"), ()),
                ("given", given),
                *_arguments(robot, (), external_wrenches),
            ],
            result=result,
            ordering=ordering,
            candidates=FORWARD_ORDERS,
            robot=robot,
        )
    except EliminationError as error:
        raise _named_singularity(robot, free) or error from error


def mass_matrix(robot: Robot) -> Function:
    """Return M(q), (..., nq) -> (..., nv, nv), symmetric, rotors included (kg m^2, kg m, kg).

    It is what composite-body elimination leaves of the torque equations when joint accelerations stay
    unknown: paper 4, "Back to Mass Matrix".
    """
    _check_moves(robot)
    graph = dynamics_graph(with_gravity(robot, (0.0, 0.0, 0.0))).given("q", "qd", "tau")
    at_rest = {v.key: np.zeros(v.dim) for v in graph.inputs if v.key.kind != "q"}
    system = equations(graph, at_rest)
    bodies = [key for key in orderings.composite(robot).order(graph) if key.kind != "qdd"]
    groups = [[(key, i) for i in range(graph.variables[key].dim)] for key in bodies]
    elimination = eliminate_rows(system.rows, groups)
    columns = [(key, i) for key in _keys(robot, "qdd") for i in range(graph.variables[key].dim)]
    rows = {(row.factor.arguments["tau"], row.number): row for row in elimination.remaining}
    entries = [rows[Key("tau", key.name), i].terms.get(c, 0.0) for key, i in columns for c in columns]
    dag = Dag(graph, system, elimination)
    return make_function("mass_matrix", dag, [("q", _keys(robot, "q"))], entries, (robot.nv, robot.nv), "composite")


def bias_forces(robot: Robot, *, ordering: Order = "auto", external_wrenches: Sequence[str] = ()) -> Function:
    """Return the efforts h(q, qd) that hold all accelerations at zero: velocity products, gravity, damping.

    tau = M(q) qdd + h(q, qd). Arrays as for `inverse_dynamics`.
    """
    _check_moves(robot)
    external_wrenches = _names(external_wrenches, "links or frames")
    graph = dynamics_graph(robot, external_wrenches).given("q", "qd", "qdd", *_external(external_wrenches))
    return compile_graph(
        "bias_forces",
        graph,
        arguments=_arguments(robot, ("q", "qd"), external_wrenches),
        result=_keys(robot, "tau"),
        ordering=ordering,
        candidates=INVERSE_ORDERS,
        robot=robot,
        constants={key: np.zeros(graph.variables[key].dim) for key in _keys(robot, "qdd")},
    )


def _keys(robot: Robot, kind: str) -> list[Key]:
    return [Key(kind, name) for name in robot.joint_names]


def _arguments(robot: Robot, kinds: Sequence[str], external: Sequence[str]) -> list[tuple[str, list[Key]]]:
    arguments = [(kind, _keys(robot, kind)) for kind in kinds]
    return [*arguments, ("wrenches", [Key("external", name) for name in external])] if external else arguments


def _external(names: Sequence[str]) -> tuple[str, ...]:
    return ("external",) if names else ()


def _names(names: Iterable[str], what: str) -> tuple[str, ...]:
    """Return names as a tuple; a text is one name."""
    given = (names,) if isinstance(names, str) or not isinstance(names, Iterable) else tuple(names)
    for name in given:
        if not isinstance(name, str):
            raise InputError(f"{name!r} is no name", fix=f"give the names of {what}")
    return given


def _check_moves(robot: Robot) -> None:
    if not robot.joints:
        raise InputError(
            f"robot {robot.name!r} has no joint that moves", fix='load it with base="floating", or lock less'
        )


def _named_singularity(robot: Robot, joints: Sequence[str]) -> EliminationError | None:
    """Find the joints whose accelerations the mass matrix does not determine; None if it determines all."""
    M = mass_matrix(robot)(robot.random(np.random.default_rng(0)))
    slices = [robot.v_slices[name] for name in joints]
    places = np.concatenate([np.arange(s.start, s.stop) for s in slices]) if joints else np.zeros(0, int)
    values, vectors = np.linalg.eigh(M[np.ix_(places, places)])
    idle = np.abs(vectors[:, values <= 1e-12 * max(values.max(initial=0.0), 1e-300)]).max(axis=1, initial=0.0) > 1e-6
    moving = set(places[idle].tolist())
    names = [n for n, s in zip(joints, slices, strict=True) if moving & set(range(s.start, s.stop))]
    if not names:
        return None
    massless = ", ".join(map(repr, massless_links(robot))) or "none"
    return EliminationError(
        f"the acceleration of joint {', '.join(map(repr, names))} is not determined",
        why=f"what it moves has no inertia along it; massless links: {massless}",
        fix="give these links inertia, give the joint an armature, or lock it",
    )
