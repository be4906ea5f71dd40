"""Light links on strong dampers, beside the closed form of a wheel that a damper slows: v' = (tau - D v) / J."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.motion.control import ControlLimits, PostureTask, stack_gains
from screwgraph.motion.control.stiff_dampers import damp_implicitly

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


def light_chain():
    """Return five light links in a plane that carry a heavy tip: all joints turn together where that stands still."""
    text = '<robot name="chain"><link name="l0"/>'
    for i in range(1, 6):
        mass, at, start = (10.0, 0.3, 0.3) if i == 5 else (0.1, 0.15, 0.3 * (i > 1))
        turns = "".join(f'i{k}="{mass * 0.0075 + 1e-5}" ' for k in ("xx", "yy", "zz"))
        text += (
            f'<link name="l{i}"><inertial><origin xyz="{at} 0 0"/><mass value="{mass}"/>'
            f'<inertia {turns} ixy="0" ixz="0" iyz="0"/></inertial></link>'
            f'<joint name="j{i}" type="revolute"><origin xyz="{start} 0 0"/><parent link="l{i - 1}"/>'
            f'<child link="l{i}"/><axis xyz="0 0 1"/><limit lower="-3" upper="3" effort="100" velocity="50"/></joint>'
        )
    return replace(sg.load(f"{text}</robot>"), gravity=(0.0, 0.0, 0.0))


@pytest.mark.parametrize("share", [0.3, 0.7, 0.95, 3.0])
def test_dampers_of_several_joints_together_add_no_energy(share):
    """Each takes a part of a velocity in a step, together thrice as much: kinetic energy went up to 20 times as far."""
    robot, dt = light_chain(), 0.01
    M = sg.mass_matrix(robot)
    damping = share / (dt * np.diag(np.linalg.inv(M(np.zeros(5)))))
    joints = (replace(joint, damping=float(d)) for joint, d in zip(robot.joints, damping, strict=True))
    move = sg.forward_dynamics(damp_implicitly(replace(robot, joints=tuple(joints)), dt))
    rng, most = np.random.default_rng(0), 0.0
    for _ in range(5):
        q, v = np.zeros(5), 0.05 * rng.standard_normal(5)
        before = v @ M(q) @ v
        for _ in range(60):
            v = v + dt * move(q, v, np.zeros(5))
            q = q + dt * v
            energy = v @ M(q) @ v
            most, before = max(most, energy / before), energy
    assert most < 1.0
