"""The constraints of a robot on the way to closed positions: some rows at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from screwgraph.base.summary import one_line
from screwgraph.model.robot import Robot, constraint_jacobian, constraint_residual
from screwgraph.spatial import Array, vanishing


@dataclass(frozen=True, eq=False)
class Block:
    """Rows of the constraints that, together, determine as many velocity coordinates."""

    __repr__ = one_line

    robot: Robot
    rows: tuple[int, ...]
    coordinates: tuple[int, ...]

    @cached_property
    def part(self) -> tuple[Robot, tuple[int, ...]]:
        """The robot with those loops and couplings alone that have these rows, and where the rows stand there."""
        loops, couplings, found, count, own = [], [], [], 0, 0
        for loop in self.robot.loops:
            inside = [row for row in self.rows if count <= row < count + loop.rows]
            if inside:
                loops.append(loop)
                found += [(row, own + row - count) for row in inside]
                own += loop.rows
            count += loop.rows
        for number, coupling in enumerate(self.robot.couplings, count):
            if number in self.rows:
                couplings.append(coupling)
                found.append((number, own))
                own += 1
        place = dict(found)
        part = replace(self.robot, loops=tuple(loops), couplings=tuple(couplings))
        return part, tuple(place[row] for row in self.rows)

    def with_robot(self, robot: Robot) -> Block:
        """Return the same rows of another robot, whose joints and loops are the same but for their lengths."""
        return self if robot is self.robot else replace(self, robot=robot)

    @property
    def places(self) -> list[int]:
        """Places of its coordinates in q."""
        robot, wanted = self.robot, set(self.coordinates)
        joints = [j.name for j in robot.joints if wanted & set(_range(robot.v_slices[j.name]))]
        return [i for name in joints for i in _range(robot.q_slices[name])]

    def every_residual(self, q: Array) -> Array:
        """Return the residuals of all rows of its loops and couplings, redundant ones among them."""
        return constraint_residual(self.part[0], q, None, vanishing)

    def residual(self, q: Array) -> Array:
        """Return the residuals of its rows."""
        return self.every_residual(q)[list(self.part[1])]

    def jacobian(self, q: Array, coordinates: Sequence[int] | None = None) -> Array:
        """Return its rows of K, by default in the columns of its coordinates."""
        part, rows = self.part
        K = constraint_jacobian(part, q)[list(rows)]
        return K[:, list(self.coordinates if coordinates is None else coordinates)]

    def move(self, q: Array, step: Array) -> Array:
        """Return q with its coordinates moved by a step."""
        ahead, along = q.copy(), dict(zip(self.coordinates, step, strict=True))
        for joint in self.robot.joints:
            own = self.robot.v_slices[joint.name]
            if own.start in along:
                at = self.robot.q_slices[joint.name]
                ahead[at] = joint.type.manifold.retract(q[at], np.array([along[i] for i in _range(own)], dtype=object))
        return ahead


def _range(place: slice) -> range:
    return range(place.start, place.stop)
