"""Steps of order 2 with implicit damping: against SciPy at tight tolerances, and energy."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot import closed_states
from tests.robots import robot_file


def errors(model, q, qd, time, steps, **options):
    """The errors of positions after a time, for several lengths of steps."""
    right = sg.simulate(model, q, qd, time=time, dt=time / 10, method="radau5", rtol=1e-10, atol=1e-12)
    found = []
    for dt in steps:
        simulator = sg.Simulator(model, dt, q, qd, method="rosenbrock", **options)
        simulator.step(steps=round(time / dt))
        found.append(np.abs(simulator.q - right.q[-1]).max())
    return np.array(found)


def damped(robot, level):
    return replace(robot, joints=tuple(replace(joint, damping=level) for joint in robot.joints))


def arm():
    """An arm whose last joint is damped far beyond what explicit methods take."""
    robot = sg.load("rrr")
    return replace(
        robot, joints=tuple(replace(j, damping=d) for j, d in zip(robot.joints, (0.0, 1.0, 3e3), strict=True))
    )


@pytest.mark.parametrize("name", ["arm", pytest.param("z1", marks=pytest.mark.suite)])
def test_errors_of_a_stiffly_damped_arm_shrink_with_the_square_of_the_step(name):
    robot = arm() if name == "arm" else sg.load(robot_file(f"{name}.urdf"))
    q, steps = robot.random(np.random.default_rng(1)), np.array([2e-3, 1e-3, 5e-4])
    rates = np.array([j.damping for j in robot.joints]) / np.diag(sg.mass_matrix(robot)(q))
    assert rates.max() * steps.min() > 1.0
    found = errors(robot, q, np.zeros(robot.nv), 0.1, steps)
    assert found[0] < 1e-5
    assert (found[1:] < 0.27 * found[:-1]).all()
    first = sg.Simulator(robot, 5e-4, q)
    first.step(steps=200)
    second = sg.Simulator(robot, 5e-4, q, method="rosenbrock")
    second.step(steps=200)
    assert np.abs(first.q - second.q).max() > 100.0 * found[-1]


@pytest.mark.parametrize("name", ["four_bar_linkage", pytest.param("a1", marks=pytest.mark.suite)])
def test_loops_and_floating_bases_keep_the_order(name):
    robot = damped(sg.load(name) if name == "four_bar_linkage" else sg.load(name, base="floating"), 0.5)
    (q,) = closed_states(robot, 1)
    found = errors(robot, q, np.zeros(robot.nv), 0.1, [4e-3, 2e-3, 1e-3])
    assert (found[1:] < 0.3 * found[:-1]).all()


def test_dampers_of_mechanisms_keep_the_order():
    mechanism = sg.load_mechanism("four_bar")
    found = errors(mechanism, None, None, 0.2, [4e-3, 2e-3, 1e-3])
    assert (found[1:] < 0.3 * found[:-1]).all()


def test_energy_of_an_arm_without_damping_does_not_drift():
    """Of many starts: each motion is chaotic, so that its rounding decides how near to the median it is."""
    robot, dt = sg.load("rrr"), 2e-3
    assert not any(joint.damping for joint in robot.joints)
    starts = np.random.default_rng(0).uniform(-1.0, 1.0, (32, 3))
    found = sg.rollout(robot, starts, time=20.0, dt=dt, every=50, method="rosenbrock")
    potential = sg.potential_energy(robot)(found.q)
    energy = sg.kinetic_energy(robot)(found.q, found.qd) + potential
    drift = np.abs(energy[:, energy.shape[1] // 2 :] - energy[:, :1]).max(axis=1)
    assert np.median(drift / np.ptp(potential, axis=1)) < 2e-3


def test_velocities_are_gone_where_damping_is_without_bound():
    robot, q, qd = sg.load("rrr"), np.array([0.3, 0.8, -0.5]), np.array([1.0, -2.0, 3.0])
    levels = np.array([[0.0], [1e3], [1e9]])
    names = {f"{joint.name}.damping": levels for joint in robot.joints}
    found = sg.rollout(robot, q, qd, time=0.01, method="rosenbrock", parameters=names)
    assert np.abs(found.qd[2, 1]).max() < 1e-4  # inverse to damping: L-stable
    np.testing.assert_allclose(1e9 * found.qd[2, -1], -sg.bias_forces(robot)(found.q[2, -1], np.zeros(3)), rtol=1e-3)
    for i in range(3):
        own = sg.rollout(damped(robot, levels[i, 0]), q, qd, time=0.01, method="rosenbrock")
        np.testing.assert_allclose(found.q[i], own.q[0], atol=1e-11)


def test_forces_with_kinks_are_left_to_the_first_order():
    robot = sg.load("rrr")
    refused: tuple[dict[str, Any], ...] = (
        {"friction": True},
        {"springs": {"joint1": 5.0}},
        {"parameters": ["joint1.friction"]},
    )
    for options in refused:
        with pytest.raises(sg.InputError, match="by method 'rosenbrock': these forces are only treated implicitly"):
            sg.Simulator(robot, method="rosenbrock", **options)
