"""Articulated-body order by symmetric pairs."""

from __future__ import annotations

from dataclasses import dataclass

from screwgraph.elimination.group import Group
from screwgraph.elimination.orderings.base import add_multipliers, filter_unknowns, joint_keys
from screwgraph.graph import FactorGraph, Key


@dataclass(frozen=True)
class SymmetricPairs:
    """Tips to base: each acceleration with the wrench that is its multiplier, then the joint's unknown.

    Where propagated accelerations are variables, these are what the wrenches go with. The forward problem is a
    symmetric KKT system; this order keeps it one.
    """

    def suits(self, graph: FactorGraph) -> bool:
        """Whether "auto" tries it."""
        return False

    def order(self, graph: FactorGraph) -> list[Key | Group]:
        carried = any(key.kind == "propagated_acceleration" for key in graph.variables)
        items: list[Key | Group] = list(filter_unknowns(joint_keys(graph, "tau"), graph))
        for joint in reversed(graph.joints):
            F, Vdot, C = (Key(kind, joint.child) for kind in ("wrench", "acceleration", "propagated_acceleration"))
            items += filter_unknowns([Vdot] if carried else [], graph)
            keys = filter_unknowns([F, C if carried else Vdot], graph)
            items += [Group(tuple((key, i) for key in keys for i in range(6)), pairs=True)] if keys else []
            items += filter_unknowns([Key("qdd", joint.name)], graph)
        return add_multipliers(items, graph)


def symmetric() -> SymmetricPairs:
    """Return this order."""
    return SymmetricPairs()
