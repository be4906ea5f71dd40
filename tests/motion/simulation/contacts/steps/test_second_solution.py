"""Steps in which contacts push on what whirls: Coriolis' forces, arcs, loads by what a first solution's impulses make.

Forces are those of the middle of velocities at both ends, arcs of points those of the end.
"""

import numpy as np
import pytest

import screwgraph as sg
from tests.motion.simulation.contacts.bodies import PointJacobians, free_brick, slip_rates

DT = 1e-3
ARM = """<robot name="arm"><link name="base"/>{links}</robot>"""
LINK = (
    '<link name="{name}"><inertial><origin xyz="0.1 0 0"/><mass value="1"/><inertia ixx="1e-4" iyy="4e-3" izz="4e-3" '
    'ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="{name}_hinge" type="continuous"><parent link="{before}"/>'
    '<child link="{name}"/><axis xyz="0 1 0"/><origin xyz="{at} 0 0"/></joint>'
)


def whirling_arm() -> sg.Robot:
    """Return two rods of 0.2 m, hinged about y."""
    chain = (("upper", "base", 0.0), ("lower", "upper", 0.2))
    return sg.load(ARM.format(links="".join(LINK.format(name=n, before=b, at=at) for n, b, at in chain)))


@pytest.mark.parametrize("speed", [60.0, 5.0])
def test_coriolis_forces_are_those_of_the_velocity_that_contacts_leave(speed):
    """M (v' - v) = h (tau - c) + h J' F; c of velocities without contacts, or with, where joints turn quickly."""
    arm, tip = whirling_arm(), sg.Contact("lower", at=(0.2, 0.0, 0.0), friction=0.4, stiffness=np.inf)
    q0, qd0 = np.array([0.5, 0.4]), speed * np.array([1.0, -0.6])
    height = float(np.asarray(sg.forward_kinematics(arm, "lower")(q0) @ [0.2, 0, 0, 1])[2])
    simulator = sg.Simulator(arm, DT, q0, qd0, contacts=[tip], ground=sg.Plane(height=height))
    simulator.step()
    M, bias = np.asarray(sg.mass_matrix(arm)(q0)), sg.bias_forces(arm)
    jacobians = PointJacobians(arm, [tip])
    J, after, push = jacobians(q0)[0], simulator.qd, DT * simulator.forces[0]
    assert push[2] > 0.1
    free = qd0
    for _ in range(2):
        free = qd0 - DT * np.linalg.solve(M, np.asarray(bias(q0, 0.5 * (qd0 + free))))
    middles = {"free": 0.5 * (qd0 + free), "found": 0.5 * (qd0 + after)}
    off = {
        name: np.abs(M @ (after - qd0) + DT * np.asarray(bias(q0, v)) - J.T @ push).max() for name, v in middles.items()
    }
    u, drift = J @ after, {"free": qd0, "found": after}
    slips = {name: u + 0.5 * DT * slip_rates(arm, jacobians, q0, v)[0] for name, v in drift.items()}
    first, second = ("found", "free") if speed * DT > 0.02 else ("free", "found")
    assert off[first] < 0.1 * off[second]
    assert abs(slips[first][2]) < 0.1 * abs(slips[second][2])


def test_a_foot_that_tips_from_heel_to_toe_stays_on_its_toe():
    """It swings about its toe, not about its heel, which carried it the step before: 0.05 m/s of the toe else."""
    foot, spin = free_brick(1.0, (0.2, 0.1, 0.04)), 24.0
    ends = [sg.Contact("body", at=(x, 0.0, 0.02), friction=10.0, stiffness=np.inf) for x in (-0.1, 0.1)]
    q, qd = np.array([0.0, 0.0, -0.02, 0.0, 0.0, 0.0, 1.0]), spin * np.array([0.0, 1.0, 0.0, -0.02, 0.0, 0.1])
    simulator = sg.Simulator(foot, DT, q, qd, contacts=ends)
    dt, numbers, none = simulator._last
    heel = np.array(none)
    heel[0, 2] = 100.0
    place = sg.forward_kinematics(foot, "body")
    for last in (none, heel):
        after, _, F, *_ = (np.asarray(x) for x in simulator.function(q, qd, np.zeros(6), dt, numbers, last))
        assert F[0].max() < 1e-9 < 1.0 < F[1, 2]
        moved = (np.asarray(place(after)) - np.asarray(place(q))) @ [0.1, 0.0, 0.02, 1.0]
        assert np.abs(moved[:2]).max() < 1e-3 * DT


def test_motions_side_by_side_are_each_what_it_is_alone():
    """Some of them have second solutions, some have not."""
    arm, tip = whirling_arm(), sg.Contact("lower", at=(0.2, 0.0, 0.0), friction=0.4)
    q0 = np.tile([0.5, 0.4], (4, 1))
    qd0, ground = np.outer([60.0, 5.0, 30.0, 1.0], [1.0, -0.6]), sg.Plane(height=-0.3)
    runs = sg.rollout(arm, q0, qd0, time=0.05, dt=DT, contacts=[tip], ground=ground)
    assert runs.forces.any(axis=(1, 2, 3)).sum() >= 2
    for k in range(4):
        alone = sg.rollout(arm, q0[k : k + 1], qd0[k : k + 1], time=0.05, dt=DT, contacts=[tip], ground=ground)
        np.testing.assert_array_equal(runs.q[k], alone.q[0])
