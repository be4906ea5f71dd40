"""Arms of few joints that touch the ground: at their contacts some directions do not move, or move together."""

import numpy as np
import pytest

import screwgraph as sg

DT, G = 1e-3, 9.81


def pendulum(axis: str = "0 1 0", kind: str = "revolute") -> sg.Robot:
    """Return a rod of 1 m and 2 kg on one joint, along x."""
    return sg.load(
        '<robot name="rod"><link name="base"/><link name="rod"><inertial><origin xyz="0.5 0 0"/><mass value="2"/>'
        '<inertia ixx="0.001" iyy="0.1667" izz="0.1667" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="hinge" '
        f'type="{kind}"><parent link="base"/><child link="rod"/><axis xyz="{axis}"/>'
        '<limit lower="-1" upper="1" effort="99" velocity="99"/></joint></robot>'
    )


@pytest.mark.parametrize("stiffness", [1e6, np.inf])
def test_a_rod_on_one_hinge_lies_on_the_ground(stiffness):
    """Its three directions at the tip move together; half of its weight is carried there, the rest by the hinge."""
    tip = sg.Contact("rod", at=(1.0, 0.0, 0.0), friction=0.0, stiffness=stiffness)
    simulator = sg.Simulator(pendulum(), DT, [0.1], contacts=[tip], ground=sg.Plane(height=-0.2))
    simulator.step(steps=2000)
    assert simulator.residual < 1e-9
    np.testing.assert_allclose(simulator.forces[0], [0.0, 0.0, 0.5 * 2.0 * G], rtol=1e-9, atol=1e-9)
    assert np.sin(-simulator.q[0]) == pytest.approx(
        -0.2 if stiffness == np.inf else -0.2 - 0.5 * 2.0 * G / 1e6, abs=1e-9
    )


@pytest.mark.parametrize("stiffness", [1e6, np.inf])
def test_a_slider_stops_at_a_wall_that_it_meets_at_an_angle(stiffness):
    """With x = -F_n / k normal the force along the rail is that of the effort; tangents rub, and hold."""
    slope = sg.Plane((-1.0, 0.0, 1.0), height=-0.5)
    for friction in (0.0, 0.3, 2.0):
        touch = sg.Contact("rod", friction=friction, stiffness=stiffness)
        simulator = sg.Simulator(pendulum("1 0 0", "prismatic"), DT, contacts=[touch], ground=slope)
        simulator.step([5.0], steps=1500)
        assert abs(simulator.qd[0]) < 1e-9
        assert simulator.residual < 1e-9
        assert simulator.forces[0, 0] == pytest.approx(-5.0, rel=1e-9), "what the rail does not carry"


def step_freely(arm, q, qd, tau):
    """Coriolis' forces are those of the middle of the velocities at the ends, the later one by those of the start."""
    M, bias, middle = sg.mass_matrix(arm)(q), sg.bias_forces(arm), qd
    for _ in range(2):
        rate = np.linalg.solve(M, tau - bias(q, middle))
        middle = qd + 0.5 * DT * rate
    return q + DT * (qd + DT * rate), qd + DT * rate


def test_ground_that_an_arm_cannot_reach_or_leave_changes_nothing():
    """The plane's normal is across an arm that moves in a plane: no impulse moves it there."""
    arm, q0, tau = sg.load("rr"), np.array([0.3, 0.4]), np.array([0.2, -0.1])
    q, qd = q0, np.zeros(2)
    for _ in range(200):
        q, qd = step_freely(arm, q, qd, tau)
    for gap, friction in ((0.1, 0.8), (-1e-3, 0.0)):
        touch, across = sg.Contact("tool", friction=friction), sg.Plane((0.0, 0.0, 1.0), -gap)
        beside = sg.Simulator(arm, DT, q0, contacts=[touch], ground=across)
        beside.step(tau, steps=200)
        np.testing.assert_allclose(beside.q, q, atol=1e-12)
        np.testing.assert_allclose(beside.gaps, gap, atol=1e-12)
        np.testing.assert_allclose(beside.forces[0], [0.0, 0.0, max(-1e6 * gap, 0.0)], rtol=1e-6, err_msg="its spring")


def test_joints_return_to_their_range_slowly():
    """A start .5 rad outside of a range is no blow: the joint comes back at .5 rad/s at most."""
    start = sg.Simulator(pendulum(), DT, [1.5], contacts=[sg.Contact("rod")], ground=sg.Plane(height=-9.0), stops=True)
    for _ in range(900):
        start.step()
        assert abs(start.qd[0]) < 0.5 + 1e-9
        assert start.q[0] > 1.0 - 1e-9
