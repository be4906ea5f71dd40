"""Joint positions at a time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

from screwgraph.errors import InputError
from screwgraph.formats.yaml_values import Value
from screwgraph.optimize import Factors, Manifold
from screwgraph.plan.goals.base import Time, demanded, points_at
from screwgraph.plan.models import kind_of
from screwgraph.plan.reading import Reading
from screwgraph.plan.steps import Steps
from screwgraph.robot import Robot, check_unit, unknown

if TYPE_CHECKING:
    from screwgraph.plan.task import Task


@dataclass(frozen=True)
class Apart:
    """Chosen velocity coordinates of what leads from the position `at` to q."""

    positions: Manifold
    columns: tuple[int, ...]

    def __call__(self, q: Any, *, at: Any) -> Any:
        """Return them."""
        return self.positions.defect(at, q)[list(self.columns)]


@dataclass(frozen=True, eq=False)
class Position:
    """Joints stand at given positions (rad, m): a whole q (nq,), or {joint: value}; soft where `sigma` is given."""

    at: Any
    time: Time = "end"
    sigma: float | None = None

    @classmethod
    def read(cls, value: Value, reading: Reading) -> Position:
        """Read [q ...] or {joint: q}. Raises ModelError."""
        return cls(reading.joints(value, reading.robot.nq))

    def factors(self, steps: Steps, name: str) -> Iterable[Factors]:
        """Return one factor for each point of the time. Raises InputError."""
        q, joints = whole_position(steps.mechanics.robot, self.at)
        columns = steps.mechanics.columns(joints)
        template = Apart(steps.mechanics.positions, columns)
        yield demanded(template, steps.q[points_at(steps, self.time)], sigma=self.sigma, name=f"{name}: position", at=q)


def start_position(task: Task) -> Float[np.ndarray, " nq"]:
    """Return where a task's motion begins; coordinates of a mechanism that are not given follow. Raises InputError."""
    q = task.robot.neutral() if task.start is None else whole_position(task.robot, task.start)[0]
    return kind_of(task.robot).completed(task.robot, q, task.start) if isinstance(task.start, Mapping) else q


def whole_position(robot: Robot, at: Any) -> tuple[Float[np.ndarray, " nq"], tuple[str, ...]]:
    """Return a whole position, neutral where nothing is given, and the joints that are given. Raises InputError."""
    if isinstance(at, Mapping):
        q = robot.neutral()
        for joint, value in at.items():
            if joint not in robot.q_slices:
                raise unknown("joint", joint, robot.joint_names)
            part = robot.q_slices[joint]
            numbers = np.atleast_1d(np.asarray(value, dtype=float))
            if numbers.shape != (part.stop - part.start,):
                raise InputError(f"joint {joint!r} has {part.stop - part.start} coordinates, not {numbers.size}")
            q[part] = numbers
        given = tuple(at)
    else:
        q, given = np.asarray(at, dtype=float), robot.joint_names
        if q.shape[-1:] != (robot.nq,):
            raise InputError(f"a position has the shape {q.shape}", why=f"robot {robot.name!r} has nq = {robot.nq}")
    if not np.isfinite(q).all():
        raise InputError("a position is not finite")
    check_unit(robot, q)
    return q, given
