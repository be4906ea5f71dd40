"""Composite-body order."""

from __future__ import annotations

from dataclasses import dataclass

from screwgraph.elimination.group import Group
from screwgraph.elimination.orderings.base import (
    add_multipliers,
    filter_unknowns,
    joint_keys,
    list_inward_accelerations,
)
from screwgraph.graph import FactorGraph, Key


@dataclass(frozen=True)
class WrenchesFirst:
    """All wrenches, then all accelerations, then the joints' unknowns. Xie & Dellaert (2019), Fig. 7a."""

    def suits(self, graph: FactorGraph) -> bool:
        """Whether "auto" tries it."""
        return False

    def order(self, graph: FactorGraph) -> list[Key | Group]:
        torques, wrenches, joints = (joint_keys(graph, k) for k in ("tau", "wrench", "qdd"))
        return add_multipliers(
            filter_unknowns([*torques, *wrenches, *list_inward_accelerations(graph), *reversed(joints)], graph), graph
        )


def crba() -> WrenchesFirst:
    """Return this order."""
    return WrenchesFirst()
