"""Contact forces that cancel out cost a little: else nothing decides between forces that make the same wrench.

Four points of a sole have twelve forces for six numbers of a wrench; what is left would jump from sample to sample.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from screwgraph.motion.planning.costs import Effort
from screwgraph.motion.planning.costs.base import select_weights
from screwgraph.motion.planning.items import Wrench
from screwgraph.motion.planning.mechanics import Mechanics
from screwgraph.motion.planning.regularisation import NAME
from screwgraph.motion.planning.task import Task
from screwgraph.motion.planning.trajectory_unknowns import TrajectoryUnknowns
from screwgraph.optimize import Factors, each, soft

ARM = 0.03
"""Lever arm (m) by which a force that cancels out costs as much as a torque: far less than legs are long."""


@dataclass(frozen=True)
class InternalForces:
    """Internal contact forces: those that make no wrench."""

    mechanics: Mechanics
    frame: str
    internal: Callable[[Any, Any, Any], Any]

    def __call__(self, q: Any, forces: Any) -> Any:
        """Return it."""
        return self.internal(q, self.mechanics.pose_of(self.frame)(q), forces)


def make_internal_force_cost(task: Task, steps: TrajectoryUnknowns, acting: Sequence[Wrench]) -> Iterator[Factors]:
    """Return a cost of the forces of each contact that cancel out; none of tasks that are not regularised."""
    if not np.isfinite(task.regularisation):
        return
    weight = ARM**2 * _weight_of_effort(task, steps)
    lasting = np.array([phase.duration for phase in steps.phases])[steps.phase_of_sample] * steps.weights
    for w, internal in ((w, w.internal) for w in acting):
        if internal is None:
            continue
        sigma = 1.0 / np.sqrt(2.0 * weight * lasting[w.samples])
        states, template = steps.q[steps.points[w.samples]], InternalForces(steps.mechanics, w.frame, internal)
        yield soft(template, states, w.unknowns[:], sigma=each(sigma), name=f"{NAME}: {w.unknowns.name}")


def _weight_of_effort(task: Task, steps: TrajectoryUnknowns) -> float:
    """Return the mean weight of the task's costs of effort, 1 where there are none."""
    sums = np.zeros(len(steps.drive.labels))
    for cost in (cost for cost in task.costs if isinstance(cost, Effort)):
        columns, weight = select_weights(cost.weight, len(sums), steps.drive.places)
        sums[list(columns)] += weight
    return float(sums.mean()) if sums.any() else 1.0
