"""Dynamics of closed chains, against the tree's mass matrix and the null space of the constraints."""

from __future__ import annotations

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot import Robot, constraint_jacobian, without_loops
from tests.suites import in_suites

CHAINS = ("five_bar", "four_bar_linkage", "belt_leg", "differential", "stewart_gough")
STEP = 1e-6


def closed_state(name: str) -> tuple[Robot, np.ndarray, np.ndarray, np.ndarray]:
    """Return a robot, a closed position, velocities that keep it closed, and random efforts."""
    robot, rng = sg.load(name), np.random.default_rng(3)
    q = robot.close_loops(0.3 * robot.random(rng))
    null = null_space(constraint_jacobian(robot, q))
    return robot, q, null @ rng.standard_normal(null.shape[1]), rng.standard_normal(robot.nv)


def null_space(K: np.ndarray) -> np.ndarray:
    _, sizes, directions = np.linalg.svd(K)
    return directions[(sizes > 1e-9).sum() :].T


def projected(robot: Robot, q: np.ndarray, qd: np.ndarray, tau: np.ndarray) -> np.ndarray:
    """Return accelerations by projection: K qdd = -(dK/dt) qd, and what efforts do within the null space of K."""
    K, null = constraint_jacobian(robot, q), null_space(constraint_jacobian(robot, q))

    def moved(t: float) -> np.ndarray:
        return robot.manifold.retract(q, t * qd)

    rate = (constraint_jacobian(robot, moved(STEP)) - constraint_jacobian(robot, moved(-STEP))) / (2 * STEP)
    part = np.linalg.lstsq(K, -rate @ qd, rcond=1e-10)[0]
    tree = without_loops(robot)
    M, h = sg.mass_matrix(tree)(q), sg.bias_forces(tree)(q, qd)
    return part + null @ np.linalg.solve(null.T @ M @ null, null.T @ (tau - h - M @ part))


LOOPS = ("ancestor", "cluster_lambda")


@pytest.mark.sampled(10)
@pytest.mark.parametrize("ordering", ["auto", "embedding", in_suites("aba"), "kkt", *map(in_suites, LOOPS)])
@pytest.mark.parametrize("name", CHAINS)
def test_accelerations_are_those_of_the_projection_method(name, ordering):
    robot, q, qd, tau = closed_state(name)
    expected = projected(robot, q, qd, tau)
    found = sg.forward_dynamics(robot, ordering=ordering)(q, qd, tau)
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-7 * np.abs(expected).max())


@pytest.mark.parametrize("name", CHAINS)
@pytest.mark.sampled(6)
def test_inverse_dynamics_finds_the_efforts_of_the_independent_joints(name):
    robot, q, qd, _ = closed_state(name)
    tau = np.zeros(robot.nv)
    for i, joint in enumerate(robot.independent_joints):
        tau[robot.v_slices[joint]] = 1.0 + i
    qdd = sg.forward_dynamics(robot)(q, qd, tau)
    np.testing.assert_allclose(sg.inverse_dynamics(robot)(q, qd, qdd), tau, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", CHAINS)
def test_the_mass_matrix_is_that_of_the_tree(name):
    robot = sg.load(name)
    q = robot.close_loops(robot.neutral())
    np.testing.assert_array_equal(sg.mass_matrix(robot)(q), sg.mass_matrix(without_loops(robot))(q))
