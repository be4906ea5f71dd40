"""Horizons of the bench: other solvers get the same stages, and find the optimum that IPOPT found."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.horizons import balance
from benchmarks.peers.crocoddyl import stand
from benchmarks.peers.horizon_solvers import solve_by_crocoddyl, solve_by_fatrop
from benchmarks.standing_horizons import BLOW, list_standing
from benchmarks.trotting_horizon import TrottingHorizon

import screwgraph as sg
from screwgraph.motion.control import Sole, converge
from screwgraph.ui.bench import NotMeasuredError

OPTIMUM = 2.372237833647354
"""IPOPT with CasADi, the same stages, to 1e-11."""


def test_our_calls_end_at_the_optimum_and_one_program_counts_its_cost():
    horizon = balance()
    f, given = horizon.controller, horizon.arguments
    previous, change = np.zeros(f.arguments[-1].shape), 1.0
    shaped = [x.reshape(a.shape) for x, a in zip(given, f.arguments, strict=False)]
    for _ in range(60):
        _, states, efforts, _, previous, solution = f(*shaped, previous)
        change = solution[4]
        if change < 1e-8:
            break
    assert change < 1e-8
    cost, violation = horizon.judge(states, efforts)
    assert cost == pytest.approx(OPTIMUM, rel=1e-6)
    assert violation < 1e-8
    assert horizon.judge(np.asarray(states) + 0.1, efforts)[1] > 0.09


def test_fatrop_finds_the_optimum_of_the_same_stages():
    horizon = balance()
    found = solve_by_fatrop(horizon, None, 1)
    cost, violation = horizon.judge(found.x, found.u)
    assert found.is_solved
    assert cost == pytest.approx(OPTIMUM, rel=1e-6)
    assert violation < 1e-6


def test_crocoddyl_finds_the_optimum_of_the_same_stages():
    horizon = balance()
    try:
        found = solve_by_crocoddyl(horizon, 1)
    except NotMeasuredError as error:
        pytest.skip(str(error))
    cost, violation = horizon.judge(found.x, found.u)
    assert cost == pytest.approx(OPTIMUM, rel=1e-5)
    assert violation < 1e-6


def test_crocoddyl_stands_as_ours_does():
    """The base, which begins with 0.1 m/s, is at rest before it has gone a centimetre."""
    horizons = [horizon for horizon in list_standing() if horizon.name.startswith("mini cheetah")]
    if not horizons:
        pytest.skip("the file of the robot is not here")
    try:
        found = stand(horizons[0], 1)
    except NotMeasuredError as error:
        pytest.skip(str(error))
    way = np.array(found["base"])[:, :3] - horizons[0].q[:3]
    assert found["status"] == "converged"
    assert np.abs(way[0]).max() < 1e-12
    assert 1e-4 < way[1, 0] < BLOW * horizons[0].h
    assert 1e-4 < np.abs(way).max() < 0.01
    assert np.abs(way[-1] - way[-2]).max() < 0.01 * BLOW * horizons[0].h


@pytest.mark.suite
def test_a_trotting_a1_keeps_equations_of_motion_and_friction_and_its_cost_is_counted_apart():
    horizon = TrottingHorizon()
    f = horizon.controller
    q, v, references, weights, contacts, _ = (
        x.reshape(a.shape) for x, a in zip(horizon.arguments, f.arguments, strict=False)
    )
    found = converge(f, q, v, references, weights, contacts=contacts)
    cost, violation = horizon.judge(found.states, found.efforts, found.forces)
    assert found.solution[0] == 0.0
    assert violation < 1e-8
    assert cost == pytest.approx(found.solution[1], rel=1e-9)
    moved = np.asarray(found.forces).copy()
    moved[0, 1] += 1.0
    assert horizon.judge(found.states, found.efforts, moved)[1] > 0.1


def test_robots_that_stand_have_closed_loops_and_feet_on_the_ground():
    for horizon in list_standing():
        robot, q, heights = horizon.robot, horizon.q, list[float]()
        if robot.is_closed:
            assert np.abs(robot.close_loops(q, robot.independent_joints) - q).max() < 1e-9
        for foot in horizon.feet:
            T = np.asarray(sg.forward_kinematics(robot, foot.frame)(q))
            heights.append((T @ [*foot.at, 1.0])[2] - (0.0 if isinstance(foot, Sole) else foot.radius))
        assert min(heights) == pytest.approx(0.0, abs=1e-9)
        assert max(heights) < 2e-3
