"""Horizons that predictive controllers and other solvers get alike: stages v+ = v + h a(q, v, u), q+ = q + h v+."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float

import screwgraph as sg
from screwgraph.compiler import Function
from screwgraph.motion.control import HorizonLimits, stack_references, stack_weights


@dataclass(frozen=True, eq=False)
class Horizon:
    """A fixed robot that shall reach a state: the sum of h (wq |q - q*|^2 + wv |v|^2 + wu |u|^2), u but at the end.

    Efforts u of the `actuated` coordinates have limits; states too, where the file of the robot has some.
    """

    robot: sg.Robot
    h: float
    knots: int
    start: Sequence[float]
    goal: Sequence[float]
    weights: tuple[Sequence[float], float, float]
    actuated: Sequence[int]
    most: Sequence[float]
    has_states: bool = False
    barrier_steps: int = 2

    @property
    def n(self) -> int:
        """Coordinates."""
        return self.robot.nv

    @cached_property
    def states(self) -> Float[np.ndarray, "2 2*n"]:
        """Lower and upper limits of states, infinite where there are none."""
        none = np.full(2 * self.n, np.inf)
        if not self.has_states:
            return np.array([-none, none])
        own = self.robot.limits
        return np.array([np.r_[own.lower, -own.velocity], np.r_[own.upper, own.velocity]])

    @cached_property
    def controller(self) -> Function:
        """Our predictive controller, one linearisation a call."""
        names = [self.robot.joint_names[i] for i in self.actuated]
        limits = HorizonLimits(effort=dict(zip(names, self.most, strict=True)), penalty=(1e3, 1e4))
        if not self.has_states:
            limits = HorizonLimits(effort=dict(zip(names, self.most, strict=True)))
        options = {"actuated": names, "limits": limits, "barrier_steps": self.barrier_steps}
        return sg.mpc(self.robot, self.h, self.knots, **options)

    @cached_property
    def arguments(self) -> list[Float[np.ndarray, " k"]]:
        """What it is given but for the last solution."""
        names = [self.robot.joint_names[i] for i in self.actuated]
        wq, wv, wu = self.weights
        references = stack_references(self.controller, self.goal, effort=0.0)
        weights = stack_weights(self.robot, position=list(wq), velocity=wv, effort=wu, actuated=names)
        given = (self.start, np.zeros(self.n), references, weights, 0.0)
        return [np.ravel(np.asarray(x, dtype=float)) for x in given]

    @property
    def displaced(self) -> range:
        """Which numbers of position and velocity noise displaces."""
        return range(2 * self.n)

    def step(self, x: Float[np.ndarray, "k 2*n"], u: Float[np.ndarray, "k m"]) -> Float[np.ndarray, "k 2*n"]:
        """Return the states that follow."""
        n, tau = self.n, np.zeros((len(u), self.n))
        tau[:, list(self.actuated)] = u
        v = x[:, n:] + self.h * sg.forward_dynamics(self.robot)(x[:, :n], x[:, n:], tau)
        return np.hstack([x[:, :n] + self.h * v, v])

    def judge(self, x: Float[np.ndarray, "K 2*n"], u: Float[np.ndarray, "N m"]) -> tuple[float, float]:
        """Return the cost of a motion, and its largest violation: of the dynamics, the start and limits."""
        n, (wq, wv, wu) = self.n, self.weights
        cost = np.sum((x[:, :n] - self.goal) ** 2 * wq) + wv * np.sum(x[:, n:] ** 2) + wu * np.sum(u**2)
        start = np.abs(x[0] - np.r_[self.start, np.zeros(n)]).max()
        low, high = self.states
        beyond = np.maximum(x[1:] - high, low - x[1:]).max(), (np.abs(u) - self.most).max()
        return self.h * float(cost), float(max(start, np.abs(self.step(x[:-1], u) - x[1:]).max(), *beyond))


def balance() -> Horizon:
    """Return a cart of 20 N that balances a pole over 1 s."""
    start, goal, robot = [0.0, np.pi - 0.6], [0.0, np.pi], sg.load("cart_pole")
    return Horizon(robot, 0.02, 50, start, goal, ([1.0, 10.0], 0.1, 0.01), [0], [20.0])


def reach() -> Horizon:
    """Return an arm that goes to a posture within its limits of efforts, velocities and positions."""
    start, goal = [0.0, -0.5, 0.0, -2.0, 0.0, 1.6, 0.8], [0.3, -0.3, -0.2, -1.7, 0.2, 1.8, 0.5]
    robot = sg.load("panda")
    most = [float(x) for x in robot.limits.effort]
    return Horizon(robot, 0.01, 32, start, goal, ([10.0] * 7, 0.1, 1e-3), range(7), most, has_states=True)
