"""Curves of positions beside differences along them."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.motion.identification.manifold_curves import (
    compile_displacement,
    lift_motion,
    normalise_quaternions,
)
from screwgraph.spatial.manifolds import unwrap_quaternions

H = 1e-3
STENCIL = np.arange(-4, 5)
FIRST = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0.0, 4 / 5, -1 / 5, 4 / 105, -1 / 280]) / H
SECOND = np.array([-1 / 560, 8 / 315, -1 / 5, 8 / 5, -205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560]) / H**2


def waves(n: int, rng: np.random.Generator):
    a, b, w = rng.standard_normal((3, n))
    return lambda t, k: np.array([a * w**k * np.sin(w * s + b + k * np.pi / 2.0) for s in t])


def differenced(robot: sg.Robot, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return velocity and acceleration at the middle of nine positions."""
    away = sg.difference(robot)(np.tile(q[4], (9, 1)), q)
    return FIRST @ away, SECOND @ away


@pytest.fixture(scope="module")
def robot() -> sg.Robot:
    return sg.load("rr", base="floating")


def test_velocities_of_coordinates_that_move(robot):
    x, t = waves(robot.nq, np.random.default_rng(0)), H * STENCIL
    q, qd, qdd = lift_motion(robot, x(t, 0), x(t, 1), x(t, 2))
    velocity, acceleration = differenced(robot, q)
    np.testing.assert_allclose(qd[4], velocity, atol=1e-9)
    np.testing.assert_allclose(qdd[4], acceleration, atol=1e-6)


def test_velocities_of_a_displaced_motion(robot):
    rng, t = np.random.default_rng(1), H * STENCIL
    x, d = waves(robot.nq, rng), waves(robot.nv, rng)
    whole = compile_displacement(robot)(
        *lift_motion(robot, *(x(t, k) for k in range(3))), *(0.3 * d(t, k) for k in range(3))
    )
    velocity, acceleration = differenced(robot, whole[0])
    np.testing.assert_allclose(whole[1][4], velocity, atol=1e-8)
    np.testing.assert_allclose(whole[2][4], acceleration, atol=1e-6)


def test_quaternions_keep_their_sign_and_length(robot):
    x = waves(robot.nq, np.random.default_rng(2))(0.01 * np.arange(50), 0)
    flipped = x.copy()
    flipped[20:, 3:7] *= -1.0
    np.testing.assert_allclose(unwrap_quaternions(robot.manifold, flipped), x)
    np.testing.assert_allclose(np.linalg.norm(normalise_quaternions(robot, x)[:, 3:7], axis=1), 1.0)
