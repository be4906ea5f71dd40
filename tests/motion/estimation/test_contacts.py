"""Contacts, forces at feet, biases, delays and robust losses in estimates of robots."""

import numpy as np
import pytest
from scipy.stats import chi2

import screwgraph as sg
from screwgraph.model.robot import Joint, Link, tree
from screwgraph.model.robot.joints import Prismatic
from screwgraph.motion.estimation import ModelNoise
from tests.motion.estimation.readings.test_missing_measurements import slider
from tests.motion.estimation.standing import FEET, read, sway
from tests.motion.simulation.robots import BODY

T = np.arange(0.0, 0.5, 0.02)
MASS = BODY.mass


def lift():
    """A body that slides up and down."""
    return tree("lift", [Link("world"), Link("body", BODY)], [Joint("z", Prismatic((0.0, 0.0, 1.0)), "world", "body")])


def sliding(**extras):
    return [{"sensor": "ruler", "joint_position": "x", "sigma": 1e-2, **extras}]


def ruled(rng):
    return 0.3 + 0.7 * T + 1e-2 * rng.standard_normal(len(T))


def test_a_body_at_rest_is_held_by_its_weight():
    table = {"t": T, "joint_position:z": 0.0 * T, "contact:body": 1.0 + 0.0 * T}
    found = sg.estimate(lift(), table)
    assert np.allclose(found.forces["body"][:, 2], MASS * 9.81, atol=0.05)
    assert set(found.run.external_wrenches) == {"body"}


def test_force_sensors_share_what_encoders_do_not_tell():
    """The joint takes a part of the weight, of unknown torque; the sensor says which part the contact takes."""
    table = {"t": T, "joint_position:z": 0.0 * T, "force:body_x": 0.0 * T, "force:body_y": 0.0 * T}
    found = sg.estimate(lift(), {**table, "force:body_z": 4.0 + 0.0 * T}, inputs=("z",))
    k = len(T) // 2
    off = found.forces["body"][k, 2] - 4.0, found.tau[k, 0] + found.forces["body"][k, 2] - MASS * 9.81
    assert np.abs(off).max() < 1e-4  # without noise: standard deviations are 1 to 2 N
    assert 0.5 < found.tau_sigma[k, 0] < found.forces_sigma["body"][k, 2] < 4.0


def test_what_is_released_falls():
    """It stands until the middle of a step, in which forces are linear: 0.21 s; then nothing pushes on it."""
    fallen = np.clip(T - 0.21, 0.0, None)
    table = {"t": T, "joint_position:z": -0.5 * 9.81 * fallen**2, "contact:body": (T <= 0.2).astype(float)}
    found = sg.estimate(lift(), table)
    assert (np.abs(found.forces["body"]) <= found.forces_sigma["body"])[T > 0.21].all()
    assert found.forces_sigma["body"][T > 0.21].max() < 0.02
    standing, sigma = found.forces["body"][:10, 2], found.forces_sigma["body"][:10, 2]
    assert (np.abs(standing - MASS * 9.81) < 3.0 * sigma).all()
    assert abs(standing.mean() - MASS * 9.81) < 2.0


def test_a_delayed_sensor_reads_what_was():
    rng = np.random.default_rng(0)
    values = ruled(rng)
    now = sg.estimate(slider(), {"t": T, "ruler": values}, sensors=sliding())
    late = sg.estimate(slider(), {"t:ruler": T + 0.07, "ruler": values}, sensors=sliding(delay=0.07))
    assert np.allclose(late.t, now.t, atol=1e-12)
    assert np.allclose(late.q, now.q, atol=1e-4 * now.q_sigma.min())


def test_outliers_count_less_with_a_robust_loss():
    values = ruled(np.random.default_rng(0))
    values[4] += 1.0
    plain, robust = (
        sg.estimate(slider(), {"t": T, "ruler": values}, sensors=sliding(huber=huber)) for huber in (0.0, 2.0)
    )
    error = [np.abs(found.q[:, 0] - 0.3 - 0.7 * T).max() for found in (plain, robust)]
    assert error[1] < 0.2 * error[0]
    assert error[1] < 0.02


def test_errors_of_a_bias_are_as_large_as_its_standard_deviation():
    """A ruler that is off, beside one that is not: Kalman's case, so that errors are normal."""
    squares = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        bias = 0.1 * rng.standard_normal()
        sensors = [*sliding(), {"sensor": "tape", "joint_position": "x", "sigma": 1e-2, "bias": 0.1}]
        found = sg.estimate(slider(), {"t": T, "ruler": ruled(rng), "tape": ruled(rng) + bias}, sensors=sensors)
        squares.append(((found.offsets["tape"][0] - bias) / found.offsets_sigma["tape"][0]) ** 2)
    assert chi2.ppf(1e-3, 20) < np.sum(squares) < chi2.ppf(1.0 - 1e-3, 20)


def test_a_delayed_sensor_needs_no_torques_from_before_the_beginning():
    """Its first readings are of times before the table's; where it reads nothing there are no more instants."""
    table, push = {"t": T, "tau:x": 0.0 * T}, sliding(delay=0.04)
    sparse = np.where(np.arange(len(T)) % 3 == 0, 0.7 * (T - 0.04), np.nan)
    found = sg.estimate(slider(), {**table, "ruler": sparse}, sensors=push)
    assert found.t == pytest.approx(T, abs=1e-12)
    assert np.allclose(found.q[:, 0], 0.7 * T, atol=1e-3)
    first = np.where(T < 0.03, 0.0, np.nan)
    with pytest.raises(sg.InputError, match=r"reads nothing of what was after t = 0 s: its delay is 0\.04 s"):
        sg.estimate(slider(), {**table, "ruler": first}, sensors=push)
    exactly = np.where(np.abs(T - 0.04) < 0.01, 0.3, np.nan)  # read a delay after the beginning: it was so then
    both = [*push, {"sensor": "speed", "joint_velocity": "x", "sigma": 1e-3}]
    found = sg.estimate(slider(), {**table, "ruler": exactly, "speed": 0.7 + 0.0 * T}, sensors=both)
    assert np.allclose(found.q[:, 0], 0.3 + 0.7 * T, atol=1e-3)


@pytest.mark.parametrize(("extra", "value"), [("delay", -0.1), ("huber", "much"), ("bias", np.nan)])
def test_what_sensors_cannot_have_is_refused(extra, value):
    with pytest.raises(sg.InputError, match=f"{extra} = .* of sensor 'ruler'"):
        sg.estimate(slider(), {"t": T, "ruler": 0.0 * T}, sensors=sliding(**{extra: value}))


@pytest.mark.suite
def test_a_quadruped_that_sways_is_estimated_within_its_covariance():
    """All joints, biases of the inertial sensor, forces on four feet, one of them lifted: normalised errors, 5 runs."""
    run, squares = sway(0.24, 0.02, lifted=0.12), {"state": [], "forces": [], "offsets": []}
    difference, k = sg.difference(run.robot), len(run.t) // 2
    for seed in range(5):
        rng = np.random.default_rng(seed)
        bias = np.array([0.02] * 3 + [0.1] * 3) * rng.standard_normal(6)
        sensors, table = read(run, rng, bias)
        start = run.robot.manifold.retract(run.q[0], 1e-2 * rng.standard_normal(18))
        noise = ModelNoise(position=1e-2, velocity=0.3, force_rate=1e3)
        found = sg.estimate(run.robot, table, sensors=sensors, q0=start, noise=noise)
        assert found.status.value == "converged"
        away = difference(found.q[k], run.q[k]) / found.q_sigma[k], (found.qd[k] - run.qd[k]) / found.qd_sigma[k]
        squares["state"].append(np.mean(np.concatenate(away) ** 2))
        forces = [
            (found.forces[foot][3] - run.forces[3, i]) / found.forces_sigma[foot][3] for i, foot in enumerate(FEET)
        ]
        squares["forces"].append(np.mean(np.square(forces)))
        assert np.abs(found.forces[FEET[0]][run.t > 0.13]).max() < 0.1
        off = [(found.offsets[n] - b) / found.offsets_sigma[n] for n, b in (("gyro", bias[:3]), ("acc", bias[3:]))]
        squares["offsets"].append(np.mean(np.square(off)))
    assert np.mean(squares["offsets"]) < 2.0
    assert np.mean(squares["state"]) < 2.0
    assert np.mean(squares["forces"]) < 2.0
