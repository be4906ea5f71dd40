"""Obstacles that a robot must not touch."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.model.formats.yaml_values import Value
from screwgraph.motion.planning.collision.automatic_spheres import AUTO, placed_spheres
from screwgraph.motion.planning.collision.clearance_factors import make_clearance_factors
from screwgraph.motion.planning.collision.clearance_templates import (
    ClearanceViolation,
    SphereCentres,
    count_kinds,
    get_sphere_links,
)
from screwgraph.motion.planning.collision.fields import DistanceGrid
from screwgraph.motion.planning.collision.moving_frames import Delayed, FramePose, evaluate_poses
from screwgraph.motion.planning.collision.obstacle_parser import read_common, read_motion, read_shape
from screwgraph.motion.planning.collision.shapes import SHAPES, Shape
from screwgraph.motion.planning.collision.shapes.base import to_local
from screwgraph.motion.planning.collision.spheres import BodySphere, Spheres
from screwgraph.motion.planning.keys import AVOID
from screwgraph.motion.planning.mechanics import Mechanics
from screwgraph.motion.planning.task_parser import TaskParser
from screwgraph.motion.planning.trajectory_unknowns import TrajectoryUnknowns
from screwgraph.optimize import Factors


@dataclass(frozen=True, eq=False)
class Avoid:
    """A robot's spheres stay away from shapes, at every point of time and between.

    Args:
        shapes: obstacles in the base's frame, or in that of `motion`.
        spheres: those of the robot, or "auto" for what covers the shapes in its file.
        margin: a clearance (m) to keep.
        sigma: None for a hard limit; else coming too near costs half the square of the depth over sigma (m).
        threshold: a soft limit costs something from so much (m) before the margin is reached.
        between: positions between two neighbouring points at which it is kept, too.
        order: 2: between points the motion is that of constant velocity with white noise on acceleration, which
            velocities at the points determine; 3: of white noise on jerk, with accelerations.
        motion: None for shapes that stand; else a function of time (s) to the pose (4, 4) of their frame in the base,
            such as `Waypoints`. Durations must be given.
    """

    __repr__ = one_line

    shapes: Sequence[Shape | DistanceGrid]
    spheres: Sequence[BodySphere] | str = AUTO
    margin: float = 0.0
    sigma: float | None = None
    threshold: float = 0.0
    between: int = 1
    order: int = 2
    motion: FramePose | None = None

    @classmethod
    def read(cls, value: Value, reading: TaskParser) -> Avoid:
        """Read {shapes, spheres, ...}. Raises ModelError."""
        entries = value.section(AVOID)
        if "shapes" not in entries:
            raise value.complaint("it must list `shapes`")
        shapes = tuple(read_shape(item, reading) for item in entries["shapes"].items())
        motion = read_motion(entries["motion"], reading) if "motion" in entries else None
        return cls(shapes, **read_common(entries, value, reading), motion=motion)

    def factors(self, steps: TrajectoryUnknowns, name: str) -> Iterable[Factors]:
        """Return one factor for each point and each position between. Raises InputError."""
        grouped, fields = self._sort_shapes()
        spheres = placed_spheres(steps.mechanics.robot, self.spheres)
        numbers = {kind: np.array([s.numbers() for s in found]) for kind, found in grouped.items()}

        def template(centres: SphereCentres) -> ClearanceViolation:
            return ClearanceViolation(centres, count_kinds(grouped), len(fields))

        if self.motion is not None and not callable(self.motion):
            raise InputError(f"expected a motion, got {self.motion!r}", fix="give a function of time to a pose (4, 4)")
        yield from make_clearance_factors(self, steps, spheres, template, numbers, tuple(fields), name, self.motion)

    def clearances(
        self, mechanics: Mechanics, q: Float[np.ndarray, " nq"], time: float
    ) -> list[tuple[float, str, str]]:
        """Return (clearance less the margin (m), link of the sphere, obstacle) of all spheres and obstacles at q."""
        spheres = self.placed(mechanics)
        centres = compute_centres(mechanics, spheres, q)
        if self.motion is not None:
            (pose,) = evaluate_poses(self.motion, [time])
            centres = np.array([to_local(p, pose) for p in centres])
        found = self.clearances_at(centres, spheres.numbers[:, 3])
        return [(clearance, spheres.links[i], what) for clearance, i, what in found]

    def nearest(
        self, mechanics: Mechanics, q: Float[np.ndarray, "N nq"], times: Float[np.ndarray, " N"]
    ) -> tuple[Float[np.ndarray, " N"], Float[np.ndarray, "N 2 3"]]:
        """Return the least distances (m) of spheres from obstacles at positions and times, and between which points.

        The points are those of the sphere and of the obstacle, in the base; negative distances are depths.
        """
        spheres = self.placed(mechanics)
        radii, distances, ends = spheres.numbers[:, 3], [], []
        for position, time in zip(q, times, strict=True):
            R, p = np.eye(3), np.zeros(3)
            if self.motion is not None:
                (pose,) = evaluate_poses(self.motion, [time])
                R, p = pose[:9].reshape(3, 3), pose[9:]
            centres = (compute_centres(mechanics, spheres, position) - p) @ R
            found = [(*_nearest_sphere(shape, centres, radii), shape) for shape in self.shapes]
            d, i, shape = min(found, key=lambda item: item[0])
            around = np.concatenate([centres[i] + STEP * np.eye(3), centres[i] - STEP * np.eye(3)])
            slopes = _distances(shape, around)
            normal = (slopes[:3] - slopes[3:]) / max(float(np.linalg.norm(slopes[:3] - slopes[3:])), 1e-12)
            distances.append(d)
            ends.append((centres[i] - np.outer([radii[i], radii[i] + d], normal)) @ R.T + p)
        return np.array(distances), np.array(ends)

    def later(self, elapsed: float) -> Avoid:
        """Return the obstacles after so many seconds."""
        return self if self.motion is None else replace(self, motion=Delayed(self.motion, elapsed))

    def placed(self, mechanics: Mechanics) -> Spheres:
        """Return the robot's spheres. Raises InputError."""
        return placed_spheres(mechanics.robot, self.spheres)

    def remedy(self, mechanics: Mechanics, q: Float[np.ndarray, " nq"]) -> str:
        """Return that robot or obstacle may be moved."""
        return "move one of them"

    def clearances_at(
        self, centres: Float[np.ndarray, "n 3"], radii: Float[np.ndarray, " n"]
    ) -> list[tuple[float, int, str]]:
        """Return (clearance less the margin (m), number of the sphere, obstacle) of spheres in the shapes' frame."""
        grouped, fields = self._sort_shapes()
        found = []
        for kind, shapes in grouped.items():
            for number, shape in enumerate(shapes, start=1):
                what = f"{kind.replace('_', '-')} {number}"
                for i, (p, r) in enumerate(zip(centres, radii, strict=True)):
                    found.append((float(SHAPES[kind].distance(p, shape.numbers())) - float(r) - self.margin, i, what))
        for number, field in enumerate(fields, start=1):
            d = field.taylor(centres)[0] - radii - self.margin
            found += [(float(x), i, f"grid {number}") for i, x in enumerate(d)]
        return found

    def _sort_shapes(self) -> tuple[dict[str, list[Any]], list[DistanceGrid]]:
        grouped: dict[str, list[Any]] = {}
        fields: list[DistanceGrid] = []
        if not isinstance(self.shapes, Sequence) or isinstance(self.shapes, str):
            raise InputError(f"expected a list of obstacles, got {self.shapes!r}", fix="[shape] is a list of one")
        if not self.shapes:
            raise InputError("there are no obstacles", fix=f"give shapes: {', '.join(SHAPES)}")
        for shape in self.shapes:
            if isinstance(shape, DistanceGrid):
                fields.append(shape)
            elif isinstance(shape, Shape) and shape.kind in SHAPES:
                grouped.setdefault(shape.kind, []).append(shape)
            else:
                raise InputError(f"expected an obstacle, got {shape!r}", fix=f"obstacles: {', '.join(SHAPES)}")
        return grouped, fields


STEP = 1e-6
"""Of differences of distances (m), whose direction is that of the surface's normal."""


def _distances(shape: Any, points: Float[np.ndarray, "n 3"]) -> Float[np.ndarray, " n"]:
    """Return how far points are from the surface of a shape (m)."""
    if isinstance(shape, DistanceGrid):
        return shape.taylor(points)[0]
    return np.array([float(shape.distance(p, shape.numbers())) for p in points])


def _nearest_sphere(shape: Any, centres: Float[np.ndarray, "n 3"], radii: Float[np.ndarray, " n"]) -> tuple[float, int]:
    d = _distances(shape, centres) - radii
    return float(d.min()), int(d.argmin())


def compute_centres(mechanics: Mechanics, spheres: Spheres, q: Float[np.ndarray, " nq"]) -> Float[np.ndarray, "n 3"]:
    """Return the centres of spheres at a position, in the base."""
    centres = SphereCentres(get_sphere_links(mechanics, spheres.links))
    return centres(q, spheres=spheres.numbers).reshape(-1, 3)
