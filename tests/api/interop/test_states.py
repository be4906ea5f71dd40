"""Converted states give Pinocchio's and MuJoCo's own dynamics the same answers as ours, one by one and in batches."""

from __future__ import annotations

import mujoco
import numpy as np
import pinocchio as pin
import pytest

import screwgraph as sg
from screwgraph.api.interop import States, mujoco_states, omega_first, pinocchio_states, v_first, w_first, w_last
from screwgraph.model.robot import Joint, Link, tree
from screwgraph.model.robot.joints import Floating, Planar, Prismatic, Revolute, Spherical
from screwgraph.spatial import SpatialInertia
from tests.mujoco_oracle import MujocoOracle
from tests.oracle import pinocchio_model
from tests.robots import robot_file

N = 7


def branching(joints: dict[str, object]) -> sg.Robot:
    """Return a body with two branches whose joints stand in another order than either library sorts them."""
    rng = np.random.default_rng(3)
    links, made = [Link("ground")], []
    for (name, kind), parent in zip(joints.items(), ("ground", "b0", "b0", "b1", "b2", "b1"), strict=False):
        number = len(links) - 1
        inertia = SpatialInertia.of_body(1.0 + number, 0.1 * rng.standard_normal(3), np.diag([0.3, 0.4, 0.5]))
        links.append(Link(f"b{number}", inertia))
        made.append(Joint(name, kind, parent, f"b{number}"))
    return tree("branching", links, made)


def with_pinocchio() -> sg.Robot:
    kinds = (Floating(), Revolute((0, 0, 1)), Planar(), Spherical(), Prismatic((1, 0, 0)), Revolute((0, 1, 0)))
    return branching({f"j{i}": kind for i, kind in enumerate(kinds)})


def with_mujoco() -> sg.Robot:
    kinds = (Floating(), Revolute((0, 0, 1)), Spherical(), Prismatic((1, 0, 0)), Revolute((0, 1, 0)))
    return branching({f"j{i}": kind for i, kind in enumerate(kinds)})


def states_of(robot: sg.Robot) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(0)
    q = np.array([robot.random(rng) for _ in range(N)])
    return q, *rng.standard_normal((2, N, robot.nv))


@pytest.fixture(scope="module")
def in_pinocchio() -> tuple[States, pin.Model]:
    robot = with_pinocchio()
    model, _ = pinocchio_model(robot)
    return pinocchio_states(robot, model), model


@pytest.fixture(scope="module")
def in_mujoco() -> tuple[States, mujoco.MjModel]:
    oracle = MujocoOracle(with_mujoco())
    return mujoco_states(oracle.robot, oracle.model), oracle.model


def test_pinocchio_needs_the_same_efforts(in_pinocchio):
    states, model = in_pinocchio
    q, qd, qdd = states_of(states.robot)
    tau = sg.inverse_dynamics(states.robot)(q, qd, qdd)
    theirs = zip(states.q_out(q), states.qd_out(q, qd), states.qdd_out(q, qd, qdd), strict=True)
    found = np.array([pin.rnea(model, model.createData(), *state) for state in theirs])
    np.testing.assert_allclose(states.tau_back(q, found), tau, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(states.tau_out(q, tau), found, rtol=1e-9, atol=1e-9)


def test_pinocchio_has_the_same_mass_matrix(in_pinocchio):
    states, model = in_pinocchio
    q, *_ = states_of(states.robot)
    upper = np.array([np.triu(pin.crba(model, model.createData(), at)) for at in states.q_out(q)])
    full = upper + np.swapaxes(np.triu(upper, 1), -1, -2)
    expected = sg.mass_matrix(states.robot)(q)
    np.testing.assert_allclose(states.mass_matrix_back(q, full), expected, rtol=1e-9, atol=1e-9)


def test_mujoco_accelerates_alike(in_mujoco):
    states, model = in_mujoco
    q, qd, tau = states_of(states.robot)
    qdd = sg.forward_dynamics(states.robot)(q, qd, tau)
    data, found = mujoco.MjData(model), []
    for data.qpos[:], data.qvel[:], data.qfrc_applied[:] in zip(
        states.q_out(q), states.qd_out(q, qd), states.tau_out(q, tau), strict=True
    ):
        mujoco.mj_forward(model, data)
        found.append(data.qacc.copy())
    np.testing.assert_allclose(states.qdd_back(q, qd, found), qdd, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(states.qdd_out(q, qd, qdd), found, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("library", ["in_pinocchio", "in_mujoco"])
def test_there_and_back_is_where_it_began(library, request):
    states, _ = request.getfixturevalue(library)
    q, qd, qdd = states_of(states.robot)
    np.testing.assert_allclose(states.q_back(states.q_out(q)), q, atol=1e-12)
    np.testing.assert_allclose(states.qd_back(q, states.qd_out(q, qd)), qd, atol=1e-12)
    np.testing.assert_allclose(states.qdd_back(q, qd, states.qdd_out(q, qd, qdd)), qdd, atol=1e-12)
    np.testing.assert_allclose(states.tau_back(q, states.tau_out(q, qd)), qd, atol=1e-12)


@pytest.mark.parametrize("library", ["in_pinocchio", "in_mujoco"])
def test_a_step_along_a_velocity_is_the_librarys_own_step(library, request):
    states, model = request.getfixturevalue(library)
    q, qd, _ = (x[0] for x in states_of(states.robot))
    moved = states.q_out(q + 0.0)
    if library == "in_pinocchio":
        moved = pin.integrate(model, moved, 1e-6 * states.qd_out(q, qd))
    else:
        mujoco.mj_integratePos(model, moved, states.qd_out(q, qd), 1e-6)
    expected = states.q_out(states.robot.manifold.retract(q, 1e-6 * qd))
    np.testing.assert_allclose(moved, expected, atol=1e-10)


@pytest.mark.parametrize("library", ["in_pinocchio", "in_mujoco"])
def test_batches_are_their_states_one_by_one(library, request):
    states, _ = request.getfixturevalue(library)
    q, qd, qdd = (x[:6].reshape(2, 3, -1) for x in states_of(states.robot))
    for function, arrays in ((states.q_out, (q,)), (states.qd_out, (q, qd)), (states.qdd_out, (q, qd, qdd))):
        one = [[function(*(x[i, j] for x in arrays)) for j in range(3)] for i in range(2)]
        np.testing.assert_array_equal(function(*arrays), one)


def test_a_file_of_a_quadruped_is_matched_by_name():
    path = robot_file("a1.urdf")
    robot = sg.load(path, base="floating", damping=False)
    model = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer())
    states = pinocchio_states(robot, model)
    q, qd, qdd = states_of(robot)
    found = [
        pin.rnea(model, model.createData(), *state)
        for state in zip(states.q_out(q), states.qd_out(q, qd), states.qdd_out(q, qd, qdd), strict=True)
    ]
    tau = sg.inverse_dynamics(robot)(q, qd, qdd)
    np.testing.assert_allclose(states.tau_back(q, np.array(found)), tau, rtol=1e-9, atol=1e-8)


def test_a_free_joint_of_mjcf_needs_no_name():
    path = robot_file("walker.xml")
    robot, model = sg.load(path), mujoco.MjModel.from_xml_path(str(path))
    states = mujoco_states(robot, model)
    np.testing.assert_allclose(states.q_out(states.q_back(model.qpos0)), model.qpos0, atol=1e-12)


def test_joints_without_a_counterpart_are_named(in_pinocchio):
    _, model = in_pinocchio
    with pytest.raises(sg.InputError, match="'joint1', 'joint2' has no counterpart in Pinocchio's model"):
        pinocchio_states(sg.load("rr"), model)


def test_arrays_of_a_wrong_length_are_refused(in_mujoco):
    states, _ = in_mujoco
    with pytest.raises(sg.InputError, match=r"positions of shape \(3,\) have not"):
        states.q_out([1.0, 2.0, 3.0])
    with pytest.raises(sg.InputError, match="6 numbers"):
        omega_first([1.0, 2.0])


def test_halves_and_quaternions_go_there_and_back():
    V, quaternion = np.arange(12.0).reshape(2, 6), np.arange(4.0)
    np.testing.assert_array_equal(omega_first(V), pin.Motion(V[0]).vector[[3, 4, 5, 0, 1, 2]] + [[0], [6]])
    np.testing.assert_array_equal(v_first(omega_first(V)), V)
    np.testing.assert_array_equal(w_first(quaternion), [3, 0, 1, 2])
    np.testing.assert_array_equal(w_last(w_first(quaternion)), quaternion)
    for turn, numbers in ((omega_first, V), (v_first, V), (w_first, V[:, :4]), (w_last, V[:, :4])):
        each = np.array([turn(row) for row in numbers])
        np.testing.assert_array_equal(turn(numbers), each)
        np.testing.assert_array_equal(turn(numbers[None].repeat(3, axis=0)), [each] * 3)


def test_joints_without_names_have_those_that_the_reader_gives_them(tmp_path):
    """A free body and two hinges, of which one has a name; MuJoCo's dynamics agree."""
    geom = '<geom size="0.1" pos="0.2 0 0.1"/>'
    inner = f'<body><joint axis="0 1 0"/>{geom}<body pos="0.3 0 0"><joint name="tip"/>{geom}</body></body>'
    text = f"<mujoco><worldbody><body><freejoint/>{geom}{inner}</body></worldbody></mujoco>"
    model, robot = mujoco.MjModel.from_xml_string(text), sg.load(text)
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    states, data = mujoco_states(robot, model), mujoco.MjData(model)
    q, qd, tau = (batch[0] for batch in states_of(robot))
    data.qpos[:], data.qvel[:] = states.q_out(q), states.qd_out(q, qd)
    data.qfrc_applied[:] = states.tau_out(q, tau)
    mujoco.mj_forward(model, data)
    ours = sg.forward_dynamics(robot)(q, qd, tau)
    assert ours == pytest.approx(states.qdd_back(q, qd, data.qacc), rel=1e-10)
