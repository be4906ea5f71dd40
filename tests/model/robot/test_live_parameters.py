"""Dynamics whose parameters are inputs: Pinocchio's answers for a robot that has these values in its file."""

from __future__ import annotations

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot import closed_states, with_gravity, without_loops
from screwgraph.model.robot.parameters import parameters_of, with_values
from screwgraph.spatial import SpatialInertia
from tests.closed_oracle import motion
from tests.oracle import oracle

pytestmark = pytest.mark.cheapest


def body(rng: np.random.Generator, mass: float) -> np.ndarray:
    """Return the inertial parameters of four particles."""
    points = 0.1 * rng.standard_normal((4, 3))
    about = 0.25 * mass * (np.eye(3) * (points * points).sum() - points.T @ points)
    return SpatialInertia(mass, mass * points.mean(axis=0), about).parameters


def changed(robot: sg.Robot, names: list[str], rng: np.random.Generator, payload: str | None = None):
    """Return other values of parameters, by name, and the robot that has them."""
    found, values = parameters_of(robot, names, payload), {}
    for p in found:
        nominal = p.nominal(robot)
        more = body(rng, 0.3) if len(nominal) == 10 else 0.1 * rng.uniform(0.1, 1.0, len(nominal))
        values[p] = nominal + more
    return {p.name: value for p, value in values.items()}, with_values(robot, values)


def state(robot: sg.Robot, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    return robot.random(rng), *rng.standard_normal((2, robot.nv))


@pytest.mark.parametrize("name", ["acrobot", pytest.param("a1", marks=pytest.mark.suite)])
def test_all_inertias_of_a_floating_robot(name):
    robot, rng = sg.load(name, base="floating"), np.random.default_rng(0)
    names = [*(link.name for link in robot.links[1:]), "gravity"]
    values, other = changed(robot, names, rng)
    q, qd, x = state(robot, rng)
    peer = oracle(other)
    tau = sg.inverse_dynamics(robot, parameters=names, ordering="rnea")
    np.testing.assert_allclose(tau.with_parameters(values)(q, qd, x), peer.inverse_dynamics(q, qd, x), atol=1e-10)
    np.testing.assert_allclose(tau(q, qd, x, tau.parameter_vector(values)), peer.inverse_dynamics(q, qd, x), atol=1e-10)
    qdd = sg.forward_dynamics(robot, parameters=names, ordering="aba").with_parameters(values)
    expected = peer.forward_dynamics(q, qd, x)
    np.testing.assert_allclose(qdd(q, qd, x), expected, atol=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize("name", ["rrr", "four_bar_linkage", pytest.param("belt_leg", marks=pytest.mark.suite)])
@pytest.mark.sampled(2)
def test_all_functions_of_a_payload_and_joints(name):
    robot, rng = sg.load(name), np.random.default_rng(2)
    joint, other_joint, link, tip = (
        robot.joint_names[0],
        robot.joint_names[1],
        robot.links[2].name,
        robot.links[-1].name,
    )
    names = [f"{joint}.armature", f"{joint}.damping", link, f"{tip}.mass", "gravity"]
    values, other = changed(robot, names, rng, payload=tip)
    options = {"parameters": names, "payload": tip}
    (q,), (qd, x) = closed_states(robot, 1), rng.standard_normal((2, robot.nv))
    tree = oracle(without_loops(other))
    if not robot.is_closed:
        np.testing.assert_allclose(
            sg.inverse_dynamics(robot, ordering="rnea", **options).with_parameters(values)(q, qd, x),
            tree.inverse_dynamics(q, qd, x),
            atol=1e-10,
        )
        hybrid = sg.hybrid_dynamics(robot, [other_joint], ordering="aba", **options).with_parameters(values)
        given = x.copy()
        found = hybrid(q, qd, given)
        qdd, tau = found.copy(), given.copy()
        qdd[1], tau[1] = given[1], found[1]
        np.testing.assert_allclose(tau, tree.inverse_dynamics(q, qd, qdd), atol=1e-9)
    inertial = {name: value for name, value in values.items() if not name.endswith(("damping", "gravity"))}
    M = sg.mass_matrix(robot, parameters=[name for name in inertial if name != "payload"], payload=tip)
    np.testing.assert_allclose(M.with_parameters(inertial)(q), tree.mass_matrix(q), atol=1e-10)
    np.testing.assert_allclose(
        sg.bias_forces(robot, ordering="rnea", **options).with_parameters(values)(q, qd),
        tree.bias_forces(q, qd),
        atol=1e-10,
    )
    order = "ancestor" if robot.is_closed else "aba"
    forward = sg.forward_dynamics(robot, ordering=order, **options).with_parameters(values)
    if robot.is_closed:
        run = motion(other, 2)
        np.testing.assert_allclose(forward(run.q, run.qd, run.tau), run.qdd, atol=1e-8 * np.abs(run.qdd).max())
    else:
        np.testing.assert_allclose(forward(q, qd, x), tree.forward_dynamics(q, qd, x), atol=1e-8)


def test_gravity_of_a_potential_energy_and_of_a_file_without():
    robot, rng = sg.load("rrr"), np.random.default_rng(8)
    q, g = sg.random(robot, seed=3), rng.standard_normal((4, 3))
    weightless, moving = with_gravity(robot, (0.0, 0.0, 0.0)), robot.mass - robot.links[0].inertia.mass
    for base in (robot, weightless):
        energy = sg.potential_energy(base, parameters=["gravity"])(q, g)
        np.testing.assert_allclose(energy, -moving * (g @ sg.center_of_mass(robot)(q)), atol=1e-12)
    x, other = (q, *rng.standard_normal((2, robot.nv))), with_gravity(robot, g[0])
    slopes = sg.forward_dynamics(robot, parameters=["gravity"]).jacobian("q", "qd")(*x, g[0])
    for found, expected in zip(slopes, sg.forward_dynamics(other).jacobian("q", "qd")(*x), strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-9 * np.abs(expected).max())
    with pytest.raises(sg.InputError, match="mass_matrix does not depend on 'gravity'"):
        sg.mass_matrix(robot, parameters=["gravity"])


def test_friction_and_springs():
    robot, rng = sg.load("rrr"), np.random.default_rng(3)
    joint = robot.joint_names[1]
    f = sg.inverse_dynamics(robot, parameters=[f"{joint}.friction", f"{joint}.stiffness"])
    q, qd, qdd = state(robot, rng)
    found = f(q, qd, qdd, np.array([0.3, 5.0, 0.2])) - sg.inverse_dynamics(robot)(q, qd, qdd)
    np.testing.assert_allclose(found, [0.0, 0.3 * np.tanh(qd[1] / 0.01) + 5.0 * (q[1] - 0.2), 0.0], atol=1e-12)
    g = sg.forward_dynamics(robot, parameters=[f"{joint}.friction", f"{joint}.stiffness"])
    tau = f(q, qd, qdd, [0.3, 5.0, 0.2])
    np.testing.assert_allclose(g(q, qd, tau, [0.3, 5.0, 0.2]), qdd, atol=1e-9)


def test_origins_of_joints():
    robot, rng = sg.load("rrr"), np.random.default_rng(4)
    names = [f"{robot.joint_names[1]}.origin", f"{robot.joint_names[2]}.origin"]
    values, other = changed(robot, names, rng)
    q, qd, qdd = state(robot, rng)
    found = sg.inverse_dynamics(robot, parameters=names).with_parameters(values)(q, qd, qdd)
    np.testing.assert_allclose(found, oracle(other).inverse_dynamics(q, qd, qdd), atol=1e-10)


def test_mass_matrices_of_moved_joints():
    robot, rng = sg.load("panda"), np.random.default_rng(4)
    names = [f"{robot.joint_names[1]}.origin"]
    values, other = changed(robot, names, rng)
    q = rng.normal(size=robot.nq)
    found = sg.mass_matrix(robot, parameters=names).with_parameters(values)(q)
    np.testing.assert_allclose(found, oracle(other).mass_matrix(q), atol=1e-10)


def test_angles_that_are_zero_but_for_rounding():
    robot, rng = sg.load("rrr"), np.random.default_rng(4)
    (p,) = parameters_of(robot, ["joint2.origin"])
    robot = with_values(robot, {p: p.nominal(robot) * [1, 1, 1, 0, 0, 0] + [0, 0, 0, -2.8e-17, 0, 3e-18]})
    (q, qd, qdd), turned = state(robot, rng), p.nominal(robot) + 0.3 * np.eye(6)[3]
    found = sg.inverse_dynamics(robot, parameters=["joint2.origin"])(q, qd, qdd, turned)
    expected = oracle(with_values(robot, {p: turned})).inverse_dynamics(q, qd, qdd)
    np.testing.assert_allclose(found, expected, atol=1e-10)


def test_rotors_and_dampers_of_joints_with_several_coordinates():
    robot, rng = sg.load("acrobot", base="floating"), np.random.default_rng(4)
    (q, qd, x), name = state(robot, rng), robot.joint_names[0]
    rotors = rng.uniform(1.0, 2.0, 6)
    f = sg.inverse_dynamics(robot, parameters=[f"{name}.armature"])
    added = f(q, qd, x, rotors) - sg.inverse_dynamics(robot)(q, qd, x)
    momentum = rotors * qd[:6]
    turned = np.cross(qd[:3], momentum[:3]) + np.cross(qd[3:6], momentum[3:]), np.cross(qd[:3], momentum[3:])
    np.testing.assert_allclose(added, [*rotors * x[:6] + np.concatenate(turned), 0.0, 0.0], atol=1e-10)
    np.testing.assert_allclose(
        sg.forward_dynamics(robot, parameters=[f"{name}.armature"])(q, qd, f(q, qd, x, rotors), rotors), x, atol=1e-9
    )
    T = sg.kinetic_energy(robot, parameters=[f"{name}.armature"])(q, qd, rotors) - sg.kinetic_energy(robot)(q, qd)
    np.testing.assert_allclose(T, 0.5 * rotors @ qd[:6] ** 2, atol=1e-10)


def test_derivatives_by_parameters():
    robot, rng = sg.load("rrr"), np.random.default_rng(5)
    joint, tip = robot.joint_names[1], robot.links[-1].name
    f = sg.forward_dynamics(robot, parameters=[f"{joint}.friction"], payload=tip, ordering="aba")
    q, qd, tau = state(robot, rng)
    p = np.concatenate([[0.2], body(rng, 1.0)])
    J = f.jacobian("parameters")(q, qd, tau, p)
    h = 1e-6
    expected = np.stack([(f(q, qd, tau, p + h * e) - f(q, qd, tau, p - h * e)) / (2 * h) for e in np.eye(len(p))], -1)
    np.testing.assert_allclose(J, expected, rtol=1e-5, atol=1e-6 * np.abs(expected).max())


def test_derivatives_by_states_where_inertias_are_inputs():
    robot, rng = sg.load("rrr"), np.random.default_rng(8)
    names = [link.name for link in robot.links[1:]] + ["joint2.armature", "joint2.damping"]
    values, other = changed(robot, names, rng)
    q, qd, tau = state(robot, rng)
    live = sg.forward_dynamics(robot, parameters=names, ordering="aba").jacobian("q", "qd", "tau")
    found = live.with_parameters(values)(q, qd, tau)
    peer = sg.forward_dynamics(other, ordering="aba").jacobian("q", "qd", "tau")
    for own, expected in zip(found, peer(q, qd, tau), strict=True):
        np.testing.assert_allclose(own, expected, atol=1e-11 * np.abs(expected).max())


def test_batches_of_values():
    robot, rng = sg.load("rrr"), np.random.default_rng(6)
    link = robot.links[2].name
    f = sg.inverse_dynamics(robot, parameters=[f"{link}.mass"])
    m = robot.link(link).inertia.mass * rng.uniform(0.5, 1.5, (7, 1))
    q, qd, qdd = rng.standard_normal((3, 7, robot.nq))
    found = f(q, qd, qdd, m)
    np.testing.assert_allclose(f.with_parameters({f"{link}.mass": m})(q, qd, qdd), found, atol=1e-13)
    (p,) = parameters_of(robot, [f"{link}.mass"])
    for i in range(7):
        expected = oracle(with_values(robot, {p: m[i]})).inverse_dynamics(q[i], qd[i], qdd[i])
        np.testing.assert_allclose(found[i], expected, atol=1e-12)


def test_passes_keep_armatures_as_cheap_as_constants():
    robot = sg.load("rrr")
    live = sg.forward_dynamics(robot, parameters=[f"{joint}.armature" for joint in robot.joint_names])
    assert live.core.operations.total <= sg.forward_dynamics(robot).operations.total + 2 * robot.nv


def test_kinematics_of_parameters():
    robot, rng = sg.load("rrr"), np.random.default_rng(9)
    values, other = changed(robot, ["joint2.origin", "tool.origin"], rng)
    q, qd, _ = state(robot, rng)
    for query in (sg.forward_kinematics, sg.frame_jacobian):
        found = query(robot, "tool", parameters=list(values)).with_parameters(values)(q)
        np.testing.assert_allclose(found, query(other, "tool")(q), atol=1e-12)
    values, other = changed(robot, ["link2", "link3.mass", "joint2.origin"], rng, payload="tool")
    names = [name for name in values if name != "payload"]
    for query in (sg.center_of_mass, sg.centroidal_momentum, sg.kinetic_energy):
        made, expected = query(robot, parameters=names, payload="tool").with_parameters(values), query(other)
        arguments = (q, qd)[: len(expected.arguments)]
        np.testing.assert_allclose(made(*arguments), expected(*arguments), atol=1e-11)


def test_positions_of_independent_joints_alone():
    robot, rng = sg.load("four_bar_linkage"), np.random.default_rng(10)
    values, other = changed(robot, [robot.links[1].name], rng)
    (q,) = closed_states(robot, 1)
    own = [robot.q_slices[name].start for name in robot.independent_joints]
    options = {"coordinates": "independent", "positions": "independent"}
    made = sg.mass_matrix(robot, parameters=list(values), **options)
    p, guess = made.parameter_vector(values), [q] * (made.arguments[-1].name == "guess")
    expected = sg.mass_matrix(other, coordinates="independent")(q)
    np.testing.assert_allclose(made(q[own], p, *guess), expected, atol=1e-9)
    np.testing.assert_allclose(made.with_parameters(values)(q[own], *guess), expected, atol=1e-9)


def test_code_elsewhere():
    robot, rng = sg.load("rrr"), np.random.default_rng(11)
    f = sg.inverse_dynamics(robot, payload="tool")
    q, qd, qdd = state(robot, rng)
    p = body(rng, 1.0)
    np.testing.assert_allclose(np.array(f.casadi(q, qd, qdd, p)).ravel(), f(q, qd, qdd, p), atol=1e-12)
    assert f"const {f.name}_parameters *parameters" in f.c_source()
    assert f"const {f.setting.name}_parameters *parameters" in f.setting.c_source()


def test_values_by_name():
    robot = sg.load("rrr")
    f = sg.inverse_dynamics(robot, parameters=["joint1.damping"], payload="tool")
    box = SpatialInertia.of_body(2.0, [0.1, 0.0, 0.0], np.eye(3))
    np.testing.assert_array_equal(f.parameter_vector({"payload": box}), [0.0, *box.parameters])
    with pytest.raises(sg.InputError, match=r"'payload' is 10 numbers, got"):
        f.with_parameters({"payload": 2.0})
    with pytest.raises(sg.InputError, match="no parameter of the function is called 'payloat'"):
        f.with_parameters({"payloat": box})
    with pytest.raises(sg.InputError, match="has no parameters"):
        sg.inverse_dynamics(robot).with_parameters({})


def test_what_a_function_does_not_depend_on_is_no_input():
    robot = sg.load("rrr")
    with pytest.raises(sg.InputError, match=r"mass_matrix does not depend on 'joint1\.damping'"):
        sg.mass_matrix(robot, parameters=["joint1.damping"])
    with pytest.raises(sg.InputError, match="forward_kinematics does not depend on 'link1'"):
        sg.forward_kinematics(robot, parameters=["link1"])


@pytest.mark.parametrize(
    ("names", "payload", "message"),
    [
        (["link9"], None, "no parameter is called 'link9'"),
        (["payload"], None, "no frame has the payload"),
        (["joint1.armature", "joint1.armature"], None, "named twice"),
        (["link1", "link1.mass"], None, "both inputs"),
        (["base"], None, "it is the base"),
        (["elbow.damping"], None, "no joint is called 'elbow'"),
        (["tool"], None, "'tool' has no inertia of its own"),
        ([], "tip", "no frame is called 'tip'"),
    ],
)
def test_names_that_mean_nothing(names, payload, message):
    robot = sg.load("rrr")
    names = [name.replace("base", robot.links[0].name) for name in names]
    with pytest.raises(sg.InputError, match=message):
        sg.inverse_dynamics(robot, parameters=names, payload=payload)
