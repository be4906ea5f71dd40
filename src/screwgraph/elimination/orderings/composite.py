"""Composite-inertia order."""

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
class CompositeInertias:
    """Tips to base, F_i then Vdot_i; the joints' unknowns last.

    What it hands from link to link is the inertia of the composite body, the recursion by which CRBA is computed;
    eliminating all wrenches first (`crba`, as Xie & Dellaert (2019) describes it) multiplies transforms instead.
    Featherstone (2008), section 6.2.
    """

    def suits(self, graph: FactorGraph) -> bool:
        """Whether "auto" tries it."""
        return is_open(graph) and moves_freely(graph) and not is_large(graph)

    def order(self, graph: FactorGraph) -> list[Key | Group]:
        joints = reversed(joint_keys(graph, "qdd"))
        return add_multipliers(
            filter_unknowns([*joint_keys(graph, "tau"), *order_tips_to_base(graph), *joints], graph), graph
        )


def composite() -> CompositeInertias:
    """Return this order."""
    return CompositeInertias()
