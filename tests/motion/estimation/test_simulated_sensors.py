"""Sensors along simulated motions with contacts: what they read, their noise, and estimates from their columns."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import InputError
from screwgraph.motion.estimation import simulate_sensors
from screwgraph.spatial import quaternions
from tests.motion.simulation.contacts.bodies import free_body
from tests.motion.simulation.contacts.test_mechanisms import WALKER

DT, MASS, RADIUS, G = 1e-3, 2.0, 0.1, 9.81
PLACE = (0.05, 0.02, -0.03)
SENSORS = [
    {"sensor": "gyro", "gyroscope": "body", "sigma": 5e-3},
    {"sensor": "acc", "accelerometer": "body", "sigma": 0.05},
    {"sensor": "beside", "accelerometer": "body", "at": PLACE, "sigma": 0.05},
    {"sensor": "foot", "force": "body", "sigma": 0.5},
    {"sensor": "place", "position": "body", "sigma": 2e-3},
    {"sensor": "camera", "pose": "body", "sigma": 5e-3},
]


def rolling(height: float = RADIUS, time: float = 0.3) -> sg.Trajectory:
    """Return the motion of a ball that slides, then rolls, on the ground; it may fall before."""
    ball = sg.Contact("body", RADIUS, friction=0.3)
    q0, qd0 = [0, 0, height, 0, 0, 0, 1], [0, 0, 3.0, 1.0, 0, 0]
    return sg.simulate(free_body(MASS, 0.008), q0, qd0, time=time, dt=DT, contacts=[ball])


def test_what_sensors_read_in_flight_and_on_the_ground():
    run = rolling(0.2, 0.4)
    touch = {"sensor": "touch", "contact": "body", "sigma": 0.01}
    read = simulate_sensors(run, [*SENSORS, touch])
    assert list(read)[:4] == ["t", "gyro_x", "gyro_y", "gyro_z"]
    found = {name: np.stack([read[f"{name}_{a}"] for a in "xyz"], axis=1) for name in ("gyro", "acc", "beside", "foot")}
    np.testing.assert_allclose(found["gyro"], run.qd[:, :3], atol=1e-12)
    R = np.array([quaternions.to_rotation(q[3:7]) for q in run.q])
    np.testing.assert_array_equal(read["touch"], np.linalg.norm(found["foot"], axis=1) > 0.0)
    flies, rests = run.t < 0.12, run.t > 0.35
    assert not read["touch"][flies].any()
    assert read["touch"][rests].all()
    np.testing.assert_allclose(found["acc"][flies], 0.0, atol=1e-9, err_msg="nothing but gravity acts")
    force = np.einsum("nij,nj->ni", R, found["foot"])
    np.testing.assert_allclose(force[rests], np.tile([0.0, 0.0, MASS * G], (rests.sum(), 1)), atol=1e-2)
    pushed, quiet = np.einsum("nij,nj->ni", R, found["acc"]), np.linalg.norm(force, axis=1) < 3.0 * MASS * G
    w, rate = run.qd[:, :3], run.qdd[:, :3]
    size = {name: np.linalg.norm(x[quiet], axis=1).max() for name, x in (("w", w), ("v", run.qd[:, 3:]))}
    rates = {name: np.linalg.norm(x[quiet], axis=1).max() for name, x in (("w", rate), ("v", run.qdd[:, 3:]))}
    turned = DT * (size["w"] ** 2 * size["v"] + rates["w"] * size["v"] + size["w"] * rates["v"])
    np.testing.assert_allclose(pushed[quiet], force[quiet] / MASS, atol=turned, err_msg="axes turn during a step")
    np.testing.assert_allclose(pushed.sum(axis=0), force.sum(axis=0) / MASS, atol=0.01 * pushed[:, 2].sum())
    turning = np.cross(rate, PLACE) + np.cross(w, np.cross(w, PLACE))
    np.testing.assert_allclose(found["beside"] - found["acc"], turning, atol=1e-9)
    np.testing.assert_allclose(read["place_z"], run.q[:, 2], atol=1e-12)
    seen = np.stack([read[f"camera_q{a}"] for a in "xyzw"], axis=1)
    np.testing.assert_allclose(np.abs((seen * run.q[:, 3:7]).sum(axis=1)), 1.0, atol=1e-12)


def test_an_accelerometer_of_a_body_that_spins_reads_its_turning_alone():
    """In free flight: omega x (omega x r) in the sensor's axes, however fast the body flies; steps turn by 0.04 rad."""
    omega, r = np.array([0.0, 0.0, 20.0]), np.array([0.1, 0.0, 0.02])
    run = sg.simulate(
        free_body(MASS, 0.008),
        [0, 0, 5, 0.1, 0.2, 0.3, np.sqrt(0.86)],
        [*omega, 4.0, -2.0, 1.0],
        time=0.2,
        dt=2e-3,
        contacts=[sg.Contact("body", 0.1)],
    )
    read = simulate_sensors(run, [{"sensor": "imu", "accelerometer": "body", "at": r.tolist(), "sigma": 0.05}])
    found = np.stack([read[f"imu_{axis}"] for axis in "xyz"], axis=1)
    exact = np.cross(omega, np.cross(omega, r))
    np.testing.assert_allclose(found, np.tile(exact, (len(found), 1)), atol=1e-8 * np.abs(exact).max())


def test_noise_biases_and_delays():
    run = rolling()
    exact, noisy, again, other = (simulate_sensors(run, SENSORS, seed) for seed in (None, 0, 0, 1))
    np.testing.assert_array_equal(noisy["acc_x"], again["acc_x"])
    assert (noisy["acc_x"] != other["acc_x"]).all()
    for name, sigma in (
        ("acc_x", 0.05),
        ("gyro_z", 5e-3),
        ("place_y", 2e-3),
        ("camera_x", 5e-3),
        ("camera_qz", 2.5e-3),
    ):
        spread = np.std(noisy[name] - exact[name])
        assert spread == pytest.approx(sigma, rel=0.2), name
    length = sum(noisy[f"camera_q{a}"] ** 2 for a in "xyzw")
    np.testing.assert_allclose(length, 1.0, atol=1e-12)
    late = {"sensor": "late", "position": "body", "sigma": 1e-3, "delay": 0.05}
    behind = simulate_sensors(run, [late])["late_x"]
    np.testing.assert_allclose(behind[50:], run.q[:-50, 0], atol=1e-9)
    off = {"sensor": "off", "position": "body", "sigma": 1e-9, "bias": 0.2, "walk": 0.5}
    errors = np.array([simulate_sensors(run, [off], seed)["off_x"] - run.q[:, 0] for seed in range(200)])
    assert errors[:, 0].std() == pytest.approx(0.2, rel=0.2)
    assert (errors[:, -1] - errors[:, 0]).std() == pytest.approx(0.5 * np.sqrt(run.t[-1]), rel=0.2)


@pytest.mark.suite
def test_estimates_from_columns_of_a_ball_on_the_ground():
    """A ball that spins and slides down a smooth slope: motion and force come back within standard deviations."""
    slope, ball = sg.Plane((0.3, 0.0, 1.0)), sg.Contact("body", RADIUS, friction=0.0)
    q0 = [*(RADIUS * np.array(slope.normal)), 0, 0, 0, 1]
    run = sg.simulate(free_body(MASS, 0.008), q0, [1.0, 2.0, 3.0, 0, 0, 0], 0.3, DT, contacts=[ball], ground=slope)
    run = run[100::10]
    sensors = [entry for entry in SENSORS if entry["sensor"] in ("gyro", "acc", "foot", "camera")]
    read = simulate_sensors(run, sensors, seed=3)
    found = sg.estimate(run.model, read, sensors=sensors)
    far = sg.difference(run.model)
    off = np.array([far(a, b) for a, b in zip(found.q, run.q, strict=True)])
    assert (np.abs(off) < 3.0 * found.q_sigma).mean() > 0.95
    assert np.abs(off).max() < 0.02
    assert np.abs(found.qd - run.qd).max() < 0.1
    force = np.mean(found.forces["body"] @ slope.normal)
    assert force == pytest.approx(MASS * G * slope.normal[2], rel=0.05)


def test_what_cannot_be_read():
    run = rolling(time=0.01)
    with pytest.raises(InputError, match="no kind of sensor"):
        simulate_sensors(run, [{"sensor": "x", "thermometer": "body", "sigma": 1.0}])
    linkage = sg.simulate(sg.load_mechanism("four_bar_angle"), time=0.01, dt=0.005)
    with pytest.raises(InputError, match="needs multipliers of the motion"):
        simulate_sensors(linkage, [{"sensor": "cell", "load_cell": ["coupler", "P2"], "sigma": 1.0}])


def test_a_leg_of_jansen_on_the_ground_is_read_by_an_encoder_and_an_imu_of_its_frame():
    """The encoder reads the crank, a gyroscope how the frame turns, an accelerometer its origin less free fall."""
    walker = sg.load_mechanism(WALKER)
    touching = [sg.Contact(point, friction=0.5) for point in ("foot", "rear", "front")]
    run = sg.simulate(walker, time=0.3, dt=1e-3, contacts=touching, driven={"crank": f"{walker.home[-1]} + 2*t"})
    sensors = [
        {"sensor": "encoder", "joint_position": "crank", "sigma": 1e-3},
        {"sensor": "late", "joint_position": "crank", "sigma": 1e-3, "delay": 0.1},
        {"sensor": "gyro", "gyroscope": "frame", "sigma": 1e-2},
        {"sensor": "acc", "accelerometer": "frame", "sigma": 0.1},
    ]
    read = simulate_sensors(run, sensors)
    np.testing.assert_allclose(read["encoder"], run.coordinate("crank"))
    np.testing.assert_allclose(read["late"][100:], run.coordinate("crank")[:-100], atol=1e-9)
    x, y = (run.coordinate(f"{axis}:A") - run.coordinate(f"{axis}:O") for axis in "xy")
    turn = np.arctan2(y, x)
    vx, vy = (run.qd[:, walker.index(f"{axis}:A")] - run.qd[:, walker.index(f"{axis}:O")] for axis in "xy")
    np.testing.assert_allclose(read["gyro"], (x * vy - y * vx) / (x * x + y * y), atol=1e-8)
    force = run.qdd[:, [walker.index("x:O"), walker.index("y:O")]] + [0.0, G]
    along = np.stack([np.cos(turn), np.sin(turn)], axis=1), np.stack([-np.sin(turn), np.cos(turn)], axis=1)
    for column, axis in zip((name for name in read if name.startswith("acc")), along, strict=True):
        np.testing.assert_allclose(read[column], (force * axis).sum(axis=1), atol=1e-9)
    noisy = simulate_sensors(run, sensors, seed=0)
    assert np.std(noisy["gyro"] - read["gyro"]) == pytest.approx(1e-2, rel=0.2)


def test_estimates_read_the_columns_of_a_mechanism():
    linkage = sg.load_mechanism("four_bar_angle")
    run = sg.simulate(linkage, time=0.2, dt=5e-3)
    sensors = [
        {"sensor": "encoder", "angle": "theta", "sigma": 1e-3},
        {"sensor": "gyro", "gyroscope": "coupler", "sigma": 1e-2},
    ]
    found = sg.estimate(linkage, simulate_sensors(run, sensors, seed=1), sensors=sensors)
    assert np.abs(found.q - run.q).max() < 3e-3
