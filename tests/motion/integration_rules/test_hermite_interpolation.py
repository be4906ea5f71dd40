"""Motions between two states: polynomials on vectors, and on manifolds what is its own derivative."""

import numpy as np
import pytest

from screwgraph.motion.integration_rules import between_states
from screwgraph.spatial.manifolds import FloatingPose, Product, UnitQuaternion, Vector

SPACE = Product((FloatingPose(), Vector(2), UnitQuaternion()))


@pytest.mark.parametrize("has_accelerations", [False, True])
def test_polynomials_are_met_exactly(has_accelerations):
    p = np.polynomial.Polynomial(np.random.default_rng(0).standard_normal(6 if has_accelerations else 4))
    start, part, h = np.array([[1.0], [0.2]]), np.array([[0.3], [1.0]]), np.array([[0.5], [2.0]])

    def state(t):
        return p(t), p.deriv(1)(t), p.deriv(2)(t) if has_accelerations else None

    found = between_states(Vector(1), state(start), state(start + h), h, part)
    t = start + part * h
    for k, x in enumerate(found):
        np.testing.assert_allclose(x, p.deriv(k)(t) if k else p(t), rtol=1e-11)


@pytest.fixture(scope="module")
def ends():
    rng = np.random.default_rng(1)
    q = [SPACE.random(rng) for _ in range(2)]  # turned by radians against each other
    return [(x[None], *rng.standard_normal((2, 1, SPACE.dim))) for x in q]


def test_the_ends_are_the_given_states(ends):
    for part, end in zip((0.0, 1.0), ends, strict=True):
        q, v, a = between_states(SPACE, *ends, np.array([[0.7]]), np.array([[part]]))
        assert np.abs(SPACE.difference(q[0], end[0][0])).max() < 1e-12
        np.testing.assert_allclose(v, end[1], atol=1e-11)
        np.testing.assert_allclose(a, end[2], atol=1e-10)


def test_velocities_are_the_rates_of_positions_and_accelerations_of_velocities(ends):
    h, d = 0.7, 1e-5
    part = np.array([[0.4 - d / h], [0.4], [0.4 + d / h]])
    states = [tuple(np.repeat(x, 3, axis=0) for x in end) for end in ends]
    q, v, a = between_states(SPACE, *states, np.full((3, 1), h), part)
    np.testing.assert_allclose((q[2] - q[0]) / (2 * d), SPACE.rate(q[1], v[1]), atol=1e-7)
    np.testing.assert_allclose((v[2] - v[0]) / (2 * d), a[1], atol=1e-6)
    assert np.abs(np.linalg.norm(q[:, 3:7], axis=1) - 1.0).max() < 1e-14
