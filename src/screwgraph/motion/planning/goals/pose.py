"""The pose of a link or frame at a time."""

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
from screwgraph.model.robot import check_unit
from screwgraph.motion.planning.goals.base import make_goal_factors
from screwgraph.motion.planning.keys import POSE
from screwgraph.motion.planning.mechanics import Mechanics
from screwgraph.motion.planning.task_parser import TaskParser
from screwgraph.motion.planning.trajectory_unknowns import Time, TrajectoryUnknowns
from screwgraph.motion.planning.violation import Violation
from screwgraph.optimize import Factors
from screwgraph.spatial import inverse, turn_and_shift


@dataclass(frozen=True)
class PoseError:
    """Rotation vector (rad) and difference of positions (m) that lead from the pose `at`, in its axes, to a frame's."""

    mechanics: Mechanics
    frame: str

    def __call__(self, q: Any, *, at: Any) -> Any:
        """Return them, (6,)."""
        return turn_and_shift(inverse(at) @ self.mechanics.pose_of(self.frame)(q))

    def describe(self, violation: Violation) -> str:
        """Say how far the frame is from its pose."""
        turned, away = np.linalg.norm(violation.residual[:3]), np.linalg.norm(violation.residual[3:])
        return f"frame {self.frame!r} is {away:.3g} m and {turned:.3g} rad from its pose"


@dataclass(frozen=True, eq=False)
class Pose:
    """A frame has the pose `at` (4, 4) in the base, or the one that it has where the robot stands at `of` (nq,)."""

    frame: str
    at: Any = None
    time: Time = "end"
    sigma: float | None = None
    of: Any = None

    @classmethod
    def read(cls, value: Value, reading: TaskParser) -> Pose:
        """Read {frame, of: [q ...]} or {frame, xyz, rpy or quaternion}. Raises ModelError."""
        entries = value.section(POSE)
        if "frame" not in entries:
            raise value.complaint("it must name a frame")
        frame = reading.frame(entries["frame"])
        if "of" in entries:
            return cls(frame, of=reading.vector(entries["of"], reading.robot.nq))
        return cls(frame, reading.pose(entries))

    def factors(self, steps: TrajectoryUnknowns, name: str) -> Iterable[Factors]:
        """Return one factor for each point of the time. Raises InputError."""
        template = PoseError(steps.mechanics, self.frame)
        how: Any = {"sigma": self.sigma, "name": f"{name}: pose", "at": self._find_pose(steps.mechanics), "rank": 2}
        yield from make_goal_factors(steps, self.time, template, "q", **how)

    def target(self, mechanics: Mechanics) -> tuple[targets.Pose, np.ndarray]:
        """Return the pose of inverse kinematics and its value. Raises InputError."""
        return targets.Pose(self.frame), self._find_pose(mechanics)

    def place(self, mechanics: Mechanics) -> Float[np.ndarray, "*n 3"]:
        """Return where the frame's origin is (m). Raises InputError."""
        return self._find_pose(mechanics)[..., :3, 3]

    def rotation(self, mechanics: Mechanics) -> Float[np.ndarray, "*n 3 3"]:
        """Return the frame's axes. Raises InputError."""
        return self._find_pose(mechanics)[..., :3, :3]

    def _find_pose(self, mechanics: Mechanics) -> Float[np.ndarray, "*n 4 4"]:
        """Return the pose in the base. Raises InputError where it is none."""
        place = mechanics.pose_of(self.frame)
        if self.of is not None:
            q = validate_numbers("a position", self.of)
            if q.shape != (mechanics.robot.nq,):
                raise InputError(f"a position has the shape {q.shape}, expected {(mechanics.robot.nq,)}")
            check_unit(mechanics.robot, q)
            return np.asarray(place(q), dtype=float)
        if self.at is None:
            raise InputError(
                f"the pose of frame {self.frame!r} is not given",
                fix="give at=T (4, 4), or a position of the robot, of=q",
            )
        T = validate_numbers(f"the pose of frame {self.frame!r}", self.at)
        if T.shape[-2:] != (4, 4) or not np.allclose(T[..., :3, :3] @ np.swapaxes(T[..., :3, :3], -1, -2), np.eye(3)):
            raise InputError(f"the goal of frame {self.frame!r} is not a pose", fix="give a 4 x 4 matrix")
        return T
