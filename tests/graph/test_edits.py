"""Edits of a Panda's graph: code takes no more operations than that of a robot whose file says the same."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.graph import Key, factor
from screwgraph.graph.factors import prior
from screwgraph.model.robot import Loop, lock, with_gravity
from screwgraph.model.robot.joints import Spherical
from screwgraph.spatial import from_xyz_rpy, translation

WITHIN = 1.05
"""Operations beside those of the robot whose file says the same."""


@pytest.fixture(scope="module")
def arm() -> sg.Robot:
    return sg.load("panda")


@pytest.fixture(scope="module")
def state(arm) -> np.ndarray:
    return np.random.default_rng(3).normal(size=(3, arm.nv))


@pytest.fixture(autouse=True)
def no_search(monkeypatch):
    monkeypatch.setenv("SCREWGRAPH_SEARCH_SECONDS", "0")


def others(arm: sg.Robot, kind: str, joint: str) -> list[str]:
    return [f"{kind}:{name}" for name in arm.joint_names if name != joint]


def test_a_graph_compiles_to_the_code_of_the_query(arm):
    graph = sg.dynamics_graph(arm)
    forward, inverse = graph.given("q", "qd", "tau"), graph.given("q", "qd", "qdd")
    pairs = (
        (sg.compile(forward, "qdd"), sg.forward_dynamics(arm)),
        (sg.compile(inverse, "tau"), sg.inverse_dynamics(arm)),
    )
    for f, g in pairs:
        assert f.operations.total == g.operations.total
        assert f.report() == g.report()
        assert f.jacobian("q").operations.total == g.jacobian("q").operations.total


@sg.factor(linear=("tau",), cites="a servo")
def servo(tau, q, qd):
    """A spring and a damper hold the joint."""
    return tau + 10.0 * q + 2.0 * qd


def test_a_joint_servo(arm, state):
    joint = arm.joint_names[2]
    law = sg.Factor(servo, {kind: Key(kind, joint) for kind in ("tau", "q", "qd")}, 1, 3)
    known = ["q", "qd", *others(arm, "tau", joint)]
    f = sg.compile(sg.dynamics_graph(arm).with_factors(law).given(*known), "qdd")
    plain, (q, qd, tau) = sg.forward_dynamics(arm), state
    held = np.where(np.arange(arm.nv) == 2, -10.0 * q - 2.0 * qd, tau)
    np.testing.assert_allclose(f(q, qd, np.delete(tau, 2)), plain(q, qd, held), rtol=1e-9)
    assert f.operations.total <= WITHIN * plain.operations.total


@sg.factor(linear=("pull", "push"), cites="a spring without rest length, between the origins of two links")
def spring(pull, push, q, *, joints, stiffness):
    """Forces on both ends, in the axes of their links."""
    T = np.eye(4)
    for joint, angle in zip(joints, q, strict=True):
        T = T @ joint.T_parent_child(angle)
    force = stiffness * translation(T)
    back = T[:3, :3].T @ force
    return np.concatenate([pull[:3], pull[3:] - force, push[:3], push[3:] + back])


def test_a_spring_between_two_links(arm, state):
    between, ends = arm.joints[2:6], (arm.joints[1].child, arm.joints[5].child)
    bound = {"pull": Key("external_wrenches", ends[0]), "push": Key("external_wrenches", ends[1])}
    bound["q"] = tuple(Key("q", joint.name) for joint in between)
    law = sg.Factor(spring, bound, 12, 6, {"joints": between, "stiffness": 40.0})
    f = sg.compile(sg.dynamics_graph(arm, ends).with_factors(law).given("q", "qd", "tau"), "qdd")
    T = np.eye(4)
    for joint, angle in zip(between, state[0][2:6], strict=True):
        T = T @ joint.T_parent_child([angle])
    force = 40.0 * T[:3, 3]
    wrenches = np.array([[0, 0, 0, *force], [0, 0, 0, *(-T[:3, :3].T @ force)]])
    driven = sg.forward_dynamics(arm, external_wrenches=ends)
    np.testing.assert_allclose(f(*state), driven(*state, wrenches), rtol=1e-9)
    code = sg.compile(sg.dynamics_graph(arm, ends).with_factors(law).given("q", "qd", "tau"), ("external_wrenches",))
    assert f.operations.total <= WITHIN * (driven.operations.total + code.operations.total)


def test_an_extra_loop(arm):
    loop = Loop("rope", Spherical(), arm.links[0].name, arm.joints[-1].child, from_xyz_rpy((0.4, 0.0, 0.4), (0, 0, 0)))
    closed = replace(arm, loops=(loop,))
    f = sg.compile(sg.with_loop(sg.dynamics_graph(arm), loop).given("q", "qd", "tau"), "qdd")
    g = sg.forward_dynamics(closed)
    assert f.operations.total == g.operations.total
    q = closed.close_loops(np.array([0.1, 0.4, 0.2, -2.0, 0.3, 1.8, 0.5]))
    rest = np.zeros(arm.nv)
    np.testing.assert_allclose(f(q, rest, rest), g(q, rest, rest), rtol=1e-12)


def test_a_locked_joint(arm, state):
    joint = arm.joint_names[2]
    values = {"q": 0.4, "qd": 0.0, "qdd": 0.0}
    held = [sg.Factor(prior, {"x": Key(kind, joint)}, 1, 3, {"value": np.array([x])}) for kind, x in values.items()]
    known = [name for kind in ("q", "qd", "tau") for name in others(arm, kind, joint)]
    graph = sg.dynamics_graph(arm).with_factors(*held).given(*known)
    f, g = sg.compile(graph, others(arm, "qdd", joint)), sg.forward_dynamics(lock(arm, {joint: 0.4}))
    moving = np.delete(state, 2, axis=1)
    np.testing.assert_allclose(np.ravel(f(*moving)), g(*moving), rtol=1e-9)
    assert f.operations.total <= WITHIN * g.operations.total
    load = sg.compile(graph, f"tau:{joint}")(*moving)
    q, qd = (np.insert(x, 2, v) for x, v in zip(moving, (0.4, 0.0), strict=False))
    expected = sg.inverse_dynamics(arm)(q, qd, np.insert(g(*moving), 2, 0.0))
    np.testing.assert_allclose(load, expected[[2]], rtol=1e-9)


def test_a_known_acceleration_of_the_base(arm, state):
    """The base accelerates in a straight line: gravity is another one."""
    graph, base = sg.dynamics_graph(arm), arm.links[0].name
    held = next(f for f in graph.factors if f.keys == (Key("acceleration", base),))
    f = sg.compile(graph.without(held).given("q", "qd", "tau", f"acceleration:{base}"), "qdd")
    upward = np.array([0.3, -0.2, 1.5])
    lifted = sg.forward_dynamics(with_gravity(arm, tuple(np.array(arm.gravity) - upward)))
    np.testing.assert_allclose(f(*state, [0, 0, 0, *upward]), lifted(*state), rtol=1e-9)
    assert f.operations.total <= WITHIN * lifted.operations.total


def test_a_known_acceleration_of_the_hand(arm, state):
    """The hand's acceleration is given instead of six torques."""
    graph, hand = sg.dynamics_graph(arm), f"acceleration:{arm.joints[-1].child}"
    qdd, wanted = sg.compile(graph.given("q", "qd", "tau"), ("qdd", hand))(*state)
    first = f"tau:{arm.joint_names[0]}"
    found, tau = sg.compile(graph.given("q", "qd", first, hand), ("qdd", "tau"))(*state[:2], state[2][:1], wanted)
    np.testing.assert_allclose(found, qdd, rtol=1e-7)
    np.testing.assert_allclose(tau, state[2][1:], rtol=1e-7)


def test_another_inertia_and_more_damping_are_the_robot_s(arm, state):
    graph, joint = sg.dynamics_graph(arm), arm.joints[4]
    old = graph.factor(f"wrench:{joint.child}")
    heavy = replace(old, parameters={**old.parameters, "G": 2.0 * old.parameters["G"]})
    f = sg.compile(graph.replaced(old, heavy).given("q", "qd", "tau"), "qdd")
    links = tuple(replace(i, inertia=i.inertia + i.inertia) if i.name == joint.child else i for i in arm.links)
    g = sg.forward_dynamics(replace(arm, links=links))
    assert f.operations.total == g.operations.total
    np.testing.assert_allclose(f(*state), g(*state), rtol=1e-12)


def test_every_law_may_be_taken_out_and_put_back(arm, state):
    """Without a torque's law, as many accelerations are given as torques are."""
    joint = arm.joint_names[3]
    graph = sg.dynamics_graph(arm).without(f"torque:{joint}")
    f = sg.compile(graph.given("q", "qd", *others(arm, "tau", joint), f"qdd:{joint}", f"tau:{joint}"), "qdd")
    tau, qdd = state[2], sg.forward_dynamics(arm)(*state)
    np.testing.assert_allclose(f(*state[:2], qdd[[3]], tau), np.delete(qdd, 3), rtol=1e-9)


def test_factors_are_named_by_template_and_variable(arm):
    graph, joint = sg.dynamics_graph(arm), arm.joint_names[3]
    assert graph.factor(f"torque:{joint}").keys[-1].name == joint
    with pytest.raises(sg.InputError, match="no factors are called 'torque:elbow'"):
        graph.without("torque:elbow")
    with pytest.raises(sg.InputError, match="not in the graph"):
        graph.with_factors(sg.Factor(servo, {"tau": Key("tau", "x"), "q": Key("q", "x"), "qd": Key("qd", "x")}, 1, 1))


def test_a_variable_needs_no_more_than_a_name_and_a_size():
    v = sg.Variable(Key("bias", "imu"), 3)
    assert v.manifold.random(np.random.default_rng(0)).shape == (3,)
    assert v.label == "bias0"


def test_factor_is_the_decorator_of_laws():
    assert sg.factor is factor


def test_a_moving_base_is_a_floating_one_whose_motion_is_given(state):
    """Twist and acceleration of the base are arguments: centrifugal and Coriolis terms of the base's turning count."""
    arm, floating = sg.load("puma560"), sg.load("puma560", base="floating")
    graph, base = sg.dynamics_graph(arm), arm.links[0].name
    held = [f for f in graph.factors if f.keys[0] in (Key("acceleration", base), Key("twist", base))]
    f = sg.compile(graph.without(*held).given("q", "qd", "tau", f"twist:{base}", f"acceleration:{base}"), "qdd")
    (q, qd, tau), (V, Vdot) = state[:, : arm.nv], np.random.default_rng(4).normal(size=(2, 6))
    hybrid = sg.hybrid_dynamics(floating, [floating.joint_names[0]])
    at_origin = np.array([0, 0, 0, 0, 0, 0, 1.0])
    expected = hybrid(np.concatenate([at_origin, q]), np.concatenate([V, qd]), np.concatenate([Vdot, tau]))[6:]
    named = {a.name: i for i, a in enumerate(f.arguments)}
    values: list = [q, qd, tau, V, Vdot]
    values[named["twist"]], values[named["acceleration"]] = V, Vdot
    np.testing.assert_allclose(f(*values), expected, rtol=1e-9)


def test_gravity_may_be_given(arm, state):
    """As an input it is no constant that passes could use; the answer is that of a robot on the moon all the same."""
    graph, base = sg.dynamics_graph(arm), arm.links[0].name
    held = next(f for f in graph.factors if f.keys == (Key("gravity", base),))
    f = sg.compile(graph.without(held).given("q", "qd", "tau", f"gravity:{base}"), "qdd")
    moon = (0.1, 0.2, -1.6)
    np.testing.assert_allclose(f(*state, moon), sg.forward_dynamics(with_gravity(arm, moon))(*state), rtol=1e-9)
