"""Cables: straight from point to point, over points of several links; they pull."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError, ModelError
from screwgraph.model.robot.actuator import Actuator, ActuatorReading, ActuatorWriting, Lever
from screwgraph.model.robot.parts import Joint
from screwgraph.spatial import Ad, Array, concatenate, rotation, skew, sqrt, translation

if TYPE_CHECKING:
    from screwgraph.model.robot.robot import Robot

End = tuple[str, tuple[float, float, float]]
"""A link or frame, and a point in it (m)."""
PULL = (0.0, np.inf)


@dataclass(frozen=True, eq=False)
class CableLever(Lever):
    """The lever arms of a tension, seen from the nearest link that carries all the cable's points.

    `ways` are the joints that carry each point, from there on, those that are fixed, too; `points` (m) are in the frame
    of the last one's child.
    """

    __repr__ = Lever.__repr__

    ways: tuple[tuple[Joint, ...], ...]
    points: tuple[Float[np.ndarray, "3"], ...]

    def arms(self, q: Sequence[Float[Array, " nq"]]) -> list[Float[Array, " nv"]]:
        poses = self._poses(q)
        places, found = self._places(poses), [np.zeros(joint.type.nv) for joint in self.joints]
        for (a, b), ends in zip(pairwise(places), pairwise(self.ways), strict=True):
            along = (b - a) / _length(b - a)
            wrench = concatenate(skew(b) @ along, along)  # a tension of 1 on the first end; its opposite on the second
            carried = [{joint.name for joint in way} for way in ends]
            for i, (joint, at) in enumerate(zip(self.joints, q, strict=True)):
                if (joint.name in carried[0]) != (joint.name in carried[1]):
                    pull = (Ad(poses[joint.name]) @ joint.type.screw_axes(at)).T @ wrench
                    found[i] = found[i] + (pull if joint.name in carried[0] else -pull)
        return found

    def displacement(self, q: Sequence[Float[Array, " nq"]]) -> Any:
        return -sum(_length(b - a) for a, b in pairwise(self._places(self._poses(q))))

    def _poses(self, q: Sequence[Float[Array, " nq"]]) -> dict[str, Float[Array, "4 4"]]:
        """Return the pose of each joint's child."""
        at = {joint.name: position for joint, position in zip(self.joints, q, strict=True)}
        poses: dict[str, Float[Array, "4 4"]] = {}
        for way in self.ways:
            T: Any = np.eye(4)
            for joint in way:
                if joint.name not in poses:
                    poses[joint.name] = T @ joint.T_parent_child(at.get(joint.name, np.zeros(0)))
                T = poses[joint.name]
        return poses

    def _places(self, poses: Mapping[str, Float[Array, "4 4"]]) -> list[Float[Array, "3"]]:
        return [
            translation(poses[way[-1].name]) + rotation(poses[way[-1].name]) @ point if way else point
            for way, point in zip(self.ways, self.points, strict=True)
        ]


@dataclass(frozen=True, eq=False)
class Cable(Actuator):
    """A cable straight from point to point; its input is the tension (N), its displacement minus its length (m).

    `points` are links or frames with a point (m) in each. A point between others is an eyelet or a small pulley,
    through which the cable slides without friction. It pulls only: tensions are not negative, unless `bounds` say so.
    """

    __repr__ = Actuator.__repr__

    points: tuple[End, ...]
    bounds: tuple[float, float] = field(default=PULL, kw_only=True)

    keys: ClassVar[Mapping[str, tuple[str, str, str]]] = {
        "cable": (
            "in the place of these: links or frames with a point in each",
            "[{link: ..., at: [x, y, z]}, ...]",
            "m",
        )
    }

    @classmethod
    def read(cls, name: str, entries: Mapping[str, Any], reading: ActuatorReading) -> Cable:
        points = []
        for end in entries["cable"].items():
            own = end.section(("link", "at"))
            if "link" not in own:
                raise end.complaint("it must have a link")
            x, y, z = reading.numbers(own["at"], 3) if "at" in own else (0.0, 0.0, 0.0)
            points.append((own["link"].text(), (x, y, z)))
        return cls(name, tuple(points))

    def entries(self, writing: ActuatorWriting) -> dict[str, Any]:
        return {"cable": [{"link": frame, "at": [float(x) for x in point]} for frame, point in self.points]}

    @property
    def text(self) -> str:
        return "a cable over " + ", ".join(f"{frame!r}" for frame, _ in self.points)

    def effort_unit(self, robot: Robot) -> str:
        return self.unit or "N"

    def check(self, robot: Robot, at: object) -> None:
        if len(self.points) < 2:
            raise ModelError(f"{self.who} has {len(self.points)} points", at=at, fix="give two or more")
        for frame, point in self.points:
            try:
                robot.frame(frame)
            except InputError as error:
                raise ModelError(f"{self.who} ends on {frame!r}", at=at, why=str(error)) from None
            if np.shape(point) != (3,) or not np.isfinite(point).all():
                raise ModelError(f"{self.who} has the point {point!r}", at=at, fix="give three lengths (m)")
        if not self.lever(robot).joints:
            raise ModelError(f"{self.who} moves no joint", at=at, why="all its points are on one link")

    def lever(self, robot: Robot) -> Lever:
        frames = [robot.frame(name) for name, _ in self.points]
        ways = [robot.joints_to_base(frame.link)[::-1] for frame in frames]
        while all(ways) and all(way[0] is ways[0][0] for way in ways):
            ways = [way[1:] for way in ways]
        names = {joint.name for way in ways for joint in way if joint.type.nv}
        places = [
            translation(frame.T_lf) + rotation(frame.T_lf) @ np.array(point)
            for frame, (_, point) in zip(frames, self.points, strict=True)
        ]
        joints = tuple(joint for joint in robot.joints if joint.name in names)
        return CableLever(joints, tuple(ways), tuple(places), law=self.force)

    def acts_on(self, robot: Robot) -> bool:
        return bool(self.lever(robot).joints)

    def with_fixed(self, positions: Mapping[str, float]) -> Cable:
        return self  # `acts_on` tells whether it moves

    def with_prefix(self, prefix: str) -> Cable:
        points = tuple((prefix + frame, point) for frame, point in self.points)
        return replace(self, name=prefix + self.name, points=points)


def _length(way: Float[Array, "3"]) -> Any:
    return sqrt(way @ way)
