"""Any output of any graph: wrenches and accelerations against Pinocchio, added laws, and what is refused."""

# pyright: reportAttributeAccessIssue=false
# Pinocchio's compiled module declares no types.

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

import screwgraph as sg
from screwgraph.graph import factor, vector_variable
from tests.oracle import pinocchio_model, to_pin_a, to_pin_q, to_pin_v

LINK = "panda_link5"


@pytest.fixture(scope="module")
def arm() -> sg.Robot:
    return sg.load("panda")


@pytest.fixture(scope="module")
def state(arm) -> list[np.ndarray]:
    rng = np.random.default_rng(2)
    return [arm.random(rng), *rng.standard_normal((2, arm.nv))]


def angular_first(spatial: pin.Motion | pin.Force) -> np.ndarray:
    return np.concatenate([spatial.angular, spatial.linear])


@pytest.fixture(scope="module")
def motion(arm, state):
    """Pinocchio's recursion at the state: (model, data, accelerations of the joints)."""
    model, data = pinocchio_model(arm)
    q, qd, tau = state
    qdd = pin.aba(model, data, q, qd, tau).copy()
    pin.rnea(model, data, q, qd, qdd)
    return model, data, qdd


@pytest.mark.parametrize("ordering", ["auto", "aba", "crba", "min_degree", sg.orderings.colamd()])
def test_accelerations_and_a_wrench_are_pinocchios(arm, state, motion, ordering):
    model, data, qdd = motion
    graph = sg.dynamics_graph(arm).given("q", "qd", "tau")
    f = sg.compile(graph, ("qdd", f"wrench:{LINK}"), ordering=ordering)
    assert f.ufunc.signature == "(7),(7),(7)->(7),(6)"
    found, wrench = f(*state)
    np.testing.assert_allclose(found, qdd, rtol=1e-9, atol=1e-9)
    joint = model.getJointId(arm.joint_of(LINK).name)
    np.testing.assert_allclose(wrench, angular_first(data.f[joint]), rtol=1e-9, atol=1e-9)


def test_accelerations_and_twists_of_all_links_are_pinocchios(arm, state, motion):
    model, _, qdd = motion
    data = model.createData()
    pin.forwardKinematics(model, data, *state[:2], qdd)
    graph = sg.dynamics_graph(arm).given("q", "qd", "tau")
    accelerations, twists = sg.compile(graph, ("acceleration", "twist"), ordering="aba")(*state)
    joints = [model.getJointId(joint.name) for joint in arm.joints]
    expected = np.array([angular_first(data.a[j]) for j in joints])
    np.testing.assert_allclose(accelerations.reshape(-1, 6), expected, rtol=1e-9, atol=1e-9)
    expected = np.array([angular_first(data.v[j]) for j in joints])
    np.testing.assert_allclose(twists.reshape(-1, 6), expected, rtol=1e-9, atol=1e-12)


def test_a_floating_base_has_wrenches_too():
    robot = sg.load("a1", base="floating")
    rng = np.random.default_rng(3)
    q, qd, qdd = robot.random(rng), *rng.standard_normal((2, robot.nv))
    model, data = pinocchio_model(robot)
    arguments = to_pin_q(robot, q, model), to_pin_v(robot, q, qd, model), to_pin_a(robot, q, qd, qdd, model)
    pin.rnea(model, data, *arguments)
    f = sg.compile(sg.dynamics_graph(robot).given("q", "qd", "qdd"), "wrench", ordering="rnea")
    expected = [angular_first(data.f[model.getJointId(joint.name)]) for joint in robot.joints]
    np.testing.assert_allclose(f(q, qd, qdd).reshape(-1, 6), expected, rtol=1e-9, atol=1e-9)


def test_arguments_hold_what_is_given_and_no_more(arm, state):
    names = arm.joint_names
    given = ("q", "qd", *(f"qdd:{n}" for n in names[:3]), *(f"tau:{n}" for n in names[3:]))
    f = sg.compile(sg.dynamics_graph(arm).given(*given), ("tau", "qdd"), ordering="aba")
    assert [(a.name, a.shape) for a in f.arguments] == [("q", (7,)), ("qd", (7,)), ("qdd", (3,)), ("tau", (4,))]
    assert f.results[0].names == tuple(f"tau:{n}[0]" for n in names[:3])
    q, qd, mixed = state
    tau, qdd = f(q, qd, mixed[:3], mixed[3:])
    expected = sg.hybrid_dynamics(arm, names[:3], ordering="aba")(q, qd, mixed)
    np.testing.assert_allclose([*tau, *qdd], expected, rtol=1e-9, atol=1e-9)


def test_external_wrenches_are_an_argument(arm, state):
    graph = sg.dynamics_graph(arm, [LINK, "panda_hand_tcp"]).given("q", "qd", "tau", "external_wrenches")
    f = sg.compile(graph, "qdd", ordering="aba")
    assert f.arguments[-1].shape == (2, 6)
    wrenches = np.random.default_rng(1).normal(size=(2, 6))
    g = sg.forward_dynamics(arm, ordering="aba", external_wrenches=(LINK, "panda_hand_tcp"))
    np.testing.assert_allclose(f(*state, wrenches), g(*state, wrenches), rtol=1e-9, atol=1e-9)


def test_what_nobody_asks_for_costs_nothing(arm):
    graph = sg.dynamics_graph(arm).given("q", "qd", "qdd")
    last = sg.compile(graph, f"acceleration:{LINK}", ordering="rnea")
    assert last.operations.total < sg.compile(graph, ("tau", f"acceleration:{LINK}"), ordering="rnea").operations.total


@factor(linear=("a", "b", "x"), cites="a test")
def sum_of_efforts(a, b, x):
    """The third is the sum of the others."""
    return a + b - x


@pytest.mark.parametrize("ordering", ["auto", "aba", "min_degree"])
def test_laws_and_variables_of_ones_own_join_in(ordering):
    robot = sg.load("rr")
    graph = sg.dynamics_graph(robot).given("q", "qd", "qdd")
    total = vector_variable("total", "efforts", 1, 2, 1)
    tau = [sg.Key("tau", name) for name in robot.joint_names]
    law = sg.Factor(sum_of_efforts, {"a": tau[0], "b": tau[1], "x": total.key}, 1, 2)
    f = sg.compile(graph.with_variables(total).with_factors(law), ("total", "tau"), ordering=ordering)
    state = np.random.default_rng(0).normal(size=(3, 5, 2))
    found, efforts = f(*state)
    assert found.shape == (5, 1)
    np.testing.assert_allclose(found[:, 0], efforts.sum(axis=1), rtol=1e-12)
    np.testing.assert_allclose(efforts, sg.inverse_dynamics(robot)(*state), rtol=1e-9, atol=1e-12)


def test_a_law_of_ones_own_takes_the_place_of_a_given():
    """The sum of the efforts is given instead of one of them."""
    robot = sg.load("rr")
    first, second = robot.joint_names
    total = vector_variable("total", "efforts", 1, 2, 1)
    tau = [sg.Key("tau", name) for name in robot.joint_names]
    law = sg.Factor(sum_of_efforts, {"a": tau[0], "b": tau[1], "x": total.key}, 1, 2)
    graph = sg.dynamics_graph(robot).with_variables(total).with_factors(law)
    f = sg.compile(graph.given("q", "qd", "total", f"qdd:{second}"), ("tau", "qdd"))
    rng = np.random.default_rng(4)
    q, qd, qdd = rng.normal(size=(3, 2))
    expected = sg.inverse_dynamics(robot)(q, qd, qdd)
    efforts, found = f(q, qd, qdd[1:], expected.sum(keepdims=True))
    np.testing.assert_allclose(efforts, expected, rtol=1e-9)
    np.testing.assert_allclose(found, qdd[:1], rtol=1e-9)
    assert f.results[1].names == (f"qdd:{first}[0]",)


def test_one_name_gives_an_array_and_several_a_tuple():
    graph = sg.dynamics_graph(sg.load("rr")).given("q", "qd", "qdd")
    x = np.ones((3, 4, 2))
    alone, listed = sg.compile(graph, "tau"), sg.compile(graph, ["tau"])
    assert alone(*x).shape == listed(*x).shape == (4, 2)
    assert alone.result_shape == (2,)
    several = sg.compile(graph, ("tau", "wrench"))
    assert [found.shape for found in several(*x)] == [(4, 2), (4, 12)]
    with pytest.raises(sg.InputError, match="has 2 results"):
        assert several.result_shape


def test_results_go_into_several_arrays():
    f = sg.compile(sg.dynamics_graph(sg.load("rr")).given("q", "qd", "qdd"), ("tau", "wrench"))
    x = np.random.default_rng(0).normal(size=(3, 20, 2))
    tau, wrench = f(*x)
    out = np.empty((20, 2)), np.empty((12, 20)).T
    assert f(*x, out=out)[1] is out[1]
    np.testing.assert_array_equal(out[0], tau)
    np.testing.assert_array_equal(out[1], wrench)
    with pytest.raises(sg.InputError, match="out"):
        f(*x, out=out[0])


def test_every_form_of_the_code_has_all_results():
    f = sg.compile(sg.dynamics_graph(sg.load("rr")).given("q", "qd", "qdd"), ("tau", "wrench:link2"))
    x = np.random.default_rng(0).normal(size=(3, 2))
    tau, wrench = f(*x)
    named = f.casadi(q=x[0], qd=x[1], qdd=x[2])
    np.testing.assert_allclose(np.ravel(named["tau"]), tau, rtol=1e-12)
    np.testing.assert_allclose(np.ravel(named["wrench_link2"]), wrench, rtol=1e-12, atol=1e-12)
    by_qdd = f.jacobian("qdd")(*x)
    assert [d.shape for d in by_qdd] == [(2, 2), (6, 2)]
    step = np.array([0.0, 1.0])  # the law is linear
    ahead = f(*x[:2], x[2] + step)
    np.testing.assert_allclose(ahead[1] - wrench, by_qdd[1] @ step, atol=1e-9)
    assert "tau: 2, wrench:link2: 6" in repr(f)
    assert "as it is" in f.report()
    assert "F2" in f.algorithm()


def test_the_code_is_found_again_in_the_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("SCREWGRAPH_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv("SCREWGRAPH_CACHE", raising=False)
    graph = sg.dynamics_graph(sg.load("rr")).given("q", "qd", "qdd")
    made, found = (sg.compile(graph, ("tau", "wrench")) for _ in range(2))
    other = sg.compile(graph, ("tau", "acceleration"))
    assert found.program == made.program
    assert found.ordering == made.ordering
    assert other.program != made.program


@pytest.mark.parametrize(
    ("solve", "message"),
    [
        ("qd", "'qd' is given"),
        ("tau:joint1", "'tau:joint1' is given"),
        ("thrust", "no variable is called 'thrust'"),
        ("wrench:link9", "no variable is called 'wrench:link9'"),
        (("qdd", "q"), "'q' is given"),
        ((), "nothing is asked"),
        ([7], "expected the name of a variable, got 7"),
    ],
)
def test_what_cannot_be_asked_is_refused_by_name(solve, message):
    graph = sg.dynamics_graph(sg.load("rr")).given("q", "qd", "tau")
    with pytest.raises(sg.InputError, match=message):
        sg.compile(graph, solve)


def test_other_mistakes_are_told_too():
    robot = sg.load("rr")
    graph = sg.dynamics_graph(robot)
    with pytest.raises(sg.InputError, match="expected a FactorGraph, got Robot"):
        sg.compile(robot, "qdd")
    with pytest.raises(sg.InputError, match="no ordering is called 'best'"):
        sg.compile(graph.given("q", "qd", "tau"), "qdd", ordering="best")
    with pytest.raises(sg.EliminationError, match="leaves out"):
        sg.compile(graph.given("q", "qd", "tau"), "qdd", ordering=["qdd"])
    with pytest.raises(sg.EliminationError, match="underdetermined"):
        sg.compile(graph.given("q", "qd"), "qdd")
    with pytest.raises(sg.EliminationError, match="declare it as given"):
        sg.compile(graph, "qdd")
    with pytest.raises(sg.InputError, match="float16"):
        sg.compile(graph.given("q", "qd", "tau"), "qdd", dtype="float16")


def test_a_graph_finds_what_a_query_left_in_the_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("SCREWGRAPH_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv("SCREWGRAPH_CACHE", raising=False)
    monkeypatch.setenv("SCREWGRAPH_SEARCH_SECONDS", "0.2")
    robot = sg.load("rrr")
    made = sg.forward_dynamics(robot)
    monkeypatch.setattr("screwgraph.compiler.compile.search_ordering", lambda *_: pytest.fail("searched again"))
    found = sg.compile(sg.dynamics_graph(robot).given("q", "qd", "tau"), "qdd")
    assert found.program == made.program


def test_auto_tries_an_order_that_somebody_registered(monkeypatch):
    asked = []

    class Mine:
        def order(self, graph):
            asked.append(graph)
            return sg.orderings.aba().order(graph)

    monkeypatch.setitem(sg.orderings.ORDERINGS, "mine", Mine)
    sg.forward_dynamics(sg.load("rr"))
    assert asked
