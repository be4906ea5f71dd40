"""Articulated-body order for closed chains, each multiplier where the branches that it ties have met."""

from __future__ import annotations

from dataclasses import dataclass

from screwgraph.elimination.group import Group
from screwgraph.elimination.orderings.base import add_multipliers, filter_unknowns, is_closed, joint_keys, link_keys
from screwgraph.graph import FactorGraph, Key, joints_by_multiplier


@dataclass(frozen=True)
class NearestAncestors:
    """Tips to base, F_i then Vdot_i then the joint's unknown; a multiplier as soon as all joints that it ties are gone.

    A loop is then closed at the nearest common ancestor of its ends. On a tree, the order `aba`. Brandl, Johanni and
    Otter (1987).
    """

    def suits(self, graph: FactorGraph) -> bool:
        """Whether "auto" tries it."""
        return is_closed(graph)

    def order(self, graph: FactorGraph) -> list[Key | Group]:
        first: dict[str, list[Key]] = {}
        number = {joint.name: i for i, joint in enumerate(graph.joints)}
        for key, tied in joints_by_multiplier(graph).items():
            first.setdefault(min(tied, key=lambda name: number[name]), []).append(key)
        order = joint_keys(graph, "tau")
        for joint in reversed(graph.joints):
            order += [*link_keys(graph, joint), Key("qdd", joint.name), *first.get(joint.name, ())]
        return add_multipliers(filter_unknowns(order, graph), graph)


def ancestor() -> NearestAncestors:
    """Return this order."""
    return NearestAncestors()
