"""Lynch and Park's order."""

from __future__ import annotations

from dataclasses import dataclass

from screwgraph.elimination.group import Group
from screwgraph.elimination.orderings.base import add_multipliers, filter_unknowns, is_open, joint_keys, moves_freely
from screwgraph.graph import FactorGraph, Key


@dataclass(frozen=True)
class LynchPark:
    """Torque and wrench joint by joint, then accelerations, all base to tips. Dellaert's slides, inverse dynamics."""

    def suits(self, graph: FactorGraph) -> bool:
        """Whether "auto" tries it."""
        return is_open(graph) and not moves_freely(graph)

    def order(self, graph: FactorGraph) -> list[Key | Group]:
        torques, wrenches, accelerations = (joint_keys(graph, k) for k in ("tau", "wrench", "acceleration"))
        pairs = [key for pair in zip(torques, wrenches, strict=True) for key in pair]
        joints = [*joint_keys(graph, "propagated_acceleration"), *joint_keys(graph, "qdd")]
        return add_multipliers(filter_unknowns([*pairs, *accelerations, *joints], graph), graph)


def lynch_park() -> LynchPark:
    """Return this order."""
    return LynchPark()
