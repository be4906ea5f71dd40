"""Joint accelerations at a time: with a velocity of zero, a robot that stands still."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from screwgraph.base.errors import InputError
from screwgraph.model.formats.yaml_values import Value
from screwgraph.motion.planning.goals.base import make_goal_factors
from screwgraph.motion.planning.goals.velocity import leave_rest_to_loops, select_velocities
from screwgraph.motion.planning.task_parser import TaskParser
from screwgraph.motion.planning.template_wrappers import EntryError
from screwgraph.motion.planning.trajectory_unknowns import Time, TrajectoryUnknowns
from screwgraph.optimize import Factors


@dataclass(frozen=True, eq=False)
class Acceleration:
    """Joints accelerate at given rates (rad/s^2, m/s^2): 0, a whole qdd (nv,), or {joint: value}; soft with a `sigma`.

    Where a rule of collocation has no acceleration at a time, it is the one next to it.
    """

    at: Any = 0.0
    time: Time = "end"
    sigma: float | None = None

    @classmethod
    def read(cls, value: Value, reading: TaskParser) -> Acceleration:
        """Read a number, [qdd ...] or {joint: qdd}. Raises ModelError."""
        return cls(reading.joints(value, reading.robot.nv))

    def factors(self, steps: TrajectoryUnknowns, name: str) -> Iterable[Factors]:
        """Return one factor for each sample of the time. Raises InputError."""
        if not steps.has_dynamics:
            raise InputError("the trajectory has no accelerations", why="the task is solved without dynamics")
        columns, value = select_velocities(steps.mechanics, leave_rest_to_loops(steps.mechanics, self.at))
        how: Any = {"sigma": self.sigma, "name": f"{name}: acceleration", "at": value}
        yield from make_goal_factors(steps, self.time, EntryError(columns), "qdd", **how)
