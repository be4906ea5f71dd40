"""Efforts of actuators in the place of torques: against Pinocchio's trees, projection, and pseudo-inverses."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot import (
    Coupling,
    LoopMotor,
    Operation,
    Position,
    Robot,
    Transmission,
    constraint_jacobian,
    without_loops,
)
from tests.closed_oracle import projected
from tests.mechanics.dynamics.test_closed_dynamics import null_space

ORDERS = [name for name in sg.orderings.ORDERINGS if name != "quasi_definite"]


def geared(name: str, **terms: float) -> Transmission:
    return Transmission(Coupling(name, terms))


def sine(of: str, name: str, **terms: float) -> Transmission:
    return Transmission(Coupling(name, terms, 0.0, Operation("sin", (Position(of),))))


def arm(*actuators: Transmission) -> Robot:
    return replace(sg.load("rrr"), actuators=actuators)


def linkage(name: str, *joints: str) -> Robot:
    robot = sg.load(name)
    motors = (Transmission(Coupling(f"m{joint}", {joint: 2.0})) for joint in joints)
    return replace(robot, actuators=(LoopMotor("at the loop", robot.loops[0].name), *motors))


DIFFERENTIAL = arm(
    geared("m1", joint1=9.0), geared("m2", joint2=1.0, joint3=0.5), geared("m3", joint2=1.0, joint3=-0.5)
)
TENDONS = arm(
    geared("t1", joint1=0.3, joint2=0.2),
    geared("t2", joint1=-0.3, joint2=0.2),
    sine("joint3", "t3", joint2=-0.3),
    sine("joint2", "t4", joint3=-2.0),
)
ROBOTS = {
    "differential": DIFFERENTIAL,
    "tendons": TENDONS,
    "five_bar": linkage("five_bar", "joint1"),
    "redundant five_bar": linkage("five_bar", "joint1", "joint2", "joint3"),
    "four_bar": linkage("four_bar_linkage"),
}


def state(robot: Robot, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a closed position, velocities that keep it, and efforts."""
    rng = np.random.default_rng(seed)
    q = robot.close_loops(robot.random(rng)) if robot.is_closed else robot.random(rng)
    N = null_space(constraint_jacobian(robot, q)) if robot.is_closed else np.eye(robot.nv)
    return q, N @ rng.standard_normal(N.shape[1]), rng.standard_normal(len(robot.actuators))


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.sampled(2)
def test_accelerations_are_those_of_the_torques_that_efforts_cause(name):
    robot = ROBOTS[name]
    q, qd, u = state(robot)
    forward = sg.forward_dynamics(robot, actuators=True)
    assert [argument.name for argument in forward.arguments] == ["q", "qd", "effort"]
    expected = projected(robot)(q, qd, robot.actuation_matrix(q) @ u)
    np.testing.assert_allclose(forward(q, qd, u), expected, rtol=1e-7, atol=1e-7 * np.abs(expected).max())


@pytest.mark.sampled(3)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", ROBOTS)
def test_efforts_are_the_weighted_pseudo_inverses(name, weighted):
    robot = ROBOTS[name]
    q, qd, u = state(robot)
    qdd = sg.forward_dynamics(robot, actuators=True)(q, qd, u)
    weights = {a.name: 0.5 + i for i, a in enumerate(robot.actuators)} if weighted else {}
    found = sg.inverse_dynamics(robot, actuators=True, weights=weights)(q, qd, qdd)
    expected = pseudo_inverse(robot, q, qd, qdd, weights)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())
    back = sg.forward_dynamics(robot, actuators=True)(q, qd, found)
    np.testing.assert_allclose(back, qdd, rtol=1e-8, atol=1e-8 * np.abs(qdd).max())


def pseudo_inverse(robot: Robot, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, weights: dict) -> np.ndarray:
    """Return the efforts of least sum weight u^2 with N' B u = N' (M qdd + h)."""
    N = null_space(constraint_jacobian(robot, q)) if robot.is_closed else np.eye(robot.nv)
    tree = without_loops(robot)
    needed = N.T @ sg.inverse_dynamics(tree)(q, qd, qdd)
    scale = np.array([weights.get(a.name, 1.0) for a in robot.actuators]) ** -0.5
    return scale * (np.linalg.pinv(N.T @ robot.actuation_matrix(q) * scale) @ needed)


@pytest.mark.sampled(12)
@pytest.mark.parametrize("ordering", ORDERS)
@pytest.mark.parametrize("name", ["tendons", "redundant five_bar"])
def test_all_orders_agree_or_are_refused(name, ordering):
    robot = ROBOTS[name]
    q, qd, u = state(robot, 1)
    qdd = sg.forward_dynamics(robot, actuators=True)(q, qd, u)
    try:
        found = sg.inverse_dynamics(robot, actuators=True, ordering=ordering)(q, qd, qdd)
    except sg.EliminationError:
        assert robot.is_closed
        return
    expected = pseudo_inverse(robot, q, qd, qdd, {})
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-8 * np.abs(expected).max())


def test_independent_coordinates_serve_as_well():
    robot = ROBOTS["five_bar"]
    q, qd, u = state(robot)
    places = [robot.v_slices[name].start for name in robot.independent_joints]
    forward = sg.forward_dynamics(robot, actuators=True, coordinates="independent")
    qdd = sg.forward_dynamics(robot, actuators=True)(q, qd, u)
    np.testing.assert_allclose(forward(q, qd[places], u), qdd[places], rtol=1e-9)
    inverse = sg.inverse_dynamics(robot, actuators=True, coordinates="independent")
    np.testing.assert_allclose(inverse(q, qd[places], qdd[places]), u, rtol=1e-8)


def test_only_some_actuators_drive():
    robot = ROBOTS["redundant five_bar"]
    q, qd, _ = state(robot)
    qdd = sg.forward_dynamics(robot)(q, qd, np.ones(robot.nv))
    found = sg.inverse_dynamics(robot, actuators=True, actuated=["at the loop", "mjoint2"])(q, qd, qdd)
    few = replace(robot, actuators=(robot.actuators[0], robot.actuators[2]))
    expected = pseudo_inverse(few, q, qd, qdd, {})
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_no_number_where_an_actuator_has_no_lever_arm():
    robot = arm(Transmission(Coupling("s", {}, 0.0, Operation("sin", (Position("joint1"),)))), geared("a", joint2=1.0))
    robot = replace(robot, actuators=(*robot.actuators, geared("b", joint3=1.0)))
    inverse, q = sg.inverse_dynamics(robot, actuators=True), np.array([0.5 * np.pi, 0.3, 0.1])
    with pytest.warns(RuntimeWarning, match="the equations do not determine the answer"):
        assert np.isnan(inverse(q, np.ones(3), np.ones(3))[0])
    assert np.isfinite(inverse(q - [1e-3, 0.0, 0.0], np.ones(3), np.ones(3))).all()


def test_what_actuators_cannot_drive_is_refused_by_name():
    with pytest.raises(sg.InputError, match=r"actuators 'a' cannot drive all motions of robot 'rrr'.*drive one of"):
        sg.inverse_dynamics(arm(geared("a", joint1=1.0)), actuators=True)
    with pytest.raises(sg.InputError, match="robot 'rrr' has no actuators"):
        sg.forward_dynamics(sg.load("rrr"), actuators=True)
    with pytest.raises(sg.InputError, match="no actuator is called 'm9'"):
        sg.inverse_dynamics(DIFFERENTIAL, actuators=True, actuated=["m9"])
    with pytest.raises(sg.InputError, match="weight of actuator 'm1', -1, is not"):
        sg.inverse_dynamics(DIFFERENTIAL, actuators=True, weights={"m1": -1})
    with pytest.raises(sg.InputError, match="mechanisms have no actuators"):
        sg.forward_dynamics(sg.load_mechanism("four_bar"), actuators=True)


def test_a_floating_robot_moves_by_its_actuators():
    robot = sg.load("rrr", base="floating")
    legs, heavy = robot.joint_names[1:], replace(robot.links[1], inertia=robot.links[2].inertia)
    motors = tuple(Transmission(Coupling(f"m{n}", {n: 9.1})) for n in legs)
    robot = replace(robot, links=(robot.links[0], heavy, *robot.links[2:]), actuators=motors)
    rng = np.random.default_rng(0)
    q, qd, u = robot.random(rng), rng.standard_normal(robot.nv), rng.standard_normal(3)
    tau = np.concatenate([np.zeros(6), 9.1 * u])
    found = sg.forward_dynamics(robot, actuators=True, ordering="aba")(q, qd, u)
    np.testing.assert_allclose(found, projected(robot)(q, qd, tau), rtol=1e-8)


def test_a_graph_may_know_some_efforts_and_some_accelerations():
    graph = sg.with_actuators(sg.dynamics_graph(DIFFERENTIAL))
    f = sg.compile(graph.given("q", "qd", "qdd:joint1", "effort:m2", "effort:m3"), ("effort", "qdd"))
    q, qd, u = state(DIFFERENTIAL)
    qdd = sg.forward_dynamics(DIFFERENTIAL, actuators=True)(q, qd, u)
    effort, found = f(q, qd, qdd[:1], u[1:])
    np.testing.assert_allclose(effort, u[:1], rtol=1e-9)
    np.testing.assert_allclose(found, qdd[1:], rtol=1e-9)
    with pytest.raises(sg.InputError, match="its knowns are declared"):
        sg.with_actuators(graph.given("q", "qd", "effort"))


def test_derivatives_by_efforts_are_the_inverse_inertia_times_lever_arms():
    q, qd, u = state(TENDONS)
    forward = sg.forward_dynamics(TENDONS, actuators=True)
    found = forward.jacobian("effort")(q, qd, u)
    expected = np.linalg.solve(sg.mass_matrix(TENDONS)(q), TENDONS.actuation_matrix(q))
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
