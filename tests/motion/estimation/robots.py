"""Robots in motion, and what sensors read of them: simulated, and evaluated by Pinocchio."""

import numpy as np
import pinocchio as pin

import screwgraph as sg
from screwgraph.model.robot import Joint, Link, Robot, closed_states, tree
from screwgraph.model.robot.joints import Floating, Revolute
from tests.motion.simulation.robots import BODY
from tests.oracle import pinocchio_model, to_pin_a, to_pin_q, to_pin_v


def thrown() -> Robot:
    """A free body with an arm."""
    joints = [Joint("fly", Floating(), "world", "body"), Joint("wrist", Revolute((0.6, 0.0, 0.8)), "body", "hand")]
    return tree("thrown", [Link("world"), Link("body", BODY), Link("hand", BODY)], joints)


def moving(name: str) -> tuple[Robot, np.ndarray, np.ndarray]:
    """A robot with a state in motion."""
    robot, rng = thrown() if name == "thrown" else sg.load(name), np.random.default_rng(3)
    if not robot.is_closed:
        return robot, robot.random(rng), rng.normal(size=robot.nv)
    (q,) = closed_states(robot, 1, seed=2)
    return robot, q, robot.complete_velocity(q, rng.normal(size=robot.mobility.freedom))


def imu(robot: Robot, run: sg.Trajectory, link: str) -> tuple[np.ndarray, np.ndarray]:
    """Angular velocity and specific force at a link's origin, in its axes, along a motion of a tree."""
    model, data = pinocchio_model(robot)
    frame, local = model.getFrameId(link), pin.ReferenceFrame.LOCAL
    turning, force = [], []
    for q, qd, qdd in zip(run.q, run.qd, run.qdd, strict=True):
        state = (to_pin_q(robot, q), to_pin_v(robot, q, qd), to_pin_a(robot, q, qd, qdd))
        pin.forwardKinematics(model, data, *state)
        pin.updateFramePlacements(model, data)
        acceleration = pin.getFrameClassicalAcceleration(model, data, frame, local).linear
        turning.append(pin.getFrameVelocity(model, data, frame, local).angular)
        force.append(acceleration - data.oMf[frame].rotation.T @ np.array(robot.gravity))
    return np.array(turning), np.array(force)
