"""Robots that stand elsewhere than their last solution began: set anew, or beyond what it can catch up with."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.motion.control import HorizonLimits, converge, find_first_interval, stack_references, stack_weights

DT, END = 0.02, 0.8
LIMITS = HorizonLimits(effort={"x": 20.0}, lower={"x": -END}, upper={"x": END})


def make_controller(**options):
    """Return a cart-pole's controller on a rail, its references and weights."""
    cart = sg.load("cart_pole")
    control = sg.mpc(cart, DT, 20, actuated=["x"], limits=LIMITS, **options)
    weights = stack_weights(cart, position=[5.0, 20.0], velocity=0.1, effort=1e-4, actuated=["x"])
    return control, stack_references(control, [0.0, np.pi]), weights


def find_gap(states):
    """Return how far the second instant is from where the first one leads (m, rad)."""
    return np.abs(states[1, :2] - states[0, :2] - DT * states[1, 2:]).max()


@pytest.mark.parametrize("state", [([5.0, 1.0], [3.0, -8.0]), ([-16.0, 0.0], [-9.0, 12.0]), ([1.5, 2.0], [4.0, 12.0])])
def test_a_horizon_begins_where_the_robot_is_from_the_second_call_on(state):
    """Beyond the ends of its rail, with the last solution of a cart at rest within them; else the motion was anywhere.

    The status of calls that have not caught up is 1; a cart that does so is beyond its rail, and told to be.
    """
    control, references, weights = make_controller()
    previous, gaps = converge(control, [0.0, 0.0], [0.0, 0.0], references, weights).next, []
    for call in range(12):
        tau, states, *_, previous, solution = control(*state, references, weights, 1.0, previous)
        gaps.append(find_gap(states))
        assert abs(tau[0]) <= 20.0
        assert solution[0] == 1.0 or gaps[-1] < 0.3
        if gaps[-1] < 0.3:
            assert solution[2] > abs(states[1, 0]) - END - 1e-9
        assert call == 0 or gaps[-1] < 0.4
    assert gaps[0] > 1.0
    assert gaps[1] < 1e-9


def test_time_that_stands_still_keeps_the_solution():
    """`converge` catches up by itself, where steps are shortened at first."""
    control, references, weights = make_controller()
    previous = converge(control, [0.0, 0.0], [0.0, 0.0], references, weights).next
    state = [5.0, 1.0], [3.0, -8.0]
    left = control(*state, references, weights, 1.0, previous)[-2]
    assert left[0] < 0.0
    moved, kept = (control(*state, references, weights, advance, left) for advance in (1.0, 0.0))
    assert find_gap(moved[1]) < 1e-9
    assert find_gap(kept[1]) > 1.0


def test_first_intervals_lead_to_the_next_instant():
    """A gap is measured over the first interval, which may be shorter."""
    control, references, weights = make_controller(rate=200, shortenings=0)
    for call in range(1, 4):
        first = find_first_interval(5e-3 * call, dt=DT, rate=200)
        nothing = np.zeros(control.arguments[-1].shape)
        *_, last, _ = control([0.0, 1.0], [0.0, 40.0], references, weights, first, 0.0, nothing)
        assert last[0] > 0.5


def test_an_optimum_that_costs_nothing_is_told_to_be_one():
    """A robot that rests at its goal: costs are those of rounding, 1e-35, which any step may raise."""
    arm = sg.load("rrr")
    control = sg.mpc(arm, DT, 10)
    goal = [0.3, -0.5, 0.7]
    holding = sg.bias_forces(arm)(goal, np.zeros(3))
    found = converge(
        control, goal, np.zeros(3), stack_references(control, goal, effort=holding), stack_weights(arm, effort=1e-3)
    )
    assert found.solution[0] == 0.0
    np.testing.assert_allclose(found.tau, holding, rtol=0.0, atol=1e-12)
