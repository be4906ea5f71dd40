"""The dynamics of mechanisms as functions: graph, what is given, what is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import Any

import numpy as np

from screwgraph.base.errors import EliminationError, InputError
from screwgraph.compiler import (
    PARAMETERS,
    Argument,
    CachedCode,
    Function,
    Order,
    Problem,
    compile_expression,
    compile_graph,
    compile_matrix,
    compile_problem,
    make_function,
    make_numbered_argument,
)
from screwgraph.compiler.cache import pack_program
from screwgraph.graph import (
    Factor,
    FactorGraph,
    Key,
    completion_graph,
    dynamics_graph,
    redundant_motors_graph,
    refuse_payload,
    unconstrained_graph,
)
from screwgraph.graph.factors import prior
from screwgraph.mechanics.dynamics.actuator_efforts import refuse_actuators
from screwgraph.mechanics.dynamics.closed_chains import INDEPENDENT, SPANNING, check_coordinates
from screwgraph.mechanics.dynamics.independent_positions import check_positions
from screwgraph.mechanics.dynamics.mechanism_positions import ORDER, take_independent_positions
from screwgraph.mechanics.dynamics.motors import check_free, find_driving_motors, validate_weights, with_motors
from screwgraph.model.mechanism import Mechanism, find_moving_parameters, without_metadata
from screwgraph.tape import SAMPLES, WIDE, Tape, factor_out, program

GIVEN = ("force", "parameter")
"""Kinds of variables that are given wherever a graph has them."""


@dataclass(frozen=True, eq=False)
class MechanismQuery:
    """Query of a mechanism's graph: `known` is given, `zero` of it as zero; `result` is asked.

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
    *,
    coordinates: str = SPANNING,
    ordering: Order = "auto",
    external_wrenches: Sequence[str] = (),
    parameters: Sequence[str] = (),
    actuated: Iterable[str] | None = None,
    weights: Mapping[str, float] | None = None,
) -> Function:
    """Return the torques of motors, tau(q, qd, qdd); those of the least sum weight tau^2 where several would do.

    Where motors are as many as degrees of freedom, only the accelerations of their angles are read. External forces
    on points or angles, named as `external_wrenches`, are one more argument.

    Raises:
        InputError: no motors, or motors that do not drive all motions; unknown names, bad weights.
    """
    mechanism = with_motors(mechanism, actuated)
    motors, chosen = find_driving_motors(mechanism), validate_weights(mechanism, weights)
    if len(motors) > mechanism.dof:
        if external_wrenches:
            raise InputError(
                "external forces go with as many motors as there are degrees of freedom",
                why=f"{len(motors)} motors share the work of {mechanism.dof}",
                fix="name fewer motors by actuated=, or leave out external_wrenches=",
            )
        if parameters:
            raise InputError(
                "parameters are inputs where motors are as many as degrees of freedom",
                why=f"{len(motors)} motors share the work of {mechanism.dof}",
                fix="name fewer motors by actuated=, or leave out parameters=",
            )
        graph, read = redundant_motors_graph(mechanism, chosen), _keys(mechanism, "qdd")
    else:
        graph = dynamics_graph(mechanism, external_wrenches, parameters=parameters)
        read = [Key("qdd", name) for name in motors]
    arguments = _arguments(mechanism, graph, "q", "qd", "qdd")
    known = [*_kinds(graph, "q", "qd", *GIVEN), *read]
    torques = _kinds(graph, "tau")
    query = MechanismQuery("inverse_dynamics", mechanism, graph, arguments, known, torques, weights=chosen)
    return _compile_query(_convert_query(query, coordinates), ordering)


def forward_dynamics(
    mechanism: Mechanism,
    *,
    coordinates: str = SPANNING,
    ordering: Order = "auto",
    external_wrenches: Sequence[str] = (),
    parameters: Sequence[str] = (),
) -> Function:
    """Return accelerations, qdd(q, qd, tau), tau being the torques of the motors; external forces are one argument."""
    graph = dynamics_graph(mechanism, external_wrenches, parameters=parameters)
    arguments = _arguments(mechanism, graph, "q", "qd", "tau")
    known = _kinds(graph, "q", "qd", "tau", *GIVEN)
    result = _keys(mechanism, "qdd") if _is_spanning(coordinates) else _independent(mechanism, "qdd")
    return _compile_query(
        _convert_query(MechanismQuery("forward_dynamics", mechanism, graph, arguments, known, result), coordinates),
        ordering,
    )


def hybrid_dynamics(
    mechanism: Mechanism,
    accelerations: Iterable[str],
    *,
    coordinates: str = SPANNING,
    ordering: Order = "auto",
    external_wrenches: Sequence[str] = (),
    parameters: Sequence[str] = (),
) -> Function:
    """Return unknown(q, qd, given): given[i] is the acceleration of motor i's angle if that is named, else its torque.

    The result holds, in the same places, what was not given.

    Raises:
        InputError: no motors, a name is no motor's angle, or these accelerations cannot all be given.
    """
    mechanism.check_motors()
    named = tuple(accelerations)
    check_free(mechanism, named)
    graph, motors = dynamics_graph(mechanism, external_wrenches, parameters=parameters), mechanism.motors
    given = [Key("qdd" if name in named else "tau", name) for name in motors]
    result = [Key("tau" if name in named else "qdd", name) for name in motors]
    arguments = [*_arguments(mechanism, graph, "q", "qd")[:2], ("given", given), *_arguments(mechanism, graph)]
    known = [*_kinds(graph, "q", "qd", *GIVEN), *given]
    return _compile_query(
        _convert_query(MechanismQuery("hybrid_dynamics", mechanism, graph, arguments, known, result), coordinates),
        ordering,
    )


def mass_matrix(mechanism: Mechanism, *, coordinates: str = SPANNING, parameters: Sequence[str] = ()) -> Function:
    """Return M(q), (n, n) by all coordinates and constant; by independent ones R' M R, where qd = R zd."""
    spanning = _is_spanning(coordinates)
    graph = (unconstrained_graph if spanning else dynamics_graph)(mechanism, parameters=parameters)
    kept = _keys(mechanism, "qdd") if spanning else _independent(mechanism, "qdd")

    zero = _kinds(graph, "qd", "tau", *(("lambda",) if spanning else ()))
    arguments, known = _arguments(mechanism, graph, "q"), _kinds(graph, "q", *GIVEN)
    return compile_matrix(_problem(MechanismQuery("mass_matrix", mechanism, graph, arguments, known, kept, zero)))


def bias_forces(
    mechanism: Mechanism,
    *,
    coordinates: str = SPANNING,
    ordering: Order = "auto",
    external_wrenches: Sequence[str] = (),
    parameters: Sequence[str] = (),
) -> Function:
    """Return the forces h(q, qd) (N, N m) along coordinates that hold the accelerations of these at zero, motors idle.

    By all coordinates, constraints play no part: M qdd + h is what they and motors give. By independent ones it is
    R' M R zdd + h, which motors give. External forces, one more argument, are subtracted from h.
    """
    spanning = _is_spanning(coordinates)
    held = mechanism.coordinates if spanning else mechanism.independent_coordinates
    driven = replace(mechanism, motors=tuple(held))
    graph = (unconstrained_graph if spanning else dynamics_graph)(driven, external_wrenches, parameters=parameters)
    arguments = _arguments(mechanism, graph, "q", "qd")
    zero = [Key("qdd", name) for name in held]
    zero += _kinds(graph, "lambda") if spanning else []
    known = [*_kinds(graph, "q", "qd", *GIVEN), *zero]
    result = [Key("tau", name) for name in held]
    return _compile_query(
        _convert_query(MechanismQuery("bias_forces", mechanism, graph, arguments, known, result, zero), coordinates),
        ordering,
    )


def compile_mechanism_dependence(mechanism: Mechanism, independent: Sequence[str]) -> Function:
    """Return all accelerations (..., n) as a function of q, qd and those of independent coordinates, in their order.

    Raises:
        ModelError: the mechanism cannot be assembled.
    """
    taken, n = [Key("qdd", name) for name in independent], mechanism.n
    others = [key for key in _keys(mechanism, "qdd") if key not in taken]
    graph = completion_graph(mechanism, "qdd", independent) if others else None
    code = None if graph is None else compile_graph(graph.given("q", "qd", *taken), "qdd", ordering=ORDER).program

    def expression(q: Any, qd: Any, own: Any) -> list[Any]:
        values = dict(zip(map(str, taken), own, strict=True))
        if code is not None:
            for kind, vector in (("q", q), ("qd", qd)):
                values |= {str(key): x for key, x in zip(_keys(mechanism, kind), vector, strict=True)}
            found = code.on([values[name.removesuffix("[0]")] for name in code.input_names])
            values |= dict(zip(map(str, others), found, strict=True))
        return [values[str(key)] for key in _keys(mechanism, "qdd")]

    sizes = {"q": n, "qd": n, "qdd": len(taken)}
    arguments = tuple(make_numbered_argument(name, size) for name, size in sizes.items())
    question = without_metadata(mechanism), tuple(independent)
    return compile_expression("dependent_accelerations", question, arguments, expression)


def _refuse_joints(query: Callable[..., Function]) -> Callable[..., Function]:
    """Return a query that takes the arguments of robots, and refuses what only these have."""

    @wraps(query)
    def answer(
        mechanism: Mechanism,
        *names: Any,
        positions: str = SPANNING,
        payload: str | None = None,
        actuators: bool = False,
        effort_limits: bool = False,
        dtype: str = "float64",
        **options: Any,
    ) -> Function:
        check_positions(positions)
        refuse_actuators(actuators or effort_limits)
        refuse_payload(payload)
        function = query(mechanism, *names, **options)
        if positions == INDEPENDENT:
            function = take_independent_positions(function, mechanism, options.get("parameters", ()))
        return function.astype(dtype)

    return answer


_QUERIES = (inverse_dynamics, forward_dynamics, hybrid_dynamics, mass_matrix, bias_forces)
ANSWERS = {"mechanism": {query.__name__: _refuse_joints(query) for query in _QUERIES}}
"""Queries of dynamics that kinds of models but robots answer in their own way, by kind and name."""


def _convert_query(query: MechanismQuery, coordinates: str) -> MechanismQuery:
    """Return a query whose velocities and accelerations are those of independent coordinates, if these are meant."""
    if _is_spanning(coordinates):
        return query
    names = [name for name, _ in query.arguments]
    taken = {kind: _independent(query.mechanism, kind) for kind in ("qd", "qdd") if kind in names}
    arguments = [(name, taken.get(name, keys)) for name, keys in query.arguments]
    return replace(query, arguments=arguments, taken=taken)


def _compile_query(query: MechanismQuery, ordering: Order) -> Function:
    """Return the function that answers a query. Raises EliminationError, InputError."""
    function = compile_problem(_problem(query), ordering)
    if ordering != "auto" and function.dag.elimination.unsafe_pivots:
        name = query.mechanism.name
        raise EliminationError(
            f"order {function.ordering!r} divides by what vanishes where mechanism {name!r} is assembled",
            fix=f"leave out ordering=, or take {ORDER!r}",
        )
    return _complete_function(query, function)


def _problem(query: MechanismQuery) -> Problem:
    """Return a query as the compiler takes it: with all velocities and accelerations as arguments."""
    still = {key: np.zeros(query.graph.variables[key].dim) for key in query.zero}
    held = (Factor(prior, {"x": key}, len(value), 1, {"value": value}) for key, value in still.items())
    every = [(name, _keys(query.mechanism, name) if name in query.taken else keys) for name, keys in query.arguments]
    known = tuple(key for key in query.known if key not in still)
    graph = query.graph.with_factors(*held).given(*known)
    arguments = tuple((name, tuple(keys)) for name, keys in every)
    return Problem(query.name, None, known, arguments, (("result", tuple(query.result)),), graph)


def _complete_function(query: MechanismQuery, function: Function) -> Function:
    """Return a function of fewer velocities or accelerations, where the others follow from those that are taken."""
    if not query.taken:
        return function

    def make(inputs: Sequence[str]) -> CachedCode:
        parameters = [key.name for key in query.known if key.kind == "parameter"]
        moving = [parameters[i] for i in find_moving_parameters(query.mechanism, parameters)] if parameters else []
        tape, samples = Tape(), np.random.default_rng(0).standard_normal((SAMPLES + WIDE, len(inputs)))
        values = dict(zip(inputs, tape.vector(inputs, samples), strict=True))
        for kind, taken in query.taken.items():
            follow = completion_graph(query.mechanism, kind, [key.name for key in taken], moving)
            known = follow.given("q", *(["qd"] if kind == "qdd" else []), *taken, *_kinds(follow, "parameter"))
            code = compile_graph(known, kind, ordering=ORDER).program
            found = code.on([values[name] for name in code.input_names])
            names = [f"{key}[0]" for key in _keys(query.mechanism, kind) if key not in taken]
            values |= dict(zip(names, found, strict=True))
        code = function.program
        whole = code.on([values[name] for name in code.input_names])
        return CachedCode(factor_out(program(tape, whole, inputs)), function.ordering)

    question = ("completed", without_metadata(query.mechanism), pack_program(function.program), query.taken)
    origin = replace(function.origin, vanished=None)
    arguments = tuple(_shorten_argument(argument, query) for argument in function.arguments)
    return make_function(query.name, question, arguments, make, lambda _: origin)


def _shorten_argument(argument: Argument, query: MechanismQuery) -> Argument:
    """Return an argument that holds only those coordinates that are taken."""
    keys = query.taken.get(argument.name)
    return argument if keys is None else Argument(argument.name, (len(keys),), tuple(f"{key}[0]" for key in keys))


def _is_spanning(coordinates: str) -> bool:
    check_coordinates(coordinates)
    return coordinates == SPANNING


def _keys(mechanism: Mechanism, kind: str) -> list[Key]:
    return [Key(kind, name) for name in mechanism.coordinates]


def _independent(mechanism: Mechanism, kind: str) -> list[Key]:
    return [Key(kind, name) for name in mechanism.independent_coordinates]


def _kinds(graph: FactorGraph, *kinds: str) -> list[Key]:
    return [key for key in graph.variables if key.kind in kinds]


def _arguments(mechanism: Mechanism, graph: FactorGraph, *kinds: str) -> list[tuple[str, Sequence[Key]]]:
    """Return arguments of some kinds, external forces and parameters last; torques of no motors are none."""
    listed = [(kind, _kinds(graph, kind)) for kind in (*kinds, "force")]
    listed.append((PARAMETERS, _kinds(graph, "parameter")))
    return [(name, keys) for name, keys in listed if keys]
