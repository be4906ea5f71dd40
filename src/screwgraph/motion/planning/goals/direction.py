"""The direction of an axis of a link or frame at a time; the rotation about that axis is free."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.mechanics.kinematics import targets
from screwgraph.model.formats.yaml_values import Value
from screwgraph.motion.planning.contacts.base import normalise_direction
from screwgraph.motion.planning.factors.between_points import list_demands
from screwgraph.motion.planning.goals.base import make_goal_factors
from screwgraph.motion.planning.keys import DIRECTION
from screwgraph.motion.planning.mechanics import Mechanics
from screwgraph.motion.planning.task_parser import TaskParser
from screwgraph.motion.planning.trajectory_unknowns import Time, TrajectoryUnknowns
from screwgraph.motion.planning.violation import Violation
from screwgraph.optimize import Factors, hinge, inequality
from screwgraph.spatial import Array, vector

Z = (0.0, 0.0, 1.0)
TILT, AZIMUTH = 0.55, 1.1
"""Angles (rad) of the pole of the projection from the opposite direction: no multiple of 90 degrees about an axis."""
MEETS = 1e-6
"""Angle (rad) up to which a position that is given has a direction that is asked for."""


@dataclass(frozen=True)
class DirectionError:
    """Stereographic coordinates of a frame's axis about the direction `at` (rad, nearly, where they are small).

    They vanish at that direction alone, and have derivatives of full rank at all directions but one. That is no other
    than `TILT` from the opposite one, so that axes which point the wrong way are turned round, too.
    """

    mechanics: Mechanics
    frame: str
    axis: tuple[float, float, float]

    def __call__(self, q: Any, *, at: Any) -> Any:
        """Return them, (2,); `at` are rows of `project_direction`."""
        v = point_axis(self.mechanics, self.frame, self.axis, q)
        scale = 1.0 - sum(at[2, i] * v[i] for i in range(3))
        return vector([sum(at[k, i] * v[i] for i in range(3)) / scale - at[k, 3] for k in range(2)])

    def describe(self, violation: Violation) -> str:
        """Say how far the axis is from its direction."""
        return say_angle(self.frame, measure_angle(violation.shared["at"], violation.residual))


@dataclass(frozen=True)
class TiltViolation:
    """Cosine of the largest angle between a frame's axis and the direction `at`, less that of the angle."""

    mechanics: Mechanics
    frame: str
    axis: tuple[float, float, float]

    def __call__(self, q: Any, *, at: Any, within: Any) -> Any:
        """Return what must not be positive, (1,)."""
        v = point_axis(self.mechanics, self.frame, self.axis, q)
        return vector([within - sum(at[i] * v[i] for i in range(3))])

    def describe(self, violation: Violation) -> str:
        """Say how far the axis is from its direction, and how far it may be."""
        within = violation.shared["within"]
        most, angle = np.arccos([within, max(within - violation.residual[0], -1.0)])
        return f"{say_angle(self.frame, angle)}, {most:.3g} are allowed"


@dataclass(frozen=True, eq=False)
class Direction:
    """An `axis` of a frame (in its own axes) points along the direction `at` of the base; rotation about it is free.

    Up to an angle `within` (rad) from it, where that is given. At the time "always", the axis keeps its direction on
    the whole way. Soft where `sigma` (rad) is given.
    """

    frame: str
    at: Any
    axis: Any = Z
    time: Time = "end"
    sigma: float | None = None
    within: float = 0.0

    @classmethod
    def read(cls, value: Value, reading: TaskParser) -> Direction:
        """Read {frame, at: [x, y, z], axis: [x, y, z], within}. Raises ModelError."""
        entries = value.section(DIRECTION)
        if not {"frame", "at"} <= entries.keys():
            raise value.complaint("it must have a frame and a direction `at`")
        given: dict[str, Any] = {key: reading.vector(entries[key], 3) for key in ("at", "axis") if key in entries}
        if "within" in entries:
            given["within"] = reading.number(entries["within"])
        return cls(reading.frame(entries["frame"]), **given)

    def factors(self, steps: TrajectoryUnknowns, name: str) -> Iterable[Factors]:
        """Return one factor for each point of the time. Raises InputError."""
        frame = steps.mechanics.robot.frame(self.frame).name
        target, at = self.target(steps.mechanics)
        axis = target.axis
        is_angle = isinstance(self.within, int | float | np.number) and not isinstance(self.within, bool)
        if not is_angle or not 0.0 <= self.within < np.pi:
            raise InputError(f"within is {self.within!r}", why="it is an angle", fix="give 0 to pi rad")
        left_out = self._list_implied_points(steps, frame, axis, at)
        if not self.within:
            template, how = DirectionError(steps.mechanics, frame, axis), {"sigma": self.sigma, "left_out": left_out}
            rows: Any = {"at": project_direction(at), "rank": 2}
            yield from make_goal_factors(steps, self.time, template, "q", name=f"{name}: direction", **how, **rows)
            return
        template, parameters = TiltViolation(steps.mechanics, frame, axis), {"at": at, "within": np.cos(self.within)}
        make: Any = inequality
        if self.sigma is not None:  # the cosine falls by sin(within) a radian
            make = partial(hinge, sigma=self.sigma * np.sin(self.within))
        for demand in list_demands(steps, template, ("q",), self.time, left_out):
            title = f"{name}: tilt{demand.suffix}"
            yield make(demand.template, *demand.unknowns, name=title, **parameters, **demand.parameters)

    def target(self, mechanics: Mechanics) -> tuple[targets.Direction, np.ndarray]:
        """Return the direction of inverse kinematics and its value. Raises InputError."""
        axis = normalise_direction(self.axis, f"the axis of frame {self.frame!r}")
        at = np.array(normalise_direction(self.at, f"the direction of frame {self.frame!r}"))
        return targets.Direction(self.frame, axis=axis), at

    def place(self, mechanics: Mechanics) -> Float[np.ndarray, "3"]:
        """Return NaN: the frame's origin may be anywhere."""
        return np.full(3, np.nan)

    def rotation(self, mechanics: Mechanics) -> None:
        """Return None: turns about the axis are free."""

    def _list_implied_points(
        self, steps: TrajectoryUnknowns, frame: str, axis: Any, at: Float[np.ndarray, "3"]
    ) -> list[int]:
        """Return the points of the time at which the position is given, or a velocity at the next one.

        On a whole way, that velocity says once more, up to what collocation errs, that the direction does not change.

        Raises:
            InputError: a given position has another direction.
        """
        every = steps.points_at(self.time).tolist()
        if self.sigma is not None:
            return []
        for k in every:
            q = steps.asked_of(k)
            if q is None:
                continue
            v = np.asarray(point_axis(steps.mechanics, frame, axis, q), dtype=float)
            angle = float(np.arctan2(np.linalg.norm(np.cross(at, v)), at @ v))
            if angle > self.within + MEETS:
                raise InputError(
                    f"at t = {steps.times[k]:g} s {say_angle(frame, angle)}",
                    why="the position at that time is given",
                    fix="change the position, or ask for the direction at other times",
                )
        before = {k - 1 for k in steps.given["qd"] if k in every}
        return [k for k in every if steps.asked_of(k) is not None or k in before]


def say_angle(frame: str, angle: float) -> str:
    """Say by how much the axis of a frame is off."""
    return f"the axis of frame {frame!r} is {angle:.3g} rad from its direction"


def point_axis(mechanics: Mechanics, frame: str, axis: Any, q: Any) -> Array:
    """Return where an axis of a frame points in the base (3,)."""
    T = mechanics.pose_of(frame)(q)
    return vector([sum(T[i, j] * axis[j] for j in range(3)) for i in range(3)])


def project_direction(at: Float[np.ndarray, "3"]) -> Float[np.ndarray, "3 4"]:
    """Return rows (e, e'at / (1 - p'at)) of two axes e across the pole p, times 1 - p'at, and the row (p, 0)."""
    aside = np.eye(3)[int(np.abs(at).argmin())]
    x = np.cross(at, aside) / np.linalg.norm(np.cross(at, aside))
    across = np.cos(AZIMUTH) * x + np.sin(AZIMUTH) * np.cross(at, x)
    pole = np.sin(TILT) * across - np.cos(TILT) * at
    first = np.cross(pole, across) / np.linalg.norm(np.cross(pole, across))
    scale = 1.0 - pole @ at
    rows = [scale * np.append(e, e @ at / scale) for e in (first, np.cross(pole, first))]
    return np.array([*rows, np.append(pole, 0.0)])


def measure_angle(rows: Float[np.ndarray, "3 4"], error: Float[np.ndarray, "2"]) -> float:
    """Return the angle (rad) between the direction of `project_direction` and one of that `DirectionError`."""
    scale = float(np.linalg.norm(rows[0, :3]))

    def lift_point(error: Float[np.ndarray, "2"]) -> Float[np.ndarray, "3"]:
        x = (error + rows[:2, 3]) / scale
        along = (x @ x - 1.0) / (x @ x + 1.0)
        return along * rows[2, :3] + (1.0 - along) * (x @ rows[:2, :3]) / scale

    v, at = lift_point(error), lift_point(np.zeros(2))
    return float(np.arctan2(np.linalg.norm(np.cross(v, at)), v @ at))
