"""Feet of one or several points."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from screwgraph.base.argument_checks import validate_numbers
from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.model.formats.yaml_values import Value
from screwgraph.motion.planning.contacts.base import (
    make_cone_factors,
    make_contact_factors,
    normalise_direction,
    validate_positive,
)
from screwgraph.motion.planning.contacts.contact_parser import read_common
from screwgraph.motion.planning.contacts.foot import Foot, Triple
from screwgraph.motion.planning.contacts.friction import Cone, Pyramid
from screwgraph.motion.planning.contacts.stance import find_stances
from screwgraph.motion.planning.items import Wrench
from screwgraph.motion.planning.keys import POINT_CONTACT
from screwgraph.motion.planning.task_parser import TaskParser
from screwgraph.motion.planning.trajectory_unknowns import TrajectoryUnknowns
from screwgraph.optimize import Factors, Variables, Vector
from screwgraph.spatial import concatenate


@dataclass(frozen=True)
class PointForces:
    """The wrench of forces at a foot's points."""

    foot: Foot

    def __call__(self, q: Any, T: Any, forces: Any) -> Any:
        """Return it in the foot's frame."""
        return self.foot.wrench(T[:3, :3], forces)


@dataclass(frozen=True)
class CancellingForces:
    """The part of the forces at a foot's points that makes no wrench."""

    foot: Foot

    def __call__(self, q: Any, T: Any, forces: Any) -> Any:
        """Return its coordinates (n,) in a basis."""
        turned = T[:3, :3].T @ self.foot.surface
        in_frame = [turned @ forces[3 * i : 3 * i + 3] for i in range(len(self.foot.points))]
        return self.foot.cancelling.T @ concatenate(*in_frame)


@dataclass(frozen=True, eq=False)
class PointContact:
    """Points of a link stand on a plane, without slipping; they push only, within a friction cone.

    Xie et al. (2020), V-C.

    Args:
        frame: the link or frame.
        phases: names or numbers of the phases in which it stands; None for all.
        friction: static friction coefficient.
        points: where it touches, in the frame (m); of forces that make the same wrench the smallest are preferred.
        radius: of the balls around these points (m), which roll; 0 for points.
        axis: of a wheel, in the frame: a disc of that radius about it, which rolls where it touches.
        ground: height of the plane along its normal (m).
        normal: of the plane, in the base.
        at: foothold (3,) in the base (m), or one for each time that the foot is set down; None leaves it free.
        cone: "pyramid" of so many `faces`, within the round one, or "round".
        sigma, threshold: make the cone soft: what comes nearer than `threshold` (N) costs half its square over sigma.
        level: what does not slip: "position", "velocity" or "acceleration"; "auto" is the position where the
            collocation is Euler's, else the velocity. What drifts is brought back within `settling` (s).
        clearance: whether the foot stays above the ground while it does not stand.
        swing: how high (m) it rises above the ground at least, in the middle of its time in the air.
    """

    __repr__ = one_line

    frame: str
    phases: Sequence[str | int] | str | None = None
    friction: float = 0.7
    points: Sequence[Sequence[float]] = ((0.0, 0.0, 0.0),)
    radius: float = 0.0
    axis: Sequence[float] | None = None
    ground: float = 0.0
    normal: Sequence[float] = (0.0, 0.0, 1.0)
    at: Any = None
    cone: str = "pyramid"
    faces: int = 4
    sigma: float | None = None
    threshold: float = 0.0
    level: str = "auto"
    settling: float = 0.02
    clearance: bool = True
    swing: float = 0.0

    @classmethod
    def read(cls, value: Value, reading: TaskParser) -> PointContact:
        """Read {frame, phases, friction, points, radius, ground, normal, at, cone, faces, ...}. Raises ModelError."""
        entries, found = read_common(value, reading, POINT_CONTACT)
        if "points" in entries:
            found["points"] = tuple(tuple(p.numbers(reading.names, 3)) for p in entries["points"].items())
        if "radius" in entries:
            found["radius"] = reading.number(entries["radius"])
        if "axis" in entries:
            found["axis"] = tuple(reading.vector(entries["axis"], 3))
        if "cone" in entries:
            found["cone"] = reading.word(entries["cone"], ("pyramid", "round"))
        if "faces" in entries:
            found["faces"] = int(reading.number(entries["faces"]))
        return cls(**found)

    def wrenches(self, steps: TrajectoryUnknowns, name: str) -> Sequence[Wrench]:
        """Return the one on the frame. Raises InputError."""
        samples = np.concatenate([run.samples for run in find_stances(steps, self.phases)])
        foot, pushing = self._foot(steps), tuple(range(2, 3 * len(self.points), 3))
        internal = CancellingForces(foot) if foot.cancelling.size else None
        forces = self._forces(name, len(samples))
        return [Wrench(foot.frame, samples, forces, PointForces(foot), pushing, internal)]

    def factors(self, steps: TrajectoryUnknowns, name: str) -> Iterable[Factors]:
        """Return laws of the cone, of not slipping, and of staying above the ground. Raises InputError."""
        foot, runs = self._foot(steps), find_stances(steps, self.phases)
        validate_positive(f"friction of {self.frame!r}", self.friction)
        forces = self._forces(name, sum(len(run.samples) for run in runs))
        yield make_cone_factors(
            _EachPoint(self._cone(), len(self.points)), forces, self.sigma, self.threshold, name, friction=self.friction
        )
        yield from make_contact_factors(steps, foot, runs, self, name)

    def _forces(self, name: str, count: int) -> Variables:
        return Variables(f"{name} force", Vector(3 * len(self.points)), count)

    def _cone(self) -> Cone | Pyramid:
        if self.cone == "round":
            return Cone()
        if self.cone != "pyramid":
            raise InputError(f"cone {self.cone!r}", fix="choose pyramid or round")
        if isinstance(self.faces, bool) or not isinstance(self.faces, int) or self.faces < 3:
            raise InputError(f"a pyramid of {self.faces!r} faces", fix="give a whole number above 2")
        return Pyramid(self.faces)

    def _foot(self, steps: TrajectoryUnknowns) -> Foot:
        points = validate_numbers(f"points of {self.frame!r}", self.points)
        if points.ndim != 2 or points.shape[1] != 3 or not len(points) or not np.isfinite(points).all():
            raise InputError(f"points of {self.frame!r} have the shape {points.shape}, expected (n, 3)")
        if validate_numbers(f"radius of {self.frame!r}", self.radius).shape or not 0.0 <= float(self.radius) < np.inf:
            raise InputError(f"radius of {self.frame!r} is {self.radius!r}", fix="give a length (m), or 0")
        found = tuple((float(x), float(y), float(z)) for x, y, z in points)
        return Foot(
            steps.mechanics,
            steps.mechanics.robot.frame(self.frame).name,
            found,
            normalise_direction(self.normal),
            float(self.radius),
            self._wheel(),
        )

    def _wheel(self) -> Triple | None:
        """Return the axis of a wheel, of length 1. Raises InputError."""
        if self.axis is None:
            return None
        if not self.radius or len(self.points) > 1:
            raise InputError(
                f"the wheel {self.frame!r} has {len(self.points)} points and the radius {self.radius!r}",
                fix="give its centre as the only point, and its radius",
            )
        return normalise_direction(self.axis, f"the axis of {self.frame!r}")


@dataclass(frozen=True)
class _EachPoint:
    """A cone's numbers for every one of several forces."""

    cone: Cone | Pyramid
    count: int

    def __call__(self, forces: Any, *, friction: Any) -> Any:
        parts = [self.cone(forces[3 * i : 3 * i + 3], friction=friction) for i in range(self.count)]
        return concatenate(*parts)
