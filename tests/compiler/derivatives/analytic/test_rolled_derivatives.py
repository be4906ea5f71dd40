"""Loops over pairs and coordinates give the derivatives and accelerations that straight-line code gives."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.compiler.derivatives.analytic import tree_problem
from tests.motion.estimation import random_robots
from tests.random_trees import random_tree


def branched(i):
    return max(0, i - 2 if i % 4 == 0 else i - 1)


ROBOTS = {
    "chain": lambda: sg.load(random_tree(4)),
    "tree": lambda: sg.load(random_tree(6, branched)),
    "floating": lambda: random_robots.random_tree(np.random.default_rng(5), floating=True),
    "damped": lambda: sg.load("puma560"),
}


def known(f):
    """What knows closed forms of a function."""
    assert isinstance(f.origin.analytic, tree_problem.TreeProblem)
    return f.origin.analytic


@pytest.fixture
def short(monkeypatch):
    """Let loops be worth while for all robots."""
    monkeypatch.setattr(tree_problem, "LONG", -1.0)
    monkeypatch.setattr(tree_problem, "LONGER", -1.0)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.parametrize(("query", "by"), [(sg.inverse_dynamics, "qdd"), (sg.forward_dynamics, "tau")])
def test_derivatives_in_loops_are_those_of_straight_code(name, query, by, short, monkeypatch):
    robot = ROBOTS[name]()
    f = query(robot, ordering="articulated")
    rng, names = np.random.default_rng(0), ("q", by, "qd")
    state = np.concatenate([robot.random(rng), *rng.normal(size=(2, robot.nv))])
    code = known(f).jacobian(f.program, f.arguments, names)
    found = np.reshape(code.evaluate(list(state)), (3, robot.nv, robot.nv))
    monkeypatch.undo()
    expected = np.reshape(f.jacobian(*names).program.evaluate(list(state)), (3, robot.nv, robot.nv))
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-9 * np.abs(b).max())


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ROBOTS)
def test_accelerations_in_loops_are_those_of_elimination(name, short):
    robot = ROBOTS[name]()
    f = sg.forward_dynamics(robot, ordering="articulated")
    rng = np.random.default_rng(0)
    state = np.concatenate([robot.random(rng), *rng.normal(size=(2, robot.nv))])
    code = known(f).answer(f.arguments)
    assert code is not None
    found, expected = (np.array(c.evaluate(list(state))) for c in (code, f.program))
    np.testing.assert_allclose(found, expected, atol=1e-10 * np.abs(expected).max())


def test_inverse_mass_matrices_in_loops(short):
    robot = ROBOTS["tree"]()
    f = sg.forward_dynamics(robot, ordering="articulated")
    q = robot.random(np.random.default_rng(1))
    code = known(f).jacobian(f.program, f.arguments, ("tau",))
    found = np.reshape(code.evaluate([*q, *np.zeros(2 * robot.nv)]), (robot.nv, robot.nv))
    np.testing.assert_allclose(found @ sg.mass_matrix(robot)(q), np.eye(robot.nv), atol=1e-10)
