"""From any graph, and what is asked of it, to a function of arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from screwgraph.compiler.cache import Made
from screwgraph.compiler.compile import make_function
from screwgraph.compiler.function import Function, Origin
from screwgraph.compiler.problem import argument
from screwgraph.compiler.signature import Result
from screwgraph.elimination import Dag, Ordering, cost, eliminate, orderings
from screwgraph.errors import EliminationError, InputError
from screwgraph.graph import Column, FactorGraph, Key
from screwgraph.tape import Number, Program, factor_out, program

GraphOrder = str | Ordering | Sequence[str | Key]
"""The name of an order, "auto", an Ordering, or a list of variables."""

ARGUMENTS = ("q", "qd", "qdd", "tau", "external")
"""Kinds of variables in the order in which they are arguments; other kinds follow."""
CANDIDATES = ("aba", "composite", "rnea", "min_degree", "colamd")
"""What "auto" chooses from."""


def compile_graph(
    graph: FactorGraph, solve: str | Key | Sequence[str | Key], *, ordering: GraphOrder = "auto", dtype: Any = "float64"
) -> Function:
    """Return a function that computes variables of a graph, eliminated as it is.

    Its arguments are the graph's inputs by kind, q, qd, qdd, tau first: (..., n) in the order of the graph's variables,
    external wrenches (..., k, 6). It returns an array (..., n) for each name in `solve`, a tuple where there are
    several. Units are SI; wrenches and accelerations are those of the graph: (moment, force) and (angular, linear) in
    the frames of their links.

    Args:
        graph: with what is known declared by `given`.
        solve: variables such as "wrench:link5", or kinds such as "qdd": the unknowns of that kind.
        ordering: an order's name, an Ordering, a list of all unknowns, or "auto": the cheapest named one.
        dtype: "float64" or "float32".

    Raises:
        EliminationError: the graph does not determine its unknowns, is not linear in them, or the order is impossible.
        InputError: a name means nothing, or names what is given.
    """
    if not isinstance(graph, FactorGraph):
        raise InputError(
            f"expected a FactorGraph, got {type(graph).__name__}", fix="make one with dynamics_graph(robot)"
        )
    names = [solve] if isinstance(solve, str | Key) else list(solve)
    if not names:
        raise InputError("nothing is asked of the graph", fix='name what to solve for, such as "qdd"')
    graph = graph.given()  # laws and variables may have been added since
    asked = [_asked(graph, name) for name in names]
    results = tuple(_result(graph, str(name), keys) for name, keys in zip(names, asked, strict=True))
    outputs = [column for keys in asked for column in _columns(graph, keys)]
    problem = _GraphProblem(graph, outputs, ordering)
    arguments = tuple(argument(name, variables) for name, variables in _by_kind(graph).items())
    made = make_function("solve", ("graph", graph, outputs, ordering), arguments, problem.make, problem.origin)
    return replace(made, results=results).astype(dtype)


@dataclass(frozen=True, eq=False)
class _GraphProblem:
    """A graph, the scalars that are asked for, and the order that was wished for."""

    graph: FactorGraph
    outputs: Sequence[Column]
    ordering: GraphOrder

    def make(self, inputs: Sequence[str]) -> Made:
        """Make code of the named inputs; "auto" takes the cheapest that divides by nothing that may vanish."""
        if self.ordering != "auto":
            return Made(self._code(self._eliminated(self._label), inputs), self._label)
        tried: list[tuple[bool, float, Made]] = []
        failed: list[EliminationError] = []
        for name in CANDIDATES:
            try:
                dag = self._eliminated(name)
            except EliminationError as error:
                failed.append(error)
                continue
            code = self._code(dag, inputs)
            tried.append((bool(dag.elimination.unsafe_pivots), cost(code), Made(code, name)))
        if not tried:
            raise failed[0]
        return min(tried, key=lambda trial: trial[:2])[2]

    def origin(self, made: Made) -> Origin:
        """Return what people may ask about the code, made when they do."""

        def savings() -> Mapping[str, int]:
            plain = self._code(self._eliminated(made.ordering), None, factored=False)
            return {"as it is": plain.operations.total, "common factors": made.program.operations.total}

        return Origin(lambda: self._eliminated(made.ordering), savings)

    @property
    def _label(self) -> str:
        if isinstance(self.ordering, str):
            return self.ordering
        return type(self.ordering).__name__ if isinstance(self.ordering, Ordering) else "explicit"

    def _eliminated(self, label: str) -> Dag:
        named = label if isinstance(self.ordering, str) else self.ordering
        return eliminate(self.graph, orderings.by_name(named) if isinstance(named, str) else named)

    def _code(self, dag: Dag, inputs: Sequence[str] | None, factored: bool = True) -> Program:
        values: list[Number] = []
        for key, i in self.outputs:
            known = dag.equations.values.get(key)
            values.append(dag.solution[key, i] if known is None else known[i])
        code = program(dag.equations.tape, values, inputs)
        return factor_out(code) if factored else code


def _asked(graph: FactorGraph, name: str | Key) -> list[Key]:
    """Return the variables that a name asks for: unknowns, or else what follows from the knowns alone."""
    if not isinstance(name, str | Key):
        raise InputError(f"expected the name of a variable, got {name!r}", fix='name what to solve for, such as "qdd"')
    keys = [key for key in graph.select([name]) if graph.variables[key].dim]
    given = {v.key for v in graph.inputs}
    fixed = {d.key for d in graph.derived if d.factor.template.name == "prior"}
    wanted = [key for key in keys if key not in given and (key not in fixed or keys == [key])]
    if not wanted:
        raise InputError(
            f"{str(name)!r} is given, there is nothing to solve", fix="name an unknown, `print(graph)` lists them"
        )
    unknown = [key for key in wanted if key not in graph.known]
    return unknown or wanted


def _result(graph: FactorGraph, name: str, keys: Sequence[Key]) -> Result:
    names = tuple(f"{key}[{i}]" for key, i in _columns(graph, keys))
    return Result(name, (len(names),), names)


def _columns(graph: FactorGraph, keys: Iterable[Key]) -> list[Column]:
    return [(key, i) for key in keys for i in range(graph.variables[key].dim)]


def _by_kind(graph: FactorGraph) -> dict[str, list]:
    """Return the graph's inputs by the argument that they belong to."""
    inputs = [v for v in graph.inputs if v.dim]
    kinds = sorted({v.key.kind: None for v in inputs}, key=lambda k: ARGUMENTS.index(k) if k in ARGUMENTS else 9)
    return {("wrenches" if kind == "external" else kind): [v for v in inputs if v.key.kind == kind] for kind in kinds}
