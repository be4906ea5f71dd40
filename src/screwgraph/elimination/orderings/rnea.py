"""Newton-Euler order."""

from __future__ import annotations

from dataclasses import dataclass

from screwgraph.elimination.orderings.base import accelerations_inward, joint_keys, unknown_only
from screwgraph.graph import FactorGraph, Key
from screwgraph.robot import Robot


@dataclass(frozen=True)
class NewtonEuler:
    """All efforts, wrenches base to tips, accelerations tips to base. Paper 0, Fig. 5."""

    robot: Robot

    def order(self, graph: FactorGraph) -> list[Key]:
        efforts, wrenches, joints = (joint_keys(self.robot, k) for k in ("tau", "wrench", "qdd"))
        bodies = [*wrenches, *accelerations_inward(self.robot)]
        return unknown_only([*reversed(efforts), *bodies, *reversed(joints)], graph)


def rnea(robot: Robot) -> NewtonEuler:
    """Return this order for a robot."""
    return NewtonEuler(robot)
