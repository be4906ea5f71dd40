"""Joint positions at a time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import validate_numbers
from screwgraph.base.errors import InputError
from screwgraph.model.formats.yaml_values import Value
from screwgraph.model.robot import Robot, check_unit
from screwgraph.motion.planning.factors.driven_coordinates import hold_start
from screwgraph.motion.planning.goals.base import make_goal_factors
from screwgraph.motion.planning.mechanics import Mechanics
from screwgraph.motion.planning.models import find_model_kind, list_values, merge_names, set_coordinates
from screwgraph.motion.planning.task_parser import TaskParser
from screwgraph.motion.planning.trajectory_unknowns import Time, TrajectoryUnknowns
from screwgraph.motion.planning.violation import Violation
from screwgraph.optimize import Factors, Manifold
from screwgraph.spatial.manifolds.tangent_coordinates import to_tangent

if TYPE_CHECKING:
    from screwgraph.motion.planning.task import Task


@dataclass(frozen=True)
class PositionError:
    """Chosen velocity coordinates of what leads from the position `at` to q."""

    positions: Manifold
    columns: tuple[int, ...]

    def __call__(self, q: Any, *, at: Any) -> Any:
        """Return them."""
        return self.positions.defect(at, q)[list(self.columns)]

    def describe(self, violation: Violation) -> str:
        """Say which joint is off by most."""
        return violation.describe_joint(self.columns)


@dataclass(frozen=True)
class CoordinateError:
    """Single coordinates of q less `at`: rotation vectors (rad) and places (m), see `set_coordinates`."""

    positions: Manifold
    columns: tuple[int, ...]

    def __call__(self, q: Any, *, at: Any) -> Any:
        """Return the difference."""
        return to_tangent(self.positions, self.positions.identity(), q)[list(self.columns)] - at

    def describe(self, violation: Violation) -> str:
        """Say which joint is off by most."""
        return violation.describe_joint(self.columns)


@dataclass(frozen=True, eq=False)
class Position:
    """Joints stand at given positions (rad, m): a whole q (nq,), or {joint: value}; soft where `sigma` is given.

    A joint of several coordinates may be named one by one, {"base[2]": value}: see `set_coordinates`.
    """

    at: Any
    time: Time = "end"
    sigma: float | None = None

    family = "q"

    @classmethod
    def read(cls, value: Value, reading: TaskParser) -> Position:
        """Read [q ...] or {joint: q}. Raises ModelError."""
        return cls(reading.joints(value, reading.robot.nq))

    def factors(self, steps: TrajectoryUnknowns, name: str) -> Iterable[Factors]:
        """Return one factor for each point of the time. Raises InputError."""
        robot, positions = steps.mechanics.robot, steps.mechanics.positions
        q, names = self.position(robot)
        flat, sigma = flat_coordinates(robot), self.sigma
        alone = [n for n in names if n not in robot.q_slices and not flat.issuperset(steps.mechanics.coordinates(n))]
        columns = steps.mechanics.columns([n for n in names if n not in alone])
        if columns:
            template = PositionError(positions, columns)
            yield from make_goal_factors(steps, self.time, template, "q", sigma=sigma, name=f"{name}: position", at=q)
        if alone:
            columns = steps.mechanics.columns(alone)
            at = np.asarray(list_values(robot, q), dtype=float)[list(columns)]
            template = CoordinateError(positions, columns)
            called = f"{name}: coordinates"
            yield from make_goal_factors(steps, self.time, template, "q", sigma=sigma, name=called, at=at)

    def position(self, robot: Robot) -> tuple[Float[np.ndarray, "*n nq"], tuple[str, ...]]:
        """Return q, neutral where nothing is given, and the joints that are given. Raises InputError."""
        return complete_position(robot, self.at)

    def whole_values(self, mechanics: Mechanics) -> Float[np.ndarray, "*n nq"] | None:
        """Return q where it is given as a whole. Raises InputError."""
        return None if isinstance(self.at, Mapping) else self.position(mechanics.robot)[0]


def flat_coordinates(robot: Any) -> set[int]:
    """Return the velocity coordinates of joints whose positions are as many numbers."""
    parts = [robot.v_slices[joint.name] for joint in robot.joints if joint.type.nq == joint.type.nv]
    return {c for part in parts for c in range(part.start, part.stop)}


def find_start_position(task: Task) -> Float[np.ndarray, " nq"]:
    """Return where a task's motion begins; coordinates of a mechanism that are not given follow. Raises InputError."""
    robot, start = task.robot, {} if task.start is None and task.robot.driven else task.start
    if isinstance(start, Mapping):
        start = hold_start(robot, start, 0)
    q = robot.neutral() if start is None else complete_position(robot, start)[0]
    return find_model_kind(robot).completed(robot, q, start) if isinstance(start, Mapping) else q


def complete_position(robot: Robot, at: Any) -> tuple[Float[np.ndarray, " nq"], tuple[str, ...]]:
    """Return a whole position, neutral where nothing is given, and the joints or coordinates that are given.

    Raises:
        InputError: a name or a size is wrong.
    """
    if isinstance(at, Mapping):
        q, given = set_coordinates(robot, robot.neutral(), at), merge_names(robot, tuple(at))
    else:
        q, given = validate_numbers("a position", at), robot.joint_names
        if q.shape[-1:] != (robot.nq,):
            raise InputError(f"a position has the shape {q.shape}", why=f"robot {robot.name!r} has nq = {robot.nq}")
    if not np.isfinite(q).all():
        raise InputError("a position is not finite")
    check_unit(robot, q)
    return q, given
