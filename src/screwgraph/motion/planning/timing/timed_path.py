"""Tasks with an exact path: its fastest timing, within limits of velocities, accelerations and torques."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.mechanics.dynamics import inverse_dynamics
from screwgraph.motion.integration_rules import TRAPEZOIDAL
from screwgraph.motion.planning.exact_path import ExactPath
from screwgraph.motion.planning.limits import AccelerationLimit, EffortLimit, PositionLimit, VelocityLimit
from screwgraph.motion.planning.mechanics import Mechanics
from screwgraph.motion.planning.phases import horizon
from screwgraph.motion.planning.timing.path_timing import PathProfile, Rows, find_fastest_profile
from screwgraph.motion.planning.trajectory_unknowns import TrajectoryUnknowns
from screwgraph.motion.planning.transcription.problem import locate_errors, name_errors
from screwgraph.motion.simulation import States, Trajectory

if TYPE_CHECKING:
    from screwgraph.motion.planning.task import Task

INSIDE = 4
"""Parts of an interval at whose ends limits are kept."""
LOOKS = 16
"""Parts of an interval at whose ends they are looked at afterwards."""
EXCEEDED = 1e-7
"""Part of a limit that is rounding."""
ROUNDS = 60
"""Times that a path is timed anew: with the damping of the speed before, and limits narrowed by what was exceeded."""
STEADY, SLOW = 1e-8, 1e-3
"""Change of a profile that is none, and the part of its largest speed below which damping counts as at that."""


@dataclass(frozen=True, eq=False)
class TimedPath:
    """The fastest motion along a task's path, exactly on it; q, qd, qdd and tau at the times of its steps, and between.

    `status` is "solved", or where no speed keeps the limits. `margin` is how much narrower than asked limits were
    kept, as a part of them, so that they hold between points.
    """

    task: Task
    status: str
    s: Float[np.ndarray, " n"]
    profile: PathProfile
    margin: float
    reason: str
    seconds: float

    @property
    def feasible(self) -> bool:
        """Whether there is such a motion."""
        return self.profile.stuck is None

    @property
    def solved(self) -> bool:
        """Whether there is such a motion, and it was found."""
        return self.feasible

    @cached_property
    def t(self) -> Float[np.ndarray, " n"]:
        """Times (s) at which steps begin and end."""
        root = np.sqrt(self.profile.x)
        return np.append(0.0, np.cumsum(2.0 * np.diff(self.s) / (root[1:] + root[:-1])))

    @property
    def cost(self) -> float:
        """The time that the motion takes (s)."""
        return float(self.t[-1])

    @cached_property
    def trajectory(self) -> Trajectory:
        """The motion. Raises InputError where there is none."""
        if not self.feasible:
            raise InputError(f"there is no motion: {self.status}", why=self.reason)
        return Trajectory(self.task.robot, "plan, exact path", self.t, *self._states(self.t)[:4], between=self._states)

    def at(self, times: Float[np.ndarray, "*n"] | float) -> States:
        """Return the states at times (s); a single time gives vectors. See `Trajectory.at`. Raises InputError."""
        return self.trajectory.at(times)

    @property
    def q(self) -> Float[np.ndarray, "n nq"]:
        """Positions."""
        return self.trajectory.q

    @property
    def qd(self) -> Float[np.ndarray, "n nv"]:
        """Velocities."""
        return self.trajectory.qd

    @property
    def qdd(self) -> Float[np.ndarray, "n nv"]:
        """Accelerations; where two steps meet, those of the later one."""
        return self.trajectory.qdd

    @property
    def tau(self) -> Float[np.ndarray, "n nv"]:
        """Torques of all joints."""
        return self.trajectory.tau

    def _states(self, times: Float[np.ndarray, " n"]) -> States:
        i = np.clip(np.searchsorted(self.t, times, side="right") - 1, 0, len(self.t) - 2)
        dt, u = times - self.t[i], self.profile.u[i]
        rate = np.sqrt(self.profile.x[i]) + u * dt
        s = np.clip(self.s[i] + np.sqrt(self.profile.x[i]) * dt + 0.5 * u * dt**2, self.s[0], self.s[-1])
        path = _path(self.task)
        q, q1, q2 = (path.at(s, order) for order in range(3))
        qd, qdd = q1 * rate[:, None], q1 * u[:, None] + q2 * (rate**2)[:, None]
        return States(q, qd, qdd, inverse_dynamics(self.task.robot)(q, qd, qdd), {})

    def __repr__(self) -> str:
        took = f"{self.cost:.6g} s along {self.s[-1]:.4g} of way, " if self.feasible else ""
        return f"<timed path {self.task.name!r}: {self.status}, {took}found in {self.seconds:.3g} s>"


def time_path(task: Task) -> TimedPath:
    """Return the fastest motion along the path of a task.

    Raises:
        InputError: the path does not fit the robot, or a limit or another item is none that timing takes.
    """
    began, path = perf_counter(), _path(task)
    with locate_errors(task):
        _check_task(task, path)
        limits = _Limits.of_task(task)
    if off := limits.leave_positions(path):
        raise InputError(off, fix="change the path, or the limit")
    s = np.linspace(0.0, path.edges[-1], path.steps + 1)
    s = np.union1d(s, path.edges)
    s = s[np.append(True, np.diff(s) > 1e-9 * s[-1])]
    margin, before = 0.0, None
    profile = PathProfile(np.zeros(len(s)), np.zeros(len(s) - 1))
    for _ in range(ROUNDS):
        profile = find_fastest_profile(s, list(limits.make_rows(path, s, profile.x, margin)), (0.0, 0.0))
        if profile.stuck is not None:
            break
        is_steady = before is not None and np.abs(profile.x - before).max() <= STEADY * profile.x.max()
        before = profile.x
        if is_steady or not limits.is_damped:
            over = limits.measure_excess(path, s, profile)
            if over <= EXCEEDED:
                break
            margin += over
    seconds = perf_counter() - began
    if profile.stuck is None:
        return TimedPath(task, "solved", s, profile, margin, "no faster motion keeps the limits", seconds)
    part = s[profile.stuck] / s[-1]
    why = limits.explain(path, s[profile.stuck : profile.stuck + 1])
    return TimedPath(task, f"infeasible at {100.0 * part:.3g} % of the path", s, profile, margin, why, seconds)


def _path(task: Task) -> ExactPath:
    assert task.path is not None
    return task.path


def _check_task(task: Task, path: ExactPath) -> None:
    robot = task.robot
    if not robot.has_frames or robot.nq != robot.nv or robot.is_closed or robot.actuators:
        raise InputError(
            f"an exact path is for robots with a number for each joint, and {robot.name!r} is none",
            why="closed loops, actuators and joints that turn in space are not timed",
        )
    if path.positions.shape[1] != robot.nq:
        raise InputError(
            f"path: positions have {path.positions.shape[1]} numbers", why=f"the robot has nq = {robot.nq}"
        )
    for name, item in task.items():
        is_limit = isinstance(item, VelocityLimit | AccelerationLimit | EffortLimit | PositionLimit)
        if not is_limit or item.sigma is not None:
            raise InputError(
                f"{name}: the timing of an exact path keeps no such item",
                why="path and rest at its ends are given; hard limits decide how fast it is",
                fix="leave it out: limits of position, velocity, acceleration and effort remain",
            )
    if not any(isinstance(i, VelocityLimit | AccelerationLimit | EffortLimit) for i in task.limits):
        raise InputError("a path without limits would be passed in no time", fix="limits: [velocity, effort]")


@dataclass(frozen=True, eq=False)
class _Limits:
    """Bounds (lower, upper) of velocities, accelerations and torques; infinite where there are none."""

    robot: Any
    labels: Sequence[str]
    position: tuple[np.ndarray, np.ndarray]
    velocity: tuple[np.ndarray, np.ndarray]
    acceleration: tuple[np.ndarray, np.ndarray]
    effort: tuple[np.ndarray, np.ndarray]

    @classmethod
    def of_task(cls, task: Task) -> _Limits:
        """Return the narrowest bounds of a task's limits. Raises InputError."""
        mechanics = Mechanics(task.robot)
        steps = TrajectoryUnknowns(mechanics, horizon(1, 1.0), TRAPEZOIDAL, mechanics.drive(None))
        found = []
        for kind in (PositionLimit, VelocityLimit, AccelerationLimit, EffortLimit):
            boxes = []
            for name, limit in task.items():
                if isinstance(limit, kind):
                    with name_errors(name):
                        boxes.append(limit.box(steps))
            free = np.full(task.robot.nv, np.inf)
            lower, upper = (
                np.max([-free, *(b[0] for b in boxes)], axis=0),
                np.min([free, *(b[1] for b in boxes)], axis=0),
            )
            found.append((lower, upper))
        return cls(task.robot, mechanics.labels, *found)

    @property
    def has_efforts(self) -> bool:
        """Whether torques are limited."""
        return bool(np.isfinite(self.effort).any())

    @property
    def is_damped(self) -> bool:
        """Whether limits depend on the speed itself, and not on its square alone."""
        return self.has_efforts and any(joint.damping for joint in self.robot.joints)

    def leave_positions(self, path: ExactPath) -> str:
        """Say where a path leaves the limits of positions, nothing where it does not."""
        s = np.linspace(0.0, path.edges[-1], LOOKS * path.steps + 1)
        q = path.at(s)
        off = np.maximum(q - self.position[1], self.position[0] - q)
        k, j = (int(i) for i in np.unravel_index(int(off.argmax()), off.shape))
        if not off[k, j] > EXCEEDED:
            return ""
        where = f"at {100.0 * s[k] / s[-1]:.3g} % of the path"
        return f"path: joint {self.labels[j]!r} stands at {q[k, j]:.4g} {where}, {off[k, j]:.3g} beyond its limit"

    def terms(self, path: ExactPath, s: Float[np.ndarray, " n"]) -> Iterator[tuple[np.ndarray, ...]]:
        """Yield a, b, of velocity d, rest, lower and upper bounds (n, m) of a u + b x + d sqrt(x) + rest."""
        q, q1, q2 = (path.at(s, order) for order in range(3))
        none = np.zeros_like(q)
        yield none, none, q1, none, *self.velocity
        yield q1, q2, none, none, *self.acceleration
        if self.has_efforts:
            f = inverse_dynamics(self.robot)
            rest = f(q, none, none)
            there, back = f(q, q1, q2), f(q, -q1, q2)
            yield f(q, none, q1) - rest, 0.5 * (there + back) - rest, 0.5 * (there - back), rest, *self.effort

    def make_rows(
        self, path: ExactPath, s: Float[np.ndarray, " n"], x: Float[np.ndarray, " n"], margin: float
    ) -> Iterator[Rows]:
        """Yield the limits of each interval, at its ends and inside; x, at the edges, is what damping is taken at."""
        parts = np.linspace(0.0, 1.0, INSIDE + 1)
        places = s[:-1, None] + parts * np.diff(s)[:, None]
        roots = np.sqrt(x[:-1, None] + parts * np.diff(x)[:, None]).ravel()[:, None]
        roots = np.maximum(roots, SLOW * roots.max())
        beyond = 2.0 * (places - s[:-1, None]).ravel()[:, None]
        columns: list[list[np.ndarray]] = [[], [], []]
        for k, (a, b, d, rest, lower, upper) in enumerate(self.terms(path, places.ravel())):
            low, high = lower * (1.0 - margin * np.sign(-lower)), upper * (1.0 - margin * np.sign(upper))
            if k == 0:  # velocities: their squares are linear in x
                most = np.where(d > 0.0, high, -low)
                signed = [(1.0, d**2, most**2)]
            else:
                signed = []
                for sign, bound in ((1.0, high), (-1.0, low)):
                    slope, offset = _bound_root(sign * d, roots)
                    signed.append((sign, b + d * slope, sign * (bound - rest) - sign * d * offset))
            for sign, along, c in signed:
                for column, values in zip(columns, (sign * (a + beyond * along), sign * along, c), strict=True):
                    column.append(values.reshape(len(s) - 1, -1))
        a, b, c = (np.concatenate(column, axis=1) for column in columns)
        for row in zip(a, b, c, strict=True):
            kept = np.isfinite(row[2])
            yield Rows(*(values[kept] for values in row))

    def measure_excess(self, path: ExactPath, s: Float[np.ndarray, " n"], profile: PathProfile) -> float:
        """Return by how much limits are exceeded at fine parts of all intervals, as a part of the limit; the most."""
        parts = np.linspace(0.0, 1.0, LOOKS + 1)
        places = (s[:-1, None] + parts * np.diff(s)[:, None]).ravel()
        x = (profile.x[:-1, None] + parts * np.diff(profile.x)[:, None]).ravel()[:, None]
        u, over = np.repeat(profile.u, LOOKS + 1)[:, None], -np.inf
        for a, b, d, rest, lower, upper in self.terms(path, places):
            value = a * u + b * x + d * np.sqrt(np.maximum(x, 0.0)) + rest
            for off, bound in ((value - upper, upper), (lower - value, lower)):
                known = np.isfinite(bound)
                size = np.maximum(np.abs(bound[known]), 1e-9)
                over = max(over, float((off[:, known] / size).max(initial=-np.inf)))
        return over

    def explain(self, path: ExactPath, s: Float[np.ndarray, " n"]) -> str:
        """Say which limit no speed keeps at a place of the path, as far as that is one of holding still."""
        for _, _, _, rest, lower, upper in self.terms(path, s):
            off = np.maximum(rest - upper, lower - rest)[0]
            j = int(off.argmax())
            if off[j] > 0.0:
                takes = f"holding still there takes {abs(rest[0, j]):.3g} (N m, N)"
                return f"{takes} of joint {self.labels[j]!r}, beyond its limit"
        return "no speed keeps all limits there"


def _bound_root(
    weight: Float[np.ndarray, "n m"], roots: Float[np.ndarray, "n 1"]
) -> tuple[Float[np.ndarray, "n m"], Float[np.ndarray, "n m"]]:
    """Return slope and offset of lines in x in the place of sqrt(x), equal to it at the squares of `roots`.

    Where it counts against a limit, the tangent, which is above it; where it helps, the chord from zero, below it.
    """
    if not roots.any():
        return np.zeros_like(weight), np.zeros_like(weight)
    return np.where(weight > 0.0, 0.5 / roots, 1.0 / roots), np.where(weight > 0.0, 0.5 * roots, 0.0)
