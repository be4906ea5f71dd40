"""Bodies on the ground whose motions are known in closed form, by Signorini's and Coulomb's laws."""

import numpy as np
import pytest

import screwgraph as sg
from tests.motion.simulation.contacts.bodies import box, feet, free_body, quadruped, standing

DT, G = 1e-3, 9.81


def on_slope(tangent: float, friction: float, stiffness: float) -> sg.Simulator:
    """Return a cube at rest on a slope, aligned with it."""
    robot, contacts = box(friction, stiffness)
    angle = np.arctan(tangent)
    normal = (-np.sin(angle), 0.0, np.cos(angle))
    q0 = [*0.05 * np.array(normal), 0.0, -np.sin(angle / 2), 0.0, np.cos(angle / 2)]
    return sg.Simulator(robot, DT, q0, contacts=contacts, ground=sg.Plane(normal))


@pytest.mark.parametrize("stiffness", [np.inf, 1e6])
def test_a_box_sticks_where_friction_holds_it(stiffness):
    simulator = on_slope(0.4, 0.5, stiffness)
    simulator.step(steps=1000)
    start = simulator.q.copy()
    simulator.step(steps=200)
    assert np.abs(simulator.qd).max() < 1e-9
    np.testing.assert_allclose(simulator.q, start, atol=1e-10)
    np.testing.assert_allclose(simulator.forces.sum(axis=0), [0.0, 0.0, G], atol=1e-8)


@pytest.mark.parametrize("stiffness", [np.inf, 1e6])
def test_a_box_slides_as_coulomb_says(stiffness):
    simulator = on_slope(0.6, 0.5, stiffness)
    simulator.step(steps=1000)
    angle = np.arctan(0.6)
    acceleration = G * (np.sin(angle) - 0.5 * np.cos(angle))
    assert np.linalg.norm(simulator.qd[3:]) == pytest.approx(acceleration, abs=1e-9)
    assert np.abs(simulator.qd[:3]).max() < 1e-9
    assert np.abs(simulator.gaps).max() < 1e-5


@pytest.mark.parametrize("angle", [0, 17, 30, 45])
def test_a_kicked_box_slides_as_far_in_all_directions(angle):
    robot, contacts = box(0.5)
    along = np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle)), 0.0])
    simulator = sg.Simulator(
        robot, DT, [0, 0, 0.05, 0, 0, 0, 1], np.concatenate([np.zeros(3), 2.0 * along]), contacts=contacts
    )
    simulator.step(steps=500)
    # Sums of steps v' = v + h a, x' = x + h v', in the place of v0^2 / (2 mu g).
    steps = np.arange(1, 500)
    far = DT * np.maximum(2.0 - 0.5 * G * DT * steps, 0.0).sum()
    np.testing.assert_allclose(simulator.q[:3], far * along + [0.0, 0.0, 0.05], atol=1e-9)
    np.testing.assert_allclose(simulator.q[3:], [0, 0, 0, 1], atol=1e-9)


@pytest.mark.parametrize("stiffness", [np.inf, 1e6])
@pytest.mark.parametrize(("speed", "spin", "rolling"), [(1.0, 0.0, 5 / 7), (0.0, 10.0, 2 / 7)])
def test_a_ball_comes_to_roll(stiffness, speed, spin, rolling):
    contact = sg.Contact("body", 0.1, friction=0.3, stiffness=stiffness)
    simulator = sg.Simulator(
        free_body(1.0, 0.004), DT, [0, 0, 0.1, 0, 0, 0, 1], [0.0, spin, 0.0, speed, 0.0, 0.0], contacts=[contact]
    )
    simulator.step(steps=500)
    R = sg.forward_kinematics(simulator.model, "body")(simulator.q)[:3, :3]
    np.testing.assert_allclose(R @ simulator.qd[3:], [rolling, 0.0, 0.0], atol=1e-9)
    np.testing.assert_allclose(R @ simulator.qd[:3], [0.0, 10.0 * rolling, 0.0], atol=1e-8)


def test_a_free_body_falls_while_it_turns():
    contact = sg.Contact("body", 0.1)
    simulator = sg.Simulator(
        free_body(1.0, 0.4), DT, [0, 0, 100.0, 0, 0, 0, 1], [0, 20, 0, 1, 0, 0], contacts=[contact]
    )
    simulator.step(steps=1000)
    R = sg.forward_kinematics(simulator.model, "body")(simulator.q)[:3, :3]
    np.testing.assert_allclose(R @ simulator.qd[3:], [1.0, 0.0, -G], atol=1e-10)
    assert not simulator.forces.any()


def test_legs_carry_the_weight():
    robot = quadruped()
    q0 = standing(robot)
    simulator = sg.Simulator(robot, DT, q0, contacts=feet())
    for _ in range(3000):
        simulator.step(np.concatenate([np.zeros(6), 80.0 * (q0[7:] - simulator.q[7:]) - 4.0 * simulator.qd[6:]]))
    np.testing.assert_allclose(simulator.forces.sum(axis=0), [0.0, 0.0, robot.mass * G], atol=1e-3 * robot.mass * G)
    assert (simulator.forces[:, 2] > 0.0).all()
    np.testing.assert_allclose(simulator.gaps, -simulator.forces[:, 2] / 1e6, atol=1e-8)


def test_a_body_that_tumbles_keeps_its_energy_and_momentum():
    """Euler's top about its unstable axis; with the gyroscopic torque of the start of a step energy grows by 1 %."""
    moments, spin = np.array([0.01, 0.02, 0.025]), np.array([0.1, 20.0, 0.1])
    top = sg.load(
        '<robot name="top"><link name="body"><inertial><mass value="1"/><inertia ixx="0.01" iyy="0.02" izz="0.025" '
        'ixy="0" ixz="0" iyz="0"/></inertial></link></robot>',
        base="floating",
    )
    simulator = sg.Simulator(top, DT, qd0=[*spin, 0, 0, 0], contacts=[sg.Contact("body")], ground=sg.Plane(height=-9))
    simulator.step(steps=1000)
    turned = simulator.qd[:3]
    assert np.abs(turned[0]) > 1.0, "it tumbles"
    assert moments @ turned**2 == pytest.approx(moments @ spin**2, rel=2e-5)
    assert np.linalg.norm(moments * turned) == pytest.approx(np.linalg.norm(moments * spin), rel=2e-5)


def test_a_heavy_body_rests_as_deep_as_its_spring_says():
    """2 t on one contact of 1e6 N/m: 1.96 cm, and no deeper; it sank without end where what parts bodies is limited."""
    ball, contact = free_body(2000.0, 8.0), sg.Contact("body", radius=0.1)
    simulator = sg.Simulator(ball, 1e-3, [0, 0, 0.1, 0, 0, 0, 1], contacts=[contact])
    depths = []
    for _ in range(1500):
        simulator.step()
        depths.append(0.1 - simulator.q[2])
    assert depths[-1] == pytest.approx(2000.0 * 9.81 / 1e6, rel=1e-4)
    assert max(depths) < 2.0 * 2000.0 * 9.81 / 1e6
