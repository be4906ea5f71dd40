""" "auto" on long chains: one order, no search, operations linear in the number of joints."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.compiler.problem.plan_costs import PlanTrials
from screwgraph.compiler.problem.problem import Problem
from screwgraph.elimination import cost, orderings
from screwgraph.graph import Key
from screwgraph.tape import Program, Routine
from tests.oracle import oracle
from tests.random_trees import random_tree


def forward_problem(robot):
    """What forward dynamics asks."""
    keys = {kind: tuple(Key(kind, name) for name in robot.joint_names) for kind in ("q", "qd", "tau", "qdd")}
    graph = sg.dynamics_graph(robot)
    known = (*keys["q"], *keys["qd"], *keys["tau"])
    return Problem(
        "forward", graph.model, known, tuple((k, keys[k]) for k in ("q", "qd", "tau")), (("qdd", keys["qdd"]),)
    )


def test_long_chains_go_by_one_order():
    problem = forward_problem(sg.load(random_tree(20)))
    assert orderings.candidates(problem.graph(problem.passes)) == ("articulated",)


def test_an_order_that_cannot_win_is_given_up():
    """The composite order of long chains grows with their cube, unlike that of the articulated one."""
    trials = PlanTrials(forward_problem(sg.load(random_tree(8))))
    plan = trials.plan(orderings.find_ordering("composite"))
    assert trials.eliminate(plan, best=500.0) is None
    elimination = trials.eliminate(plan)
    assert elimination is not None
    needed = cost(trials.code(elimination))
    assert trials.eliminate(plan, best=needed) is not None


def test_forward_dynamics_of_chains_deeper_than_thirty_joints_are_undone_by_inverse_dynamics():
    """Code with loops, made without elimination, beside straight code of the other problem, in an order of its own."""
    robot, rng = sg.load(random_tree(61)), np.random.default_rng(3)
    forward, inverse = sg.forward_dynamics(robot), sg.inverse_dynamics(robot, ordering="rnea")
    assert isinstance(forward.body, Routine)
    assert isinstance(inverse.body, Program)
    q, qd, tau = rng.uniform(-3, 3, robot.nq), rng.normal(size=robot.nv), 10.0 * rng.normal(size=robot.nv)
    qdd, still = forward.few(q, qd, tau), np.zeros(robot.nv)
    # Torques of accelerations, of velocities and of gravity are far larger than their sum: these are what is rounded.
    size = np.abs(inverse.few(q, qd, still)).max() + np.abs(inverse.few(q, qd, qdd)).max()
    np.testing.assert_allclose(inverse.few(q, qd, qdd), tau, rtol=0.0, atol=1e-10 * size)
    assert forward.ordering == "articulated"


@pytest.mark.suite
def test_dynamics_of_long_chains_are_linear_in_the_joints(monkeypatch):
    monkeypatch.delenv("SCREWGRAPH_SEARCH_SECONDS", raising=False)
    for query, a_joint in ((sg.inverse_dynamics, 155), (sg.forward_dynamics, 540)):
        for n in (50, 100):
            robot = sg.load(random_tree(n))
            f = query(robot)
            assert f.operations.total <= a_joint * n, f"{f.name} of {n} joints"
    rng, robot = np.random.default_rng(0), sg.load(random_tree(60))
    q, qd, tau = rng.uniform(-3, 3, robot.nq), rng.normal(size=robot.nv), rng.normal(size=robot.nv)
    found, expected = sg.forward_dynamics(robot)(q, qd, tau), oracle(robot).forward_dynamics(q, qd, tau)
    condition = np.linalg.cond(oracle(robot).mass_matrix(q))
    assert np.linalg.norm(found - expected) <= 1e-15 * condition * np.linalg.norm(expected) * robot.nv
