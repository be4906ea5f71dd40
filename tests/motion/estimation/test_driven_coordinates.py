"""Driven coordinates in estimates and networks, beside integration of the same motion."""

from __future__ import annotations

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.mechanism.sensors import parse_sensors, simulate_sensors
from screwgraph.motion.estimation import OnlineSmoother, bayes_network

PENDULUM = """
name: shaken
parameters: {A: 0.05, w: 20}
points: [{name: P, x: 0, y: 0}, {name: tip, x: 0.03, y: -0.5}]
bodies: [{name: rod, points: [P, tip], mass: 0.2, I0: mass*length^2/3, cog: [length/2, 0]}]
angles: [{angle: lean, of: [P, tip]}]
driven: {x:P: 0, y:P: A*sin(w*t)}
velocities: {lean: 0}
sensors: [{sensor: gyro, gyroscope: rod, sigma: 0.01}]
"""
"""A rod whose pivot is shaken, with a gyroscope."""
STEP, COUNT, LEAN = 0.005, 61, 4


@pytest.fixture(scope="module")
def shaken():
    return sg.load_mechanism(PENDULUM)


@pytest.fixture(scope="module")
def motion(shaken):
    return sg.simulate(shaken, time=STEP * (COUNT - 1), dt=STEP, method="dop853", rtol=1e-10, atol=1e-12)


def _read(shaken, motion, seed=0):
    states = {"q": motion.q, "v": motion.qd, "a": motion.qdd}
    return simulate_sensors(shaken, states, None, np.random.default_rng(seed))


def test_a_network_knows_what_the_file_drives(shaken, motion):
    """From its start the whole motion follows, efforts of the shaker, too: errors fall with the square of the step."""
    known = {"q_0:lean": motion.q[0, LEAN], "qd_0:lean": motion.qd[0, LEAN]}
    errors = []
    for every in (2, 1):
        network = bayes_network((COUNT - 1) // every + 1).given(shaken, *known, dt=every * STEP)
        found = network(known)
        errors.append([np.abs(found[k] - x[::every]).max() for k, x in (("qd", motion.qd), ("Q", motion.tau))])
    assert np.all(np.array(errors[1]) < 0.3 * np.array(errors[0])), errors
    assert errors[1][1] < 1e-3 * np.abs(motion.tau).max()


def test_at_one_instant_efforts_are_those_of_hybrid_dynamics(shaken, motion):
    known = {"q:lean": motion.q[0, LEAN], "qd:lean": motion.qd[0, LEAN]}
    found = bayes_network(1).given(shaken, *known)(known)
    np.testing.assert_allclose(found["Q"], motion.tau[0], atol=1e-10)
    np.testing.assert_allclose(found["qdd"], motion.qdd[0], atol=1e-8)


def test_efforts_of_driven_coordinates_are_not_given(shaken):
    for name in ("Q", "Q:x:P"):
        with pytest.raises(sg.InputError, match="driven"):
            bayes_network(1).given(shaken, name)
    asked = bayes_network(1).given(shaken, "q:lean", solve=["q"])({"q:lean": -1.5})["q"]
    np.testing.assert_allclose(asked[[0, 1]], 0.0, atol=1e-12)


def test_a_batch_estimate_follows_the_drive_and_finds_its_efforts(shaken, motion):
    """One gyroscope tells where the rod is; Simpson's rule leaves 1e-3 of the efforts at these steps."""
    found = sg.estimate(shaken, {"t": motion.t, **_read(shaken, motion)})
    assert np.abs(found.q[:, :2] - motion.q[:, :2]).max() < 1e-6
    assert np.abs((found.q - motion.q)[:, LEAN] / found.q_sigma[:, LEAN]).max() < 5.0
    assert np.abs(found.run.tau - motion.tau).max() < 5e-3 * np.abs(motion.tau).max()


def test_an_estimate_doubts_a_drive_of_another_frequency(shaken, motion):
    slow = sg.load_mechanism(PENDULUM.replace("w: 20", "w: 15"))
    found = sg.estimate(slow, {"t": motion.t, **_read(shaken, motion)})
    assert found.misfit["gyro"] > 3.0
    assert any("gyro" in doubt for doubt in found.doubts)


def test_a_smoother_follows_the_drive_online(shaken, motion):
    smoother = OnlineSmoother(shaken, None, STEP, window=4)
    assert smoother.columns == {"gyro"}
    read, off = _read(shaken, motion)["gyro"], []
    for k, value in enumerate(read):
        smoother.update({"gyro": value})
        off.append([np.abs(smoother.q - motion.q[k])[[0, 1, LEAN]], np.abs(smoother.tau - motion.tau[k])])
    settled = np.array([np.concatenate(x) for x in off[10:]])
    assert settled[:, :2].max() < 1e-6
    assert settled[:, 2].max() < 0.02
    assert settled[:, 3:].max() < 0.02 * np.abs(motion.tau).max()


@pytest.mark.parametrize(("kind", "column"), [("joint_position", "q"), ("joint_velocity", "qd")])
def test_encoders_and_tachometers_read_coordinates(shaken, motion, kind, column):
    """Of points as of angles."""
    for name, place in (("y:P", 1), ("lean", LEAN)):
        own = parse_sensors(shaken, [{"sensor": "it", kind: name, "sigma": 0.01}])
        read = simulate_sensors(shaken, {"q": motion.q, "v": motion.qd, "a": motion.qdd}, own)
        np.testing.assert_array_equal(read["it"], getattr(motion, column)[:, place])
    with pytest.raises(sg.InputError, match="no coordinate"):
        parse_sensors(shaken, [{"sensor": "it", kind: "z:P", "sigma": 0.01}])
