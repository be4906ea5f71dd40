"""A Panda pushes a box over a table at constant speed: the force is Coulomb's."""

import numpy as np
import pytest
from scipy.interpolate import make_interp_spline

import screwgraph as sg
from screwgraph.model.robot import Box

DT, G = 1e-3, 9.81
MU, MASS, HALF, RADIUS, SPEED = 0.4, 2.0, 0.05, 0.02, 0.05
TOOL = "panda_hand_tcp"
BODY = (
    f'<robot name="box"><link name="body"><inertial><mass value="{MASS}"/>'
    '<inertia ixx="0.0033" iyy="0.0033" izz="0.0033" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>'
)


def straight_path(arm, times):
    """Return a spline of joint positions at which the tool points down and goes along x at constant speed."""
    search, q, found = sg.inverse_kinematics(arm, TOOL), np.array([0.0, 0.3, 0.0, -2.2, 0.0, 2.5, 0.8]), []
    for t in times.tolist():
        T = np.diag([1.0, -1.0, -1.0, 1.0])
        T[:3, 3] = 0.4 + SPEED * t, 0.0, HALF - 0.01
        q = np.asarray(search(T, start=q).q)
        found.append(q)
    return make_interp_spline(times, np.array(found), k=5)


def test_the_force_that_pushes_a_box_at_constant_speed_is_mu_m_g():
    """Quasi-static: mu m g within 1e-6 N, and Newton's second law of the box on the way there."""
    arm = sg.load("panda")
    world = sg.world({"arm": arm, "box": sg.load(BODY, base="floating")})
    corners = [
        sg.Contact("box/body", friction=MU, stiffness=np.inf, at=(x, y, -HALF))
        for x in (-HALF, HALF)
        for y in (-HALF, HALF)
    ]
    cube = sg.OtherBody("box/body", Box((2 * HALF, 2 * HALF, 2 * HALF)))
    tip = sg.Contact(f"arm/{TOOL}", radius=RADIUS, friction=0.0, against=cube)
    path = straight_path(arm, np.linspace(0.0, 1.2, 121))
    start, rates = world.neutral(), np.zeros(world.nv)
    start[:7], rates[:7] = path(0.0), path(0.0, 1)
    start[7:10] = 0.4 + RADIUS + HALF + 1e-4, 0.0, HALF
    simulator = sg.Simulator(world, DT, start, rates, contacts=[*corners, tip])
    inertia, bias = sg.mass_matrix(arm), sg.bias_forces(arm)
    jacobian, pose = sg.frame_jacobian(arm, TOOL), sg.forward_kinematics(arm, TOOL)
    tau, pushes, accelerations = np.zeros(world.nv), [], []
    for k in range(1150):
        q, qd, v = simulator.q[:7], simulator.qd[:7], simulator.qd[10]
        wanted = path(k * DT, 2) + 3600.0 * (path(k * DT) - q) + 120.0 * (path(k * DT, 1) - qd)
        lead = np.array([MU * MASS * G * min(1.0, max(0.0, (k - 20) / 50)), 0.0, 0.0])
        tau[:7] = inertia(q) @ wanted + bias(q, qd) + jacobian(q)[3:].T @ (np.asarray(pose(q))[:3, :3].T @ lead)
        simulator.step(tau)
        assert simulator.residual < 1e-9
        pushes.append(-simulator.forces[4, 0])
        accelerations.append((simulator.qd[10] - v) / DT)
    moved = np.array(pushes)[50:] - MU * MASS * G
    np.testing.assert_allclose(moved, MASS * np.array(accelerations)[50:], atol=1e-3)
    np.testing.assert_allclose(moved[-150:], 0.0, atol=1e-6)
    assert simulator.qd[10] == pytest.approx(SPEED, abs=1e-6)
