"""Articulated-body order."""

from __future__ import annotations

from dataclasses import dataclass

from screwgraph.elimination.group import Group
from screwgraph.elimination.orderings.base import joint_keys, tips_to_base, unknown_only, with_multipliers
from screwgraph.graph import FactorGraph, Key
from screwgraph.robot import Robot


@dataclass(frozen=True)
class LeavesFirst:
    """Tips to base, F_i then Vdot_i then the joint's unknown. Featherstone (2008), ch. 7; paper 0, Fig. 7b.

    Where carried accelerations are variables: Vdot_i, F_i, what is carried, the joint's unknown.
    """

    robot: Robot

    def order(self, graph: FactorGraph) -> list[Key | Group]:
        return with_multipliers(
            unknown_only([*joint_keys(self.robot, "tau"), *tips_to_base(self.robot, graph, "qdd")], graph), graph
        )


def aba(robot: Robot) -> LeavesFirst:
    """Return this order for a robot."""
    return LeavesFirst(robot)
