"""Partial elimination: what is left of a graph is a graph."""

from __future__ import annotations

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.graph import Key
from screwgraph.tape import program
from screwgraph.ui.draw.graph import graph_scene


@pytest.fixture(scope="module")
def arm() -> sg.Robot:
    return sg.load("puma560")


@pytest.fixture(scope="module")
def state(arm) -> np.ndarray:
    return np.random.default_rng(3).normal(size=(3, arm.nv))


@pytest.fixture(scope="module")
def bodies_gone(arm) -> sg.Dag:
    graph = sg.dynamics_graph(arm).given("q", "qd", "tau")
    return sg.eliminate(graph, "composite", ["wrench", "acceleration"])


def test_torque_balances_are_left_of_forward_dynamics(arm, bodies_gone):
    left = bodies_gone.remaining
    assert {v.key.kind for v in left.unknowns} == {"qdd"}
    assert sum(f.rows for f in left.factors) == arm.nv
    assert "6 unknowns left" in repr(bodies_gone)


def test_what_is_left_has_the_same_solution(arm, bodies_gone, state):
    f = sg.compile(bodies_gone.remaining, "qdd")
    np.testing.assert_allclose(f(*state), sg.forward_dynamics(arm)(*state), rtol=1e-9)


def test_what_is_left_is_eliminated_further(arm, bodies_gone, state):
    some = sg.eliminate(bodies_gone.remaining, "min_degree", [f"qdd:{name}" for name in arm.joint_names[3:]])
    assert len(some.remaining.unknowns) == 3
    f = sg.compile(some.remaining, "qdd")
    np.testing.assert_allclose(f(*state), sg.forward_dynamics(arm)(*state)[:3], rtol=1e-9)


def test_what_is_left_is_edited(arm, bodies_gone, state):
    """A known acceleration in the place of a balance is hybrid dynamics."""
    last = arm.joint_names[-1]
    left = bodies_gone.remaining
    balance = next(f for f in left.factors if f.index == arm.nv)
    f = sg.compile(left.without(balance).given(f"qdd:{last}"), "qdd")
    q, qd, tau = state
    qdd = sg.forward_dynamics(arm)(q, qd, tau)
    values = {"q": q, "qd": qd, "qdd": qdd[-1:], "tau": tau}
    found = f(*(values[a.name] for a in f.arguments))
    np.testing.assert_allclose(found, qdd[:-1], rtol=1e-9)


def test_what_is_left_can_be_drawn(bodies_gone):
    drawn = {node.name for node in graph_scene(bodies_gone.remaining).nodes}
    assert {str(v.key) for v in bodies_gone.remaining.unknowns} <= drawn
    assert not any(name.startswith(("wrench", "acceleration")) for name in drawn)


def test_rows_left_are_the_mass_matrix_and_nonlinear_effects(arm, bodies_gone, state):
    q, qd, tau = state
    given = (("q", q), ("qd", qd), ("tau", tau))
    inputs = {f"{kind}:{n}[0]": x for kind, v in given for n, x in zip(arm.joint_names, v, strict=True)}
    M, h = sg.mass_matrix(arm)(q), sg.bias_forces(arm)(q, qd)
    rows = [row for f in bodies_gone.remaining.factors for row in f.parameters["rows"]]
    columns = [(Key("qdd", name), 0) for name in arm.joint_names]
    entries = [row.terms.get(c, 0.0) for row in rows for c in columns] + [row.constant for row in rows]
    code = program(bodies_gone.equations.tape, entries, list(inputs))
    found = np.array(code.evaluate([inputs[n] for n in code.input_names]), dtype=float)
    ours, signs = found[:36].reshape(6, 6), np.sign(np.diag(found[:36].reshape(6, 6)))  # each row may be turned about
    np.testing.assert_allclose(signs[:, None] * ours, M, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(signs * found[36:], h - tau, rtol=1e-9)


@pytest.mark.parametrize("name", ["five_bar", "belt_leg"])
def test_reduced_loops_are_what_embedding_leaves(name):
    """Dependent accelerations and multipliers gone: as many unknowns are left as degrees of freedom."""
    robot = sg.load(name)
    graph = sg.dynamics_graph(robot).given("q", "qd", "tau")
    follows = graph.dependence.rates
    gone = [v.key for v in graph.unknowns if v.key.kind != "qdd" or any((v.key, i) in follows for i in range(v.dim))]
    left = sg.eliminate(graph, "embedding", gone).remaining
    assert sum(v.dim for v in left.unknowns) == robot.mobility.freedom
    q = robot.close_loops(robot.neutral() + 0.1)
    rest = np.zeros(robot.nv)
    places = [robot.v_slices[v.key.name].start for v in left.unknowns]
    expected = sg.forward_dynamics(robot)(q, rest, rest)[places]
    np.testing.assert_allclose(sg.compile(left, "qdd")(q, rest, rest), expected, rtol=1e-8, atol=1e-8)


def test_what_cannot_be_eliminated_is_named(arm):
    graph = sg.dynamics_graph(arm).given("q", "qd")
    with pytest.raises(sg.InputError, match="no variable is called 'force'"):
        sg.eliminate(graph, "aba", ["force"])
