"""From a graph with costs and inequalities to a function: equations eliminated, a quadratic program in the code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from screwgraph.base.argument_checks import check_arguments
from screwgraph.compiler import CachedCode, Function, Order, compile_graph, make_direct_provenance, make_function
from screwgraph.graph import FactorGraph, Key
from screwgraph.optimize.stage.stage import Stage


@check_arguments
def compile_stage(
    graph: FactorGraph, solve: str | Key | Sequence[str | Key], *, ordering: Order = "auto", dtype: Any = "float64"
) -> Function:
    """Return a function that computes variables of a graph.

    Its arguments are the graph's inputs by kind, q, qd, qdd, tau first: (..., n) in the order of the graph's variables,
    external wrenches (..., k, 6). It returns an array (..., n) for each name in `solve`, a tuple where there are
    several. Units are SI; wrenches and accelerations are those of the graph: (moment, force) and (angular, linear) in
    the frames of their links; a pose is T (4, 4) in the base's frame.
    Passes rewrite what of the graph is a robot's dynamics, and leave edits as they are.

    Of a graph with inequalities, soft factors are a cost, and equations are eliminated as ever: what they leave free
    solves a small quadratic program, part of the code. One more argument is `active`, that of the last call, first
    zeros; further results are `active` and `solution`: a status (0 solved, 1 inequalities relaxed, 2 the most passages,
    3 arguments without sense: zeros), passages, and the largest violation in units of bounds.

    Args:
        graph: with what is known declared by `given`.
        solve: variables such as "wrench:link5", or kinds such as "qdd": the unknowns of that kind.
        ordering: an order's name, an Ordering, a list of all unknowns, a `Search`, or "auto": the cheapest one found.
        dtype: "float64" or "float32".

    Raises:
        EliminationError: the graph does not determine its unknowns, is not linear in them, or the order is impossible;
            of a graph with inequalities, equations determine all, or soft factors do not determine what is free.
        InputError: a name means nothing, or names what is given.
    """
    if not graph.inequalities:
        return compile_graph(graph, solve, ordering=ordering, dtype=dtype)
    names = [solve] if isinstance(solve, str | Key) else list(solve)
    stage = Stage(graph.given(), tuple(names), ordering)

    def make(_: Any) -> CachedCode:
        return CachedCode(stage.routine(), "none")

    return make_function(
        "stage",
        ("stage", stage.question),
        stage.arguments,
        make,
        lambda _: make_direct_provenance("it is the code of a graph with inequalities"),
        stage.results,
        quietly=True,
    ).astype(dtype)
