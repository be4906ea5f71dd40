"""From a graph and an order to a function of arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from screwgraph.compiler.function import Argument, Function
from screwgraph.elimination import Dag, Ordering, eliminate, orderings
from screwgraph.graph import FactorGraph, Key
from screwgraph.robot import Robot
from screwgraph.tape import Number, program


def compile_graph(
    name: str,
    graph: FactorGraph,
    *,
    arguments: Sequence[tuple[str, Sequence[Key]]],
    result: Sequence[Key],
    ordering: Ordering | str | Sequence[str | Key],
    candidates: Sequence[str],
    robot: Robot,
    constants: Mapping[Key, np.ndarray] | None = None,
) -> Function:
    """Eliminate a graph and compile the values of some unknowns.

    Args:
        name: what messages call the function.
        graph: the graph, knowns declared.
        arguments: name and variables of each argument of the function, in order.
        result: the variables that the function returns, in order.
        ordering: an order, its name, a list of variables, or "auto": the cheapest of `candidates`.
        candidates: names of orders.
        robot: the robot that named orders look at.
        constants: values of knowns that are no arguments.

    Raises:
        EliminationError: the order is impossible or the problem is singular.
        InputError: no order has that name.
    """

    def function(order: Ordering | Sequence[str | Key], label: str) -> Function:
        dag = eliminate(graph, order, constants=constants)
        outputs = [dag.solution[key, i] for key in result for i in range(graph.variables[key].dim)]
        return make_function(name, dag, arguments, outputs, (len(outputs),), label)

    if ordering == "auto":
        options = [function(orderings.by_name(option, robot), option) for option in candidates]
        return min(options, key=lambda f: f.operations.total)
    if isinstance(ordering, str) or not isinstance(ordering, (Ordering, Sequence)):
        return function(orderings.by_name(ordering, robot), ordering)
    return function(ordering, type(ordering).__name__ if isinstance(ordering, Ordering) else "explicit")


def make_function(
    name: str,
    dag: Dag,
    arguments: Sequence[tuple[str, Sequence[Key]]],
    outputs: Sequence[Number],
    shape: tuple[int, ...],
    ordering: str,
) -> Function:
    """Make a function of outputs that stand on the tape of a DAG."""
    described = tuple(_argument(n, keys, dag.graph) for n, keys in arguments)
    return Function(name, described, shape, program(dag.equations.tape, outputs), dag, ordering)


def _argument(name: str, keys: Sequence[Key], graph: FactorGraph) -> Argument:
    names = tuple(f"{key}[{i}]" for key in keys for i in range(graph.variables[key].dim))
    wrenches = bool(keys) and all(key.kind == "external" for key in keys)
    return Argument(name, (len(keys), 6) if wrenches else (len(names),), names)
