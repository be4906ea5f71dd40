"""Derivatives of closed chains, along their motions: differences of accelerations by the projection method."""

from __future__ import annotations

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot import Robot, constraint_jacobian
from tests.mechanics.dynamics.test_closed_dynamics import null_space, projected
from tests.robots import robot_file

STEP = 1e-4


def robot_of(name: str) -> Robot:
    if name.endswith(".urdf"):
        return sg.load(robot_file(name))
    return sg.load(name)


@pytest.mark.parametrize("name", ["crank_rocker.urdf", "four_bar.urdf", "five_bar", "belt_leg"])
@pytest.mark.sampled(3)
def test_derivatives_along_motions_that_keep_loops_closed_are_those_of_the_projection_method(name):
    robot, rng = robot_of(name), np.random.default_rng(4)
    start = robot.close_loops(0.3 * robot.random(rng))
    null = null_space(constraint_jacobian(robot, start))
    direction, qd = (null @ rng.standard_normal((null.shape[1], 2))).T
    tau, push = rng.standard_normal((2, robot.nv))

    def state(s: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return a closed position, a velocity that keeps it closed, and efforts, all near those at s = 0."""
        q = robot.close_loops(start + s * direction)
        allowed = null_space(constraint_jacobian(robot, q))
        return q, allowed @ (allowed.T @ qd), tau + s * push

    ahead, behind = state(STEP), state(-STEP)
    slope = (projected(robot, *ahead) - projected(robot, *behind)) / (2 * STEP)
    matrices = sg.forward_dynamics(robot).jacobian("q", "qd", "tau")(*state(0.0))
    changes = [(a - b) / (2 * STEP) for a, b in zip(ahead, behind, strict=True)]
    found = sum(matrix @ change for matrix, change in zip(matrices, changes, strict=True))
    np.testing.assert_allclose(found, slope, rtol=0, atol=1e-5 * np.abs(slope).max())
