"""Tables of measurements given to a smoother row by row."""

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import screwgraph as sg
from screwgraph.model.mechanism.sensors import parse_sensors, simulate_sensors
from screwgraph.motion.estimation import OnlineSmoother, replay_measurements
from tests.motion.estimation.readings.test_missing_measurements import slider
from tests.motion.estimation.test_contacts import T


def test_a_table_is_what_updates_read():
    x = 0.3 + 0.7 * T + 1e-3 * np.random.default_rng(0).standard_normal(len(T))
    found = replay_measurements(slider(), {"t": T, "joint_position:x": x, "tau:x": 0.0 * T}, 0.06)
    smoother = OnlineSmoother(slider(), [{"sensor": "x", "joint_position": "x", "sigma": 1e-3}], 0.02, window=4)
    for k, value in enumerate(x):
        smoother.update({"x": value})
        if k >= 3:
            assert found.run.q[k] == pytest.approx(smoother.q, abs=1e-9)
    assert len(found.run.t) == len(T)
    assert np.abs(found.run.q[:4, 0] - 0.3 - 0.7 * T[:4]).max() < 5e-3
    assert "25 updates" in repr(found)


def test_it_can_be_stopped():
    table = {"t": T, "joint_position:x": 0.3 + 0.7 * T}
    assert len(replay_measurements(slider(), table, 0.06, watch=lambda t: t > 0.199).run.t) == 11


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"t:joint_position:x": 0.4 * T}, "reads 3 times before the update at t = 0.02 s"),
        ({"t": T[::-1]}, "t"),
        ({"joint_position:y": T}, "joint_position:y|'y'"),
        ({"joint_velocity:x": np.full(len(T), np.nan)}, "joint_velocity:x of the measurements is empty"),
    ],
)
def test_what_does_not_come_at_a_fixed_rate_is_refused(change, match):
    with pytest.raises(sg.InputError, match=match):
        replay_measurements(slider(), {"t": T, "joint_position:x": T, **change}, 0.06)


def test_readings_between_updates_are_read_at_their_times():
    """A slider that is pushed: a reading of 7 ms ago, exact, leaves no error but where none was read."""
    push, own = 4.0 * np.cos(5.0 * T), np.arange(0.003, 0.48, 0.0231)
    mass = float(sg.mass_matrix(slider())(np.zeros(1))[0, 0])

    def x(t):
        return 0.3 + 0.7 * t + 4.0 / mass * (1.0 - np.cos(5.0 * t)) / 25.0

    sensors = [{"sensor": "it", "joint_position": "x", "sigma": 1e-4, "delay": 0.007}]
    table = {"t": T, "t:it": own, "it": x(own - 0.007), "tau:x": push}
    found = replay_measurements(slider(), table, 0.1, sensors=sensors)
    nearest = {"t": T, "it": np.full(len(T), np.nan), "tau:x": push}
    nearest["it"][np.rint(own / 0.02).astype(int)] = table["it"]
    rounded = replay_measurements(slider(), nearest, 0.1, sensors=sensors)
    off, coarse = (np.abs(r.run.q[6:, 0] - x(T[6:])).max() for r in (found, rounded))
    assert off < 1e-3
    assert off < 0.1 * coarse
    table["t:tau:x"] = table.pop("t")
    alone = replay_measurements(slider(), table, 0.1, sensors=sensors)
    np.testing.assert_allclose(np.diff(alone.run.t), 0.0231, atol=1e-12)


def test_a_linkage_is_followed_by_sensors_of_their_own_rates_and_delays():
    """Errors are what standard deviations say; readings put at the nearest updates would be doubted."""
    linkage = sg.load_mechanism("four_bar_angle")
    spec = [
        {"sensor": "encoder", "angle": "theta", "sigma": 1e-4, "delay": 0.0073},
        {"sensor": "gyro", "gyroscope": "crank", "sigma": 1e-3},
    ]
    ref = sg.simulate(linkage, time=0.7, dt=5e-4, method="rk4")
    states = {"q": ref.q, "v": ref.qd, "a": ref.qdd}
    exact, rng = simulate_sensors(linkage, states, parse_sensors(linkage, spec)), np.random.default_rng(1)
    table: dict[str, np.ndarray] = {"t": np.arange(0.0, 0.69, 0.005)}
    for sensor, every, delay, sigma in (("gyro", 0.0057, 0.0, 1e-3), ("encoder", 0.0131, 0.0073, 1e-4)):
        own = np.arange(0.012, 0.68, every)
        curve = CubicSpline(ref.t, exact[sensor])
        table |= {f"t:{sensor}": own, sensor: curve(own - delay) + sigma * rng.standard_normal(len(own))}
    found = replay_measurements(linkage, table, 0.03, sensors=spec)
    off = found.run.q[20:, 4] - CubicSpline(ref.t, ref.q[:, 4])(found.run.t[20:])
    assert np.sqrt(np.mean(off**2)) < 2.0 * found.smoother.sigma()["q"][4]
    assert not found.smoother.doubts
    assert max(found.smoother.misfit.values()) < 1.2


def test_a_lag_shorter_than_a_step_is_refused():
    with pytest.raises(sg.InputError, match="lag = "):
        replay_measurements(slider(), {"t": T, "joint_position:x": T}, 0.001)


ROD = """
name: rod
points: [{name: O, x: 0, y: 0, fixed: true}, {name: P, x: 0.6, y: 0}]
bodies: [{name: rod, points: [O, P], mass: 1.2, I0: mass*length^2/3, cog: [length/2, 0]}]
angles: [{angle: lean, of: [O, P]}]
motors: [lean]
sensors:
  - {sensor: encoder, angle: lean, sigma: 1e-4}
  - {sensor: cell, load_cell: [rod, O], sigma: 0.05}
"""


def test_sensors_of_a_file_without_a_column_play_no_part():
    """A rod that swings, seen by its encoder alone: the file's load cell, which asks for a motor, is not read."""
    model = sg.load_mechanism(ROD)
    run = sg.simulate(model, time=0.2, dt=0.01)
    lean = run.coordinate("lean")
    found = replay_measurements(model, {"t": run.t, "encoder": lean}, 0.05)
    assert np.abs(found.run.coordinate("lean") - lean)[5:].max() < 1e-4  # the sigma of the encoder
    assert found.run.model is model
    with pytest.raises(sg.InputError, match="cell_x"):
        replay_measurements(model, {"t": run.t, "encoder": lean, "cell_u": lean}, 0.05)
