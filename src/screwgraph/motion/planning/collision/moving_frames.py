"""Frames that obstacles move with: poses as functions of time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import convert_numbers, describe_value
from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.spatial import from_xyz_rpy, transform

FramePose = Callable[[float], Any]
"""The pose (4, 4) of a frame in the base at a time (s)."""
LOOKS = 64
"""Times in an interval at which a motion is looked at for how far it leads."""


@dataclass(frozen=True, eq=False)
class Waypoints:
    """A frame that is at `points` (m) of the base at `times` (s), turned by `rpy` (rad); it stands before and after.

    Between two waypoints it moves at a constant velocity, and turns at a constant angular velocity, on the shorter way.
    """

    __repr__ = one_line

    times: Any
    points: Any
    rpy: Any = None

    def __post_init__(self) -> None:
        times, points = (_validate_array(what, x) for what, x in (("times", self.times), ("points", self.points)))
        rpy = np.zeros_like(points) if self.rpy is None else _validate_array("rpy", self.rpy)
        if times.ndim != 1 or not len(times) or points.shape != (len(times), 3) or rpy.shape != points.shape:
            raise InputError(
                f"a motion has {times.size} times, points of the shape {points.shape}, rpy of the shape {rpy.shape}",
                fix="give as many points [x, y, z], and angles [r, p, y], as times",
            )
        if (np.diff(times) <= 0.0).any():
            raise InputError(f"times of a motion must grow, and are {describe_value(times.tolist())}")
        object.__setattr__(self, "times", times)

    @cached_property
    def poses(self) -> Float[np.ndarray, "k 4 4"]:
        """Poses of the waypoints."""
        turned = np.zeros((len(self.times), 3)) if self.rpy is None else np.asarray(self.rpy, dtype=float)
        made = (from_xyz_rpy(p, angles) for p, angles in zip(np.asarray(self.points, dtype=float), turned, strict=True))
        return np.array([np.asarray(T, dtype=float) for T in made])

    def __call__(self, time: float) -> Float[np.ndarray, "4 4"]:
        """Return the pose in the base."""
        from scipy.spatial.transform import Rotation

        after = int(np.clip(np.searchsorted(self.times, time), 1, max(len(self.times) - 1, 1)))
        if len(self.times) == 1:
            return self.poses[0]
        a, b = self.poses[after - 1], self.poses[after]
        begin, end = self.times[after - 1 : after + 1]
        part = float(np.clip((time - begin) / (end - begin), 0.0, 1.0))
        turn = part * Rotation.from_matrix(a[:3, :3].T @ b[:3, :3]).as_rotvec()
        return transform(a[:3, :3] @ Rotation.from_rotvec(turn).as_matrix(), (1.0 - part) * a[:3, 3] + part * b[:3, 3])

    @property
    def corners(self) -> Float[np.ndarray, " k"]:
        """Times (s) at which the velocity jumps."""
        return self.times


@dataclass(frozen=True, eq=False)
class Delayed:
    """A motion of which `elapsed` (s) have passed."""

    __repr__ = one_line

    motion: FramePose
    elapsed: float

    def __call__(self, time: float) -> Any:
        """Return the pose in the base."""
        return self.motion(time + self.elapsed)

    @property
    def corners(self) -> Float[np.ndarray, " k"]:
        """Times (s) at which the velocity jumps."""
        return find_corners(self.motion) - self.elapsed


def find_corners(motion: FramePose) -> Float[np.ndarray, " k"]:
    """Return the times (s) at which the velocity of a frame jumps, as far as it knows them."""
    return np.asarray(getattr(motion, "corners", ()), dtype=float)


def evaluate_poses(motion: FramePose, times: Sequence[float] | Float[np.ndarray, " n"]) -> Float[np.ndarray, "n 12"]:
    """Return rotations, row after row, and origins of a frame at times (s). Raises InputError where one is no pose."""
    rows = []
    for t in np.asarray(times, dtype=float).tolist():
        try:
            T = convert_numbers(motion(t))
        except (TypeError, ValueError):
            T = np.zeros(0)
        if T.shape != (4, 4) or not np.allclose(T[:3, :3] @ T[:3, :3].T, np.eye(3), atol=1e-6):
            raise InputError(
                f"the motion of an obstacle is no pose at t = {t:g} s", fix="return a 4 x 4 matrix: rotation and origin"
            )
        rows.append(np.append(T[:3, :3].ravel(), T[:3, 3]))
    return np.array(rows)


def measure_ways(motion: FramePose, edges: Float[np.ndarray, " k"]) -> Float[np.ndarray, " n"]:
    """Return how far a frame turns and moves (rad, m), the larger of both, between ascending times (s)."""
    found = []
    for a, b in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        poses = evaluate_poses(motion, np.linspace(a, b, LOOKS + 1))
        changes = np.diff(poses, axis=0)
        turned = np.linalg.norm(changes[:, :9], axis=1) / np.sqrt(2.0)
        found.append(max(turned.sum(), np.linalg.norm(changes[:, 9:], axis=1).sum()))
    return np.array(found)


def _validate_array(what: str, value: Any) -> np.ndarray:
    try:
        found = convert_numbers(value).copy()
    except (TypeError, ValueError):
        found = np.array(np.nan)
    if not np.isfinite(found).all():
        raise InputError(f"{what} of a motion are {describe_value(value)}", fix="give numbers")
    return found
