"""Composite-body order."""

from __future__ import annotations

from dataclasses import dataclass

from screwgraph.elimination.orderings.base import joint_keys, unknown_only
from screwgraph.graph import FactorGraph, Key
from screwgraph.robot import Robot


@dataclass(frozen=True)
class WrenchesFirst:
    """All wrenches, then all accelerations, then the joints' unknowns. Paper 0, Fig. 7a."""

    robot: Robot

    def order(self, graph: FactorGraph) -> list[Key]:
        efforts, wrenches, accelerations = (joint_keys(self.robot, k) for k in ("tau", "wrench", "acceleration"))
        joints = joint_keys(self.robot, "qdd")
        return unknown_only([*efforts, *wrenches, *reversed(accelerations), *reversed(joints)], graph)


def crba(robot: Robot) -> WrenchesFirst:
    """Return this order for a robot."""
    return WrenchesFirst(robot)
