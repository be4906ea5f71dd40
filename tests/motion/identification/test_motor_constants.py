"""Currents in the place of torques: motor constants that are known, or found."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot import (
    Coupling,
    Transmission,
)
from tests.motion.identification.motions import fourier


def test_currents_of_motors_behind_a_differential():
    robot = sg.load("rr")
    first, second = robot.joint_names
    motors = [Transmission(Coupling(name, {first: 20.0, second: x})) for name, x in (("a", 10.0), ("b", -10.0))]
    geared = replace(robot, actuators=tuple(motors))
    t, q, qd, qdd = fourier(2, 400, 0.02)
    tau = sg.inverse_dynamics(robot)(q, qd, qdd)
    u = tau @ np.linalg.inv([[20.0, 20.0], [10.0, -10.0]]).T
    motion = {"t": t, "q": q, "qd": qd, "qdd": qdd}
    expected = sg.identify(robot, {**motion, "tau": tau}).base_values
    np.testing.assert_allclose(sg.identify(geared, {**motion, "u": u}).base_values, expected, atol=1e-9)
    currents = {f"i:{name}": u[:, k] / scale for k, (name, scale) in enumerate((("a", 0.5), ("b", 0.25)))}
    found = sg.identify(geared, {**motion, **currents}, motor_constants={"a": 0.5, "b": 0.25})
    np.testing.assert_allclose(found.base_values, expected, atol=1e-9)


def geared_currents(scale: float, noise: float = 0.0):
    """An arm of two joints whose currents are torques over constants that are not known."""
    robot, rng = sg.load("rr"), np.random.default_rng(0)
    _, q, qd, qdd = fourier(2, 2000, 0.01)
    constants = {"joint1": 1.7 * scale, "joint2": 0.4 * scale}
    current = sg.inverse_dynamics(robot)(q, qd, qdd) / np.array(list(constants.values()))
    current = current + noise * current.std(axis=0) * rng.standard_normal(current.shape)
    return robot, constants, {"q": q, "qd": qd, "qdd": qdd, "i": current}


def test_motor_constants_follow_from_a_link_that_is_known():
    robot, constants, log = geared_currents(1.0)
    found = sg.identify(robot, log, ["link2"], motor_constants=dict.fromkeys(constants))
    assert found.motor_constants == pytest.approx(constants, rel=1e-8)
    noisy = geared_currents(1.0, 0.05)[2]
    found = sg.identify(robot, noisy, ["link2"], motor_constants=dict.fromkeys(constants))
    for joint, value in constants.items():
        assert abs(found.motor_constants[joint] - value) < 4.0 * found.motor_constants_sigma[joint] < 0.1 * value
    exact = sg.identify(robot, {**log, "tau": sg.inverse_dynamics(robot)(log["q"], log["qd"], log["qdd"])}, ["link2"])
    assert (np.abs(found.base_values - exact.base_values) < 4.0 * found.base_sigma).all()


def test_one_motor_constant_tells_the_other():
    robot, constants, log = geared_currents(1.0)
    found = sg.identify(robot, log, motor_constants={"joint1": constants["joint1"], "joint2": None})
    assert found.motor_constants["joint2"] == pytest.approx(constants["joint2"], rel=1e-8)


def test_a_known_payload_tells_motor_constants():
    """What a scale weighs at the tip is measured in half of the runs; all of the robot is unknown."""
    robot, constants, log = geared_currents(1.0)
    tip, wrench = robot.links[-1].name, np.tile([0.0, 0.0, 0.0, 3.0, -20.0, 1.0], (2000, 1))
    J = sg.frame_jacobian(robot, tip)(log["q"])
    carried = log["i"] - np.einsum("Nij,Ni->Nj", J, wrench) / np.array(list(constants.values()))
    runs = [log, {**log, "i": carried, f"wrench:{tip}": wrench}]
    found = sg.identify(robot, runs, motor_constants=dict.fromkeys(constants))
    assert found.motor_constants == pytest.approx(constants, rel=1e-7)


def test_a_scale_that_nothing_tells_is_named():
    robot, constants, log = geared_currents(1.0, 0.05)
    with pytest.raises(sg.InputError, match="scale of the motor constants of joint1, joint2"):
        sg.identify(robot, log, motor_constants=dict.fromkeys(constants))
