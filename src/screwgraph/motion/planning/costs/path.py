"""Paths that a frame, or the centre of mass, should follow."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from screwgraph.base.argument_checks import validate_numbers
from screwgraph.base.errors import InputError
from screwgraph.model.formats.yaml_values import Value
from screwgraph.motion.planning.goals.point import PointError
from screwgraph.motion.planning.keys import PATH
from screwgraph.motion.planning.mechanics import Mechanics
from screwgraph.motion.planning.task_parser import TaskParser
from screwgraph.motion.planning.trajectory_unknowns import TrajectoryUnknowns
from screwgraph.motion.planning.vector_code import VectorCode, trace_function
from screwgraph.optimize import Factors, each, soft
from screwgraph.spatial import Array


@dataclass(frozen=True)
class CenterOfMassError:
    """How far the centre of mass is from the point `at` (m)."""

    mechanics: Mechanics

    def __call__(self, q: Any, *, at: Any) -> Any:
        """Return the differences."""
        return make_center_of_mass(self.mechanics)(q) - at


@dataclass(frozen=True, eq=False)
class Path:
    """weight * integral of the squared distance (m) to a point that goes from `points` to `points` at `times` (s).

    `frame` is a link or frame; None is the robot's centre of mass. Times count with the durations that the task gives.
    """

    times: Any
    points: Any
    frame: str | None = None
    weight: float = 1.0

    @classmethod
    def read(cls, value: Value, reading: TaskParser) -> Path:
        """Read {times, points} and frame and weight, where given. Raises ModelError."""
        entries = value.section(PATH)
        if not {"times", "points"} <= entries.keys():
            raise value.complaint("it must have times and points")
        points = tuple(tuple(p.numbers(reading.names, 3)) for p in entries["points"].items())
        return cls(
            tuple(reading.number(t) for t in entries["times"].items()),
            points,
            reading.frame(entries["frame"]) if "frame" in entries else None,
            reading.number(entries["weight"]) if "weight" in entries else 1.0,
        )

    def factors(self, steps: TrajectoryUnknowns, name: str) -> Iterable[Factors]:
        """Return one factor for each point of the path's time. Raises InputError."""
        if not 0.0 < self.weight < np.inf:
            raise InputError(f"a weight is {self.weight!r}", fix="give a positive number")
        points, at = self._targets(steps)
        widths = np.gradient(steps.times)[points]
        noise = each((1.0 / np.sqrt(2.0 * self.weight * widths))[:, None])
        if self.frame is None:
            template: Any = CenterOfMassError(steps.mechanics)
        else:
            template = PointError(steps.mechanics, steps.mechanics.robot.frame(self.frame).name, (0, 1, 2))
        yield soft(template, steps.q[points], sigma=noise, name=f"{name}: path", at=each(at))

    def _targets(self, steps: TrajectoryUnknowns) -> tuple[Int[np.ndarray, " n"], Float[np.ndarray, "n 3"]]:
        times, targets = validate_numbers("times", self.times), validate_numbers("points", self.points)
        if times.ndim != 1 or len(times) < 1 or targets.shape != (len(times), 3):
            raise InputError(f"a path has {len(np.atleast_1d(times))} times and points of the shape {targets.shape}")
        if not (np.isfinite(times).all() and np.isfinite(targets).all() and (np.diff(times) > 0.0).all()):
            raise InputError("times of a path must grow, and all numbers be finite")
        points = steps.points_at((float(times[0]), float(times[-1])) if len(times) > 1 else float(times[0]))
        if not len(points):
            raise InputError(f"no step begins within {times[0]:g}..{times[-1]:g} s, the times of the path")
        at = np.stack([np.interp(steps.times[points], times, column) for column in targets.T], axis=1)
        return points, at


def make_center_of_mass(mechanics: Mechanics) -> VectorCode:
    """Return a function of q to the robot's centre of mass (3,) in the base. Raises InputError where it has no mass."""
    return mechanics.get_or_make(
        "centre of mass", lambda: trace_function(partial(_centre_of_mass, mechanics), mechanics.robot.nq)
    )


def _centre_of_mass(mechanics: Mechanics, q: Array) -> Array:
    moved = [link for link in mechanics.robot.links if link.inertia.mass > 0.0]
    if not moved:
        raise InputError(f"robot {mechanics.robot.name!r} has no mass")
    poses = [mechanics.pose_of(link.name)(q) for link in moved]
    moments = (
        m.inertia.mass * T[:3, 3] + T[:3, :3] @ m.inertia.first_moment for m, T in zip(moved, poses, strict=True)
    )
    return sum(moments, start=np.zeros(3)) / sum(link.inertia.mass for link in moved)
