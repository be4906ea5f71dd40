"""From a robot's problem and an order to a function of arrays: passes, elimination, straight-line code."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from screwgraph.compiler.function import Argument, Function, Origin
from screwgraph.compiler.passes import KEEPS_LINKS, ROBOT_PASSES, conventional_acceleration, improved
from screwgraph.elimination import Dag, Ordering, eliminate, orderings
from screwgraph.graph import FactorGraph, Key, dynamics_graph
from screwgraph.robot import JointType, Robot
from screwgraph.tape import Number, Program, factor_out, program

Order = str | Ordering | Sequence[str | Key]
"""The name of an order, "auto", an Ordering, or a list of variables."""


@dataclass(frozen=True, eq=False)
class Problem:
    """A question about a robot's dynamics.

    `known` are the variables that are given, `arguments` the name and variables of each argument of the function,
    in order, `result` the variables that it returns, `constants` the values of knowns that are no arguments,
    `external` the links or frames on which external wrenches act.
    """

    name: str
    robot: Robot
    known: tuple[str | Key, ...]
    arguments: Sequence[tuple[str, Sequence[Key]]]
    result: Sequence[Key]
    constants: Mapping[Key, np.ndarray]
    external: Sequence[str] = ()

    def graph(self, robot: Robot, *, conventional: bool = False) -> FactorGraph:
        """Return the graph of a robot that answers this question, `conventional` for code."""
        graph = dynamics_graph(robot, self.external)
        return (conventional_acceleration(graph) if conventional else graph).given(*self.known)


def compile_problem(problem: Problem, ordering: Order, candidates: Sequence[str]) -> Function:
    """Eliminate and make code; "auto" is the cheapest of the orders named in `candidates`.

    Raises:
        EliminationError: the order is impossible or the problem is singular.
        InputError: no order has that name.
    """
    if ordering == "auto":
        return min((_by_name(problem, name) for name in candidates), key=lambda f: f.operations.total)
    if isinstance(ordering, Ordering) or (isinstance(ordering, Sequence) and not isinstance(ordering, str)):
        return _in_order(problem, ordering)
    return _by_name(problem, ordering)


def _by_name(problem: Problem, name: str) -> Function:
    """Compile in a named order, which looks at the robot that all passes made."""
    orderings.by_name(name, problem.robot)  # an unknown name is refused before any work
    return _compiled(problem, name, lambda robot: orderings.by_name(name, robot), tuple(ROBOT_PASSES))


def _in_order(problem: Problem, order: Ordering | Sequence[str | Key]) -> Function:
    """Compile in an order of the robot's own variables; passes that would add links are left out."""
    label = type(order).__name__ if isinstance(order, Ordering) else "explicit"
    return _compiled(problem, label, lambda robot: order, KEEPS_LINKS)


def _compiled(
    problem: Problem,
    label: str,
    order: Callable[[Robot], Ordering | Sequence[str | Key]],
    passes: tuple[str, ...],
) -> Function:
    """Make code for the robot that passes make; the order may depend on that robot."""

    def eliminated(count: int, conventional: bool) -> Dag:
        robot = improved(problem.robot, passes[:count])
        graph = problem.graph(robot, conventional=conventional)
        return eliminate(graph, order(robot), constants=problem.constants)

    def code(dag: Dag) -> Program:
        return program(dag.equations.tape, _outputs(problem, dag))

    def savings() -> dict[str, int]:
        done = {name: code(eliminated(i, False)) for i, name in enumerate(("as it is", *passes))}
        done["conventional acceleration"] = last = code(dag)
        done["common factors"] = factor_out(last)
        return {name: made.operations.total for name, made in done.items()}

    dag = eliminated(len(passes), True)
    origin = Origin(lambda: eliminated(0, False), savings)
    return make_function(problem.name, dag, problem.arguments, _outputs(problem, dag), label, origin)


def _outputs(problem: Problem, dag: Dag) -> list[Number]:
    return [dag.solution[key, i] for key in problem.result for i in range(dag.graph.variables[key].dim)]


def make_function(
    name: str,
    code: Dag,
    arguments: Sequence[tuple[str, Sequence[Key]]],
    outputs: Sequence[Number],
    ordering: str,
    origin: Origin,
    shape: tuple[int, ...] | None = None,
) -> Function:
    """Make a function of outputs that stand on the tape of `code`; `origin` is what people may ask about it."""
    described = tuple(_argument(n, keys, code.graph) for n, keys in arguments)
    names = [n for argument in described for n in argument.names]
    result = shape or (len(outputs),)
    straight = factor_out(program(code.equations.tape, outputs, names))
    return Function(name, described, result, straight, ordering, origin)


def _argument(name: str, keys: Sequence[Key], graph: FactorGraph) -> Argument:
    names = tuple(f"{key}[{i}]" for key in keys for i in range(graph.variables[key].dim))
    spaces = tuple(cast(JointType, graph.variables[key].space) for key in keys if key.kind == "q")
    wrenches = bool(keys) and all(key.kind == "external" for key in keys)
    return Argument(name, (len(keys), 6) if wrenches else (len(names),), names, spaces)
