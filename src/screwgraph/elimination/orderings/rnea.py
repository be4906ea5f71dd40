"""Newton-Euler order."""

from __future__ import annotations

from dataclasses import dataclass

from screwgraph.elimination.group import Group
from screwgraph.elimination.orderings.base import (
    add_multipliers,
    filter_unknowns,
    is_open,
    joint_keys,
    list_inward_accelerations,
    moves_freely,
)
from screwgraph.graph import FactorGraph, Key


@dataclass(frozen=True)
class NewtonEuler:
    """All torques, wrenches base to tips, accelerations tips to base. Xie & Dellaert (2019), Fig. 5."""

    def suits(self, graph: FactorGraph) -> bool:
        """Whether "auto" tries it."""
        return is_open(graph) and not moves_freely(graph)

    def order(self, graph: FactorGraph) -> list[Key | Group]:
        torques, wrenches, joints = (joint_keys(graph, k) for k in ("tau", "wrench", "qdd"))
        bodies = [*wrenches, *list_inward_accelerations(graph)]
        return add_multipliers(filter_unknowns([*reversed(torques), *bodies, *reversed(joints)], graph), graph)


def rnea() -> NewtonEuler:
    """Return this order."""
    return NewtonEuler()
