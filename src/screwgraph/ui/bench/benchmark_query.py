"""The questions that are measured, and the functions of ours that answer them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from screwgraph.base.summary import one_line
from screwgraph.compiler import Function
from screwgraph.mechanics.dynamics import forward_dynamics, inverse_dynamics, mass_matrix
from screwgraph.model.robot import Robot


@dataclass(frozen=True)
class BenchmarkQuery:
    """A question about dynamics; where several functions answer it, their results stand side by side."""

    name: str
    functions: Callable[[Robot], Sequence[Function]]


@dataclass(frozen=True, eq=False)
class States:
    """States to compute at: q (N, nq), qd (N, nv), and (N, nv) numbers that serve as qdd or as tau."""

    __repr__ = one_line

    q: np.ndarray
    qd: np.ndarray
    given: np.ndarray

    def arguments(self, function: Function) -> list[np.ndarray]:
        """Return the arrays that a function takes."""
        named = {"q": self.q, "qd": self.qd}
        return [named.get(argument.name, self.given) for argument in function.arguments]

    def first(self, count: int) -> States:
        """Return the first few."""
        return States(self.q[:count], self.qd[:count], self.given[:count])


def random_states(robot: Robot, count: int, seed: int = 0) -> States:
    """Return random positions within the limits, and normally distributed velocities and torques."""
    rng = np.random.default_rng(seed)
    q = np.array([robot.random(rng) for _ in range(count)])
    return States(q, *rng.standard_normal((2, count, robot.nv)))


INVERSE = BenchmarkQuery("inverse", lambda robot: (inverse_dynamics(robot),))
FORWARD = BenchmarkQuery("forward", lambda robot: (forward_dynamics(robot),))
MASS_MATRIX = BenchmarkQuery("mass_matrix", lambda robot: (mass_matrix(robot),))
INVERSE_MASS_MATRIX = BenchmarkQuery("inverse_mass_matrix", lambda robot: (forward_dynamics(robot).jacobian("tau"),))
# One function returns all three derivatives, as the peers' one call does.
INVERSE_DERIVATIVES = BenchmarkQuery(
    "inverse_derivatives", lambda robot: (inverse_dynamics(robot).jacobian("q", "qd", "qdd"),)
)
FORWARD_DERIVATIVES = BenchmarkQuery(
    "forward_derivatives", lambda robot: (forward_dynamics(robot).jacobian("q", "qd", "tau"),)
)
QUESTIONS = (INVERSE, FORWARD, MASS_MATRIX, INVERSE_MASS_MATRIX, INVERSE_DERIVATIVES, FORWARD_DERIVATIVES)
