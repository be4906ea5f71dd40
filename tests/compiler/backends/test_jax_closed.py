"""Gradients of closed chains through JAX, beside differences of eighth order of dynamics by projection (Pinocchio)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot import Robot, independent_coordinates
from tests.closed_oracle import DIFFERENCES, projected

jax = pytest.importorskip("jax")
STEP = 5e-3
"""Differences then err by some 1e-10: completed positions are right within 1e-13."""


@pytest.fixture(scope="module", autouse=True)
def double() -> Iterator[None]:
    with jax.enable_x64(True):
        yield


def loss(robot: Robot, guess: np.ndarray, weights: np.ndarray) -> Callable[[np.ndarray], float]:
    """Return the weighted sum of accelerations of independent joints, of (positions, velocities, torques) in a row."""
    forward, own = projected(robot), independent_coordinates(robot)

    def value(x: np.ndarray) -> float:
        y, yd, u = np.split(x, 3)
        q, tau = robot.complete(y, guess), np.zeros(robot.nv)
        tau[own] = u
        return float(weights @ forward(q, robot.complete_velocity(q, yd), tau)[own])

    return value


def differences(function: Callable[[np.ndarray], float], x: np.ndarray, directions: np.ndarray) -> np.ndarray:
    """Return derivatives along directions (k, n), which are unit vectors, by central differences."""
    return np.array(
        [
            sum(
                w * (function(x + k * STEP * e) - function(x - k * STEP * e))
                for k, w in enumerate(DIFFERENCES, start=1)
            )
            / STEP
            for e in directions
        ]
    )


CHAINS = [
    pytest.param(name, marks=pytest.mark.suite)
    for name in ("four_bar_linkage", "belt_leg", "differential", "stewart_gough")
]


@pytest.mark.parametrize("name", ["five_bar", *CHAINS])
@pytest.mark.suite
def test_gradients_along_closed_positions_are_those_of_differences(name):
    robot, rng = sg.load(name), np.random.default_rng(3)
    guess = robot.close_loops(robot.neutral()) if name != "five_bar" else robot.complete([2.2, 0.9])
    own = independent_coordinates(robot)
    x = np.concatenate([guess[own], *rng.standard_normal((2, len(own)))])
    weights = rng.standard_normal(len(own))
    f = sg.forward_dynamics(robot, coordinates="independent", positions="independent")
    g, more = f.jax(), [guess] * (len(f.arguments) - 3)

    def of_jax(x: jax.Array) -> jax.Array:
        return jax.numpy.dot(weights, g(*jax.numpy.split(x, 3), *more))

    expected = loss(robot, guess, weights)
    assert float(of_jax(x)) == pytest.approx(expected(x), rel=1e-10)
    directions = np.linalg.qr(rng.standard_normal((len(x), min(len(x), 4))))[0].T
    wanted = differences(expected, x, directions)
    backward, ahead = np.asarray(jax.grad(of_jax)(x)), np.asarray(jax.jacfwd(of_jax)(x))
    for gradient in (backward, ahead):
        np.testing.assert_allclose(directions @ gradient, wanted, rtol=0, atol=1e-8 * np.abs(gradient).max())
    np.testing.assert_allclose(backward, ahead, rtol=0, atol=1e-12 * np.abs(ahead).max())


def test_a_gradient_through_closed_positions_and_dynamics_is_that_of_differences():
    robot, weights = sg.load("five_bar"), np.array([0.3, -1.0, 0.5, 0.8])
    guess = robot.complete([2.2, 0.9])
    closed, forward = sg.closed_positions(robot).jax(), sg.forward_dynamics(robot, coordinates="independent").jax()
    torques = np.array([1.0, -1.0])

    def of_jax(y: jax.Array) -> jax.Array:
        q = closed(y, guess)
        return jax.numpy.dot(weights, q) + forward(q, jax.numpy.zeros(2), torques)[0]

    def expected(y: np.ndarray) -> float:
        q = robot.complete(y, guess)
        tau = np.append(torques, [0.0, 0.0])
        return float(weights @ q + projected(robot)(q, np.zeros(4), tau)[0])

    y = np.array([2.2, 0.9])
    wanted = differences(expected, y, np.eye(2))
    np.testing.assert_allclose(jax.grad(of_jax)(y), wanted, rtol=0, atol=1e-8 * np.abs(wanted).max())
