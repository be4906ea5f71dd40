"""Legs with rotors behind gears, and legs with closed loops, stand on the ground: couplings and loops stay closed."""

from dataclasses import replace

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot import constraint_jacobian, constraint_residual, without_loops
from screwgraph.motion.simulation.contacts.steps.middle_state import compile_middle_state
from tests.motion.simulation.contacts.contact_points import Contacts
from tests.motion.simulation.contacts.test_invariants import cassie
from tests.robots import robot_file
from tests.suites import record

DT = 1e-3
LEGS = ("FR", "FL", "HR", "HL")


def test_rotors_turn_with_their_joints():
    robot = sg.load(robot_file("mini_cheetah.urdf"), base="floating")
    q0 = robot.neutral()
    for leg in LEGS:
        q0[robot.q_slices[f"{leg}_abad_to_hip_j"]], q0[robot.q_slices[f"{leg}_hip_to_knee_j"]] = -0.8, 1.6
    q0 = robot.close_loops(q0)
    q0[2] = 0.41
    joints = [
        f"{a}_{leg}_{b}" if a == "torso_to" else f"{leg}_{b}"
        for leg in LEGS
        for a, b in (("torso_to", "abad_j"), ("", "abad_to_hip_j"), ("", "hip_to_knee_j"))
    ]
    driven = [(robot.q_slices[name].start, robot.v_slices[name].start) for name in joints]
    feet = [sg.Contact(f"{leg}_knee_link", 0.02, friction=0.6, at=(0.0, 0.0, -0.18)) for leg in LEGS]
    simulator = sg.Simulator(robot, DT, q0, contacts=feet)
    worst = 0.0
    for k in range(1500):
        tau = np.zeros(robot.nv)
        for at, along in driven:
            tau[along] = 60.0 * (q0[at] - simulator.q[at]) - 2.0 * simulator.qd[along]
        simulator.step(tau)
        if k % 50 == 0:
            worst = max(worst, np.abs(constraint_residual(robot, simulator.q)).max())
    record("contacts", case="mini cheetah, 1.5 s: couplings of its rotors (rad)", asked="1e-10", error=f"{worst:.1e}")
    assert worst < 1e-10
    weight = 9.81 * robot.mass
    np.testing.assert_allclose(simulator.forces[:, 2].sum(), weight, rtol=2e-3)
    assert simulator.residual < 1e-9


@pytest.mark.suite
def test_a_cassie_stands_for_two_seconds():
    """On two points of each foot, springs and motors of 2000 N m/rad: loops stay closed, and the ground carries it."""
    case = cassie()
    robot, q0 = case.robot, case.posture.copy()
    q0[2] -= Contacts(case).heights(q0[None]).min()
    own = [joint.name for joint in robot.joints if joint.type.nv == 1]
    springs = {name: (2000.0, float(q0[robot.q_slices[name].start])) for name in own}
    simulator, worst = sg.Simulator(robot, DT, q0, contacts=case.contacts, springs=springs), 0.0
    for k in range(2000):
        simulator.step()
        if k % 20 == 0:
            worst = max(worst, np.abs(constraint_residual(robot, simulator.q)).max())
    record("contacts", case="Cassie, stands for 2 s: gaps of its loops (m)", asked="1e-07", error=f"{worst:.1e}")
    carried = abs(simulator.forces[:, 2].sum() / (9.81 * robot.mass) - 1.0)
    record("contacts", case="Cassie, stands for 2 s: weight, relative", asked="1e-03", error=f"{carried:.1e}")
    assert worst < 1e-7
    assert carried < 1e-3


def test_legs_whose_rotors_alone_have_inertia():
    """The tree's mass matrix is singular, the closed chain's is not: a leg falls as its centre of mass does."""
    robot = sg.load(robot_file("mit_humanoid_leg.urdf"), base="floating")
    q0 = robot.close_loops(robot.random(np.random.default_rng(3)))
    q0[:3] = 0.0, 0.0, 5.0
    simulator = sg.Simulator(robot, DT, q0, contacts=[sg.Contact(robot.links[-1].name)])
    place = sg.center_of_mass(robot)
    start = np.asarray(place(simulator.q))
    simulator.step(steps=100)
    fall = DT * DT * 9.81 * sum(range(1, 101))
    np.testing.assert_allclose(np.asarray(place(simulator.q)) - start, [0.0, 0.0, -fall], atol=1e-5)
    assert np.abs(constraint_residual(robot, simulator.q)).max() < 1e-10


@pytest.mark.parametrize("name", ["four_bar.urdf", "six_bar.urdf"])
def test_loops_push_as_without_contacts(name):
    """A chain that moves fast, far from the ground, is where an accurate method says, the nearer the less the step."""
    robot = sg.load(robot_file(name))
    q0 = robot.close_loops(robot.random(np.random.default_rng(2)))
    K = constraint_jacobian(robot, q0)[list(robot.mobility.kept)]
    qd0 = np.random.default_rng(0).normal(size=robot.nv)
    qd0 -= np.linalg.lstsq(K, K @ qd0, rcond=None)[0]
    qd0 *= 5.0 / np.abs(qd0).max()
    exact = sg.simulate(robot, q0, qd0, time=0.1, dt=1e-3, method="rk4").q[-1]
    far, errors = sg.Plane((1.0, 0.3, 0.5), height=-100.0), list[float]()
    for dt in (2e-3, 5e-4):
        simulator = sg.Simulator(robot, dt, q0, qd0, contacts=[sg.Contact(robot.links[-1].name)], ground=far)
        simulator.step(steps=round(0.1 / dt))
        errors.append(float(np.abs(simulator.q - exact).max()))
    assert errors[1] < 0.3 * errors[0] < 3e-3


def test_a_knee_that_stands_stays_while_loops_close():
    """A five-bar linkage that swings about a knee: the knee does not move, and loops open at no velocity."""
    robot, tau = sg.load("five_bar"), np.array([0.2, -0.1, 0.0, 0.0])
    knee = sg.Contact(robot.links[3].name, friction=10.0, stiffness=np.inf)
    simulator = sg.Simulator(robot, DT, contacts=[knee], ground=sg.Plane((0, 1, 0), 0.43))
    simulator.step(tau, steps=60)
    place, worst, drift, pressed = sg.forward_kinematics(robot, knee.frame), 0.0, 0.0, 0
    for k in range(200):
        before = np.asarray(place(simulator.q))[:3, 3]
        simulator.step(tau * np.cos(0.05 * k))
        K = constraint_jacobian(robot, simulator.q)[list(robot.mobility.kept)]
        drift = max(drift, np.abs(K @ simulator.qd).max())
        pressed += int(np.abs(simulator.forces[0]).max() > 1e-3)
        worst = max(worst, np.abs(np.asarray(place(simulator.q))[:3, 3] - before)[0])
    assert np.abs(simulator.qd).max() > 1.0
    assert pressed == 200
    assert drift < 1e-9
    assert worst < 1e-12
    assert simulator.residual < 1e-9


@pytest.mark.parametrize(("speed", "part"), [(20.0, 2e-4), (100.0, 0.03), (500.0, 0.08)])
def test_a_chain_that_spins_keeps_its_energy(speed, part):
    """A five-bar linkage without gravity, at middles of steps: whole ones with rows of their ends lost up to 99 %."""
    robot, rng, states = replace(sg.load("five_bar"), gravity=(0.0, 0.0, 0.0)), np.random.default_rng(0), []
    for _ in range(4):
        q = robot.close_loops(robot.random(rng))
        K, qd = constraint_jacobian(robot, q), rng.normal(size=robot.nv)
        qd -= np.linalg.pinv(K) @ (K @ qd)
        states.append((q, qd * speed / np.abs(qd).max()))
    q, qd = map(np.array, zip(*states, strict=True))
    far = sg.Plane((0.0, 1.0, 0.0), -100.0)
    simulator = sg.Simulator(robot, DT, q, qd, contacts=[sg.Contact(robot.links[-1].name)], ground=far)
    mass, middle, energies = sg.mass_matrix(without_loops(robot)), compile_middle_state(robot), list[np.ndarray]()
    for _ in range(50):
        simulator.step()
        q, qd = middle(simulator.q, simulator.qd, [DT])
        energies.append(np.einsum("bi,bij,bj->b", qd, np.asarray(mass(q)), qd))
    assert np.abs(np.array(energies) / energies[0] - 1.0).max() < part
    assert max(np.abs(constraint_residual(robot, x)).max() for x in simulator.q) < 1e-9
