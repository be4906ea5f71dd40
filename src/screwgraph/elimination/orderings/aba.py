"""Articulated-body order."""

from __future__ import annotations

from dataclasses import dataclass

from screwgraph.elimination.group import Group
from screwgraph.elimination.orderings.base import (
    add_multipliers,
    filter_unknowns,
    is_large,
    is_open,
    joint_keys,
    moves_freely,
    order_tips_to_base,
)
from screwgraph.graph import FactorGraph, Key


@dataclass(frozen=True)
class LeavesFirst:
    """Tips to base, F_i then Vdot_i then the joint's unknown.

    Featherstone (2008), ch. 7; Xie & Dellaert (2019), Fig. 7b.

    Where propagated accelerations are variables: Vdot_i, F_i, what is propagated, the joint's unknown.
    """

    def suits(self, graph: FactorGraph) -> bool:
        """Whether "auto" tries it."""
        return is_open(graph) and moves_freely(graph) and not is_large(graph)

    def order(self, graph: FactorGraph) -> list[Key | Group]:
        return add_multipliers(
            filter_unknowns([*joint_keys(graph, "tau"), *order_tips_to_base(graph, "qdd")], graph), graph
        )


def aba() -> LeavesFirst:
    """Return this order."""
    return LeavesFirst()
