"""Impulses of rows that are active: linear systems by parts of a matrix, and steps that need no sweeps."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import screwgraph as sg
from screwgraph.motion.simulation.contacts.active_rows import solve_masked
from tests.motion.simulation.contacts.bodies import feet, quadruped, standing


def _lower(G):
    return [{j: float(G[i, j]) for j in range(i + 1)} for i in range(len(G))]


@given(st.integers(0, 2**32 - 1))
def test_active_rows_are_solved_and_others_stay(seed):
    rng = np.random.default_rng(seed)
    half = rng.normal(size=(6, 9))
    G, b, active = half @ half.T + 0.1 * np.eye(6), rng.normal(size=6), rng.random(6) < 0.6
    y = np.array(solve_masked(_lower(G), active.astype(float).tolist(), b.tolist()), dtype=float)
    assert (y[~active] == 0.0).all()
    np.testing.assert_allclose((G @ y)[active], b[active], atol=1e-10)


def test_rows_that_repeat_others_are_left_out():
    half = np.random.default_rng(0).normal(size=(4, 6))
    J = np.vstack([half, half[0] + 2.0 * half[1]])
    G, wanted = J @ J.T, J @ np.arange(6.0)
    y = np.array(solve_masked(_lower(G), [1.0] * 5, wanted.tolist()), dtype=float)
    assert y[4] == 0.0
    np.testing.assert_allclose(G @ y, wanted, atol=1e-9 * np.abs(wanted).max())


def test_feet_that_stick_need_no_sweeps():
    """One that slides does; a step counts the sweeps, and one system as one."""
    robot = quadruped()
    stands = sg.Simulator(robot, 1e-3, standing(robot, 0.3502), contacts=feet())
    stands.step()
    stands.step(steps=40)
    assert stands._seen[1][1] == 1.0
    assert stands.residual < 1e-13
    assert (stands.forces[:, 2] > 1.0).all()
    pushed = np.zeros(robot.nv)
    pushed[3] = 1.0
    slides = sg.Simulator(robot, 1e-3, stands.q, pushed, contacts=feet(friction=0.05))
    slides.step()
    assert slides._seen[1][1] > 1.0
    assert slides.residual < 1e-9
