"""The position of a link or frame at a time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import validate_numbers
from screwgraph.base.errors import InputError
from screwgraph.mechanics.kinematics import targets
from screwgraph.model.formats.yaml_values import Value
from screwgraph.motion.planning.goals.base import make_goal_factors
from screwgraph.motion.planning.keys import POINT
from screwgraph.motion.planning.mechanics import Mechanics
from screwgraph.motion.planning.task_parser import TaskParser
from screwgraph.motion.planning.trajectory_unknowns import Time, TrajectoryUnknowns
from screwgraph.motion.planning.violation import Violation
from screwgraph.optimize import Factors
from screwgraph.spatial import translation

AXES = "xyz"


@dataclass(frozen=True)
class PointError:
    """How far the origin of a frame is from the point `at`, along some axes of the base (m)."""

    mechanics: Mechanics
    frame: str
    axes: tuple[int, ...]

    def __call__(self, q: Any, *, at: Any) -> Any:
        """Return the differences."""
        return translation(self.mechanics.pose_of(self.frame)(q))[list(self.axes)] - at

    def describe(self, violation: Violation) -> str:
        """Say how far the frame is from its point."""
        return f"frame {self.frame!r} is {np.linalg.norm(violation.residual):.3g} m from its point"


@dataclass(frozen=True, eq=False)
class Point:
    """The origin of a frame is at a point (m) of the base; `axes` says which coordinates are given ("xz", ...)."""

    frame: str
    at: Any
    time: Time = "end"
    sigma: float | None = None
    axes: str = AXES

    @classmethod
    def read(cls, value: Value, reading: TaskParser) -> Point:
        """Read {frame, at: [x, y, z], axes: xyz}. Raises ModelError."""
        entries = value.section(POINT)
        if not {"frame", "at"} <= entries.keys():
            raise value.complaint("it must have a frame and a point `at`")
        axes = entries["axes"].text() if "axes" in entries else AXES
        return cls(reading.frame(entries["frame"]), reading.vector(entries["at"], len(axes)), axes=axes)

    def factors(self, steps: TrajectoryUnknowns, name: str) -> Iterable[Factors]:
        """Return one factor for each point of the time. Raises InputError."""
        at = self._validate()
        template = PointError(steps.mechanics, self.frame, tuple(AXES.index(a) for a in self.axes))
        how: Any = {"sigma": self.sigma, "name": f"{name}: point", "at": at}
        yield from make_goal_factors(steps, self.time, template, "q", **how)

    def target(self, mechanics: Mechanics) -> tuple[targets.Point, np.ndarray]:
        """Return the point of inverse kinematics and where it is. Raises InputError."""
        return targets.Point(self.frame, axes=self.axes), self._validate()

    def place(self, mechanics: Mechanics) -> Float[np.ndarray, "*n 3"]:
        """Return where the frame's origin is (m), NaN along other axes. Raises InputError."""
        at = self._validate()
        p = np.full((*at.shape[:-1], 3), np.nan)
        p[..., [AXES.index(a) for a in self.axes]] = at
        return p

    def rotation(self, mechanics: Mechanics) -> None:
        """Return None: the frame may turn about its origin."""

    def _validate(self) -> Float[np.ndarray, "*n axes"]:
        """Return the coordinates. Raises InputError."""
        if not self.axes or set(self.axes) - set(AXES) or len(set(self.axes)) != len(self.axes):
            raise InputError(f"axes {self.axes!r}", fix="name some of x, y, z")
        at = validate_numbers(f"the point of frame {self.frame!r}", self.at)
        if at.shape[-1:] != (len(self.axes),) or not np.isfinite(at).all():
            raise InputError(
                f"the point of frame {self.frame!r} has the shape {at.shape}, expected ({len(self.axes)},)"
            )
        return at
