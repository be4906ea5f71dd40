"""Articulated-body order."""

from __future__ import annotations

from dataclasses import dataclass

from screwgraph.elimination.orderings.base import joint_keys, unknown_only
from screwgraph.graph import FactorGraph, Key
from screwgraph.robot import Robot


@dataclass(frozen=True)
class LeavesFirst:
    """Tips to base, F_i then Vdot_i then the joint's unknown. Featherstone (2008), ch. 7; paper 0, Fig. 7b."""

    robot: Robot

    def order(self, graph: FactorGraph) -> list[Key]:
        kinds = ("tau", "wrench", "acceleration", "qdd")
        by_joint = zip(*(joint_keys(self.robot, kind) for kind in kinds), strict=True)
        return unknown_only([key for keys in reversed(list(by_joint)) for key in keys], graph)


def aba(robot: Robot) -> LeavesFirst:
    """Return this order for a robot."""
    return LeavesFirst(robot)
