"""Estimates from sensors that drop out, or have times of their own: as if what is missing had never been asked for."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import screwgraph as sg
from screwgraph.mechanics.mechanism import simulate_sensors
from screwgraph.model.mechanism.sensors import parse_sensors
from screwgraph.model.robot import Joint, Link, link_poses, tree
from screwgraph.model.robot.joints import Prismatic
from screwgraph.motion.estimation import ModelNoise
from tests.motion.estimation.robots import moving
from tests.motion.estimation.test_estimate import encoders, motion
from tests.motion.simulation.robots import BODY

SAME = 1e-6
"""Of a standard deviation: two searches for one minimum differ less."""


def slider():
    """A body that slides without force: q = q0 + v0 t."""
    return tree(
        "slider", [Link("world"), Link("body", BODY)], [Joint("x", Prismatic((1.0, 0.0, 0.0)), "world", "body")]
    )


SLIDING = [
    {"sensor": "ruler", "joint_position": "x", "sigma": 1e-2},
    {"sensor": "speed", "joint_velocity": "x", "sigma": 2e-2},
]


def regression(ruler, speed):
    """Weighted linear regression: state at t = 0 and its covariance, from (t, value) of both sensors and the priors."""
    noise = ModelNoise()
    rows = [np.diag([1.0 / noise.position, 1.0 / noise.velocity])]
    rows.append(np.stack([np.ones(len(ruler[0])), ruler[0]], axis=1) / 1e-2)
    rows.append(np.stack([np.zeros(len(speed[0])), np.ones(len(speed[0]))], axis=1) / 2e-2)
    A = np.vstack(rows)
    b = np.concatenate([[0.0, 0.0], ruler[1] / 1e-2, speed[1] / 2e-2])
    covariance = np.linalg.inv(A.T @ A)
    return covariance @ A.T @ b, covariance


def same(a, b):
    """Whether two estimates are one, with their standard deviations."""
    np.testing.assert_allclose(a.t, b.t, rtol=1e-12)
    for name in ("q", "qd"):
        sigma = getattr(b, f"{name}_sigma")
        np.testing.assert_allclose(getattr(a, f"{name}_sigma"), sigma, rtol=SAME)
        change = getattr(a, name) - getattr(b, name)
        assert change.shape[1] != sigma.shape[1] or (np.abs(change) < SAME * sigma.max(axis=0)).all()
    np.testing.assert_allclose(a.covariance, b.covariance, rtol=SAME)
    assert set(a.residuals) == set(b.residuals)
    for name, residual in a.residuals.items():
        np.testing.assert_array_equal(np.isnan(residual), np.isnan(b.residuals[name]))


@pytest.mark.parametrize("way", ["missing", "own times", "rows"])
def test_what_is_left_of_two_sensors_is_a_weighted_linear_regression(way):
    rng, t = np.random.default_rng(0), np.arange(60) * 0.05
    ruler, speed = 0.3 + 0.7 * t + 1e-2 * rng.standard_normal(60), 0.7 + 2e-2 * rng.standard_normal(60)
    at_ruler, at_speed = np.flatnonzero(rng.random(60) < 0.5), np.arange(0, 60, 7)
    if way == "rows":  # nothing at all for a while: the middle third
        at_ruler, at_speed = (at[(at < 20) | (at >= 40)] for at in (at_ruler, at_speed))
    masked = {"t": t, "ruler": np.full(60, np.nan), "speed": np.full(60, np.nan)}
    masked["ruler"][at_ruler], masked["speed"][at_speed] = ruler[at_ruler], speed[at_speed]
    own = {"t:ruler": t[at_ruler], "ruler": ruler[at_ruler], "t:speed": t[at_speed], "speed": speed[at_speed], "t": t}
    found = sg.estimate(
        slider(), own if way == "own times" else masked, sensors=SLIDING, noise=ModelNoise().times(0.01)
    )
    state, covariance = regression((t[at_ruler], ruler[at_ruler]), (t[at_speed], speed[at_speed]))
    # The model is not exact: each of 60 steps adds variances (1e-7)^2, beside (2e-3)^2 of the states.
    sigma = np.sqrt(np.diag(covariance))
    assert (np.abs(np.array([found.q[0, 0], found.qd[0, 0]]) - state) < 1e-3 * sigma).all()
    np.testing.assert_allclose([found.q_sigma[0, 0], found.qd_sigma[0, 0]], sigma, rtol=1e-4)
    assert np.isfinite(found.residuals["ruler"]).sum() == len(at_ruler)
    np.testing.assert_allclose(found.residuals["speed"][at_speed], found.qd[at_speed, 0] - speed[at_speed], atol=1e-12)


@pytest.fixture(scope="module")
def arm():
    """An arm in motion: its sensors, and what they read at each instant; without noise, all agree on one motion."""
    robot, q0, qd0 = moving("rr")
    run = motion(robot, q0, qd0, time=0.6, drive=0.0)
    sensors, table = encoders(robot, run, 1e-3, np.random.default_rng(1))
    table |= {f"enc {joint}": run.q[:, i] for i, joint in enumerate(robot.joint_names)}
    sensors.append({"sensor": "marker", "pose": "link2", "sigma": 1e-2})
    sensors.append({"sensor": "camera", "position": "link2", "sigma": 1e-2})
    poses = np.array([link_poses(robot, q)["link2"] for q in run.q])
    turns = np.array([Rotation.from_matrix(T[:3, :3]).as_quat() for T in poses])
    table |= {f"{name}_{x}": poses[:, i, 3] for name in ("camera", "marker") for i, x in enumerate("xyz")}
    table |= {f"marker_q{x}": turns[:, i] for i, x in enumerate("xyzw")}
    return robot, sensors, {"t": run.t, **table}, q0


def without(table, sensor, keep):
    """A table in which one sensor has times of its own: those of the samples that are kept."""
    own = [name for name in table if name.startswith(sensor)]
    return {**table, f"t:{sensor}": table["t"][keep], **{name: table[name][keep] for name in own}}


def lost(table, columns, samples):
    """A table in which some columns have no values at some samples."""
    changed = {name: table[name].copy() for name in columns}
    for values in changed.values():
        values[samples] = np.nan
    return {**table, **changed}


def test_a_dropout_is_a_measurement_that_was_not_made_and_makes_states_less_sure(arm):
    robot, sensors, table, q0 = arm
    gone, keep = np.arange(8, 22), np.r_[np.arange(8), np.arange(22, 31)]
    names = [name for name in table if name != "t"]
    masked = sg.estimate(robot, lost(table, names, gone), ("link2.mass",), sensors=sensors, q0=q0)
    left_out = table
    for sensor in sensors:
        left_out = without(left_out, sensor["sensor"], keep)
    same(masked, sg.estimate(robot, left_out, ("link2.mass",), sensors=sensors, q0=q0))
    whole = sg.estimate(robot, table, ("link2.mass",), sensors=sensors, q0=q0)
    assert (masked.q_sigma > whole.q_sigma).all()  # at one motion: measurements are exact
    assert masked.sigma["link2.mass"] > whole.sigma["link2.mass"]
    # Times that are missing from the table are the same again: the gap is filled.
    same(masked, sg.estimate(robot, {n: v[keep] for n, v in table.items()}, ("link2.mass",), sensors=sensors, q0=q0))


def test_parts_of_samples_count_by_themselves(arm):
    """A pose without its position is an orientation; a camera that lost one axis still has the others."""
    robot, sensors, table, q0 = arm
    places, ways = [f"marker_{x}" for x in "xyz"], [f"marker_q{x}" for x in "xyzw"]
    few = lost(lost(table, places, slice(3, None)), ways, slice(2, None))
    found = sg.estimate(robot, few, sensors=sensors, q0=q0)
    assert [int(np.isfinite(found.residuals[f"marker_{row}"]).sum()) for row in ("x", "z", "rx", "rz")] == [3, 3, 2, 2]
    # A camera that lost its third axis, in which a planar arm does not move, tells as much as before.
    seeing = {"sensors": sensors[-1:], "q0": q0, "parameters": ("link2.mass",)}
    cameras = {name: table[name] for name in ("t", "camera_x", "camera_y", "camera_z")}
    whole, part = (sg.estimate(robot, t, **seeing) for t in (cameras, lost(cameras, ["camera_z"], slice(1, None))))
    assert not np.isfinite(part.residuals["camera_z"][1:]).any()
    still = np.ptp([link_poses(robot, q)["link2"][:3, 3] for q in whole.q], axis=0) < 1e-9
    assert still[2]
    np.testing.assert_allclose(part.q_sigma, whole.q_sigma, rtol=SAME)


def test_sensors_of_several_rates_are_one_table_with_gaps(arm):
    robot, sensors, table, q0 = arm
    rated, masked = table, table
    for sensor, every in zip(sensors, (1, 2, 5, 3), strict=True):
        keep = np.arange(0, len(table["t"]), every)
        names = [name for name in table if name.startswith(sensor["sensor"])]
        rated = without(rated, sensor["sensor"], keep)
        masked = lost(masked, names, np.setdiff1d(np.arange(len(table["t"])), keep))
    rated.pop("t")
    torque = {"t:tau:joint1": np.array([0.0, 0.6]), "tau:joint1": np.array([0.0, 0.3])}
    even = {"tau:joint1": 0.5 * table["t"]}
    found = sg.estimate(robot, {**rated, **torque}, ("joint1.damping",), sensors=sensors, q0=q0)
    same(found, sg.estimate(robot, {**masked, **even}, ("joint1.damping",), sensors=sensors, q0=q0))


@pytest.mark.parametrize("name", ["four_bar_angle", "slider_crank"])
@pytest.mark.sampled(2)
def test_mechanisms_lose_measurements_alike(name):
    mechanism = sg.load_mechanism(name)
    run = sg.simulate(mechanism, time=0.4, dt=0.02, method="dop853")
    body = mechanism.bodies[-1].name
    sensors = [
        {"sensor": "gyro", "gyroscope": body, "sigma": 0.01},
        {"sensor": "imu", "accelerometer": body, "at": [0.1, 0.0], "sigma": 0.1},
    ]
    motions = {"q": run.q, "v": run.qd, "a": run.qdd}
    table = simulate_sensors(mechanism, motions, parse_sensors(mechanism, sensors)) | {"t": run.t}
    keep = np.r_[0:4, 12:21]
    asked = {"parameters": (f"mass:{body}",), "sensors": sensors}
    whole = sg.estimate(mechanism, table, **asked)
    lossy = lost(lost(table, ["gyro"], np.arange(4, 12)), ["imu_y"], np.arange(0, 21, 2))
    masked = sg.estimate(mechanism, lossy, **asked)
    same(masked, sg.estimate(mechanism, without(lossy, "gyro", keep), **asked))
    assert (masked.q_sigma > whole.q_sigma - ModelNoise().constraints).all()
    assert np.isnan(masked.residuals["imu_y"][::2]).all()
    assert np.isfinite(masked.residuals["imu_x"]).all()


def test_a_file_leaves_cells_empty(tmp_path, arm):
    robot, sensors, table, q0 = arm
    gone = np.arange(3, 9)
    names = [name for name in table if name.startswith("enc")]
    lossy = lost(table, names, gone)
    columns = {name: lossy[name] for name in ("t", *names)}
    lines = [
        ",".join("" if np.isnan(x) else repr(float(x)) for x in row) for row in zip(*columns.values(), strict=True)
    ]
    (tmp_path / "read.csv").write_text("\n".join([",".join(columns), *lines]))
    asked = {"sensors": sensors[:2], "q0": q0}
    same(sg.estimate(robot, str(tmp_path / "read.csv"), **asked), sg.estimate(robot, columns, **asked))


def test_states_that_only_priors_determine_are_named():
    t = np.arange(20) * 0.05
    table = {"t": t, "ruler": 0.3 + 0.7 * t, "speed": np.full(20, 0.7)}
    vague = [{**sensor, "sigma": 1e3} for sensor in SLIDING]
    found = sg.estimate(slider(), table, sensors=vague)
    assert found.unobserved == ("q:x[0]", "qd:x[0]")
    assert found.doubts == ("the measurements hardly determine q:x[0], qd:x[0]: what is found lies near the priors",)
    assert sg.estimate(slider(), table, sensors=[vague[0], SLIDING[1]]).unobserved == ("q:x[0]",)
    assert sg.estimate(slider(), table, sensors=SLIDING).doubts == ()


N = 12


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"ruler": np.full(N, np.nan)}, "column ruler of the measurements is empty: all of its 12 values are missing"),
        ({"t": np.full(N, np.nan)}, "t of the measurements is empty"),
        ({"t": None}, "the measurements have no times"),
        ({"t": None, "t:speed": 0.1 * np.arange(N), "speed": np.zeros(N)}, "no times of ruler (give t for all columns"),
        ({"ruler": np.r_[np.inf, np.zeros(N - 1)]}, "ruler of the measurements is not finite at sample 0"),
        ({"t": np.r_[np.nan, 0.1 * np.arange(1, N)]}, "sample 0 of ruler has no time"),
        ({"t:speed": np.arange(3.0)}, "times t:speed of nothing"),
        ({"t:rule": np.arange(3.0)}, "did you mean t:ruler"),
        ({"t:ruler": np.arange(3.0)}, "ruler of the measurements has the shape (12,)"),
        ({"t": np.r_[0.1 * np.arange(N - 1), 1.7e9]}, "nothing is measured for 1.7e+09 s after t = 1 s"),
        ({"tau:x": np.r_[0.0, np.nan, np.zeros(N - 2)]}, "tau:x of the measurements is missing (NaN) at t = 0.1 s"),
        ({"tau:x": np.zeros(2), "t:tau:x": np.array([0.0, 0.5])}, "tau:x is known from t = 0 s to 0.5 s only"),
        ({"t:ruler": 0.1 * np.arange(N)[::-1]}, "do not grow after sample 0"),
    ],
)
def test_what_cannot_be_used_is_one_line(change, words):
    table = {"t": 0.1 * np.arange(N), "ruler": np.zeros(N), "t:ruler": 0.1 * np.arange(N), **change}
    if "t:ruler" not in change:
        table.pop("t:ruler")
    table = {name: values for name, values in table.items() if values is not None}
    with pytest.raises(sg.InputError) as caught:
        sg.estimate(slider(), table, sensors=SLIDING)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_measured_orientations_are_unit_quaternions_or_refused(arm):
    robot, sensors, table, q0 = arm
    ways, asked = [f"marker_q{x}" for x in "xyzw"], {"sensors": sensors, "q0": q0}
    whole = sg.estimate(robot, table, **asked)
    found = sg.estimate(robot, {**table, **{name: 1.004 * table[name] for name in ways}}, **asked)
    same(found, whole)
    with pytest.raises(sg.InputError, match=r"the quaternion marker_qx \.\.\. of the measurements has the length 2"):
        sg.estimate(robot, {**table, **{name: 2.0 * table[name] for name in ways}}, **asked)
