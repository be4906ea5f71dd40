"""The elimination DAG: each unknown expressed by later ones, with blocks as views for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from screwgraph.elimination.block import Block
from screwgraph.elimination.clique_tree import CliqueTree, clique_tree
from screwgraph.elimination.engine import Elimination, eliminate_rows
from screwgraph.elimination.failures import check_determined
from screwgraph.elimination.notation import algorithm
from screwgraph.elimination.orderings.base import Ordering, as_groups
from screwgraph.elimination.states import State, states
from screwgraph.elimination.system import Step
from screwgraph.elimination.values import Equations, equations
from screwgraph.graph import Column, FactorGraph, Key
from screwgraph.summary import one_line
from screwgraph.tape import Number, Operations, program


@dataclass(frozen=True, eq=False)
class Dag:
    """The result of eliminating a graph in an order.

    Edges run from a variable to those that express it. `order` is the order of its blocks: a variable counts where its
    last scalar is eliminated.
    """

    __repr__ = one_line

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

    @property
    def edges(self) -> tuple[tuple[Key, Key], ...]:
        """All (variable, parent) pairs."""
        return tuple((block.key, parent) for block in self.blocks for parent in block.parents)

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

    @property
    def operations(self) -> Operations:
        """Operations of the straight-line code that computes all variables."""
        return program(self.equations.tape, list(self.solution.values())).operations

    def algorithm(self) -> str:
        """Print the DAG as numbered assignments, like Algorithm 1 of Xie & Dellaert (2019)."""
        return algorithm(self.graph, self.blocks)

    @cached_property
    def cliques(self) -> CliqueTree:
        """The clique (Bayes) tree."""
        return clique_tree({b.key: b.parents for b in self.blocks}, {v.key: v.dim for v in self.graph.unknowns})

    @cached_property
    def states(self) -> tuple[State, ...]:
        """What is left before the first, and after each variable (Xie & Dellaert (2019), Fig. 5)."""
        return states(self.equations.rows, self.order, self.elimination.steps)


def eliminate(
    graph: FactorGraph, ordering: Ordering | Sequence[str | Key], *, constants: Mapping[Key, np.ndarray] | None = None
) -> Dag:
    """Eliminate all unknowns of a graph, in an order.

    Args:
        graph: the graph, with what is known declared by `given`.
        ordering: an Ordering, or a list of all unknowns (`"wrench:link3"`, or kinds such as `"tau"`).
        constants: values of knowns that are numbers; the other knowns stay symbolic.

    Raises:
        EliminationError: the order leaves out, repeats or invents a variable; the problem is singular.
    """
    groups = as_groups(ordering, graph)
    system = equations(graph, constants)
    elimination = eliminate_rows(system.rows, groups)
    check_determined(graph, system.rows, elimination)
    return Dag(graph, system, elimination)
