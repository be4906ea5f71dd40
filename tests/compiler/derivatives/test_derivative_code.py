"""Code for one state that is other code than that for batches."""

import pickle

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.compiler.derivatives.analytic import tree_problem
from screwgraph.compiler.derivatives.derivative_code import DerivativeCode
from screwgraph.tape import Program
from tests.random_trees import random_tree


@pytest.fixture
def wide(monkeypatch):
    """Let loops be worth while for all robots."""
    monkeypatch.setattr(tree_problem, "WIDE", 0)


@pytest.mark.parametrize("by", [("q", "qd", "tau"), ("tau",)])
def test_one_state_in_loops_is_what_batches_give(by, wide):
    robot = sg.load(random_tree(6, lambda i: max(0, i - 2 if i % 4 == 0 else i - 1)))
    f = sg.forward_dynamics(robot).jacobian(*by)
    assert isinstance(f.body, DerivativeCode)
    rng = np.random.default_rng(3)
    state = [np.array([robot.random(rng) for _ in range(9)]), *rng.normal(size=(2, 9, robot.nv))]
    batch = np.atleast_3d(np.concatenate(f(*state) if len(by) > 1 else [f(*state)], axis=-1))
    one = [np.concatenate(x if len(by) > 1 else [x], axis=-1) for x in (f(*each) for each in zip(*state, strict=True))]
    np.testing.assert_allclose(one, batch, rtol=0, atol=1e-11 * np.abs(batch).max())
    again = pickle.loads(pickle.dumps(f))
    np.testing.assert_array_equal(again(*(x[0] for x in state)), f(*(x[0] for x in state)))


def test_short_code_is_the_same_for_one_state():
    f = sg.forward_dynamics(sg.load("puma560")).jacobian("q")
    assert isinstance(f.body, Program)


def test_packed_results_have_no_other_code(wide):
    robot = sg.load("puma560")
    f = sg.forward_dynamics(robot).jacobian("tau")
    packed, (kept,) = f.packed(), f.sparsities
    state = [np.random.default_rng(0).normal(size=robot.nv) for _ in range(3)]
    whole = f(*state)
    assert isinstance(packed.body, Program)
    np.testing.assert_allclose(kept.dense(packed(*state)), whole, rtol=0, atol=1e-12 * np.abs(whole).max())
