"""Motions to begin with in which joints go round in cycles: so a body turns that nothing drives (a falling cat).

Velocities of what is not driven follow from the conserved momenta; cycles of some size, in one or the other sense, lead
near to where goals want the whole. Marsden, Montgomery, Ratiu (1990).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from jaxtyping import Float

from screwgraph.motion.planning.conserved_goals import Momenta, find_momenta
from screwgraph.motion.planning.dynamics import compile_required_forces
from screwgraph.motion.planning.goals import Position
from screwgraph.motion.planning.goals.position import complete_position
from screwgraph.motion.planning.limits import PositionLimit
from screwgraph.motion.planning.task import Task
from screwgraph.motion.planning.trajectory_unknowns import TrajectoryUnknowns
from screwgraph.optimize.manifold_code import difference_values, retract_values

TURNS = (1, 2, 3, 4)
"""Cycles within the duration."""
SIZES = np.linspace(0.25, 3.0, 12)
"""Amplitudes of joints (rad, m)."""
MOST = 6
"""Motions to begin with."""
HASTE = 0.05
"""Distance from the goals (rad, m) that a cycle of one radian more may bring less."""
SMALL = 1e-6


def cyclic_motions(task: Task, steps: TrajectoryUnknowns) -> Iterator[dict[str, np.ndarray]]:
    """Yield values by family of motions that end near the goals, nearest first; none where momenta leave some free."""
    momenta, robot, goal = find_momenta(steps), task.robot, _goal(task)
    driven = list(steps.actuated)
    free = [c for c in range(robot.nv) if c not in driven]
    if momenta is None or goal is None or len(free) != len(momenta.gravity) or steps.duration is not None:
        return
    tries = [(k, sense, size) for k in TURNS for sense in (1.0, -1.0) for size in SIZES]
    q, qd, is_kept = _carried_out(task, steps, momenta, goal, driven, free, tries)
    last = difference_values(steps.mechanics.positions, q[:, -1], np.broadcast_to(goal, q[:, -1].shape))
    off = np.abs(last).max(axis=1) + np.where(is_kept, 0.0, 10.0)
    off += HASTE * np.array([turns * size for turns, _, size in tries])
    taken: set[tuple[int, float]] = set()
    for i in np.argsort(off, kind="stable").tolist():
        if tries[i][:2] not in taken and len(taken) < MOST:
            taken.add(tries[i][:2])
            yield _values(steps, q[i], qd[i])


def _goal(task: Task) -> Float[np.ndarray, " nq"] | None:
    """Return the whole position that is the last hard goal."""
    for goal in reversed(task.goals):
        if isinstance(goal, Position) and goal.sigma is None and goal.time == "end":
            at, joints = complete_position(task.robot, goal.at)
            return at if at.ndim == 1 and set(joints) == set(task.robot.joint_names) else None
    return None


def _carried_out(
    task: Task,
    steps: TrajectoryUnknowns,
    momenta: Momenta,
    goal: np.ndarray,
    driven: list[int],
    free: list[int],
    tries: list,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return positions and velocities of all tries at the points of time, and which of them keep limits."""
    manifold, t, n = steps.mechanics.positions, steps.times, len(tries)
    q0, qd0 = (steps.given[family][0] for family in ("q", "qd"))
    p0, way = momenta.rows(q0[None])[0] @ qd0, difference_values(manifold, q0[None], goal[None])[0][driven]
    turns, sense, size = (np.array(column) for column in zip(*tries, strict=True))
    phases = 0.5 * np.pi * np.arange(len(driven))

    def shape(x: float) -> np.ndarray:
        """Return where the driven coordinates are at a part of the duration, from where they begin."""
        angle = 2.0 * np.pi * turns[:, None] * x + sense[:, None] * phases
        return way * x**2 * (3.0 - 2.0 * x) + np.sin(np.pi * x) ** 2 * size[:, None] * np.cos(angle)

    def rates(q: np.ndarray, x: float, time: float) -> np.ndarray:
        found = np.zeros((n, len(driven) + len(free)))
        low, high = max(x - SMALL, 0.0), min(x + SMALL, 1.0)
        found[:, driven] = (shape(high) - shape(low)) / ((high - low) * t[-1])
        a, p = momenta.rows(q), p0 + momenta.gravity * time
        found[:, free] = np.linalg.solve(
            a[:, :, free], (p - np.einsum("nrd,nd->nr", a[:, :, driven], found[:, driven]))[..., None]
        )[..., 0]
        return found

    q, qd = np.empty((n, len(t), q0.size)), np.empty((n, len(t), len(driven) + len(free)))
    at = np.broadcast_to(q0, (n, q0.size)).copy()
    for i, time in enumerate(t.tolist()):
        q[:, i], qd[:, i] = at, rates(at, time / t[-1], time)
        if i + 1 < len(t):
            h = float(t[i + 1] - time)
            half = retract_values(manifold, at, 0.5 * h * qd[:, i])
            step = h * rates(half, (time + 0.5 * h) / t[-1], time + 0.5 * h)
            step[:, driven] = shape((time + h) / t[-1]) - shape(time / t[-1])
            at = retract_values(manifold, at, step)
    return q, qd, _within_limits(task, steps, q)


def _within_limits(task: Task, steps: TrajectoryUnknowns, q: Float[np.ndarray, "n K nq"]) -> np.ndarray:
    kept = np.ones(len(q), dtype=bool)
    for limit in (i for i in task.limits if isinstance(i, PositionLimit) and i.sigma is None):
        lower, upper = limit.box(steps)
        kept &= ((q >= lower) & (q <= upper)).all(axis=(1, 2))
    return kept


def _values(steps: TrajectoryUnknowns, q: np.ndarray, qd: np.ndarray) -> dict[str, np.ndarray]:
    points = steps.points
    qdd = np.gradient(qd, steps.times, axis=0)[points]
    tau = compile_required_forces(steps, ())(q[points], qd[points], qdd)[:, list(steps.actuated)]
    held = {} if steps.collocation.holds else {"tau": tau}
    return {"q": q, "qd": qd, "qdd": qdd, **held}
