"""Joints whose dampers stop them within an instant, as of geared arms: files of xArms have 10 N m s/rad."""

from dataclasses import replace

import numpy as np
import pytest
from tests.robots import robot_file

import screwgraph as sg
from screwgraph.motion.control import converge, find_first_interval, solve_riccati, stack_references, stack_weights
from screwgraph.motion.control.stiff_dampers import damp_implicitly

DT = 0.01


@pytest.fixture(scope="module")
def arm():
    return sg.load(robot_file("xarm7.urdf"))


@pytest.mark.parametrize("rate", [None, 500])
def test_an_arm_with_stiff_dampers_reaches_its_goal(arm, rate):
    """Within 2 mrad after 1.5 s; with dampers at the beginning of a step it was 0.33 rad off, and swung on."""
    control = sg.mpc(arm, DT, 24, rate=rate)
    start = np.array([0.0, -0.5, 0.0, 1.0, 0.0, 0.8, 0.0])
    goal = start + np.array([0.6, 0.3, -0.4, 0.5, 0.3, -0.3, 0.6])
    references = stack_references(control, goal, effort=sg.bias_forces(arm)(goal, np.zeros(7)))
    weights = stack_weights(arm, position=10.0, velocity=0.1, effort=1e-3)
    plant, previous, calls = sg.Simulator(arm, 1e-3, start), np.zeros(control.arguments[-1].shape), rate or 100
    for k in range(int(1.5 * calls)):
        first = () if rate is None else (find_first_interval(k / rate, dt=DT, rate=rate),)
        tau, *_, previous, _ = control(plant.q, plant.qd, references, weights, *first, float(k > 0), previous)
        assert np.all(np.abs(tau) <= arm.limits.effort)
        plant.step(tau, steps=1000 // calls)
    assert np.abs(plant.q - goal).max() < 2e-3


def test_velocities_that_are_expected_are_those_of_short_steps(arm):
    """Within a fifth of how they change in an instant, which is a hundred steps of the simulator."""
    control = sg.mpc(arm, DT, 8)
    q, qd = np.array([0.0, -0.5, 0.0, 1.0, 0.0, 0.8, 0.0]), np.array([0.3, -0.2, 0.4, 0.2, 0.5, -0.6, 0.7])
    goal = q + 0.1
    found = converge(control, q, qd, stack_references(control, goal), stack_weights(arm, position=10.0))
    plant = sg.Simulator(arm, DT / 100, q, qd)
    plant.step(found.tau, steps=100)
    assert np.abs(found.states[1, 7:] - plant.qd).max() < 0.2 * np.abs(plant.qd - qd).max()


def test_light_dampers_stay_at_the_beginning_of_a_step(arm):
    """Of dt D below what a joint moves; what has no dampers is the same robot."""
    panda, wrist = sg.load("panda"), damp_implicitly(arm, DT).joints[-1]
    assert wrist.armature == pytest.approx(DT * arm.joints[-1].damping)
    assert damp_implicitly(panda, DT) is panda
    joints = tuple(replace(joint, damping=1e-4) for joint in arm.joints)
    assert damp_implicitly(replace(arm, joints=joints), DT).joints == joints


def test_regulators_and_horizons_have_the_same_steps(arm):
    """A horizon whose last state costs what the regulator pays is commanded by it, along any small way."""
    goal = np.array([0.0, -0.5, 0.0, 1.0, 0.0, 0.8, 0.0])
    holding, weights = sg.bias_forces(arm)(goal, np.zeros(7)), stack_weights(arm, position=10.0, effort=1e-3)
    taus = []
    for instants in (2, 6):
        control = sg.mpc(arm, DT, instants, terminal="riccati")
        references = stack_references(control, goal, effort=holding)
        P = solve_riccati(arm, goal, weights, DT)
        taus.append(converge(control, goal + 1e-4, np.zeros(7), references, weights, terminal=P).tau - holding)
    np.testing.assert_allclose(*taus, atol=2e-3 * np.abs(taus[0]).max())


def test_dampers_that_act_at_the_beginning_of_a_step_turn_nothing_around_at_any_position(arm):
    """What joints move depends on positions: by the neutral one alone, velocities grew to 1.4 in a step at others."""
    dt = 0.02
    own, rng = damp_implicitly(arm, dt), np.random.default_rng(1)
    find_mass = sg.mass_matrix(own)
    free = [0.0 if joint.armature else joint.damping for joint in own.joints]
    for _ in range(200):
        M = find_mass(own.random(rng))
        assert np.abs(np.linalg.eigvals(np.eye(7) - dt * np.linalg.solve(M, np.diag(free)))).max() <= 1.0 + 1e-9
