"""Gears and followers in steps with contacts: equations of motion with multipliers, and positions that stay coupled."""

from dataclasses import replace

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot import Coupling, constraint_jacobian, constraint_residual, without_loops
from screwgraph.motion.simulation.contacts.terms.coupled_velocities import find_free_velocities
from screwgraph.tape.sparse_rows import to_sparse_rows
from tests.robots import robot_file

LINK = (
    '<link name="{0}"><inertial><origin xyz="0.1 0.02 0"/><mass value="{1}"/>'
    '<inertia ixx="{2}" iyy="{2}" izz="{2}" ixy="0" ixz="0" iyz="0"/></inertial></link>'
)
JOINT = (
    '<joint name="{0}" type="revolute"><parent link="{1}"/><child link="{2}"/><axis xyz="{3}"/>'
    '<origin xyz="{4} 0 0"/><limit lower="-9" upper="9" effort="9" velocity="99"/></joint>'
)
LINKS = (("base", 2, 0.02), ("a", 0.5, 0.002), ("b", 0.3, 0.001), ("c", 0.2, 0.001), ("r", 0.1, 1e-4))
JOINTS = (
    ("ja", "base", "a", "0 1 0", 0.1),
    ("jb", "a", "b", "0 1 0", 0.2),
    ("jc", "b", "c", "0 0.6 0.8", 0.2),
    ("jr", "base", "r", "0 1 0", 0.0),
)
H = 1e-3


def finger() -> sg.Robot:
    """Return a finger whose last joint follows the others, and whose rotor the last joint turns: one gives another."""
    bodies = "".join(LINK.format(*link) for link in LINKS) + "".join(JOINT.format(*joint) for joint in JOINTS)
    robot = sg.load(f'<robot name="finger">{bodies}</robot>')
    pull, gear = {"jc": 1.0, "ja": -0.5, "jb": -1.0}, {"jr": 1.0, "jc": -7.0}
    return replace(robot, couplings=(Coupling("pull", pull, 0.1), Coupling("gear", gear, -0.2)))


def test_free_velocities_are_all_that_couplings_allow():
    robot = finger()
    S, coupled = find_free_velocities(robot).matrix, find_free_velocities(robot)
    assert S.shape == (4, 2) == (robot.nv, robot.mobility.freedom)
    np.testing.assert_allclose(constraint_jacobian(robot, robot.neutral()) @ S, 0.0, atol=1e-14)
    M = np.asarray(sg.mass_matrix(without_loops(robot))([0.3, -0.5, 0.7, 0.2]))
    lower = coupled.gather_matrix(to_sparse_rows(np.tril(M)))
    found = [[row.get(j, 0.0) for j in range(2)] for row in lower]
    np.testing.assert_allclose(found, np.tril(S.T @ M @ S), rtol=1e-13)


def test_rotors_are_what_gears_give():
    robot = sg.load(robot_file("mini_cheetah.urdf"), base="floating")
    coupled = find_free_velocities(robot)
    names = [name for name, own in robot.v_slices.items() for _ in range(own.stop - own.start)]
    assert len(coupled.free) == 18
    assert not any("rotor" in names[i] for i in coupled.free)
    assert coupled.loops == ()


@pytest.mark.parametrize("height", [0.0, 5.0])
def test_a_step_obeys_the_equations_of_motion_with_multipliers(height):
    """M dv = h (tau - c) + h J' f + K' l: what is left of it is in the range of K'."""
    robot, tip = finger(), sg.Contact("c", 0.01, friction=0.3, at=(0.2, 0.0, 0.0))
    tree, S, place = without_loops(robot), find_free_velocities(robot).matrix, sg.forward_kinematics(robot, "c")
    q = robot.close_loops([0.3, 0.6, 0.0, 0.0])
    ground = (np.asarray(place(q)) @ [0.2, 0.0, 0.0, 1.0])[2] - 0.01 - height
    simulator = sg.Simulator(
        robot, H, q, S @ [3.0, -1.0], contacts=[tip], ground=sg.Plane((0.0, 0.0, 1.0), ground + 0.001)
    )
    tau = np.array([0.2, -0.1, 0.3, 0.05])
    for _ in range(40):
        q, qd = simulator.q.copy(), simulator.qd.copy()
        simulator.step(tau)
        free = np.asarray(sg.mass_matrix(tree)(q)) @ (simulator.qd - qd)
        J = np.asarray(sg.frame_jacobian(tree, "c", reference="local_world_aligned")(q))
        arm = np.asarray(place(q))[:3, :3] @ [0.2, 0.0, 0.0] - [0.0, 0.0, 0.01]
        J = J[3:] + np.cross(J[:3].T, arm).T
        pressed = H * J.T @ simulator.forces[0]
        at_ends = [velocity_without(robot, S, q, qd, tau), qd]
        middle = 0.5 * sum(at_ends)
        left = free - H * (tau - np.asarray(sg.bias_forces(tree)(q, middle))) - pressed
        np.testing.assert_allclose(S.T @ left, 0.0, atol=1e-12)
    assert (np.abs(simulator.forces).max() > 0.1) == (height == 0.0)


def velocity_without(robot: sg.Robot, S: np.ndarray, q: np.ndarray, qd: np.ndarray, tau: np.ndarray) -> np.ndarray:
    """Return the velocity after a step without contacts, Coriolis' forces those of its start."""
    tree = without_loops(robot)
    M, c = np.asarray(sg.mass_matrix(tree)(q)), np.asarray(sg.bias_forces(tree)(q, qd))
    return qd + H * S @ np.linalg.solve(S.T @ M @ S, S.T @ (tau - c))


def test_positions_stay_coupled_to_rounding():
    robot = finger()
    q = robot.close_loops([0.3, 0.6, 0.0, 0.0])
    simulator = sg.Simulator(robot, H, q, contacts=[sg.Contact("c", at=(0.2, 0.0, 0.0))], ground=sg.Plane(height=-9.0))
    for _ in range(10):
        simulator.step(steps=200)
        assert np.abs(constraint_residual(robot, simulator.q)).max() < 1e-14 * (1.0 + np.abs(simulator.q).max())
        np.testing.assert_allclose(constraint_jacobian(robot, simulator.q) @ simulator.qd, 0.0, atol=1e-11)


def test_a_step_without_contacts_is_the_chain_s_acceleration():
    robot = finger()
    S, q = find_free_velocities(robot).matrix, robot.close_loops([0.3, 0.6, 0.0, 0.0])
    qd, tau, h = S @ [2.0, -1.0], np.array([0.2, -0.1, 0.3, 0.05]), 1e-6
    contact = sg.Contact("c", at=(0.2, 0.0, 0.0))
    simulator = sg.Simulator(robot, h, q, qd, contacts=[contact], ground=sg.Plane(height=-9.0))
    simulator.step(tau)
    expected = np.asarray(sg.forward_dynamics(robot)(q, qd, tau))
    np.testing.assert_allclose((simulator.qd - qd) / h, expected, rtol=1e-4, atol=1e-4 * np.abs(expected).max())


def test_derivatives_are_those_of_differences():
    robot, tip = finger(), sg.Contact("c", 0.01, friction=0.3, at=(0.2, 0.0, 0.0))
    q, qd = robot.close_loops([0.3, 0.6, 0.0, 0.0]), find_free_velocities(robot).matrix @ [3.0, -1.0]
    height = (np.asarray(sg.forward_kinematics(robot, "c")(q)) @ [0.2, 0.0, 0.0, 1.0])[2] - 0.0099
    step = sg.Simulator(robot, H, q, qd, contacts=[tip], ground=sg.Plane(height=height)).function
    given = [q, qd, np.array([0.2, -0.1, 0.3, 0.05]), [H], tip.values, np.zeros((1, 3))]
    assert abs(step(*given)[2]).max() > 0.1
    for k, name in enumerate(("q", "qd", "tau")):
        slopes = step.jacobian(name)(*given)
        for j in range(4):
            ends = []
            for sign in (1.0, -1.0):
                moved = [np.array(x, dtype=float) for x in given]
                moved[k][j] += sign * 1e-6
                ends.append(step(*moved))
            for found, ahead, behind in list(zip(slopes, *ends, strict=True))[:3]:
                expected = (ahead - behind) / 2e-6
                scale = 1.0 + np.abs(expected).max()
                np.testing.assert_allclose(found[..., j], expected, atol=1e-5 * scale)
