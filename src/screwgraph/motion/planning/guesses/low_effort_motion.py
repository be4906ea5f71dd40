"""The smooth motion that comes nearest to keeping limits of effort, found without code for derivatives.

Where a robot cannot hold itself, this tells in a fraction of a second whether it may swing to its goal, and how.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.protocols import keeps
from screwgraph.model.robot import constraint_jacobian, independent_coordinates
from screwgraph.motion.planning.factors.dynamics import compile_required_forces
from screwgraph.motion.planning.guesses.inverse_kinematics import is_found_at_once, list_reaching_positions
from screwgraph.motion.planning.items import FrameGoal, PositionGoal
from screwgraph.motion.planning.limits import EffortLimit
from screwgraph.motion.planning.models import name_effort
from screwgraph.motion.planning.task import Task
from screwgraph.motion.planning.trajectory_unknowns import TrajectoryUnknowns

MARGIN = 0.1
"""Excess up to which a motion that is not a polynomial may yet keep limits: a part of these, or of half the weight."""
PARTS = np.linspace(0.0, 1.0, 41)
"""Parts of the duration at which limits are looked at."""
PER_SECOND, FEWEST, MOST = 4, 8, 24
"""Polynomials of each joint, by the duration of the motion."""
STARTS, ITERATIONS, SLOW = 4, 25, 1e-2
"""Motions to begin with; steps from each, the last of which takes so small a part of the squares away."""
ASIDE = 1.0
"""Standard deviation (rad, m) of joints at the middle of other motions to begin with."""
SMALL = 1e-6
"""Difference by which derivatives are taken."""


@dataclass(frozen=True, eq=False)
class MotionEnds:
    """Ends of motions: positions, velocities (None where the last is free), and the duration (s).

    Between them, velocities are `directions` times those of independent coordinates.
    """

    q: tuple[np.ndarray, np.ndarray]
    qd: tuple[np.ndarray, np.ndarray | None]
    duration: float
    directions: Float[np.ndarray, "n m"]

    @property
    def count(self) -> int:
        """How many polynomials each joint has."""
        return int(np.clip(PER_SECOND * self.duration, FEWEST, MOST))

    def motions(self, parts: Float[np.ndarray, " M"]) -> MotionFamily:
        """Return the motions between these ends, at parts 0..1 of the duration.

        The one in the middle is a cubic, or, where the last velocity is free, a parabola.
        """
        (a, b), (u, v), T = self.q, self.qd, self.duration
        x = np.polynomial.Chebyshev.identity([0.0, 1.0])
        way, first, last = b - a, T * u, np.zeros_like(a) if v is None else T * v
        rows = [a, first, way - first, 0.0 * a]
        if v is not None:
            rows = [a, first, 3.0 * way - 2.0 * first - last, first + last - 2.0 * way]
        bump = x**2 * (1.0 - x) ** (1 if v is None else 2)
        waves = [bump * np.polynomial.Chebyshev.basis(k, [0.0, 1.0]) for k in range(self.count)]
        waves = [w / np.abs(w(PARTS)).max() for w in waves]

        def sample_functions(functions: list) -> np.ndarray:
            return np.array([[(f.deriv(d) if d else f)(parts) / T**d for f in functions] for d in range(3)])

        middle = np.einsum("dkm,kn->dmn", sample_functions([x**0, x, x**2, x**3]), np.array(rows))
        return MotionFamily(middle, sample_functions(waves).transpose(0, 2, 1), self.directions)


@dataclass(frozen=True, eq=False)
class MotionFamily:
    """Motions with the same ends: one in the `middle`, and polynomials (`shapes`) that leave the ends as they are.

    Positions, velocities and accelerations, at the same times; polynomials are of independent coordinates.
    """

    middle: Float[np.ndarray, "3 M n"]
    shapes: Float[np.ndarray, "3 M K"]
    directions: Float[np.ndarray, "n m"]

    def evaluate(self, c: Float[np.ndarray, "*B K m"]) -> Float[np.ndarray, "3 *B M n"]:
        """Return motions with these multiples of the polynomials."""
        moved = np.moveaxis(np.matmul(self.shapes, (c @ self.directions.T)[..., None, :, :]), -3, 0)
        return moved + self.middle.reshape(3, *[1] * (c.ndim - 2), *self.middle.shape[1:])


@dataclass(frozen=True, eq=False)
class ForceBounds:
    """Limits of the forces along independent coordinates; 0 where nothing drives them; `scale` is what an excess is
    part of.
    """

    lower: Float[np.ndarray, " m"]
    upper: Float[np.ndarray, " m"]
    scale: Float[np.ndarray, " m"]

    def excess(self, forces: Float[np.ndarray, "*N m"]) -> Float[np.ndarray, "*N m"]:
        """Return by how much forces exceed them, in parts of `scale`."""
        return (forces - np.clip(forces, self.lower, self.upper)) / self.scale


@dataclass(frozen=True, eq=False)
class NearestMotion:
    """The motion of least excess that was found: that excess, what it exceeds, and its values by family."""

    excess: float
    reason: str
    values: Mapping[str, np.ndarray]


def find_nearest_motion(task: Task, steps: TrajectoryUnknowns) -> NearestMotion | None:
    """Return the smooth motion that comes nearest to keeping all limits of effort; other limits are not looked at.

    None for tasks without such limits, and those that do not give a start, a duration, and as the last goal a whole
    position, or a pose that is reached.
    """
    limits = [(name, i) for name, i in task.items() if isinstance(i, EffortLimit) and i.sigma is None]
    every = list(_ends(task, steps)) if limits and steps.drive.what == "joint" else []
    if not every:
        return None
    required = _along_independent(compile_required_forces(steps, ()), every[0].directions)
    bounds = _bounds(steps, [limit for _, limit in limits], required, every)
    tries = ((ends, _descend_excess(ends, required, bounds, c)) for ends in every for c in _starts(ends))
    best, least = (every[0], np.zeros(0)), np.inf
    for ends, (excess, c) in tries:
        if excess < least:
            best, least = (ends, c), excess
        if least <= MARGIN:
            break
    ends, c = best
    reason = _describe_excess(steps, " and ".join(name for name, _ in limits), ends, c, required, bounds)
    q, qd, every = ends.motions(steps.times / ends.duration).evaluate(c)
    qdd = every[steps.points]
    forces = required(q[steps.points], qd[steps.points], qdd)
    tau = forces @ np.linalg.pinv(ends.directions[list(steps.actuated)])
    held = np.unique(steps.effort_of_sample, return_index=True)[1]
    return NearestMotion(least, reason, {"q": q, "qd": qd, "qdd": qdd, "tau": tau[held]})


def _along_independent(required: Callable, directions: Float[np.ndarray, "n m"]) -> Callable[..., np.ndarray]:
    """Return the forces (N, m) along independent coordinates: those of couplings do no work."""
    return lambda q, qd, qdd: required(q, qd, qdd) @ directions


def _bounds(
    steps: TrajectoryUnknowns, limits: list[EffortLimit], required: Callable, every: list[MotionEnds]
) -> ForceBounds:
    boxes, levers = [limit.box(steps) for limit in limits], every[0].directions[list(steps.actuated)]
    ends = np.max([b[0] for b in boxes], axis=0), np.min([b[1] for b in boxes], axis=0)
    products = [np.where(levers != 0.0, levers * end[:, None], 0.0) for end in ends]
    lower, upper = np.minimum(*products).sum(axis=0), np.maximum(*products).sum(axis=0)
    q = np.array([at for ends in every for at in ends.q])
    weight = np.abs(required(q, np.zeros_like(q), np.zeros_like(q))).max(axis=0)
    widest = np.where(np.isfinite(upper), np.maximum(np.abs(lower), np.abs(upper)), 0.0)
    scale = np.maximum(widest, 0.5 * weight)
    return ForceBounds(lower, upper, np.maximum(scale, 1e-3 * scale.max()))


def _starts(ends: MotionEnds) -> Iterator[np.ndarray]:
    rng, c = np.random.default_rng(0), np.zeros((ends.count, ends.directions.shape[1]))
    for start in range(STARTS):
        c[0] = 0.0 if start == 0 else ASIDE * rng.standard_normal(c.shape[1])
        yield c.copy()


def _descend_excess(
    ends: MotionEnds, required: Callable, bounds: ForceBounds, c: np.ndarray
) -> tuple[float, np.ndarray]:
    """Go down with the squares of excess by Levenberg-Marquardt's method; return the largest excess, and where."""
    motions, steps, damping = ends.motions(PARTS), SMALL * np.eye(c.size).reshape(c.size, *c.shape), 1e-3

    def residuals(c: np.ndarray) -> np.ndarray:
        every = motions.evaluate(c)
        forces = required(*every.reshape(3, -1, every.shape[-1]))
        return bounds.excess(forces).reshape(len(c), -1)

    (r,) = residuals(c[None])
    for _ in range(ITERATIONS):
        if np.abs(r).max() <= 0.5 * MARGIN:
            break
        J = (residuals(c + steps) - r).T / SMALL
        H, g = J.T @ J, J.T @ r
        for _ in range(4):
            d = np.linalg.solve(H + damping * np.diag(np.diag(H) + 1e-9), -g).reshape(c.shape)
            (new,) = residuals((c + d)[None])
            if new @ new < r @ r:
                break
            damping *= 10.0
        else:
            break
        is_slow = r @ r - new @ new < SLOW * (r @ r)
        c, r, damping = c + d, new, 0.1 * damping
        if is_slow:
            break
    return float(np.abs(r).max()), c


def _describe_excess(
    steps: TrajectoryUnknowns, names: str, ends: MotionEnds, c: np.ndarray, required: Callable, bounds: ForceBounds
) -> str:
    forces = required(*ends.motions(PARTS).evaluate(c))
    m, column = divmod(int(np.abs(bounds.excess(forces)).argmax()), forces.shape[1])
    coordinate = independent_coordinates(steps.mechanics.robot)[column]
    force, unit = forces[m, column], steps.mechanics.units("force")[coordinate]
    most = bounds.upper[column] if force > 0.0 else -bounds.lower[column]
    is_driven = ends.directions[list(steps.actuated), column].any()
    allowed = f"{most:.3g} {unit} are allowed" if is_driven else "it has no motor"
    takes = f"a {name_effort(unit)} of {abs(force):.3g} {unit} of joint {steps.mechanics.labels[coordinate]!r}"
    when = f"at t = {PARTS[m] * ends.duration:.3g} s"
    return f"no smooth motion was found that keeps {names}: the nearest takes {takes} {when}, where {allowed}"


def _ends(task: Task, steps: TrajectoryUnknowns) -> Iterator[MotionEnds]:
    """Yield where motions begin and may end, where a task says it."""
    robot, last = task.robot, len(steps.times) - 1
    q, qd, directions = *(steps.given[family].get(0) for family in ("q", "qd")), _directions(robot)
    if q is None or qd is None or directions is None or steps.duration is not None or robot.nq != robot.nv:
        return
    reached: list[np.ndarray] = []
    for goal in task.goals:
        if not keeps(goal, PositionGoal, FrameGoal) or goal.sigma is not None:
            continue
        times = steps.times_at(goal.time)
        if times[-1] != steps.times[last]:
            continue
        if keeps(goal, PositionGoal):
            at, joints = goal.position(robot)
            reached = [at.reshape(-1, robot.nq)[-1]] if set(joints) == set(robot.joint_names) else []
        elif len(times) == 1 and is_found_at_once(goal, steps.mechanics):
            reached = list_reaching_positions(steps.mechanics, [goal], q)
    for there in reached:
        yield MotionEnds((q, there), (qd, steps.given["qd"].get(last)), float(steps.times[-1]), directions)


def _directions(robot: Any) -> Float[np.ndarray, "n m"] | None:
    """Return what velocities independent coordinates cause, None where that depends on the position."""
    if not robot.is_closed:
        return np.eye(robot.nv)
    if not robot.has_frames or robot.loops or not all(c.is_linear for c in robot.couplings):
        return None
    free, found = list(independent_coordinates(robot)), np.zeros((robot.nv, robot.mobility.freedom))
    K = constraint_jacobian(robot, robot.neutral())[list(robot.mobility.kept)]
    rest = np.setdiff1d(np.arange(robot.nv), free)
    found[free], found[rest] = np.eye(len(free)), -np.linalg.solve(K[:, rest], K[:, free])
    return found
