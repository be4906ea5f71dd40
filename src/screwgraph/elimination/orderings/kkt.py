"""The sparse KKT order for closed chains."""

from __future__ import annotations

from dataclasses import dataclass

from screwgraph.elimination.group import Group
from screwgraph.elimination.orderings.base import (
    add_multipliers,
    filter_unknowns,
    is_closed,
    joint_keys,
    order_tips_to_base,
)
from screwgraph.graph import FactorGraph, Key


@dataclass(frozen=True)
class MultipliersLast:
    """Tips to base, F_i then Vdot_i; the joints' unknowns; last the multipliers of loops and couplings.

    Their Schur complement is K M^-1 K': each has filled in to all its ancestors. On a tree, the order `composite`.
    Carpentier, Budhiraja & Mansard (2021), proximal and sparse resolution.
    """

    def suits(self, graph: FactorGraph) -> bool:
        """Whether "auto" tries it."""
        return is_closed(graph)

    def order(self, graph: FactorGraph) -> list[Key | Group]:
        joints = reversed(joint_keys(graph, "qdd"))
        bodies = [*joint_keys(graph, "tau"), *order_tips_to_base(graph), *joints]
        return add_multipliers(filter_unknowns(bodies, graph), graph)


def kkt() -> MultipliersLast:
    """Return this order."""
    return MultipliersLast()
