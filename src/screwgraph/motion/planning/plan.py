"""Planning result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float

from screwgraph.base import html_display
from screwgraph.base.errors import EliminationError, InputError
from screwgraph.base.field_state import field_state
from screwgraph.motion.planning.accuracy.momentum_errors import MomentumErrors
from screwgraph.motion.planning.accuracy.motion_errors import MotionErrors, find_motion_errors
from screwgraph.motion.planning.accuracy.open_loop import OpenLoopErrors
from screwgraph.motion.planning.accuracy.step_errors import StepErrors
from screwgraph.motion.planning.interpolation import PlannedMotion
from screwgraph.motion.planning.limits.limit_violations import LimitViolation, find_limit_violations
from screwgraph.motion.planning.models import find_model_kind
from screwgraph.motion.planning.obstacles.swept_spheres import (
    SweptContact,
    find_swept_contacts,
    select_clearance_factors,
)
from screwgraph.motion.planning.task import Task
from screwgraph.motion.planning.transcription.problem import Transcription, list_wrenches
from screwgraph.motion.planning.transcription.regularisation import NAME as REGULARISATION
from screwgraph.motion.simulation import States, Trajectory
from screwgraph.optimize import Result, Status

MOST_RUNS = 4
"""Runs of coarse steps that a status lists."""
FEASIBLE = 1e-6
"""Largest violation (SI units) of a plan that counts as feasible."""


@dataclass(frozen=True, eq=False)
class Plan:
    """A planned motion: arrays over time, how much it costs, and whether it can be relied on.

    `status` is "solved", or what went wrong; `violation` is the largest residual of what must hold, in its own units.
    Each step is integrated again from its first point, under the planned torques and contact forces: `error` tells how
    far that ends from the next point. Plans with steps beyond the task's accuracy are "solved, coarse: interval ...".
    Plans whose steps err one way, so that the motion leaves them or momentum changes without a force, are "feasible,
    but ...": see `open_loop_errors` and `momentum_errors`.
    """

    _repr_html_ = html_display.html
    __getstate__ = field_state

    transcription: Transcription
    result: Result
    relaxed: tuple[str, ...] = ()
    """What the measured state violates, and what was given up, where `Planner.step` could not keep all."""

    @property
    def task(self) -> Task:
        """Task that was planned."""
        return self.transcription.task

    @cached_property
    def t(self) -> Float[np.ndarray, " K"]:
        """Times (s)."""
        steps = self.transcription.steps
        return steps.times if steps.duration is None else steps.times_of(self.values["duration"][:, 0])

    @property
    def q(self) -> Float[np.ndarray, "K nq"]:
        """Positions."""
        return self.trajectory.q

    @property
    def qd(self) -> Float[np.ndarray, "K nv"]:
        """Velocities."""
        return self.trajectory.qd

    @property
    def qdd(self) -> Float[np.ndarray, "K nv"]:
        """Accelerations; where two phases meet, those of the later one."""
        return self.trajectory.qdd

    @property
    def tau(self) -> Float[np.ndarray, "K m"]:
        """Torques of all joints, or of a mechanism's motors; zero of those that nothing drives."""
        return self.trajectory.tau

    @property
    def efforts(self) -> Float[np.ndarray, "K m"]:
        """Efforts of the robot: torques of actuated joints, or efforts of actuators, as `efforts_of` names them."""
        return self._motion.efforts_at_points()

    @property
    def efforts_of(self) -> tuple[str, ...]:
        """The joints or actuators whose efforts are planned."""
        return self.transcription.steps.drive.labels

    @cached_property
    def trajectory(self) -> Trajectory:
        """The motion: its states at the points of the plan, and in the sense of its collocation between them."""
        model, at_points = find_model_kind(self.task.robot).model(self.task.robot), self._motion.at_points()._asdict()
        return Trajectory(model, f"plan, {self.task.collocation}", self.t, **at_points, between=self._motion)

    @cached_property
    def _motion(self) -> PlannedMotion:
        steps = self.transcription.steps
        acting = list_wrenches(self.task, steps) if self.task.dynamics else ()
        return PlannedMotion(steps, self.t, self.values, acting)

    def at(self, times: Float[np.ndarray, "*n"] | float) -> States:
        """Return the states at times (s), between points, too; a single time gives vectors. See `Trajectory.at`.

        What a plan means between points is its collocation's affair. Trapezoidal: velocities and torques are linear,
        positions the integral of velocities; all limits on these hold there as well.

        Raises:
            InputError: a time is outside of the plan.
        """
        return self.trajectory.at(times)

    def torque(self, times: Float[np.ndarray, "*n"] | float, *, hold: float = 0.0) -> Float[np.ndarray, "*n m"]:
        """Return the torques to command at times (s), in the order of `tau`; a single time gives a vector.

        Between two points a torque is what the collocation takes it for: constant from the first to the second ("held",
        "euler"); linear ("trapezoidal", "linear_acceleration"); a parabola through three points ("hermite_simpson");
        the polynomial through the points of a step after its first, with jumps from step to step ("radau", "radau_5").
        A controller that holds each torque for `hold` (s) commands the mean over that time: then its impulse is the
        planned one. Robots with actuators are commanded by `effort`.

        Raises:
            InputError: a time is outside of the plan, or the hold is negative.
        """
        return hold_mean(self._motion.torques, self._knots, times, hold)

    def effort(self, times: Float[np.ndarray, "*n"] | float, *, hold: float = 0.0) -> Float[np.ndarray, "*n m"]:
        """Return what drives the robot at times (s), in the order of `efforts_of`; otherwise as `torque`."""
        return hold_mean(self._motion.efforts, self._knots, times, hold)

    @property
    def _knots(self) -> Float[np.ndarray, " N"]:
        """Times (s) at which steps begin and end."""
        return self.t[:: self.transcription.steps.per_step]

    @cached_property
    def values(self) -> dict[str, np.ndarray]:
        """All unknowns, by family: arrays of a count and their shape; see `Steps` for what stands where."""
        return self.transcription.complete(self.result.values)

    @property
    def cost(self) -> float:
        """The sum of the task's costs."""
        return self.result.cost - sum(c for name, c in self.result.costs.items() if name.startswith(REGULARISATION))

    @cached_property
    def costs(self) -> dict[str, float]:
        """Costs of each item, by name; and what regularises the task, where it is."""
        return self.result.costs

    @cached_property
    def violations(self) -> dict[str, float]:
        """Largest residual of each item, and of the laws of motion, by name (SI units)."""
        return self.result.violations

    @property
    def violation(self) -> float:
        """Largest residual of what must hold (SI units)."""
        return self.result.violation

    @property
    def iterations(self) -> int:
        """Steps that the method made."""
        return self.result.iterations

    @property
    def seconds(self) -> float:
        """Time that solving took."""
        return self.result.seconds

    @property
    def feasible(self) -> bool:
        """Whether all that must hold does."""
        return bool(self.violation <= FEASIBLE)

    @property
    def converged(self) -> bool:
        """Whether the plan is feasible and the method has converged, however long the steps."""
        return self.feasible and self.result.status is Status.CONVERGED

    @property
    def solved(self) -> bool:
        """Whether the method has converged, nothing was relaxed, and all steps, alone and in a row, are accurate."""
        return self.converged and not (self.coarse or self.touches or self.excesses or self.drifts or self.relaxed)

    @property
    def step_errors(self) -> StepErrors | None:
        """How far the motion under the planned torques ends from each next point; None where that is not known."""
        return None if self.motion_errors is None else self.motion_errors.steps

    @property
    def open_loop_errors(self) -> OpenLoopErrors | None:
        """How far the motion under the planned torques, without feedback, leaves the plan in windows of many steps."""
        return None if self.motion_errors is None else self.motion_errors.windows

    @property
    def momentum_errors(self) -> MomentumErrors | None:
        """By what conserved momenta change, and the drift that this hides; None where none is conserved."""
        return None if self.motion_errors is None else self.motion_errors.momenta

    @property
    def motion_errors(self) -> MotionErrors | None:
        """How far the plan is from the motion under its torques, in all three senses."""
        return self._estimate[0]

    @property
    def error(self) -> float | None:
        """The largest error of a step, relative to the whole way; None where it is not known."""
        return None if self.step_errors is None else float(self.step_errors.position.max())

    @cached_property
    def coarse(self) -> tuple[int, ...]:
        """Numbers of the steps, from 0 on, whose errors are larger than the task's `accuracy`."""
        errors = self.step_errors if self.feasible else None
        return () if errors is None else tuple(np.flatnonzero(errors.position > self.task.accuracy).tolist())

    @cached_property
    def touches(self) -> tuple[SweptContact, ...]:
        """Spheres that come nearer than allowed between points; tables of distances are looked at at points only."""
        kept = select_clearance_factors(self.transcription.problem.factors) if self.feasible else []
        if not kept:
            return ()
        ways = 1.5 * np.diff(self.t) * np.maximum(*(np.abs(v).max(axis=1) for v in (self.qd[:-1], self.qd[1:])))
        return tuple(find_swept_contacts(kept, lambda times: self.at(times).q, self.t, ways))

    @cached_property
    def excesses(self) -> tuple[LimitViolation, ...]:
        """Hard limits that are exceeded between points by more than a thousandth, the largest excess of each step."""
        if not self.feasible:
            return ()
        steps, factors = self.transcription.steps, self.transcription.problem.factors
        return tuple(find_limit_violations(steps, factors, self.t, self.values))

    @cached_property
    def drifts(self) -> tuple[str, ...]:
        """Errors of many steps that exceed the task's `accuracy`, in words: which coordinate, how far, when."""
        return () if self.motion_errors is None or not self.feasible else tuple(self.motion_errors.list_drifts())

    @cached_property
    def _estimate(self) -> tuple[MotionErrors | None, str]:
        """The errors against the motion, and why there are none."""
        steps = self.transcription.steps
        try:
            found = find_motion_errors(steps, self.t, self.values, list_wrenches(self.task, steps), self.task.accuracy)
            if found is not None:
                found.steps  # noqa: B018 - it raises where accelerations are not determined
            return found, ""
        except (EliminationError, InputError) as error:
            return None, f"no error estimate: {error.what}"

    @property
    def status(self) -> str:
        """Say "solved"; or whether it is feasible, what ended the search, and which steps are too long."""
        ended = self.result.status.value
        if not self.feasible:
            return ended if self.result.status is Status.INFEASIBLE else f"not feasible: {ended}"
        found = "solved" if self.converged else f"feasible, not optimal: {ended}"
        if self.drifts and self.converged:
            found = "feasible, but " + ", ".join(self.drifts)
        if self.touches:
            deepest = max(self.touches, key=lambda touch: touch.depth)
            found += f", {deepest.watched.factors.name} broken by {deepest.depth:.2g} m between points"
            found += f" at {deepest.time:.3g} s"
        if self.excesses:
            most = max(self.excesses, key=lambda excess: excess.relative)
            found += f", {most.quantity} of {most.coordinate} exceeds {most.name} by {100 * most.relative:.2g} %"
            found += f" between points at {most.time:.3g} s"
        found += f", coarse: {_runs(self.coarse)}" if self.coarse else ""
        return found + (f", relaxed: {self.relaxed[0]}" if self.relaxed else "")

    @property
    def reason(self) -> str:
        """Why the search ended; and why errors of steps are not known."""
        return "; ".join(x for x in (self.result.reason, self._estimate[1] if self.feasible else "") if x)

    def __repr__(self) -> str:
        return (
            f"<plan {self.transcription.task.name!r}: {self.status}, cost {self.cost:.6g}, violation "
            f"{self.violation:.2g}, {self._stated_error}{self.iterations} iterations, {self.seconds:.3g} s; "
            f"{self.reason}>"
        )

    @property
    def _stated_error(self) -> str:
        return "" if not self.feasible or self.error is None else f"error {self.error:.2g} of the way, "


def _runs(numbers: Sequence[int]) -> str:
    """Write ascending numbers as "interval 12-15", or "intervals 3, 12-15"."""
    runs: list[list[int]] = []
    for n in numbers:
        if runs and runs[-1][1] == n - 1:
            runs[-1][1] = n
        else:
            runs.append([n, n])
    spans = [str(a) if a == b else f"{a}-{b}" for a, b in runs]
    shown = ", ".join(spans[:MOST_RUNS]) + (f" and {len(spans) - MOST_RUNS} more" if spans[MOST_RUNS:] else "")
    return f"interval{'s' if spans[1:] else ''} {shown}"


# What a controller commands that carries out a plan.

NODES, WEIGHTS = np.polynomial.legendre.leggauss(5)
"""Exact for the polynomials of all rules."""


def hold_mean(
    function: Callable[[Float[np.ndarray, " n"]], Float[np.ndarray, "n m"]],
    knots: Float[np.ndarray, " K"],
    times: Float[np.ndarray, "*n"] | float,
    hold: float,
) -> Float[np.ndarray, "*n m"]:
    """Return a function of time at times (s), or its means over `hold` (s) from then on, as far as the plan goes.

    The function may jump at knots.

    Raises:
        InputError: a time is outside of the plan, or the hold is negative.
    """
    asked = np.atleast_1d(np.asarray(times, dtype=float))
    if asked.ndim > 1 or not ((asked >= knots[0]) & (asked <= knots[-1])).all():
        raise InputError(f"a time is outside of {knots[0]:g}..{knots[-1]:g} s", why="the plan says nothing there")
    if not 0.0 <= hold < np.inf:
        raise InputError(f"hold is {hold!r}", fix="give the seconds for which a controller holds a torque")
    found = np.array([_mean(function, knots, t, t + hold) for t in asked.tolist()]) if hold else function(asked)
    return found[0] if np.ndim(times) == 0 else found


def _mean(function: Callable[[np.ndarray], np.ndarray], knots: np.ndarray, begin: float, end: float) -> np.ndarray:
    end = min(end, float(knots[-1]))
    if end - begin <= 1e-12 * knots[-1]:
        return function(np.array([begin]))[0]
    edges = np.array([begin, *knots[(knots > begin) & (knots < end)], end])
    middle, half = 0.5 * (edges[1:] + edges[:-1]), 0.5 * np.diff(edges)
    values = function((middle[:, None] + half[:, None] * NODES).ravel())
    return np.outer(half, WEIGHTS).ravel() @ values / (end - begin)
