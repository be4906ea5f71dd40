"""Poses, velocities, accelerations and Jacobians of frames are Pinocchio's, and derivatives of each other."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

import screwgraph as sg
from screwgraph.mechanics.kinematics.reference_frames import REFERENCES
from screwgraph.model.robot import frame_pose, link_poses
from tests.mechanics.kinematics.states import ROBOTS, angular_first, close, robot_of, state_of

PEER = {"local": pin.LOCAL, "world": pin.WORLD, "local_world_aligned": pin.LOCAL_WORLD_ALIGNED}


@pytest.mark.parametrize("name", ROBOTS)
def test_poses_of_all_links(name):
    s = state_of(name)
    found = sg.forward_kinematics(s.robot)(s.q)
    assert found.shape == (len(s.robot.links), 4, 4)
    for T, link in zip(found, s.robot.links, strict=True):
        close(T, s.peer.pose(s.q, link.name))


@pytest.mark.parametrize("name", ["a1", "twisted"])
@pytest.mark.parametrize("reference", REFERENCES)
@pytest.mark.sampled(4)
def test_motion_of_a_frame(name, reference):
    s = state_of(name)
    model, data, frame = s.peer.model, s.peer.data, s.robot.links[-1].name
    pin.forwardKinematics(model, data, s.position, s.velocity, s.acceleration)
    pin.updateFramePlacements(model, data)
    way, number = PEER[reference], s.frame(frame)
    V = sg.frame_velocity(s.robot, frame, reference=reference)(s.q, s.qd)
    close(V, angular_first(pin.getFrameVelocity(model, data, number, way).vector))
    # Of a frame in the world's axes, the time derivative of the velocity is the acceleration of its origin as a point.
    get = pin.getFrameClassicalAcceleration if reference == "local_world_aligned" else pin.getFrameAcceleration
    Vdot = sg.frame_acceleration(s.robot, frame, reference=reference)(s.q, s.qd, s.qdd)
    close(Vdot, angular_first(get(model, data, number, way).vector))
    J = sg.frame_jacobian(s.robot, frame, reference=reference)(s.q)
    close(J, s.columns(pin.computeFrameJacobian(model, data, s.position, number, way)))
    close(J @ s.qd, V)


def test_acceleration_is_the_rate_of_velocity():
    robot = sg.load("puma560")
    s, h = state_of("puma560"), 1e-5
    move = sg.integrate(robot)
    velocity = sg.frame_velocity(robot, "link6", reference="local_world_aligned")
    ends = [velocity(move(s.q, t * s.qd + 0.5 * t * t * s.qdd), s.qd + t * s.qdd) for t in (-h, h)]
    found = sg.frame_acceleration(robot, "link6", reference="local_world_aligned")(s.q, s.qd, s.qdd)
    np.testing.assert_allclose(found, (ends[1] - ends[0]) / (2 * h), atol=1e-6 * np.abs(found).max())


def test_the_rate_of_a_jacobian():
    s = state_of("puma560")
    J = sg.frame_jacobian(s.robot, "link6", reference="local_world_aligned")
    rate = J.jacobian("q")(s.q) @ s.qd
    drift = sg.frame_acceleration(s.robot, "link6", reference="local_world_aligned")(s.q, s.qd, 0 * s.qdd)
    close(rate @ s.qd, drift)


def test_welded_frames_and_the_base():
    robot = sg.load("panda")
    q = robot.random(np.random.default_rng(0))
    names = [*(frame.name for frame in robot.frames), robot.links[0].name]
    found = sg.forward_kinematics(robot, names)(q)
    for T, name in zip(found, names, strict=True):
        close(T, frame_pose(robot, robot.frame(name), q))


def test_batches_out_and_the_last_row():
    robot = sg.load("panda")
    f = sg.forward_kinematics(robot, "panda_hand_tcp")
    q = sg.random(robot, (3, 5), seed=0)
    found = f(q, out=np.empty((3, 5, 4, 4)))
    assert (found[..., 3, :] == [0.0, 0.0, 0.0, 1.0]).all()
    close(found[2, 4], f(q[2, 4]))


def test_the_derivative_of_a_pose_is_the_body_jacobian():
    s = state_of("a1")
    foot = s.robot.links[-1].name
    f = sg.forward_kinematics(s.robot, foot)
    T, dT = f(s.q), f.jacobian("q")(s.q)
    J = sg.frame_jacobian(s.robot, foot)(s.q)
    for column, change in zip(J.T, np.moveaxis(dT, -1, 0), strict=True):
        body = np.linalg.inv(T) @ change
        close(np.array([body[2, 1], body[0, 2], body[1, 0], *body[:3, 3]]), column)


def test_code_for_casadi_and_c():
    s = state_of("puma560")
    f = sg.forward_kinematics(s.robot, "link6")
    close(np.array(f.casadi(s.q)).reshape(4, 4), f(s.q))
    assert "void forward_kinematics(" in f.c_source()


def test_closed_chains_take_all_joints():
    robot = sg.load("five_bar")
    q = sg.random(robot, seed=0)
    poses = link_poses(robot, q)
    for T, link in zip(sg.forward_kinematics(robot)(q), robot.links, strict=True):
        close(T, poses[link.name])


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda robot: sg.forward_kinematics("puma560.urdf"), "expected a robot or a mechanism, got str"),
        (lambda robot: sg.forward_kinematics(robot, []), "no frame is named"),
        (lambda robot: sg.forward_kinematics(robot, "tool9"), "no frame is called 'tool9'"),
        (lambda robot: sg.forward_kinematics(robot, [3]), "frames: expected a text"),
        (lambda robot: sg.frame_velocity(robot, "link6", reference="body"), "no reference is called 'body'"),
        (lambda robot: sg.frame_jacobian(robot, "nothing"), "no frame is called 'nothing'"),
    ],
)
def test_refusals_are_one_line(ask, message):
    with pytest.raises(sg.InputError, match=message) as caught:
        ask(robot_of("puma560"))
    assert "\n" not in str(caught.value)
