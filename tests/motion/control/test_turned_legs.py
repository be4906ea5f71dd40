"""Turned axes of legs: orthogonal, they leave a contact alone, and follow positions without jumps."""

import numpy as np
import pytest

from screwgraph.motion.control.turned_legs import choose_ways, turn_leg


def sample(rng, size, joints, spread=0.3):
    """Return Jacobians near one of them."""
    mean = rng.normal(size=(size, joints))
    return [mean + spread * rng.normal(size=(size, joints)) for _ in range(64)]


@pytest.mark.parametrize(("size", "joints"), [(3, 4), (3, 5), (3, 7), (5, 6), (6, 7), (1, 2)])
def test_first_axes_carry_the_contact(size, joints):
    samples, alone = sample(np.random.default_rng(size + joints), size, joints), tuple(range(joints))
    ways = choose_ways(samples, alone, size)
    for J in samples:
        turn, turned = turn_leg(J, alone, ways)
        Q = np.array(turn.Q, float)
        np.testing.assert_allclose(Q.T @ Q, np.eye(joints), atol=1e-13)
        np.testing.assert_allclose(J @ Q, np.array(turned, float), atol=1e-13)
        assert not np.array(turned, float)[:, size:].any()
        assert np.abs(np.linalg.det(np.array(turned, float)[:, :size])) > 0.0


def test_axes_do_not_jump():
    """Along a circle of rows, through each side of the axis; two joints of one row go round without an end."""
    alone = (0, 1)
    for way in (0.01, -0.01):
        Q = [
            np.array(turn_leg(np.array([[np.cos(t), np.sin(t)]]), alone, [way])[0].Q, float)
            for t in np.arange(0, 7, 1e-2)
        ]
        assert np.abs(np.diff(Q, axis=0)).max() < 1.1e-2
    alone = (0, 1, 2)
    rows = [[np.cos(t), 0.6 * np.sin(t), 0.8 * np.sin(t) + 0.05] for t in np.arange(0, 7, 1e-2)]
    Q = [np.array(turn_leg(np.array([row]), alone, [0.01])[0].Q, float) for row in rows]
    assert np.abs(np.diff(Q, axis=0)).max() < 2.1 * 1e-2 / 0.03  # the rows pass by the axis at 0.03


def test_rows_that_vanish_turn_axes_gradually():
    """A row that goes through zero: axes turn within the length of a way, and stay orthogonal."""
    alone, way, step = (0, 1, 2), 0.01, 1e-4
    Q = [
        np.array(turn_leg(np.array([[0.0, x, 0.002]]), alone, [way])[0].Q, float) for x in np.arange(-0.03, 0.03, step)
    ]
    assert np.abs(np.diff(Q, axis=0)).max() < 3.0 * step / way
    for own in (*Q[::10], np.array(turn_leg(np.zeros((1, 3)), alone, [way])[0].Q, float)):
        np.testing.assert_allclose(own.T @ own, np.eye(3), atol=1e-12)


def test_legs_whose_contact_is_off_are_not_turned():
    J = np.random.default_rng(0).normal(size=(3, 5))
    np.testing.assert_array_equal(np.array(turn_leg(J, range(5), [0.1] * 3)[0].switch(0.0).Q, float), np.eye(5))
