"""A tool that glides along the ground over a horizon: inverse dynamics of its forces, velocities along the normal."""

from dataclasses import replace

import numpy as np

import screwgraph as sg
from screwgraph.mechanics.kinematics.reference_frames import ALIGNED
from screwgraph.motion.control import GlidingPoint, converge, stack_references, stack_schedule, stack_weights

DT = 0.01


def test_a_tool_that_glides_is_pushed_along_the_normal():
    panda = sg.load("panda")
    robot = replace(panda, joints=tuple(replace(joint, damping=0.0) for joint in panda.joints))
    tool = GlidingPoint("panda_link8")
    control = sg.mpc(robot, DT, 5, contacts=[tool])
    q = np.array([0.0, -0.4, 0.0, -2.2, 0.0, 1.9, 0.8])
    wanted, weights = q + np.array([0.1, 0.1, 0.0, 0.1, 0.0, 0.0, 0.0]), stack_weights(robot, acceleration=1e-5)
    schedule = stack_schedule(control, [tool])
    found = converge(control, q, np.zeros(7), stack_references(control, wanted), weights, contacts=schedule)
    assert found.solution[0] == 0.0
    assert found.forces is not None
    jacobian = sg.frame_jacobian(robot, tool.frame, reference=ALIGNED)
    push = jacobian(q)[3:].T @ [0.0, 0.0, found.forces[0, 0]]
    efforts = sg.inverse_dynamics(robot)(q, np.zeros(7), found.states[1, 7:] / DT) - push
    np.testing.assert_allclose(found.efforts[0], efforts, atol=1e-8)
    moved = np.array([jacobian(x[:7])[3:] @ x[7:] for x in found.states])
    assert np.abs(moved[:, 0]).max() > 0.01  # it glides
    assert np.abs(moved[:, 2]).max() < 0.03 * np.abs(moved[:, 0]).max()  # but for the curvature of a step
