"""Robots estimated update by update: beside their covariances, and a quadruped on four feet."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import chi2

import screwgraph as sg
from screwgraph.model.formats import read_state, write_state
from screwgraph.model.mechanism.sensors import parse_sensors
from screwgraph.model.robot import tree
from screwgraph.motion.estimation import ModelNoise, OnlineSmoother
from screwgraph.motion.estimation.online.clock import find_clock
from tests.motion.estimation.readings.test_missing_measurements import slider
from tests.motion.estimation.robots import moving
from tests.motion.estimation.standing import FEET, read, sway
from tests.motion.estimation.test_contacts import MASS, lift
from tests.motion.estimation.test_slip_detection import END, START, slide

DT = 0.02
NOISE = ModelNoise(position=0.5, velocity=1.0, dynamics=1e-4)


def test_times_that_are_missing_are_left_out_of_the_clock():
    """Rows without times, of sensors that have times of their own: updates are as far apart as the other readings."""
    t = 0.1 + 0.02 * np.arange(30)
    t[[4, 11]] = np.nan
    sensors = parse_sensors(sg.load_mechanism("slider_crank"), [{"sensor": "turn", "angle": "theta", "sigma": 1e-2}])
    clock = find_clock({"t": t, "turn": np.where(np.isnan(t), np.nan, 1.0)}, sensors)
    np.testing.assert_allclose(clock.t, 0.1 + 0.02 * np.arange(30), atol=1e-12)


def test_errors_are_as_large_as_standard_deviations_say():
    """A body that slides, whose position is measured with a bias and whose speed is, half of the time."""
    sensors = [
        {"sensor": "ruler", "joint_position": "x", "sigma": 1e-2},
        {"sensor": "tape", "joint_position": "x", "sigma": 1e-2, "bias": 0.1},
    ]
    squares = {"q": [], "qd": [], "offset tape": []}
    for seed in range(12):
        rng = np.random.default_rng(seed)
        x, v, bias = 0.5 * rng.standard_normal(), rng.standard_normal(), 0.1 * rng.standard_normal()
        smoother = OnlineSmoother(slider(), sensors, DT, noise=NOISE)
        for k in range(25):
            at = x + v * k * DT + 1e-2 * rng.standard_normal(2)
            smoother.update({"ruler": at[0] if k % 2 else np.nan, "tape": at[1] + bias})
        sigma, end = smoother.sigma(), x + v * smoother.t
        squares["q"].append(((smoother.q[0] - end) / sigma["q"][0]) ** 2)
        squares["qd"].append(((smoother.qd[0] - v) / sigma["qd"][0]) ** 2)
        squares["offset tape"].append(((smoother.offsets["tape"][0] - bias) / sigma["offset tape"][0]) ** 2)
    for name, found in squares.items():
        assert chi2.ppf(1e-3, 12) < np.sum(found) < chi2.ppf(1.0 - 1e-3, 12), name


def test_dampers_that_are_faster_than_the_steps_leave_no_swinging_velocities():
    """An arm whose last joint forgets a velocity within 1/30 of a step, beside a simulation of tiny steps."""
    robot, q0, qd0 = moving("rr")
    first, last = robot.joints
    slow = sg.mass_matrix(robot)(q0)[1, 1] * 30.0 / DT
    robot = tree("damped", robot.links, [first, replace(last, damping=slow)])
    t = DT * np.arange(41)
    push = slow * np.cos(9.0 * t)
    options = {"time": t[-1], "dt": DT / 40, "tau": lambda now, q, qd: [0.0, np.interp(now, t, push)], "method": "rk4"}
    run = sg.simulate(robot, q0, [qd0[0], 0.0], **options)
    sensors, squares = [{"sensor": j, "joint_position": j, "sigma": 1e-3} for j in robot.joint_names], []
    for seed in range(6):
        noise = ModelNoise(position=1e-2, velocity=2.0, integration=1e-4)
        rng, smoother = np.random.default_rng(seed), OnlineSmoother(robot, sensors, DT, q0=q0, noise=noise)
        for q, force in zip(run.q[::40], push, strict=True):
            read = q + 1e-3 * rng.standard_normal(2)
            smoother.update(dict(zip(robot.joint_names, read, strict=True)), [0.0, force])
        squares.append(((smoother.qd - run.qd[-1]) / smoother.sigma()["qd"]) ** 2)
        assert np.abs(smoother.qd - run.qd[-1])[1] < 0.01
    assert chi2.ppf(1e-3, 12) < np.sum(squares) < chi2.ppf(1.0 - 1e-3, 12)


def test_fast_motions_are_followed_by_points_inside_the_steps():
    """Encoders of 0.1 mrad on an arm that swings; trapezoidal steps of 20 ms would be off by many deviations."""
    robot, q0, qd0 = moving("rr")
    run, squares = sg.simulate(robot, q0, qd0, time=0.6, dt=DT, method="dop853"), []
    sensors = [{"sensor": j, "joint_position": j, "sigma": 1e-4} for j in robot.joint_names]
    noise = ModelNoise(position=1e-2, velocity=2.0)
    for seed in range(6):
        rng = np.random.default_rng(seed)
        smoother = OnlineSmoother(robot, sensors, DT, q0=q0, noise=noise, integrator="hermite_simpson")
        for q in run.q:
            smoother.update(dict(zip(robot.joint_names, q + 1e-4 * rng.standard_normal(2), strict=True)))
        sigma = smoother.sigma()
        squares += [((smoother.q - run.q[-1]) / sigma["q"]) ** 2, ((smoother.qd - run.qd[-1]) / sigma["qd"]) ** 2]
    assert np.mean(squares) < 2.0
    with pytest.raises(sg.InputError, match="no integrator is called 'rk5'"):
        OnlineSmoother(robot, sensors, DT, integrator="rk5")


def test_a_contact_carries_the_weight_and_then_nothing():
    sensors = [
        {"sensor": "z", "joint_position": "z", "sigma": 1e-3},
        {"sensor": "on", "contact": "body", "sigma": 1e-2},
    ]
    smoother = OnlineSmoother(lift(), sensors, DT, noise=ModelNoise(position=0.1, velocity=0.1))
    for _ in range(30):
        smoother.update({"z": 0.0, "on": 1.0})
    assert abs(smoother.forces["body"][2] - MASS * 9.81) < 3.0 * smoother.sigma()["forces"][2]
    for k in range(10):
        fallen = (k + 0.5) * DT
        smoother.update({"z": -0.5 * 9.81 * fallen**2, "on": 0.0})
    assert abs(smoother.forces["body"][2]) < 0.1
    assert abs(smoother.qd[0] + 9.81 * 9.5 * DT) < 0.1


def test_what_cannot_be_estimated_is_refused():
    ruler = {"sensor": "ruler", "joint_position": "x", "sigma": 1e-2}
    with pytest.raises(sg.InputError, match="delay"):
        OnlineSmoother(slider(), [{**ruler, "delay": 0.1}], DT)
    smoother = OnlineSmoother(slider(), [ruler], DT)
    with pytest.raises(sg.InputError, match="ruller"):
        smoother.update({"ruller": 0.0})
    with pytest.raises(sg.InputError, match="nothing is estimated yet"):
        smoother.sigma()
    with pytest.raises(sg.InputError, match="shape"):
        smoother.update({"ruler": 0.0}, tau=[1.0, 2.0])


@pytest.mark.suite
def test_a_quadruped_is_estimated_within_its_covariance_in_a_loop():
    """All joints, forces on four feet, biases, 500 updates a second."""
    run = sway(0.3, 0.002)
    rng, bias = np.random.default_rng(0), np.array([0.02, -0.01, 0.015, 0.1, -0.05, 0.08])
    sensors, table = read(run, rng, bias)
    noise = ModelNoise(position=1e-2, velocity=0.3, dynamics=1e-2)
    smoother = OnlineSmoother(run.robot, sensors, 0.002, q0=run.q[0], noise=noise)
    columns = [name for name in table if name != "t" and not name.startswith("tau:")]
    for k in range(len(run.t)):
        readings = {name: table[name][k] for name in columns}
        smoother.update(readings, run.tau[k])
    sigma = smoother.sigma()
    away = sg.difference(run.robot)(smoother.q, run.q[-1]) / sigma["q"], (smoother.qd - run.qd[-1]) / sigma["qd"]
    forces = np.concatenate([smoother.forces[foot] - run.forces[-1, i] for i, foot in enumerate(FEET)])
    assert np.mean(np.square(np.concatenate(away))) < 2.0
    assert np.mean(np.square(forces / sigma["forces"])) < 3.0


@pytest.mark.parametrize("late", [3, 5])
def test_what_a_late_sensor_reads_counts_where_it_was(late: int):
    """A delay in the window: the same estimates as of a sensor that is not late, as soon as both have read the same.

    A delay of the whole window, 5 steps between 6 instants, tells of its first instant; a longer one is refused.
    """
    ruler = {"sensor": "ruler", "joint_position": "x", "sigma": 1e-2}
    speed = {"sensor": "speed", "joint_velocity": "x", "sigma": 2e-2}
    rng = np.random.default_rng(0)
    x, v = 0.3 + 0.7 * DT * np.arange(40) + 1e-2 * rng.standard_normal(40), 0.7 + 2e-2 * rng.standard_normal(40)
    prompt = OnlineSmoother(slider(), [ruler, speed], DT, window=6, noise=NOISE)
    delayed = OnlineSmoother(slider(), [{**ruler, "delay": late * DT}, speed], DT, window=6, noise=NOISE)
    for k in range(40):
        delayed.update({"ruler": x[k - late] if k >= late else np.nan, "speed": v[k]})
        prompt.update({"ruler": x[k] if k < 40 - late else np.nan, "speed": v[k]})
    assert delayed.q == pytest.approx(prompt.q, abs=1e-9)
    assert delayed.sigma()["q"] == pytest.approx(prompt.sigma()["q"], rel=1e-6)
    with pytest.raises(sg.InputError, match=rf"the window has {late} instants.*window={late + 1} or more"):
        OnlineSmoother(slider(), [{**ruler, "delay": late * DT}, speed], DT, window=late, noise=NOISE)


def test_errors_of_torques_and_parameters_are_as_large_as_standard_deviations_say():
    """A body is pushed by a torque of which a sensor knows, and by one that is measured: its mass follows."""
    sensors = [
        {"sensor": "ruler", "joint_position": "x", "sigma": 1e-3},
        {"sensor": "push", "joint_torque": "x", "sigma": 0.2},
    ]
    noise = ModelNoise(
        position=0.5, velocity=1.0, dynamics=1e-4, integration=1e-6, torque=5.0, torque_rate=5.0, parameters=0.1
    )
    squares = {"mass": [], "tau": [], "qd": []}
    for seed in range(12):
        rng = np.random.default_rng(seed)
        x, v, f = 0.5 * rng.standard_normal(), rng.standard_normal(), 5.0 * rng.standard_normal()
        mass = MASS * (1.0 + 0.1 * rng.standard_normal())
        options = {"parameters": ["body.mass"], "inputs": ["x"], "noise": noise}
        smoother = OnlineSmoother(slider(), sensors, DT, **options)
        for k in range(60):
            if k:
                # Trapezoidal steps of what the smoother believes: forces that walk.
                more = f + 5.0 * np.sqrt(DT) * rng.standard_normal()
                x, v = x + 0.5 * DT * (v + v + 0.5 * DT * (f + more) / mass), v + 0.5 * DT * (f + more) / mass
                f = more
            read = [1e-3, 0.2] * rng.standard_normal(2)
            smoother.update({"ruler": x + read[0], "push": f + read[1]})
        sigma = smoother.sigma()
        squares["mass"].append(((smoother.parameters["body.mass"] - mass) / sigma["parameters"][0]) ** 2)
        squares["tau"].append(((smoother.tau[0] - f) / sigma["tau"][0]) ** 2)
        squares["qd"].append(((smoother.qd[0] - v) / sigma["qd"][0]) ** 2)
    for name, found in squares.items():
        assert chi2.ppf(1e-3, 12) < np.sum(found) < chi2.ppf(1.0 - 1e-3, 12), name


def test_a_smoother_goes_on_where_it_was_saved(tmp_path):
    sensors = [{"sensor": "ruler", "joint_position": "x", "sigma": 1e-2, "bias": 0.1}]
    options = {"parameters": ["body.mass"], "inputs": ["x"], "noise": NOISE}
    first = OnlineSmoother(slider(), sensors, DT, **options)
    with pytest.raises(sg.InputError, match="nothing is estimated yet"):
        first.save(tmp_path / "early.npz")
    for k in range(10):
        first.update({"ruler": 0.1 * k * DT})
    first.save(tmp_path / "window.npz")
    second = OnlineSmoother(slider(), sensors, DT, **options).loaded(tmp_path / "window.npz")
    assert (second.count, second.t) == (first.count, first.t)
    for k in range(10, 15):
        first.update({"ruler": 0.1 * k * DT})
        second.update({"ruler": 0.1 * k * DT})
    assert (second.q == first.q).all()
    assert second.parameters == first.parameters
    with pytest.raises(sg.InputError, match="another window"):
        OnlineSmoother(slider(), sensors, DT, noise=NOISE).loaded(tmp_path / "window.npz")
    arrays = read_state(tmp_path / "window.npz", "saved smoother")
    for name, other in (("count", "ten"), ("count", np.ones(2, int)), ("tau", np.ones(7)), ("converged", "yes")):
        write_state(tmp_path / "wrong.npz", {**arrays, f"besides:{name}": np.array(other)})
        with pytest.raises(sg.InputError, match="another window"):
            second.loaded(tmp_path / "wrong.npz")


def test_a_foot_that_slips_is_said_to_when_it_does():
    sensors = [
        {"sensor": "ruler", "joint_position": "x", "sigma": 1e-3},
        {"sensor": "on", "contact": "body", "sigma": 1e-2, "huber": 3.0, "slip": 5.0},
    ]
    rng, slid, away = np.random.default_rng(0), [], []
    smoother = OnlineSmoother(slider(), sensors, DT, window=6, noise=ModelNoise(position=0.1, velocity=0.1))
    for k in range(40):
        x = slide(k * DT, 0.05)
        smoother.update({"ruler": x + 1e-3 * rng.standard_normal(), "on": 1.0})
        slid.append(smoother.slipping == ("body",))
        away.append(smoother.q[0] - x)
    t = DT * np.arange(40)
    assert any(slid)
    assert (t[slid] > START).all()
    assert (t[slid] < END + 2.0 * DT).all()
    assert np.abs(away[-10:]).max() < 3e-3


def test_what_is_known_before_the_window_is_full():
    """The start and the file's parameters; convergence, forces and biases are those of a search that is to come."""
    spring = replace(slider().joints[0], damping=0.3)
    robot = tree("damped", slider().links, [spring])
    sensors = [{"sensor": "ruler", "joint_position": "x", "sigma": 1e-2, "bias": 0.1}]
    options = {"window": 4, "parameters": ["x.damping"], "noise": NOISE}
    smoother = OnlineSmoother(robot, sensors, DT, q0=[0.2], qd0=[0.5], **options)
    for k in range(3):
        assert not smoother.converged
        assert smoother.parameters == {"x.damping": 0.3}
        assert (smoother.forces, smoother.offsets, smoother.misfit) == ({}, {}, {})
        smoother.update({"ruler": 0.2 + 0.5 * k * DT})
    smoother.update({"ruler": 0.2 + 1.5 * DT})
    assert smoother.converged
    assert smoother.offsets["ruler"] == pytest.approx(0.0, abs=0.05)
    assert smoother.parameters["x.damping"] == pytest.approx(0.3, abs=0.1)
    assert smoother.parameters["x.damping"] != 0.3
