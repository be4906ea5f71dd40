"""Code for closed chains is compared with its equations where they close, before anybody gets it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from examples.chignoli_2023_robots import branches

import screwgraph as sg
from screwgraph.base.errors import EliminationError
from screwgraph.compiler.problem import validation
from screwgraph.compiler.problem.problem import Problem
from screwgraph.compiler.problem.validation import validate_residual, validate_stability
from screwgraph.graph import Key
from screwgraph.mechanics.dynamics.query import Query
from screwgraph.model.robot import constraint_jacobian, symmetric_states, without_loops
from tests.agreement import assert_agree
from tests.closed_oracle import motion
from tests.dynamics_suite import scaled_condition
from tests.oracle import oracle

ORDERS = ("min_degree", "greedy", "colamd", "nested_dissection", "crba", "symmetric")


def forward(robot: sg.Robot) -> Problem:
    keys = {kind: tuple(Key(kind, name) for name in robot.joint_names) for kind in ("q", "qd", "tau", "qdd")}
    arguments = tuple((kind, keys[kind]) for kind in ("q", "qd", "tau"))
    return Query("forward_dynamics", robot, arguments, keys["qdd"]).problem


@pytest.mark.parametrize("name", ["five_bar", "belt_leg"])
def test_wrong_code_is_refused(name):
    """Also where there are couplings only, whose constraints wrong code may still keep."""
    robot = sg.load(name)
    program = sg.forward_dynamics(robot, ordering="kkt").program
    assert validate_residual(forward(robot), program, "kkt") is program
    swapped = replace(program, outputs=(0.0, *program.outputs[1:]))
    with pytest.raises(EliminationError, match="divides by what vanishes where robot"):
        validate_residual(forward(robot), swapped, "kkt")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", ["five_bar", "four_bar_linkage"])
@pytest.mark.parametrize("order", ORDERS)
def test_any_order_gives_the_same_answers(name, order):
    robot = sg.load(name)
    states = motion(robot, 4, everywhere=True)
    f = sg.forward_dynamics(robot, ordering=order)
    assert_agree(f(states.q, states.qd, states.tau), states.qdd)


def test_auto_takes_another_order_where_the_cheapest_does_not_hold(monkeypatch):
    monkeypatch.setenv("SCREWGRAPH_CACHE", "off")
    robot, refused = sg.load("four_bar_linkage"), []

    def picky(problem, program, label):
        if not refused:
            refused.append(label)
            raise EliminationError("it divides by zero")
        return validate_residual(problem, program, label)

    monkeypatch.setattr("screwgraph.compiler.compile.validate_residual", picky)
    states = motion(robot, 4)
    f = sg.forward_dynamics(robot)
    assert refused
    assert_agree(f(states.q, states.qd, states.tau), states.qdd)


def test_huge_damping_of_joints_is_no_sign_of_a_vanishing_pivot():
    """Bases of robots in MJCF are often held by slides with a damping of 1e11."""
    robot = sg.load("five_bar")
    held = replace(robot, joints=tuple(replace(joint, damping=1e11) for joint in robot.joints))
    at_rest = robot.close_loops(robot.neutral()), np.zeros(robot.nv), np.full(robot.nv, 0.1)
    free, damped = (sg.forward_dynamics(it, ordering="embedding") for it in (robot, held))
    assert_agree(damped(*at_rest), free(*at_rest))


@pytest.mark.suite
def test_long_chains_stretched_out_lose_digits_and_are_not_refused():
    """Two branches of 20 links and a rod (Chignoli et al., 2023, Fig. 10): M has the condition number 2e6 there."""
    robot = branches(20, 20, "rod")
    (q, *_), tau = symmetric_states(robot), np.random.default_rng(0).standard_normal(robot.nv)
    K = constraint_jacobian(robot, q)[list(robot.mobility.kept)]
    M, h = (part[0] for part in oracle(without_loops(robot)).equations(q[None], np.zeros((1, robot.nv))))
    whole = np.block([[M, -K.T], [K, np.zeros((len(K), len(K)))]])
    right = np.linalg.solve(whole, np.concatenate([tau - h, np.zeros(len(K))]))[: robot.nv]
    found = sg.forward_dynamics(robot, ordering="kkt")(q, np.zeros(robot.nv), tau)
    allowed = 1e-12 * scaled_condition(M[None])[0] * np.linalg.cond(K) ** 2
    assert np.abs(found - right).max() < allowed * np.abs(right).max()


def test_code_that_changes_much_where_the_state_hardly_does_is_refused_with_the_order_and_the_robot(monkeypatch):
    robot = sg.load("five_bar")
    program = sg.forward_dynamics(robot, ordering="kkt").program
    assert validate_stability(forward(robot), program, "kkt") is program
    monkeypatch.setattr(validation, "_is_stable", lambda *_: False)
    with pytest.raises(EliminationError, match="order 'kkt' divides by what vanishes where robot 'five_bar' is closed"):
        validate_stability(forward(robot), program, "kkt")
