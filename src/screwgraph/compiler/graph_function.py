"""From any graph, and what is asked of it, to a function of arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from screwgraph.base.argument_checks import check_arguments
from screwgraph.base.errors import InputError
from screwgraph.compiler.compile import Order, compile_problem
from screwgraph.compiler.function.function import Function
from screwgraph.compiler.problem.problem import Problem
from screwgraph.graph import FactorGraph, Key, Role
from screwgraph.graph.factors import prior


@check_arguments
def compile_graph(
    graph: FactorGraph, solve: str | Key | Sequence[str | Key], *, ordering: Order = "auto", dtype: Any = "float64"
) -> Function:
    """Return a function that computes variables of a graph that has equations alone.

    Arguments, results, units and options are those of `screwgraph.compile`, which takes inequalities, too.

    Raises:
        EliminationError: the graph does not determine its unknowns, is not linear in them, or the order is impossible.
        InputError: a name means nothing, or names what is given; the graph has inequalities.
    """
    if graph.inequalities:
        raise InputError("a graph with inequalities", why="elimination solves equations", fix="sg.compile(graph, ...)")
    names = [solve] if isinstance(solve, str | Key) else list(solve)
    if not names:
        raise InputError("nothing is asked of the graph", fix='name what to solve for, such as "qdd"')
    graph = graph.given()  # factors and variables may have been added since
    results = tuple((str(name), tuple(_find_requested(graph, name))) for name in names)
    known = tuple(v.key for v in graph.inputs)
    problem = Problem("solve", graph.model, known, group_inputs(graph), results, graph)
    return compile_problem(problem, ordering).astype(dtype)


def _find_requested(graph: FactorGraph, name: str | Key) -> list[Key]:
    """Return the variables that a name asks for: unknowns, or else what follows from the knowns alone."""
    if not isinstance(name, str | Key):
        raise InputError(f"expected the name of a variable, got {name!r}", fix='name what to solve for, such as "qdd"')
    keys = [key for key in graph.select([name]) if graph.variables[key].dim]
    given = {v.key for v in graph.inputs}
    fixed = {d.key for d in graph.derived if d.factor.template is prior}
    wanted = [key for key in keys if key not in given and (key not in fixed or keys == [key])]
    if keys and not wanted:
        raise InputError(
            f"{str(name)!r} is given, there is nothing to solve", fix="name an unknown, `print(graph)` lists them"
        )
    unknown = [key for key in wanted if key not in graph.known]
    return unknown or wanted


def group_inputs(graph: FactorGraph) -> tuple[tuple[str, tuple[Key, ...]], ...]:
    """Return the graph's inputs by the argument that they belong to."""
    keys = [v.key for v in graph.inputs if v.dim]
    roles = list(Role)
    kinds = sorted(dict.fromkeys(key.kind for key in keys), key=lambda kind: roles.index(Key(kind, "").role))
    return tuple((Key(kind, "").argument, tuple(key for key in keys if key.kind == kind)) for kind in kinds)
