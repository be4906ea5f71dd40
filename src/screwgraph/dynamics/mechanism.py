"""The dynamics of planar mechanisms as functions: graph, what is given, what is asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from screwgraph.compiler import Argument, Function, Made, Order, Origin, Result, Search, make_function
from screwgraph.dynamics.motors import check_free, check_weights, driving, with_motors
from screwgraph.elimination import Dag, Group, Ordering, eliminate, eliminate_rows, equations, orderings
from screwgraph.errors import EliminationError, InputError
from screwgraph.graph import (
    Column,
    FactorGraph,
    Key,
    completion_graph,
    dynamics_graph,
    shared_work_graph,
    unconstrained_graph,
)
from screwgraph.models.mechanism import Mechanism, without_metadata
from screwgraph.tape import SAMPLES, WIDE, Number, Program, Tape, factor_out, program

ORDER = "quasi_definite"
"""What "auto" is: its pivots vanish only where constraints depend on each other."""
COORDINATES = ("spanning", "independent")
"""All coordinates, or those that all others follow."""


@dataclass(frozen=True, eq=False)
class Query:
    """What is asked of a mechanism's graph: `known` is given, `zero` of it as zero; `result` is asked.

    Arguments are names with the variables that they hold. Of `velocities` and `accelerations`, where these are among
    the arguments, only those are taken, and the others follow from them: independent coordinates. `weights` are those
    of motors that share their work.
    """

    name: str
    mechanism: Mechanism
    graph: FactorGraph
    arguments: Sequence[tuple[str, Sequence[Key]]]
    known: Sequence[Key]
    result: Sequence[Key]
    zero: Sequence[Key] = ()
    weights: Mapping[str, float] = field(default_factory=dict)
    taken: Mapping[str, Sequence[Key]] = field(default_factory=dict)


def inverse_dynamics(
    mechanism: Mechanism,
    coordinates: str,
    ordering: Order,
    forces: Sequence[str],
    actuated: Iterable[str] | None,
    weights: Mapping[str, float] | None,
) -> Function:
    """Return the torques of motors, tau(q, qd, qdd); those of the least sum weight tau^2 where several would do.

    Where motors are as many as degrees of freedom, only the accelerations of their angles are read. External `forces`
    are one more argument.

    Raises:
        InputError: no motors, or motors that do not drive all motions; unknown names, bad weights.
    """
    mechanism = with_motors(mechanism, actuated)
    motors, chosen = driving(mechanism), check_weights(mechanism, weights)
    if len(motors) > mechanism.dof:
        if forces:
            raise InputError(
                "external forces go with as many motors as there are degrees of freedom",
                why=f"{len(motors)} motors share the work of {mechanism.dof}",
                fix="name fewer motors by actuated=, or leave out external_wrenches=",
            )
        graph, read = shared_work_graph(mechanism, chosen), _keys(mechanism, "qdd")
    else:
        graph, read = dynamics_graph(mechanism, forces), [Key("qdd", name) for name in motors]
    arguments = _arguments(mechanism, graph, "q", "qd", "qdd")
    known = [*_kinds(graph, "q", "qd", "force"), *read]
    torques = _kinds(graph, "tau")
    query = Query("inverse_dynamics", mechanism, graph, arguments, known, torques, weights=chosen)
    return _compiled(_in(query, coordinates), ordering)


def forward_dynamics(mechanism: Mechanism, coordinates: str, ordering: Order, forces: Sequence[str]) -> Function:
    """Return accelerations, qdd(q, qd, tau), tau being the torques of the motors; `forces` are one more argument."""
    graph = dynamics_graph(mechanism, forces)
    arguments = _arguments(mechanism, graph, "q", "qd", "tau")
    known = _kinds(graph, "q", "qd", "tau", "force")
    result = _keys(mechanism, "qdd") if _is_spanning(coordinates) else _independent(mechanism, "qdd")
    return _compiled(_in(Query("forward_dynamics", mechanism, graph, arguments, known, result), coordinates), ordering)


def hybrid_dynamics(
    mechanism: Mechanism, accelerations: Sequence[str], coordinates: str, ordering: Order, forces: Sequence[str]
) -> Function:
    """Return unknown(q, qd, given): given[i] is the acceleration of motor i's angle if that is named, else its torque.

    The result holds, in the same places, what was not given.

    Raises:
        InputError: no motors, a name is no motor's angle, or these accelerations cannot all be given.
    """
    mechanism.check_motors()
    check_free(mechanism, accelerations)
    graph, motors = dynamics_graph(mechanism, forces), [mechanism.angles[i].name for i in mechanism.motors]
    given = [Key("qdd" if name in accelerations else "tau", name) for name in motors]
    result = [Key("tau" if name in accelerations else "qdd", name) for name in motors]
    arguments = [*_arguments(mechanism, graph, "q", "qd")[:2], ("given", given), *_arguments(mechanism, graph)]
    known = [*_kinds(graph, "q", "qd", "force"), *given]
    return _compiled(_in(Query("hybrid_dynamics", mechanism, graph, arguments, known, result), coordinates), ordering)


def mass_matrix(mechanism: Mechanism, coordinates: str) -> Function:
    """Return M(q), (n, n) by all coordinates and constant; by independent ones R' M R, where qd = R zd."""
    spanning = _is_spanning(coordinates)
    graph = (unconstrained_graph if spanning else dynamics_graph)(mechanism)
    kept = _keys(mechanism, "qdd") if spanning else _independent(mechanism, "qdd")

    def make(inputs: Sequence[str]) -> Made:
        dag = _stopped(graph, kept, spanning)
        rows = {row.factor.multiplier: row for row in dag.elimination.remaining}
        entries = [rows[i].terms.get((j, 0), 0.0) if i in rows else 0.0 for i in kept for j in kept]
        return Made(factor_out(program(dag.equations.tape, entries, inputs)), ORDER)

    def origin(_: Made) -> Origin:
        return Origin(lambda: _stopped(graph, kept, spanning), dict)

    question = ("mass_matrix", without_metadata(mechanism), tuple(kept))
    arguments = _signature(_arguments(mechanism, graph, "q")[:1])
    return make_function("mass_matrix", question, arguments, make, origin, (Result("result", (len(kept), len(kept))),))


def bias_forces(mechanism: Mechanism, coordinates: str, ordering: Order, forces: Sequence[str]) -> Function:
    """Return the forces h(q, qd) (N, N m) along coordinates that hold the accelerations of these at zero, motors idle.

    By all coordinates, constraints play no part: M qdd + h is what they and motors give. By independent ones it is
    R' M R zdd + h, which motors give.

    Raises:
        InputError: external `forces` are named: they stand beside h, as the torques of motors do.
    """
    if forces:
        raise InputError("bias forces of a mechanism are without external ones", fix="leave out external_wrenches=")
    spanning = _is_spanning(coordinates)
    held = mechanism.coordinates if spanning else mechanism.independent_coordinates
    graph = (unconstrained_graph if spanning else dynamics_graph)(mechanism, held)
    arguments = _arguments(mechanism, graph, "q", "qd")[:2]
    zero = [*_kinds(graph, "tau"), *(Key("qdd", name) for name in held)]
    zero += _kinds(graph, "lambda") if spanning else []
    known = [*_kinds(graph, "q", "qd"), *zero]
    result = [Key("force", name) for name in held]
    return _compiled(_in(Query("bias_forces", mechanism, graph, arguments, known, result, zero), coordinates), ordering)


def _in(query: Query, coordinates: str) -> Query:
    """Return a query whose velocities and accelerations are those of independent coordinates, if these are meant."""
    if _is_spanning(coordinates):
        return query
    names = [name for name, _ in query.arguments]
    taken = {kind: _independent(query.mechanism, kind) for kind in ("qd", "qdd") if kind in names}
    arguments = [(name, taken.get(name, keys)) for name, keys in query.arguments]
    return replace(query, arguments=arguments, taken=taken)


def _compiled(query: Query, ordering: Order) -> Function:
    if isinstance(ordering, Search):
        raise InputError(
            "orders for mechanisms are not searched", fix='leave out ordering=, or name one such as "greedy"'
        )
    order = ORDER if isinstance(ordering, str) and ordering == "auto" else ordering
    label = order if isinstance(order, str) else type(order).__name__ if isinstance(order, Ordering) else "explicit"
    graph = query.graph.given(*query.known)

    def eliminated() -> Dag:
        found = orderings.by_name(order) if isinstance(order, str) else order
        return eliminate(graph, found, constants={key: np.zeros(graph.variables[key].dim) for key in query.zero})

    def make(inputs: Sequence[str]) -> Made:
        dag = eliminated()
        if dag.elimination.unsafe_pivots:
            raise EliminationError(
                f"order {label!r} divides by what vanishes where mechanism {query.mechanism.name!r} is assembled",
                fix=f"leave out ordering=, or take {ORDER!r}",
            )
        code = program(dag.equations.tape, _outputs(dag, [(key, 0) for key in query.result]))
        return Made(factor_out(_with_arguments(query, code, inputs)), label)

    def savings() -> Mapping[str, int]:
        dag = eliminated()
        plain = program(dag.equations.tape, _outputs(dag, [(key, 0) for key in query.result]))
        return {"as it is": plain.operations.total, "common factors": factor_out(plain).operations.total}

    stated = (without_metadata(query.mechanism), query.weights)
    question = (query.name, stated, query.arguments, query.known, query.result, query.zero, order)
    return make_function(query.name, question, _signature(query.arguments), make, lambda _: Origin(eliminated, savings))


def _outputs(dag: Dag, columns: Iterable[Column]) -> list[Number]:
    values = dag.equations.values
    return [values[key][i] if key in values else dag.solution[key, i] for key, i in columns]


def _with_arguments(query: Query, code: Program, inputs: Sequence[str]) -> Program:
    """Return a program of a query's arguments, where others follow from those that are taken."""
    tape, rng = Tape(), np.random.default_rng(0)

    values = {name: tape.input(name, rng.standard_normal(SAMPLES + WIDE).tolist()) for name in inputs}
    for kind, taken in query.taken.items():
        follow = _completion(query.mechanism, kind, taken)
        known = [values[name] for name in follow.input_names]
        named = [f"{key}[0]" for key in _keys(query.mechanism, kind)]
        values |= dict(zip(named, follow.evaluate(known), strict=True))
    return program(tape, code.evaluate([values[name] for name in code.input_names]), inputs)


def _completion(mechanism: Mechanism, kind: str, taken: Sequence[Key]) -> Program:
    """Return the code of all velocities or accelerations, given those of independent coordinates."""
    graph = completion_graph(mechanism, kind, [key.name for key in taken])
    known = ("q", "qd") if kind == "qdd" else ("q",)
    dag = eliminate(graph.given(*known, *taken), orderings.by_name(ORDER))
    return program(dag.equations.tape, _outputs(dag, [(key, 0) for key in _keys(mechanism, kind)]))


def _stopped(graph: FactorGraph, kept: Sequence[Key], spanning: bool) -> Dag:
    """Eliminate at rest, without forces, all but some accelerations; nothing where all stay."""
    whole = graph.given(*_kinds(graph, "q", "qd", "tau", *(("lambda",) if spanning else ())))
    at_rest = {v.key: np.zeros(v.dim) for v in whole.inputs if v.key.kind != "q"}
    system = equations(whole, at_rest)
    groups: list[Group] = [] if spanning else list(orderings.quasi_definite().order(whole.given(*kept)))
    return Dag(whole, system, eliminate_rows(system.rows, groups))


def _is_spanning(coordinates: str) -> bool:
    if coordinates not in COORDINATES:
        raise InputError(f"there are no coordinates {coordinates!r}", fix=f"choose one of {', '.join(COORDINATES)}")
    return coordinates != COORDINATES[1]


def _keys(mechanism: Mechanism, kind: str) -> list[Key]:
    return [Key(kind, name) for name in mechanism.coordinates]


def _independent(mechanism: Mechanism, kind: str) -> list[Key]:
    return [Key(kind, name) for name in mechanism.independent_coordinates]


def _kinds(graph: FactorGraph, *kinds: str) -> list[Key]:
    return [key for key in graph.variables if key.kind in kinds]


def _arguments(mechanism: Mechanism, graph: FactorGraph, *kinds: str) -> list[tuple[str, Sequence[Key]]]:
    """Return arguments of some kinds, external forces last; torques of no motors are none."""
    listed = [(kind, _kinds(graph, kind)) for kind in (*kinds, "force")]
    return [(name, keys) for name, keys in listed if keys]


def _signature(arguments: Sequence[tuple[str, Sequence[Key]]]) -> tuple[Argument, ...]:
    return tuple(Argument(name, (len(keys),), tuple(f"{key}[0]" for key in keys)) for name, keys in arguments)
