"""A planning task as CasADi's users write it for IPOPT and fatrop: states and accelerations at knots, nothing more.

The same motion, discretised alike: positions, velocities and accelerations of a joint are joined by the task's
collocation, efforts are our inverse dynamics of them (an expression, no unknown), what is prescribed is an equation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import screwgraph as sg
from screwgraph.motion.planning import Planner
from screwgraph.motion.planning.costs import Effort
from screwgraph.motion.planning.goals import Position, Velocity
from screwgraph.motion.planning.goals.position import complete_position
from screwgraph.motion.planning.goals.velocity import select_velocities
from screwgraph.motion.planning.guesses.initial_guess import make_initial_values
from screwgraph.motion.planning.limits import EffortLimit, PositionLimit, VelocityLimit
from screwgraph.optimize.methods.casadi_nlp import make_factor_expression, make_iterate

COLLOCATIONS = {"trapezoidal": (0.25, 0.25), "linear_acceleration": (1.0 / 3.0, 1.0 / 6.0)}
"""Shares of h^2 of the accelerations at both ends of a step in the way that is gone."""


@dataclass(frozen=True, eq=False)
class Trajectory:
    """A task of a robot without floating joints, loops or contacts: x = (q, qd, qdd) at each knot."""

    planner: Planner

    @cached_property
    def robot(self) -> sg.Robot:
        """Whose motion it is."""
        return self.planner.task.robot

    @cached_property
    def n(self) -> int:
        """Numbers of a position."""
        return self.robot.nv

    @cached_property
    def knots(self) -> int:
        """Points of time."""
        return len(self.planner.transcription.steps.times)

    @cached_property
    def h(self) -> float:
        """A step (s)."""
        times = self.planner.transcription.steps.times
        return float(times[1] - times[0])

    @cached_property
    def start(self) -> np.ndarray:
        """The guess, (knots, 3 n)."""
        problem, steps = self.planner.transcription.problem, self.planner.transcription.steps
        values = problem.layout.views(problem.start(make_initial_values(self.planner.task, steps)))
        return np.hstack([values[name] for name in ("q", "qd", "qdd")])

    @cached_property
    def fixed(self) -> dict[int, Mapping[int, float]]:
        """What is prescribed, by knot: places in x and their values."""
        steps, task, found = self.planner.transcription.steps, self.planner.task, {}
        found[0] = dict(enumerate(np.concatenate([steps.given["q"][0], steps.given["qd"][0]]).tolist()))
        for goal in task.goals:
            if isinstance(goal, Position):
                whole, joints = complete_position(self.robot, goal.at)
                columns = [self.robot.q_slices[joint].start for joint in joints]
                values = {i: whole[i] for i in columns}
            elif isinstance(goal, Velocity):
                columns, whole = select_velocities(self.planner.mechanics, goal.at)
                values = {self.n + i: whole[i] for i in columns}
            else:
                continue
            for knot in steps.points_at(goal.time).tolist():
                found.setdefault(knot, {}).update({i: float(value) for i, value in values.items()})
        return found

    @cached_property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Least and largest x of any knot."""
        high = np.full(3 * self.n, np.inf)
        low = -high
        limits = [j.limits for j in self.robot.joints]
        for item in self.planner.task.limits:
            if isinstance(item, PositionLimit):
                low[: self.n] = [-np.inf if x.lower is None else x.lower for x in limits]
                high[: self.n] = [np.inf if x.upper is None else x.upper for x in limits]
            elif isinstance(item, VelocityLimit):
                high[self.n : 2 * self.n] = [x.velocity for x in limits]
                low[self.n : 2 * self.n] = -high[self.n : 2 * self.n]
        return low, high

    @cached_property
    def largest_effort(self) -> np.ndarray | None:
        """Limits of the actuated efforts."""
        items = [i for i in self.planner.task.limits if isinstance(i, EffortLimit)]
        if not items:
            return None
        given = items[0].bounds
        own = [float(self.robot.joints[i].limits.effort or np.inf) for i in self.actuated]
        return np.array(own) if given is None else np.full(len(own), float(given))

    @property
    def actuated(self) -> tuple[int, ...]:
        """Joints with efforts."""
        return tuple(self.planner.transcription.steps.actuated)

    @property
    def passive(self) -> list[int]:
        """Joints without."""
        return [i for i in range(self.n) if i not in self.actuated]

    @cached_property
    def efforts(self) -> Any:
        """Inverse dynamics of x, as a function of CasADi."""
        import casadi as ca

        x = ca.SX.sym("x", 3 * self.n)
        f = sg.inverse_dynamics(self.robot).casadi
        return ca.Function("efforts", [x], [f(*ca.vertsplit(x, self.n))])

    @cached_property
    def after(self) -> Any:
        """The next x, from x and its acceleration, as a function of CasADi."""
        import casadi as ca

        n, h = self.n, self.h
        first, last = COLLOCATIONS[self.planner.task.collocation]
        x, w = ca.SX.sym("x", 3 * n), ca.SX.sym("w", n)
        q, v, a = ca.vertsplit(x, n)
        moved = ca.vertcat(q + h * v + h * h * (first * a + last * w), v + h / 2 * (a + w), w)
        return ca.Function("after", [x, w], [moved])

    @property
    def weight(self) -> float:
        """Of squared efforts."""
        return next(float(cost.weight) for cost in self.planner.task.costs if isinstance(cost, Effort))

    @cached_property
    def cost(self) -> Any:
        """The integrand, a function of x."""
        import casadi as ca

        x = ca.SX.sym("x", 3 * self.n)
        return ca.Function("cost", [x], [self.weight * ca.sumsqr(self.efforts(x)[list(self.actuated)])])

    @cached_property
    def laws(self) -> Any:
        """What vanishes at each knot, a function of x and actuated efforts."""
        import casadi as ca

        x, u = ca.SX.sym("x", 3 * self.n), ca.SX.sym("u", len(self.actuated))
        tau = ca.SX.zeros(self.n)
        tau[list(self.actuated)] = u
        return ca.Function("laws", [x, u], [self.efforts(x) - tau])

    @cached_property
    def weights(self) -> np.ndarray:
        """Of the integrand at knots, the trapezoidal rule."""
        found = np.full(self.knots, self.h)
        found[[0, -1]] /= 2
        return found

    @cached_property
    def held(self) -> Any:
        """What vanishes at each knot, a function of x; None where all joints have efforts."""
        import casadi as ca

        x = ca.SX.sym("x", 3 * self.n)
        return ca.Function("held", [x], [self.efforts(x)[self.passive]]) if self.passive else None

    @cached_property
    def kept(self) -> Any:
        """Efforts that have limits, a function of x; None where none have."""
        import casadi as ca

        x = ca.SX.sym("x", 3 * self.n)
        picked = self.efforts(x)[list(self.actuated)]
        return ca.Function("kept", [x], [picked]) if self.largest_effort is not None else None

    @cached_property
    def reached(self) -> Any:
        """What vanishes at the end besides, a function of x; None where only positions and velocities do."""
        import casadi as ca

        poses = [b for b in self.planner.transcription.problem.assembly.batches if b.factors.name.endswith("pose")]
        if not poses:
            return None
        x = ca.SX.sym("x", 3 * self.n)
        batch, q = poses[0], x[: self.n]
        given = [ca.DM(p[0] if p.ndim > 1 else p) for p in batch.parameters]
        return ca.Function("reached", [x], [make_factor_expression(batch, "residual")(q, ca.SX.zeros(self.n), *given)])

    def judged(self, x: np.ndarray) -> tuple[float, float]:
        """Return what x (knots, 3 n) costs, and how much it violates, as our planner counts."""
        problem = self.planner.transcription.problem
        q, v, a = np.split(x, 3, axis=1)
        tau = sg.inverse_dynamics(self.robot)(q, v, a)
        values = {"q": q, "qd": v, "qdd": a, "tau": tau[:, self.actuated]}
        at = make_iterate(problem.assembly, problem.layout.pack(values), 0.0)
        return at.cost, at.violation
