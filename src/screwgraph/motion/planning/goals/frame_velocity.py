"""The velocity of a link or frame at a time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from screwgraph.base.argument_checks import validate_numbers
from screwgraph.base.errors import InputError
from screwgraph.model.formats.yaml_values import Value
from screwgraph.motion.planning.frame_velocity import make_frame_twist
from screwgraph.motion.planning.goals.base import make_goal_factors
from screwgraph.motion.planning.keys import FRAME_VELOCITY
from screwgraph.motion.planning.mechanics import Mechanics
from screwgraph.motion.planning.task_parser import TaskParser
from screwgraph.motion.planning.trajectory_unknowns import Time, TrajectoryUnknowns
from screwgraph.motion.planning.violation import Violation
from screwgraph.optimize import Factors

ROWS = {"linear": (3, 4, 5), "angular": (0, 1, 2)}


@dataclass(frozen=True)
class FrameVelocityError:
    """How much faster than `at` a frame turns (rad/s), or its origin moves (m/s): some `rows` of both, in base axes."""

    mechanics: Mechanics
    frame: str
    rows: tuple[int, ...]

    def __call__(self, q: Any, qd: Any, *, at: Any) -> Any:
        """Return the differences."""
        return make_frame_twist(self.mechanics, self.frame)(q, qd)[list(self.rows)] - at

    def describe(self, violation: Violation) -> str:
        """Say by how much the frame moves otherwise."""
        kind, unit = ("linear", "m/s") if self.rows == ROWS["linear"] else ("angular", "rad/s")
        return f"the {kind} velocity of frame {self.frame!r} is {np.linalg.norm(violation.residual):.3g} {unit} off"


@dataclass(frozen=True, eq=False)
class FrameVelocity:
    """A frame's origin moves at `linear` (m/s), the frame turns at `angular` (rad/s), both in base axes.

    Either may be left out; soft where `sigma` is given.
    """

    frame: str
    linear: Any = None
    angular: Any = None
    time: Time = "end"
    sigma: float | None = None

    @classmethod
    def read(cls, value: Value, reading: TaskParser) -> FrameVelocity:
        """Read {frame, linear: [x, y, z], angular: [x, y, z]}. Raises ModelError."""
        entries = value.section(FRAME_VELOCITY)
        if "frame" not in entries or len(entries) == 1:
            raise value.complaint("it must have a frame, and a linear or an angular velocity")
        linear, angular = (reading.vector(entries[kind], 3) if kind in entries else None for kind in ROWS)
        return cls(reading.frame(entries["frame"]), linear, angular)

    def factors(self, steps: TrajectoryUnknowns, name: str) -> Iterable[Factors]:
        """Return one factor for each point of the time. Raises InputError."""
        given = {kind: value for kind in ROWS if (value := getattr(self, kind)) is not None}
        if not given:
            raise InputError(f"frame {self.frame!r} is given no velocity", fix="give linear, angular, or both")
        for kind, value in given.items():
            at = validate_numbers(f"the {kind} velocity of frame {self.frame!r}", value)
            if at.shape[-1:] != (3,) or not np.isfinite(at).all():
                raise InputError(f"the {kind} velocity of frame {self.frame!r} is {value!r}", fix="give three numbers")
            template = FrameVelocityError(steps.mechanics, steps.mechanics.robot.frame(self.frame).name, ROWS[kind])
            how: Any = {"sigma": self.sigma, "name": f"{name}: {kind} velocity", "at": at}
            yield from make_goal_factors(steps, self.time, template, "q", "qd", **how)
