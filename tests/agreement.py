"""What tests of dynamics share: random states, random inertias, and how far answers are from those of an oracle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from screwgraph.compiler import Function
from screwgraph.compiler.function.tiered_evaluation import interpret_program as evaluated
from screwgraph.mechanics.dynamics import bias_forces, forward_dynamics, inverse_dynamics, mass_matrix
from screwgraph.model.robot import Robot
from screwgraph.spatial import SpatialInertia
from tests.oracle import Oracle, Wrenches

FLOOR = 1e-3
"""Answers smaller than this (in SI units) are compared absolutely."""


class States(NamedTuple):
    """A batch of random states; `u` serves as accelerations or as efforts."""

    q: np.ndarray
    qd: np.ndarray
    u: np.ndarray


@dataclass(frozen=True)
class Answers:
    """What the oracle says at a batch of states."""

    inverse: np.ndarray
    mass: np.ndarray
    bias: np.ndarray

    def forward(self, tau: np.ndarray) -> np.ndarray:
        return solve(self.mass, tau - self.bias)

    def forward_tolerance(self) -> float:
        """1e-9, or what rounding leaves: eps cond(D M D), with D that makes the diagonal 1 (van der Sluis 1969)."""
        scale = 1.0 / np.sqrt(np.diagonal(self.mass, axis1=1, axis2=2))
        scaled = scale[:, :, None] * self.mass * scale[:, None, :]
        return max(1e-9, float(np.finfo(float).eps * np.linalg.cond(scaled).max()))


def random_states(robot: Robot, count: int, seed: int = 0) -> States:
    rng = np.random.default_rng(seed)
    q = np.array([robot.random(rng) for _ in range(count)])
    return States(q, rng.standard_normal((count, robot.nv)), rng.standard_normal((count, robot.nv)))


def random_inertia(rng: np.random.Generator) -> SpatialInertia:
    """Return the inertia of a few point masses off the frame's origin: physically possible, no symmetry."""
    points, masses = rng.normal(size=(5, 3)), rng.uniform(0.2, 1.0, 5)
    bodies = [SpatialInertia.of_body(m, p, np.zeros((3, 3))) for m, p in zip(masses, points, strict=True)]
    return sum(bodies, SpatialInertia())


def answers(oracle: Oracle, states: States) -> Answers:
    mass = np.array([oracle.mass_matrix(q) for q in states.q])
    bias = np.array([oracle.bias_forces(q, qd) for q, qd in zip(states.q, states.qd, strict=True)])
    return Answers(inverse_by(oracle, states), mass, bias)


def inverse_by(oracle: Oracle, states: States, wrenches: Wrenches | None = None) -> np.ndarray:
    return np.array([oracle.inverse_dynamics(q, qd, u, wrenches) for q, qd, u in zip(*states, strict=True)])


def forward_by(oracle: Oracle, states: States, wrenches: Wrenches | None = None) -> np.ndarray:
    return np.array([oracle.forward_dynamics(q, qd, u, wrenches) for q, qd, u in zip(*states, strict=True)])


def solve(M: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Solve M x = b for batches."""
    return np.linalg.solve(M, b[..., None])[..., 0]


def machine_code(function: Function, *arrays: np.ndarray) -> np.ndarray:
    """Evaluate as users do."""
    return function(*arrays)


def interpreted(function: Function, *arrays: np.ndarray) -> Any:
    """Evaluate the straight-line code on a batch (N, ...), without the time of making machine code."""
    return evaluated(function.program, function.arguments, function.results, arrays)


def assert_dynamics_agree(robot: Robot, oracle: Oracle, states: States) -> None:
    """Inverse, forward, mass matrix and bias of `robot` are those of the oracle."""
    expected = answers(oracle, states)
    assert_agree(inverse_dynamics(robot)(*states), expected.inverse)
    assert_agree(mass_matrix(robot)(states.q), expected.mass)
    assert_agree(bias_forces(robot)(states.q, states.qd), expected.bias)
    assert_agree(forward_dynamics(robot)(*states), expected.forward(states.u))


def assert_agree(actual: np.ndarray, expected: np.ndarray, tolerance: float = 1e-9) -> None:
    """At each state (first axis) the largest error is small beside the largest entry."""
    assert actual.shape == expected.shape
    axes = tuple(range(1, expected.ndim))
    scale = np.maximum(np.abs(expected).max(axis=axes), FLOOR)
    error = np.abs(actual - expected).max(axis=axes) / scale
    worst = int(np.argmax(np.where(np.isfinite(error), error, np.inf)))
    assert error[worst] <= tolerance, f"relative error {error[worst]:.1e} at state {worst}"
