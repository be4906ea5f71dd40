"""Closed chains against Pinocchio's `constraintDynamics` and MuJoCo's equality constraints, at random closed states."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot import Robot, independent_coordinates
from tests.agreement import assert_agree, interpreted
from tests.closed_oracle import Motion, motion
from tests.mujoco_oracle import MujocoOracle
from tests.pinocchio_loops import ConstrainedOracle
from tests.robots import robot_file

FILES = {
    "crank_rocker": "crank_rocker.urdf",
    "four_bar": "four_bar.urdf",
    "six_bar": "six_bar.urdf",
    "planar_leg_linkage": "planar_leg_linkage.urdf",
    "cassie_reduced": "cassie_reduced.sdf",
}


@cache
def moving(name: str) -> tuple[Robot, Motion]:
    """Return a robot, and motions of it with efforts at the independent joints."""
    robot = sg.load(robot_file(FILES[name]) if name in FILES else name)
    return robot, motion(robot, 3)


def accelerations(oracle: MujocoOracle | ConstrainedOracle, states: Motion) -> np.ndarray:
    return np.array([oracle.forward_dynamics(*row) for row in zip(states.q, states.qd, states.tau, strict=True)])


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", [*FILES, "stewart_gough"])
def test_forward_dynamics_are_those_of_both(name):
    robot, states = moving(name)
    ordering = "aba" if name == "stewart_gough" else "embedding"
    found = interpreted(sg.forward_dynamics(robot, ordering=ordering), states.q, states.qd, states.tau)
    assert_agree(found, accelerations(ConstrainedOracle(robot), states))
    mujoco = MujocoOracle(robot)
    assert max(map(mujoco.gap, states.q)) < 1e-10
    assert_agree(found, accelerations(mujoco, states))


@pytest.mark.parametrize("name", ["crank_rocker", "five_bar", "four_bar", "six_bar", "planar_leg_linkage"])
@pytest.mark.sampled(2)
def test_inverse_dynamics_find_the_efforts_that_cause_pinocchio_s_accelerations(name):
    robot, states = moving(name)
    at = independent_coordinates(robot)
    f = sg.inverse_dynamics(robot, coordinates="independent", ordering="embedding")
    qdd = accelerations(ConstrainedOracle(robot), states)
    assert_agree(interpreted(f, states.q, states.qd[:, at], qdd[:, at]), states.tau[:, at])


@pytest.mark.parametrize("mu", [1e-8, 1e-10, 1e-12])
def test_pinocchio_s_regularisation_plays_no_part_after_some_iterations(mu):
    """One proximal step errs in proportion to mu; more steps converge to the hard constraints, which ours are."""
    robot, states = moving("five_bar")
    oracle, ours = ConstrainedOracle(robot), sg.forward_dynamics(robot, ordering="embedding")
    state = (states.q[0], states.qd[0], states.tau[0])
    exact = interpreted(ours, *(array[None] for array in state))[0]
    errors = [np.abs(oracle.forward_dynamics(*state, mu, steps) - exact).max() for steps in (1, 5)]
    largest = np.abs(exact).max()
    assert errors[0] < 1e3 * mu * largest
    assert errors[1] < 1e-12 * largest
