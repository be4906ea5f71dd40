"""Compiled constraints against the plain ones, and projections onto them."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import InputError
from screwgraph.model.robot import closed_states, constraint_jacobian, constraint_residual
from screwgraph.motion.simulation.constraints import Constraints
from tests.model.robot.closed_instances import planar_four_bar, two_arms
from tests.model.robot.joint_instances import instances
from tests.robots import built_in_robots, closed_names

CLOSED = closed_names()
ROBOTS = {
    **{f"closed by {name}": two_arms(kind) for name, kind in instances().items() if kind.nv < 6},
    **{name: built_in_robots()[name] for name in CLOSED},
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", ROBOTS)
def test_positions_and_velocities_end_on_the_constraints(name):
    robot, rng = ROBOTS[name], np.random.default_rng(7)
    (first,) = closed_states(robot, 1, seed=3)
    second = robot.close_loops(robot.manifold.retract(first, 0.1 * rng.normal(size=robot.nv)))
    constraints = Constraints(robot, first)
    for q in (first, second):  # at the second, loop joints stand elsewhere
        beside = robot.manifold.retract(q, 1e-3 * rng.normal(size=robot.nv))
        end, qd, gap = constraints.project(0.0, beside, rng.normal(size=robot.nv))
        assert np.abs(constraint_residual(robot, end)).max() < 2e-10
        assert gap == pytest.approx(np.abs(constraint_residual(robot, end)).max(), abs=1e-11)
        assert np.abs(constraint_jacobian(robot, end) @ qd).max() < 1e-8
        way = sg.difference(robot)  # the nearest closed position is no further away than one that is known
        assert np.linalg.norm(way(beside, end)) <= 1.01 * np.linalg.norm(way(beside, q))


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.sampled(5)
def test_what_is_closed_stays_as_it_is(name):
    robot = ROBOTS[name]
    (q,) = closed_states(robot, 1, seed=4)
    allowed = robot.complete_velocity(q, np.ones(robot.mobility.freedom))
    end, qd, gap = Constraints(robot, q).project(0.0, q, allowed)
    np.testing.assert_array_equal(end, q)
    np.testing.assert_allclose(qd, allowed, atol=1e-9 * np.abs(allowed).max())
    assert gap < 1e-10


def test_what_does_not_close_again_is_said_with_the_time(monkeypatch):
    monkeypatch.setattr("screwgraph.motion.simulation.projection_code.ITERATIONS", 2)
    robot = planar_four_bar()
    q = robot.close_loops([0.9, -0.5, 0.8])
    constraints = Constraints(robot, q)
    with pytest.raises(InputError, match=r"at t = 0.7 s the loop-closure error is .* \(take a smaller dt\)"):
        constraints.project(0.7, q + np.array([0.0, 1.0, 0.0]), np.zeros(3))
