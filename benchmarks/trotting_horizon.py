"""A horizon of an A1 that trots: full dynamics, forces of feet within friction, limits of efforts and velocities."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float

import screwgraph as sg
from screwgraph.compiler import Function
from screwgraph.mechanics.kinematics.reference_frames import ALIGNED
from screwgraph.motion.control import stack_references, stack_schedule, stack_weights

LEGS = ("FR", "FL", "RR", "RL")
STANDS, STEPS = 12, 12
"""Stages on four feet, then on each pair."""
BASE = 7
"""Numbers of the position of a floating base."""


@dataclass(frozen=True, eq=False)
class TrottingHorizon:
    """An A1 over `knots` stages of `h` (s), from a lowered posture that moves."""

    knots: int = 50
    h: float = 0.01
    barrier_steps: int = 1

    @cached_property
    def robot(self) -> sg.Robot:
        """The robot."""
        return sg.load("a1", base="floating")

    @property
    def n(self) -> int:
        """Velocity coordinates."""
        return self.robot.nv

    @cached_property
    def feet(self) -> list[sg.Contact]:
        """The contacts."""
        return [sg.Contact(f"{leg}_foot", friction=0.7) for leg in LEGS]

    @cached_property
    def controller(self) -> Function:
        """Our predictive controller, one linearisation a call."""
        return sg.mpc(self.robot, self.h, self.knots, contacts=self.feet, barrier_steps=self.barrier_steps)

    @cached_property
    def on(self) -> Float[np.ndarray, "N 4"]:
        """Which feet are on the ground: all, then diagonal pairs in turns."""
        pairs = np.array([[0.0, 1.0, 1.0, 0.0], [1.0, 0.0, 0.0, 1.0]])
        steps = (np.arange(self.knots) - STANDS) // STEPS
        return np.where(steps[:, None] < 0, 1.0, pairs[steps % 2])

    @cached_property
    def goal(self) -> Float[np.ndarray, " nq"]:
        """The posture in which it stands."""
        q = np.concatenate([[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0], np.tile([0.0, 0.8, -1.6], 4)])
        q[2] = -sg.forward_kinematics(self.robot, [foot.frame for foot in self.feet])(q)[:, 2, 3].min()
        return q

    @property
    def start(self) -> tuple[Float[np.ndarray, " nq"], Float[np.ndarray, " nv"]]:
        """Position and velocity."""
        q, v = self.goal.copy(), np.zeros(self.n)
        q[2] += 0.01
        q[BASE:] += 0.05
        v[3] = 0.2
        return q, v

    @cached_property
    def weights(self) -> Float[np.ndarray, " k"]:
        """Of states, forces and accelerations."""
        return stack_weights(
            self.robot,
            position=[40.0] * 3 + [50.0, 50.0, 2000.0] + [20.0] * 12,
            velocity=[0.4] * 6 + [0.05] * 12,
            force=1e-4,
            acceleration=1e-6,
        )

    @cached_property
    def arguments(self) -> list[Float[np.ndarray, " k"]]:
        """What the controller is given but for the last solution."""
        schedule = stack_schedule(self.controller, self.feet, self.on)
        given = (*self.start, stack_references(self.controller, self.goal), self.weights, schedule, 0.0)
        return [np.ravel(np.asarray(x, dtype=float)) for x in given]

    @property
    def displaced(self) -> range:
        """Which numbers of position and velocity noise displaces: not where the base stands."""
        return range(BASE, self.robot.nq + self.n)

    def judge(self, x: Any, u: Any, forces: Any) -> tuple[float, float]:
        """Return the cost of a motion, and its largest violation (rad, m, m/s^2, N, N m).

        Of steps, equations of motion, feet that stand, friction, the start, and limits of efforts and velocities.
        """
        robot, h, nq = self.robot, self.h, self.robot.nq
        q, v, f = x[:, :nq], x[:, nq:], np.reshape(forces, (self.knots, 4, 3))
        a, tau = np.diff(v, axis=0) / h, np.concatenate([np.zeros((self.knots, 6)), u], axis=1)
        left = sg.inverse_dynamics(robot)(q[:-1], v[:-1], a) - tau
        violations = [np.abs(sg.difference(robot)(q[1:], sg.integrate(robot)(q[:-1], h * v[1:]))).max()]
        for i, foot in enumerate(self.feet):
            J = sg.frame_jacobian(robot, foot.frame, reference=ALIGNED)(q[:-1])[:, 3:]
            moved = sg.frame_acceleration(robot, foot.frame, reference=ALIGNED)(q[:-1], v[:-1], a)[:, 3:]
            slip = moved + 0.5 / h * np.einsum("kij,kj->ki", J, v[:-1])
            left -= np.einsum("kij,ki->kj", J, np.roll(f[:, i], -1, axis=1))  # (normal, x, y) to (x, y, z)
            violations.append(np.abs(slip * self.on[:, i, None]).max())
            violations.append((np.linalg.norm(f[:, i, 1:], axis=1) - 0.7 * f[:, i, 0]).max())
        limits, start = robot.limits, np.concatenate(self.start)
        violations += [np.abs(left).max(), np.abs(x[0] - start).max(), (np.abs(u) - limits.effort[6:]).max()]
        violations.append((np.abs(v[1:]) - limits.velocity).max())
        return self._cost(q, v, f, a), float(max(violations))

    def _cost(self, q: Any, v: Any, f: Any, a: Any) -> float:
        """Return the cost; forces are compared with equal shares of the weight."""
        robot, n, w = self.robot, self.n, self.weights
        errors = np.hstack([sg.difference(robot)(np.tile(self.goal, (len(q), 1)), q), v])
        weight, names = (
            robot.mass * float(np.linalg.norm(np.asarray(robot.gravity, dtype=float))),
            robot.joint_names[1:],
        )
        total = float((errors**2 @ w[: 2 * n]).sum())
        for i, leg in enumerate(LEGS):
            own = [6 + k for k, name in enumerate(names) if name.startswith(leg)]
            wanted = np.outer(weight / self.on.sum(axis=1), [1.0, 0.0, 0.0])
            stands = ((f[:, i] - wanted) ** 2).sum(axis=1) * w[2 * n]
            swings = (a[:, own] ** 2).sum(axis=1) * w[2 * n + 12]
            total += float(np.where(self.on[:, i] > 0.5, stands, swings).sum())
        return self.h * total
