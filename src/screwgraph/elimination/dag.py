"""The elimination DAG: each unknown expressed by later ones, with blocks as views for people.

Partial elimination leaves a smaller graph, whose factors are the remaining equations. Where an elimination does not
give every unknown, the error names variables and equations.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from jaxtyping import Float

from screwgraph.base import html_display
from screwgraph.base.argument_checks import check_arguments
from screwgraph.base.errors import EliminationError, InputError
from screwgraph.elimination.block import Block
from screwgraph.elimination.clique_tree import CliqueTree, make_bayes_net, make_clique_tree
from screwgraph.elimination.engine import Elimination, eliminate_rows
from screwgraph.elimination.equations import Equations, equations
from screwgraph.elimination.group import Group
from screwgraph.elimination.intermediate_graphs import IntermediateGraph, list_intermediate_graphs
from screwgraph.elimination.notation import FORMS, Line, write_lines
from screwgraph.elimination.orderings import find_ordering
from screwgraph.elimination.orderings.base import Ordering, as_groups
from screwgraph.elimination.system import Step
from screwgraph.graph import Column, Factor, FactorGraph, Key, Row, factor
from screwgraph.model.robot import make_unknown_name_error
from screwgraph.spatial import Array, vector
from screwgraph.tape import Number, Operations, program

SHOWN = 6
"""How many names a message lists."""


@dataclass(frozen=True, eq=False)
class Dag:
    """The result of eliminating a graph in an order.

    Edges run from a variable to those that express it. `order` is the order of its blocks: a variable counts where its
    last scalar is eliminated.
    """

    _repr_html_ = html_display.html
    _repr_svg_ = html_display.svg

    graph: FactorGraph
    equations: Equations
    elimination: Elimination

    @cached_property
    def order(self) -> tuple[Key, ...]:
        """The variables in the order in which they are gone."""
        last = {step.column[0]: i for i, step in enumerate(self.elimination.steps)}
        return tuple(sorted(last, key=lambda key: last[key]))

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """One block a variable, in elimination order."""
        steps: dict[Key, list[Step]] = {key: [] for key in self.order}
        for step in self.elimination.steps:
            steps[step.column[0]].append(step)
        position = {key: i for i, key in enumerate(self.order)}
        blocks = []
        for key, own in steps.items():
            parents = {column[0] for step in own for column in step.terms} - {key}
            blocks.append(Block(key, tuple(sorted(parents, key=lambda k: position.get(k, -1))), tuple(own)))
        return tuple(blocks)

    def __repr__(self) -> str:
        left = len(self.graph.unknowns) - len(self.order)
        rest = f", {left} unknowns left" if left else ""
        return f"<dag of {len(self.order)} variables, {len(self.elimination.steps)} scalars{rest}>"

    @property
    def edges(self) -> tuple[tuple[Key, Key], ...]:
        """All (variable, parent) pairs."""
        return tuple((block.key, parent) for block in self.blocks for parent in block.parents)

    @cached_property
    def bayes_net(self) -> Mapping[Key, tuple[Key, ...]]:
        """The parents of each variable in the Bayes net: all that share a factor with it when it is eliminated.

        `edges` are fewer: those to variables in the equations that express it. Xie & Dellaert (2019), Figs 7 and 10,
        count these.
        """
        return make_bayes_net(map(self.graph.unknown_keys, self.graph.factors), self.order)

    @property
    def fill_in(self) -> int:
        """Number of coefficients that elimination made nonzero, counted in scalars."""
        return sum(len(step.fill_in) for step in self.elimination.steps)

    @property
    def block_fill_in(self) -> int:
        """Number of (factor, variable) pairs that elimination made nonzero."""
        before = {(f.name, key) for f in self.graph.factors for key in self.graph.unknown_keys(f)}
        made = {(row.factor.name, c[0]) for step in self.elimination.steps for row, c in step.fill_in}
        return len(made - before)

    @property
    def delayed(self) -> tuple[Column, ...]:
        """Scalars that had to wait, because every pivot that the order offered may vanish at some state."""
        return self.elimination.delayed

    @cached_property
    def solution(self) -> Mapping[Column, Number]:
        """Every unknown scalar as a value on the tape of `equations`."""
        return self.elimination.solve()

    @cached_property
    def remaining(self) -> FactorGraph:
        """The graph of what was not eliminated; it can be compiled, drawn, edited and eliminated further."""
        return make_remaining_graph(self.graph, self.equations, self.elimination)

    @property
    def operations(self) -> Operations:
        """Operations of the straight-line code that computes all variables."""
        return program(self.equations.tape, list(self.solution.values())).operations

    @check_arguments
    def algorithm(self, form: str = "text", *, definitions: bool = True) -> str:
        """Print the DAG as numbered assignments, like Algorithm 1 of Xie & Dellaert (2019).

        `form` is "text", "latex" (an `align*`) or "html". Before the assignments stand, where laws can be written so,
        `definitions` of what elimination made of them: articulated inertias, bias forces (Featherstone, 2008, ch. 7).

        Raises:
            InputError: there is no such form.
        """
        if form not in FORMS:
            raise make_unknown_name_error("form of a listing", form, FORMS)
        return FORMS[form](self.listing(definitions=definitions))

    def listing(self, *, definitions: bool = True) -> tuple[Line, ...]:
        """Return the lines of `algorithm`: left and right sides, remarks, numbers."""
        whole = [step for block in self.blocks for step in block.steps] == list(self.elimination.steps)
        return tuple(write_lines(self.graph, self.blocks, define=definitions and whole))

    @cached_property
    def cliques(self) -> CliqueTree:
        """The clique (Bayes) tree."""
        return make_clique_tree({b.key: b.parents for b in self.blocks}, {v.key: v.dim for v in self.graph.unknowns})

    @cached_property
    def states(self) -> tuple[IntermediateGraph, ...]:
        """Remaining graph before the first, and after each variable (Xie & Dellaert (2019), Fig. 5)."""
        return list_intermediate_graphs(self.equations.rows, self.order, self.elimination.steps)


@factor(linear=("x",), cites="Xie & Dellaert (2019), section IV-B: the factor on the separator")
def remaining_rows(
    x: Sequence[Float[Array, " n"]], *, keys: tuple[Key, ...], rows: tuple[Row, ...], equations: Equations
) -> Float[Array, " rows"]:
    """The rows of a law that are left, in the variables that are left; coefficients stand on one tape."""
    value = dict(zip(keys, x, strict=True))
    residuals = []
    for row in rows:
        total = row.constant
        for (key, i), coefficient in row.terms.items():
            total = total + coefficient * value[key][i]
        residuals.append(total)
    return vector(residuals)


def make_remaining_graph(graph: FactorGraph, equations: Equations, elimination: Elimination) -> FactorGraph:
    """Return the graph of the unknowns that were not eliminated.

    It can be compiled, drawn, edited and eliminated further. Its knowns are those of the graph before; passes do not
    apply to it any more.
    """
    gone = {step.column[0] for step in elimination.steps}
    variables = {key: v for key, v in graph.variables.items() if key in graph.known or key not in gone}
    by_factor: dict[int, list[Row]] = {}
    for row in elimination.remaining:
        if row.terms:
            by_factor.setdefault(id(row.factor), []).append(row)
    factors = tuple(_remainder(graph, equations, tuple(rows)) for rows in by_factor.values())
    return replace(graph, variables=variables, factors=factors, dependence=None, model=None)


def _remainder(graph: FactorGraph, equations: Equations, rows: tuple[Row, ...]) -> Factor:
    source = rows[0].factor
    held = {key for row in rows for key, _ in row.terms}
    keys = tuple(key for key in graph.variables if key in held)
    bound = {"keys": keys, "rows": rows, "equations": equations}
    sigma = tuple(source.sigma[row.number] for row in rows) if source.sigma else ()
    return Factor(remaining_rows, {"x": keys}, len(rows), source.index, bound, sigma=sigma)


@check_arguments
def eliminate(
    graph: FactorGraph,
    ordering: str | Ordering | Sequence[str | Key],
    variables: Sequence[str | Key] | None = None,
    *,
    constants: Mapping[Key, np.ndarray] | None = None,
) -> Dag:
    """Eliminate unknowns of a graph, in an order: all of them, or some, which leaves `Dag.remaining`.

    Args:
        graph: the graph, with what is known declared by `given`.
        ordering: the name of an order, an Ordering, or a list of unknowns (`"wrench:link3"`, or kinds such as `"tau"`).
        variables: the unknowns to eliminate, named in the same way; by default all.
        constants: values of knowns that are numbers; the other knowns stay symbolic.

    Raises:
        EliminationError: the order leaves out, repeats or invents a variable; the problem is singular.
        InputError: a name means nothing, or the graph has inequalities.
    """
    if graph.inequalities:
        raise InputError("a graph with inequalities", why="elimination solves equations", fix="sg.compile(graph, ...)")
    graph.check_linear()
    order = find_ordering(ordering) if isinstance(ordering, str) else ordering
    groups = as_groups(order, graph) if variables is None else _some(order, graph, set(graph.select(variables)))
    system = equations(graph, constants)
    elimination = eliminate_rows(system.rows, groups)
    if variables is None:
        check_determined(graph, system.rows, elimination)
    elif elimination.undetermined:
        names = ", ".join(dict.fromkeys(str(key) for key, _ in elimination.undetermined))
        raise EliminationError(f"no equation determines {names}", fix="eliminate fewer variables, or give more")
    return Dag(graph, system, elimination)


def check_determined(graph: FactorGraph, rows: Sequence[Row], elimination: Elimination) -> None:
    """Raise EliminationError if unknowns are left, or equations that contradict."""
    if elimination.undetermined:
        columns = len({c for v in graph.unknowns for c in ((v.key, i) for i in range(v.dim))})
        spare = f"; left over: {_factors(elimination.left)}" if elimination.left else ""
        kind = "underdetermined" if columns > len(rows) else "singular"
        raise EliminationError(
            f"the problem is {kind}: no equation determines {_variables(elimination.undetermined)}",
            why=f"{columns} unknown numbers, {len(rows)} equations{spare}",
            fix="give more knowns, or give the bodies that these move mass and inertia",
        )
    if left := elimination.left:
        raise EliminationError(
            f"the problem is overdetermined: all unknowns are found, and {_factors(left)} is left",
            why=f"{len(rows)} equations, {len(elimination.steps)} unknown numbers",
            fix="give fewer knowns, or let equations hold only nearly, for the weighted least-squares solution: "
            f"sg.with_soft(graph, {_factor_name(left[0])!r}, sigma=...)",
        )


def _factor_name(row: Row) -> str:
    """Return the name by which a factor is asked for."""
    template, key = row.factor.law
    return f"{template}:{key.name}"


def _variables(columns: Iterable[Column]) -> str:
    return _format_names(dict.fromkeys(str(column[0]) for column in columns))


def _factors(rows: Iterable[Row]) -> str:
    return _format_names(dict.fromkeys(f"equation {row.factor.name!r}" for row in rows))


def _format_names(names: Iterable[str]) -> str:
    names = list(names)
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


def _some(ordering: Ordering | Sequence[str | Key], graph: FactorGraph, wanted: set[Key]) -> list[Group]:
    """Return the groups of an order that hold wanted variables, less the others; a list may leave the others out."""
    if not isinstance(ordering, Ordering):
        named = graph.select(ordering)
        ordering = [*named, *(v.key for v in graph.unknowns if v.key not in named)]
    groups = as_groups(ordering, graph)
    kept = (replace(g, columns=tuple(c for c in g.columns if c[0] in wanted)) for g in groups)
    return [group for group in kept if group.columns]
