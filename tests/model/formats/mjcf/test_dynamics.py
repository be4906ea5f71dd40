"""Accelerations of MJCF files against MuJoCo's own qacc: armatures of free joints, and options of the model."""

# pyright: reportAttributeAccessIssue=false
# MuJoCo's compiled module declares no types.

from dataclasses import replace

import mujoco
import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot.joints import Floating
from screwgraph.spatial import SpatialInertia, quaternions
from tests.model.formats.helpers import close, loaded
from tests.mujoco_oracle import to_mujoco, velocity_map
from tests.oracle import oracle

pytestmark = pytest.mark.usefixtures("forked_mujoco")

FREE = """<mujoco><default><joint armature="1"/></default><worldbody><body name="a" pos="0 0 1">
  <joint name="f" type="free"/><inertial pos="0.05 0.02 -0.1" mass="1.2" diaginertia="0.02 0.03 0.025"/>{}</body>
  </worldbody></mujoco>"""
ARM = """<body name="b" pos="0.1 0.2 0.3" euler="10 20 30"><joint name="j" axis="0 1 1"/>
  <inertial pos="0 0.1 0.3" mass="0.4" diaginertia="0.01 0.02 0.015"/></body>"""
SAID = """<mujoco><worldbody><body name="a" pos="0 0 1" euler="40 0 10"><joint name="f" type="free" armature="0.3"
  damping="0.7"/>
  <inertial pos="0.05 0.02 -0.1" mass="1.2" diaginertia="0.02 0.03 0.025"/></body></worldbody></mujoco>"""
FILES = {"by default": FREE.format(""), "with an arm": FREE.format(ARM), "with damping": SAID}


def theirs(robot, model, q, qd, tau):
    """MuJoCo's acceleration in our coordinates; contacts and limits are far."""
    data = mujoco.MjData(model)
    E = velocity_map(robot, q)
    data.qpos[:], data.qvel[:] = to_mujoco(robot, q), E @ qd
    data.qfrc_applied[:] = np.linalg.solve(E.T, tau)
    mujoco.mj_forward(model, data)
    change = np.zeros(robot.nv)
    for joint in robot.joints:
        if isinstance(joint.type, Floating):
            v = robot.v_slices[joint.name]
            R = quaternions.to_rotation(q[robot.q_slices[joint.name]][3:])
            change[v][:3] = R @ np.cross(qd[v][:3], qd[v][3:])
    return np.linalg.solve(E, data.qacc - change)


def states(robot, count=3):
    rng = np.random.default_rng(4)
    for _ in range(count):
        yield robot.random(rng), 2.0 * rng.normal(size=robot.nv), rng.normal(size=robot.nv)


@pytest.mark.parametrize("text", FILES.values(), ids=FILES)
def test_armature_of_a_free_joint_acts_on_the_velocities_of_mujoco(text, tmp_path):
    robot, model = loaded(text, tmp_path, "m.xml"), mujoco.MjModel.from_xml_string(text)
    forward, inverse = sg.forward_dynamics(robot), sg.inverse_dynamics(robot)
    for q, qd, tau in states(robot):
        expected = theirs(robot, model, q, qd, tau)
        close(forward(q, qd, tau), expected, 1e-10)
        close(inverse(q, qd, expected), tau, 1e-9)


def with_rotor_as_body(robot):
    """Without gravity, a rotor of inertia 1 along and about all axes of a body is a part of that body."""
    link = replace(robot.links[1], inertia=robot.links[1].inertia + SpatialInertia.of_body(1.0, np.zeros(3), np.eye(3)))
    joint = replace(robot.joints[0], armature=0.0)
    return replace(robot, links=(robot.links[0], link, *robot.links[2:]), joints=(joint, *robot.joints[1:]))


def test_it_is_in_the_coriolis_matrix_and_in_derivatives(tmp_path):
    robot = loaded(FILES["with an arm"], tmp_path, "m.xml", gravity=(0, 0, 0))
    bias, C, M = sg.bias_forces(robot), sg.coriolis_matrix(robot), sg.mass_matrix(robot)
    as_body = sg.coriolis_matrix(with_rotor_as_body(robot))
    forward = sg.forward_dynamics(robot)
    by_qd = forward.jacobian("qd")
    step = 1e-6
    for q, qd, tau in states(robot):
        close(C(q, qd) @ qd, bias(q, qd), 1e-11)
        close(C(q, qd), as_body(q, qd), 1e-11)
        moved = [robot.manifold.retract(q, s * step * qd) for s in (1, -1)]
        rate = (M(moved[0]) - M(moved[1])) / (2 * step)
        close(rate, C(q, qd) + C(q, qd).T, 1e-7)
        columns = [(forward(q, qd + h, tau) - forward(q, qd - h, tau)) / (2 * step) for h in step * np.eye(robot.nv)]
        close(by_qd(q, qd, tau), np.array(columns).T, 1e-6)


def test_a_spinning_body_with_armature_keeps_its_energy(tmp_path):
    robot = loaded(FILES["with an arm"], tmp_path, "m.xml", gravity=(0, 0, 0))
    motion = sg.simulate(robot, qd0=np.linspace(-1, 2, robot.nv), time=1.0, dt=0.01)
    energy = sg.kinetic_energy(robot)
    ends = [energy(motion.q[k], motion.qd[k]) for k in (0, -1)]
    close(ends[1], ends[0], 1e-7)


def test_damping_at_the_end_of_a_step_is_no_rotor(tmp_path):
    """Dampers enter the equation of a step as armatures do, but have no momentum that turns."""
    robot, dt, rng = loaded(SAID, tmp_path, "m.xml"), 0.02, np.random.default_rng(1)
    q, qd = robot.random(rng), 2.0 * rng.normal(size=6)
    run = sg.Simulator(robot, dt, q, qd)
    run.step()
    M, D = sg.mass_matrix(robot)(q), 0.7 * np.eye(6)
    close(run.qd, qd + dt * np.linalg.solve(M + dt * D, -sg.bias_forces(robot)(q, qd)), 1e-10)


LEGS = """<mujoco><compiler angle="radian"/><option gravity="0 0.1 -9.81"{}><flag{}/></option><worldbody>
  <body name="a" pos="0 0 1">
    <joint name="j" axis="0 1 0" damping="0.3" frictionloss="0.2" range="-10 10" limited="true"/>
    <inertial pos="0.1 0.02 -0.1" mass="1.2" diaginertia="0.02 0.03 0.025"/>
    <body name="b" pos="0 0 0.5"><joint name="k" axis="0 1 0" damping="0.1"/>
      <inertial pos="0.05 0 0.1" mass="0.7" diaginertia="0.02 0.03 0.025"/></body></body></worldbody>
  <equality><joint name="same" joint1="j" joint2="k" polycoef="0 1 0 0 0"/></equality>
  <actuator>{}</actuator></mujoco>"""
MOTOR = '<motor name="m" joint="j" ctrllimited="true" ctrlrange="-2 2"/>'


def legs(folder, off=(), options="", actuators=MOTOR):
    text = LEGS.format(options, "".join(f' {flag}="disable"' for flag in off), actuators)
    return loaded(text, folder, "legs.xml"), mujoco.MjModel.from_xml_string(text)


def assert_mujoco_agrees(robot, model):
    """The robot that was read, by Pinocchio, moves as the model does in MuJoCo."""
    forward = oracle(robot).forward_dynamics
    for q, qd, tau in states(robot):
        close(forward(q, qd, tau), theirs(robot, model, q, qd, tau), 1e-10)


@pytest.mark.parametrize("flag", ["equality", "constraint"])
@pytest.mark.parametrize("other", ["damper", "gravity", "spring", "limit", "contact", "actuation"])
def test_what_flags_switch_off_is_off(flag, other, tmp_path):
    robot, model = legs(tmp_path, {flag, "frictionloss", other})
    assert not robot.is_closed
    assert any("equality 'same' is not active: so it is left out" in line for line in robot.warnings)
    assert robot.joint("j").friction == 0.0
    has_limits = flag != "constraint" and other != "limit"
    assert (robot.joint("j").limits.lower is not None) == has_limits
    assert_mujoco_agrees(robot, model)


def test_without_flags_all_is_on(tmp_path):
    robot, _ = legs(tmp_path)
    joint = robot.joint("j")
    assert robot.is_closed
    assert (joint.damping, joint.friction) == (0.3, 0.2)
    assert joint.limits.lower is not None
    assert joint.limits.effort == 2.0
    assert legs(tmp_path, {"clampctrl"})[0].joint("j").limits.effort is None
    assert not any("not active" in line or "actuators that brake" in line for line in robot.warnings)


OFF = {"equality", "frictionloss", "limit"}
MEDIA = [' density="1.2"', ' viscosity="0.01"', ' density="1000" viscosity="0.001" wind="1 0 0"']


@pytest.mark.parametrize("options", MEDIA)
def test_a_medium_is_named_in_the_warnings(options, tmp_path):
    robot, _ = legs(tmp_path, OFF, options)
    assert any("the medium is not modelled: density" in line for line in robot.warnings)


def test_wind_without_a_medium_does_nothing(tmp_path):
    robot, model = legs(tmp_path, OFF, ' wind="1 2 3"')
    assert not any("the medium is" in line for line in robot.warnings)
    assert_mujoco_agrees(robot, model)


BRAKES = {
    "velocity": '<velocity name="m" joint="j" kv="3"/>',
    "position with kv": '<position name="m" joint="j" kp="3" kv="1"/>',
    "position with dampratio": '<position name="m" joint="j" kp="3" dampratio="1"/>',
    "general": '<general name="m" joint="j" biastype="affine" biasprm="0 0 -2"/>',
    "damper": '<damper name="m" joint="j" kv="3" ctrlrange="0 1"/>',
}


@pytest.mark.parametrize("actuator", BRAKES.values(), ids=BRAKES)
def test_actuators_that_brake_are_named(actuator, tmp_path):
    robot, model = legs(tmp_path, OFF, actuators=actuator)
    named = any("actuators that brake by themselves are not modelled: m" in line for line in robot.warnings)
    data = mujoco.MjData(model)
    data.qvel[0] = 1.0
    mujoco.mj_forward(model, data)
    assert named == bool(data.qfrc_actuator.any())
    off, model = legs(tmp_path, {*OFF, "actuation"}, actuators=actuator)
    assert not any("actuators that brake" in line for line in off.warnings)
    assert_mujoco_agrees(off, model)


@pytest.mark.parametrize("tie", ['weld body1="a" body2="c"', 'connect body1="a" body2="c" anchor="0 0 0"'])
def test_ties_within_one_rigid_body_have_no_effect(tie, tmp_path):
    """Body c is part of a: MuJoCo's rows of such a constraint are zero."""
    fixed = '<body name="c" pos="0.1 0 0"><inertial pos="0 0 0" mass="0.3" diaginertia="0.01 0.01 0.01"/></body>'
    text = FREE.format(ARM + fixed).replace("</mujoco>", f"<equality><{tie}/></equality></mujoco>")
    robot = loaded(text, tmp_path, "tied.xml")
    assert robot.loops == ()
    assert any("two links of one rigid body" in line for line in robot.warnings)
    rng = np.random.default_rng(2)
    q, qd, tau = robot.random(rng), rng.standard_normal(robot.nv), rng.standard_normal(robot.nv)
    model = mujoco.MjModel.from_xml_string(text)
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    expected = theirs(robot, model, q, qd, tau)
    close(sg.forward_dynamics(robot)(q, qd, tau), expected, 1e-8 * np.abs(expected).max())
