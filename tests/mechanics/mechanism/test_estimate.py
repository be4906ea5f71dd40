"""Estimates of states, torques and figures: statistics over seeded noise, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.mechanics.mechanism import simulate_sensors

SPRUNG = """
points: [{x: 0, y: 0, fixed: true}, {name: tip, x: 1, y: 0}, {name: wall, x: 0, y: 1.5, fixed: true}]
parameters: {k: 20.0, m: 1.0}
bodies: [{name: rod, points: [0, tip], mass: m, I0: m*length^2/3, cog: [length/2, 0]}]
angles: [{angle: theta, of: [0, tip]}]
springs: [{spring: s, between: [tip, wall], stiffness: k, rest: 1.0}]
sensors:
  - {sensor: gyro, gyroscope: rod, sigma: 0.01}
  - {sensor: imu, accelerometer: rod, at: [0.5, 0], sigma: 0.1}
  - {sensor: camera, position: tip, sigma: 1e-3}
  - {sensor: encoder, angle: theta, sigma: 1e-3}
motors: [theta]
independent: [theta]
"""


@pytest.fixture(scope="module")
def sprung(tmp_path_factory):
    path = tmp_path_factory.mktemp("mechanism") / "sprung.yaml"
    path.write_text(SPRUNG)
    return path


def _measured(mechanism, run, seed, *names):
    table = simulate_sensors(mechanism, {"q": run.q, "v": run.qd, "a": run.qdd}, rng=np.random.default_rng(seed))
    return {"t": run.t} | {name: table[name] for name in (names or table)}


@pytest.mark.suite
def test_a_mass_and_the_states_of_a_four_bar_are_estimated_from_noisy_gyroscopes_as_surely_as_is_said():
    mechanism = sg.load_mechanism("four_bar_angle")
    truth = sg.load_mechanism("four_bar_angle", {"mass:coupler": 2.3})
    run = sg.simulate(truth, time=0.8, dt=0.02, method="dop853")
    errors = []
    for seed in range(40):
        found = sg.estimate(mechanism, _measured(mechanism, run, seed), ("mass:coupler",))
        mass = (found.parameters["mass:coupler"] - 2.3) / found.sigma["mass:coupler"]
        state = (found.q[[0, -1], 4] - run.q[[0, -1], 4]) / found.q_sigma[[0, -1], 4]
        errors.append([mass, *state])
    errors = np.array(errors)
    assert ((np.abs(errors) < 3.0).mean(axis=0) >= 0.95).all()
    # The mean of 40 squares of standard normal numbers is 1 with a standard deviation of 0.22.
    assert ((errors**2).mean(axis=0) > 0.4).all()
    assert ((errors**2).mean(axis=0) < 1.8).all()
    assert np.abs(found.q - run.q).max() < 5e-3
    stopped = sg.estimate(mechanism, _measured(mechanism, run, 0), ("mass:coupler",), watch=lambda t: t > 0.0)
    assert stopped.status.value == "stopped"
    assert len(stopped.t) == 32  # twice as many as it began with
    assert np.abs(stopped.q - run.q[:32]).max() < 0.1


def test_figures_of_a_file_are_estimated_from_all_sensors_and_unknown_torques_from_two(sprung):
    mechanism, truth = sg.load_mechanism(sprung), sg.load_mechanism(sprung, {"k": 26.0})
    run = sg.simulate(truth, time=1.5, dt=0.01, method="dop853", tau=lambda t, q, qd: [2.0 * np.sin(4.0 * t)])
    table = _measured(mechanism, run, 1) | {"tau:theta": run.tau[:, 0]}
    both = sg.estimate(mechanism, table, ("k", "m"))
    for name, value in (("k", 26.0), ("m", 1.0)):
        assert abs(both.parameters[name] - value) < 3.5 * both.sigma[name] < 0.05 * value
    found = sg.estimate(truth, _measured(mechanism, run, 1, "gyro", "encoder"), inputs=("theta",))
    away = (found.tau - run.tau) / found.tau_sigma
    assert np.abs(away).max() < 4.5
    assert 0.1 < (away**2).mean() < 1.5
    assert found.tau_sigma.mean() < 1.0


def test_parameters_that_measurements_do_not_tell_apart_are_named_and_estimates_saved(sprung, tmp_path):
    mechanism = sg.load_mechanism(sprung)
    run = sg.simulate(mechanism, time=0.5, dt=0.01, method="dop853")
    found = sg.estimate(mechanism, _measured(mechanism, run, 0), ("k", "m"))
    assert found.undetermined == ("k", "m")  # nothing but the ratio of forces to masses shows
    found.save(tmp_path / "found.csv")
    lines = (tmp_path / "found.csv").read_text().splitlines()
    assert lines[0].split(",")[:2] == ["t", "q:x:tip"]
    assert np.loadtxt(lines[1:], delimiter=",").shape == (len(run.t), len(found.columns))


@pytest.mark.parametrize(
    ("change", "options", "words"),
    [
        ({"t": None}, {}, "no times"),
        ({"gyroo": np.zeros(21)}, {}, "did you mean gyro"),
        ({"imu_y": None}, {}, "imu_y"),
        ({"gyro": np.full(21, np.nan)}, {}, "column gyro of the measurements is empty"),
        ({"gyro": np.full(21, np.inf)}, {}, "not finite at sample 0"),
        ({"gyro": np.zeros(20)}, {}, "shape"),
        ({"t": np.r_[np.arange(20), 3000] * 0.01}, {}, "nothing is measured for 29.81 s after t = 0.19 s"),
        ({"t": np.arange(21)[::-1] * 0.01}, {}, "do not grow"),
        ({}, {"parameters": ("kk",)}, "did you mean"),
        ({}, {"parameters": ("k", "k")}, "twice"),
        ({}, {"inputs": ("phi",)}, "motor"),
        ({"tau:theta": np.ones(21)}, {"inputs": ("theta",)}, "both known and"),
        ({}, {"sensors": [{"sensor": "gyro", "gyroscope": "rodd", "sigma": 0.01}]}, "rodd"),
        ({}, {"sensors": [{"sensor": "gyro", "gyroscope": "rod", "sigma": -1}]}, "positive"),
        ({}, {"sensors": [{"sensor": "gyro", "sigma": 1}]}, "nothing"),
        ({}, {"sensors": "gyro"}, "sensors: expected a list of mappings, {name: ...}, got str 'gyro'"),
        ({"gyro": np.array(["a"] * 21)}, {}, "gyro of the measurements does not hold real numbers"),
        ({"gyro": 1j * np.ones(21)}, {}, "does not hold real numbers"),
    ],
)
def test_bad_measurements_and_options_are_one_line(sprung, change, options, words):
    mechanism = sg.load_mechanism(sprung)
    table = {"t": np.arange(21) * 0.01, "gyro": np.zeros(21), "imu_x": np.zeros(21), "imu_y": np.zeros(21)}
    table = {name: column for name, column in (table | change).items() if column is not None}
    with pytest.raises(sg.InputError) as error:
        sg.estimate(mechanism, table, **options)
    assert words in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("values", "words"),
    [({"kk": 1.0}, "did you mean k"), ({"k": "1"}, "name: a number"), ({"k": float("nan")}, "finite number")],
)
def test_values_of_nothing_are_refused(sprung, values, words):
    with pytest.raises(sg.InputError, match=words):
        sg.load_mechanism(sprung, values)


def test_values_take_the_place_of_figures_and_what_refers_to_them_follows():
    mechanism = sg.load_mechanism("four_bar_angle", {"mass:coupler": 3.0, "L": 1.1})
    coupler = mechanism.bodies[1]
    assert coupler.mass == 3.0
    assert coupler.length == pytest.approx(2.2)
    assert coupler.inertia == pytest.approx(3.0 * 2.2**2 / 3.0)


def test_samples_at_uneven_times_are_used_and_gaps_among_them_filled():
    pendulum = sg.load_mechanism("pendulum_1")
    rng = np.random.default_rng(3)
    kept = np.cumsum(rng.integers(1, 8, 80))
    run = sg.simulate(pendulum, time=0.4, dt=1e-3)
    kept = np.concatenate([[0], kept[kept <= 400]])
    sensors = [{"sensor": "at", "position": 1, "sigma": 1e-3}]
    at = run.path(1)[kept] + 1e-3 * rng.standard_normal((len(kept), 2))
    table = {"t": run.t[kept], "at_x": at[:, 0], "at_y": at[:, 1]}
    found = sg.estimate(pendulum, table, ("L",), sensors=sensors)
    assert abs(found.parameters["L"] - 1.0) < 4.0 * found.sigma["L"] < 0.1
    assert (np.abs(found.q - run.q[kept]) < 4.0 * found.q_sigma + 1e-6).all()
    assert found.model_error < 1.0
    part = (kept < 150) | (kept > 250)
    found = sg.estimate(pendulum, {name: values[part] for name, values in table.items()}, ("L",), sensors=sensors)
    exact = run.q[np.rint(1e3 * found.t).astype(int)]
    assert np.diff(found.t).max() < 0.01
    assert (np.abs(found.q - exact) < 4.0 * found.q_sigma + 1e-3).all()  # times are rounded to 1 ms, at 1 m/s
    assert found.model_error < 1.0
