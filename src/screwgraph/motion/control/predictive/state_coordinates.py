"""Coordinates that are states of a horizon: of a tree all, of a closed chain those of its independent joints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from screwgraph.base.summary import one_line
from screwgraph.compiler import Function
from screwgraph.mechanics.dynamics import closed_positions
from screwgraph.mechanics.dynamics.closed_chains import INDEPENDENT, find_driving_joints
from screwgraph.model.robot import Robot

GUESS = "guess"


@dataclass(frozen=True, eq=False)
class StateCoordinates:
    """The coordinates of a robot that are states; loops are in the assembly mode of its neutral position."""

    __repr__ = one_line

    robot: Robot

    @cached_property
    def joints(self) -> Robot:
        """A robot of the independent joints alone, which has their manifold, names and limits.

        Raises:
            EliminationError: only a part of a joint is independent.
            InputError: loops cannot be closed, or lock the robot.
        """
        robot = self.robot
        if not robot.is_closed:
            return robot
        names, links, joints = find_driving_joints(robot), [robot.links[0]], []
        for joint, link in zip(robot.joints, robot.links[1:], strict=True):
            if joint.name in names:
                joints.append(replace(joint, parent=links[-1].name))
                links.append(link)
        closures: dict[str, Any] = {"frames": (), "loops": (), "couplings": (), "independent": None, "actuators": ()}
        return replace(robot, links=tuple(links), joints=tuple(joints), **closures)

    @property
    def options(self) -> Mapping[str, Any]:
        """Options of queries that take states."""
        return {"coordinates": INDEPENDENT, "positions": INDEPENDENT} if self.robot.is_closed else {}

    def guess(self, function: Function) -> tuple[Any, ...]:
        """Return the position near which a function closes loops, where it takes one."""
        return (self.robot.neutral(),) if function.arguments[-1].name == GUESS else ()

    def complete(self, q: Any) -> Any:
        """Return the positions of all joints."""
        if not self.robot.is_closed:
            return q
        function = closed_positions(self.robot)
        return function(q, *self.guess(function))
