"""Accelerations cost a little where effort alone is minimised.

Joints with little inertia could else spin at no cost, and whole arms whirl so that centrifugal forces carry them: such
optima are finer than any mesh.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from jaxtyping import Float

from screwgraph.motion.planning.costs import Effort, Time
from screwgraph.motion.planning.costs.base import select_weights
from screwgraph.motion.planning.factors.dynamics import compile_required_forces
from screwgraph.motion.planning.items import Wrench
from screwgraph.motion.planning.task import Task
from screwgraph.motion.planning.template_wrappers import SelectedEntries
from screwgraph.motion.planning.trajectory_unknowns import TrajectoryUnknowns
from screwgraph.optimize import Factors

NAME = "regularisation"
POSITIONS = 16
"""Random positions at which the robot is held."""
ROTOR = 0.01
"""Part of the largest inertia of a joint that each joint has in addition, where there is no gravity to hold."""


def make_acceleration_cost(task: Task, steps: TrajectoryUnknowns, acting: Sequence[Wrench]) -> Iterator[Factors]:
    """Return a cost of accelerations of actuated coordinates, where effort is the only cost of motion.

    An acceleration of `task.regularisation` costs as much as the effort that holds the robot, on average of random
    positions.
    """
    others = [cost for cost in task.costs if not isinstance(cost, Effort | Time)]
    if others or not np.isfinite(task.regularisation):
        return
    each = list_effort_weights(task, steps)
    if not steps.actuated or not each.any():
        return
    holding, moving = measure_efforts(steps, acting)
    weight = float(each @ holding) / task.regularisation**2 + ROTOR**2 * float((moving @ each).max())
    if weight > 0.0:
        yield steps.integral(SelectedEntries(steps.actuated), steps.qdd, weight=weight, name=NAME)


def list_effort_weights(task: Task, steps: TrajectoryUnknowns) -> Float[np.ndarray, " m"]:
    """Return the weight of each effort in a task's costs, zero where it costs nothing."""
    each = np.zeros(len(steps.drive.labels))
    for cost in (cost for cost in task.costs if isinstance(cost, Effort)):
        columns, weight = select_weights(cost.weight, len(each), steps.drive.places)
        each[list(columns)] += weight
    return each


def measure_efforts(
    steps: TrajectoryUnknowns, acting: Sequence[Wrench]
) -> tuple[Float[np.ndarray, " m"], Float[np.ndarray, "k m"]]:
    """Return mean squares of the efforts that hold the robot, and squares of those that accelerate each coordinate.

    Both are without contacts; accelerations are of 1, against a coordinate's own inertia.
    """
    return steps.mechanics.get_or_make((NAME, steps.drive), lambda: _measure_squares(steps, acting))


def _measure_squares(
    steps: TrajectoryUnknowns, acting: Sequence[Wrench]
) -> tuple[Float[np.ndarray, " k"], Float[np.ndarray, " k"]]:
    """Return mean squares (m,) of the efforts that hold the robot, without contacts, and the squares (k, m) of those
    that accelerate each actuated coordinate by 1 against its own inertia.
    """
    robot, rng = steps.mechanics.robot, np.random.default_rng(0)
    held = np.array([robot.neutral(), *(robot.manifold.random(rng) for _ in range(POSITIONS))])
    moved = np.tile(robot.neutral(), (len(steps.actuated), 1))
    q, qdd = np.concatenate([held, moved]), np.zeros((len(held) + len(moved), robot.nv))
    chosen = np.arange(len(moved)), list(steps.actuated)
    qdd[len(held) + chosen[0], chosen[1]] = 1.0
    tau = compile_required_forces(steps, acting)(q, np.zeros_like(qdd), qdd)
    along = np.zeros((len(moved), robot.nv))
    along[chosen] = (tau[len(held) :] - tau[0])[chosen]
    holding, moving = steps.drive.efforts(held, tau[: len(held)]), steps.drive.efforts(moved, along)
    return (holding**2).mean(axis=0), moving**2
