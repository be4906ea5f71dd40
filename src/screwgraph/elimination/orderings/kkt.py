"""The sparse KKT order for closed chains."""

from __future__ import annotations

from dataclasses import dataclass

from screwgraph.elimination.group import Group
from screwgraph.elimination.orderings.base import joint_keys, tips_to_base, unknown_only, with_multipliers
from screwgraph.graph import FactorGraph, Key
from screwgraph.robot import Robot


@dataclass(frozen=True)
class MultipliersLast:
    """Tips to base, F_i then Vdot_i; the joints' unknowns; last the multipliers of loops and couplings.

    What is left for them is K M^-1 K': each has filled in to all its ancestors. On a tree, the order `composite`.
    Carpentier, Budhiraja & Mansard (2021), proximal and sparse resolution.
    """

    robot: Robot

    def order(self, graph: FactorGraph) -> list[Key | Group]:
        joints = reversed(joint_keys(self.robot, "qdd"))
        bodies = [*joint_keys(self.robot, "tau"), *tips_to_base(self.robot, graph), *joints]
        return with_multipliers(unknown_only(bodies, graph), graph)


def kkt(robot: Robot) -> MultipliersLast:
    """Return this order for a robot."""
    return MultipliersLast(robot)
