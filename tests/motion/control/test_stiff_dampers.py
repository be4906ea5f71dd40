"""Light links on strong dampers, beside the closed form of a wheel that a damper slows: v' = (tau - D v) / J."""

from functools import cache

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.motion.control import ControlLimits, PostureTask, stack_gains

INERTIA, SPEED = 1e-3, 4.0


@cache
def wheel(damping):
    """Return a wheel with a range of 1 rad to each side."""
    return sg.load(
        '<robot name="wheel"><link name="base"/><link name="wheel"><inertial><mass value="1"/>'
        f'<inertia ixx="1" iyy="1" izz="{INERTIA}" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        '<joint name="turn" type="revolute"><parent link="base"/><child link="wheel"/><axis xyz="0 0 1"/>'
        f'<limit lower="-1" upper="1" effort="400" velocity="{SPEED}"/><dynamics damping="{damping}"/></joint></robot>'
    )


def turn(damping, dt, q, v, tau):
    """Return where a torque that is held leads the wheel."""
    rate, end = damping / INERTIA, tau / damping
    left = (v - end) * np.exp(-rate * dt)
    return q + end * dt + (v - end - left) / rate, end + left


@pytest.mark.parametrize("ratio", [0.3, 3.0, 50.0])
def test_a_joint_stops_within_its_range(ratio):
    """By dampers that act as at the beginning of a command, it went up to 0.1 rad beyond it, and all was kept."""
    dt = 1e-3
    damping = ratio * INERTIA / dt
    robot, tasks = wheel(damping), [PostureTask(stiffness=400.0)]
    control = sg.controller(robot, tasks, limits=ControlLimits(dt=dt, acceleration=20.0))
    q, v, active, fastest = np.array([-0.9]), np.zeros(1), np.zeros(control.arguments[-1].shape), 0.0
    for _ in range(1500):
        tau, _, active, solution = control(q, v, np.array([3.0]), np.zeros((2, 1)), stack_gains(tasks), active)
        q, v = turn(damping, dt, q, v, tau)
        fastest = max(fastest, v[0])
        assert solution[0] == 0.0
        assert q[0] < 1.0 + 1e-3
    assert q[0] > 0.99
    assert 0.9 * SPEED < fastest < 1.02 * SPEED
