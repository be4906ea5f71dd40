"""Nearness to a posture."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from screwgraph.model.formats.yaml_values import Value
from screwgraph.motion.planning.costs.base import select_weights
from screwgraph.motion.planning.goals.position import complete_position
from screwgraph.motion.planning.keys import POSTURE
from screwgraph.motion.planning.task_parser import TaskParser
from screwgraph.motion.planning.trajectory_unknowns import TrajectoryUnknowns
from screwgraph.optimize import Factors, Manifold


@dataclass(frozen=True)
class PostureError:
    """How far chosen coordinates are from the position `at`, in velocity coordinates."""

    positions: Manifold
    columns: tuple[int, ...]

    def __call__(self, q: Any, *, at: Any) -> Any:
        """Return it."""
        return self.positions.defect(at, q)[list(self.columns)]


@dataclass(frozen=True, eq=False)
class Posture:
    """weight * integral of the squared distance to the position `at`; one weight, or {joint: weight}.

    `at` is (nq,) or {joint: value}, others neutral; None is the neutral position. Floating joints have coordinates
    `joint[0]`, ..., in the order of their velocities.
    """

    weight: Any = 1.0
    at: Any = None

    @classmethod
    def read(cls, value: Value, reading: TaskParser) -> Posture:
        """Read {weight, at}. Raises ModelError."""
        entries = value.section(POSTURE)
        weight = reading.joints(entries["weight"]) if "weight" in entries else 1.0
        return cls(weight, reading.joints(entries["at"], reading.robot.nq) if "at" in entries else None)

    def factors(self, steps: TrajectoryUnknowns, name: str) -> Iterable[Factors]:
        """Return one factor for each sample. Raises InputError."""
        robot = steps.mechanics.robot
        at = robot.neutral() if self.at is None else complete_position(robot, self.at)[0]
        columns, weight = select_weights(self.weight, robot.nv, steps.mechanics.coordinates)
        template = PostureError(steps.mechanics.positions, columns)
        yield steps.integral(template, steps.q, weight=weight, name=name, at=at)
