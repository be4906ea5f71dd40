"""Descents of excess: on forces that are a function of the coefficients alone."""

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot import closed_states, constraint_jacobian
from screwgraph.motion.planning.guesses.low_effort_motion import MARGIN, _descend_excess, _directions


def descend(excess, start):
    motions = SimpleNamespace(evaluate=lambda c: np.broadcast_to(np.atleast_3d(c), (3, *np.shape(c))))
    ends = cast(Any, SimpleNamespace(motions=lambda parts: motions))
    return _descend_excess(ends, lambda q, qd, qdd: q, cast(Any, SimpleNamespace(excess=excess)), start)


def test_a_linear_excess_vanishes():
    largest, c = descend(lambda x: x - [1.0, -2.0], np.array([[4.0, 3.0], [-5.0, 0.5]]))
    assert largest < MARGIN
    np.testing.assert_allclose(c, [[1.0, -2.0]] * 2, atol=MARGIN)


@pytest.mark.parametrize("start", [0.5, 2.0])
def test_an_excess_on_which_full_steps_lead_away_falls(start):
    """Gauss-Newton's steps on the arc tangent diverge beyond 1.39."""
    largest, c = descend(np.arctan, np.array([[start]]))
    assert largest < np.arctan(start)
    assert abs(c[0, 0]) < start


def both_ways(x):
    return np.concatenate([x - 1.0, x + 1.0], axis=-1)


def test_the_least_excess_of_forces_that_always_have_some():
    largest, c = descend(both_ways, np.array([[4.0]]))
    assert largest == pytest.approx(1.0, abs=0.05)
    assert abs(c[0, 0]) < 0.05


def test_directions_are_velocities_that_linear_couplings_allow():
    robot = sg.load("differential")
    directions = _directions(robot)
    assert directions is not None
    assert directions.shape == (robot.nv, robot.mobility.freedom)
    assert np.linalg.matrix_rank(directions) == robot.mobility.freedom
    for q in closed_states(robot, 3):
        np.testing.assert_allclose(constraint_jacobian(robot, q) @ directions, 0.0, atol=1e-12)
    assert _directions(sg.load("five_bar")) is None, "they depend on the position"
    np.testing.assert_array_equal(_directions(sg.load("rr")), np.eye(2))
