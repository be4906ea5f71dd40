"""Estimates of robots: the truth, as simulated, is where its covariance says, over many noisy runs."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import chi2

import screwgraph as sg
from screwgraph.model.robot import Joint, Link, link_poses, tree
from screwgraph.model.robot.joints import Prismatic
from screwgraph.motion.estimation import ModelNoise
from screwgraph.optimize import Status
from tests.motion.estimation.random_robots import random_robot
from tests.motion.estimation.robots import imu, moving
from tests.motion.estimation.subjects import draw
from tests.motion.simulation.robots import BODY

RUNS = 30
SURE = 1e-4
"""Probability that a consistent estimator fails a test; seeds are fixed."""


def motion(robot, q0, qd0, time=1.0, dt=0.02, drive=1.0):
    driven = np.zeros(robot.nv)
    for joint in robot.independent_joints:
        if robot.joint(joint).type.nv == 1:
            driven[robot.v_slices[joint]] = drive
    return sg.simulate(robot, q0, qd0, time=time, dt=dt, method="dop853", tau=lambda t, q, qd: driven * np.cos(5.0 * t))


def encoders(robot, run, sigma, rng, kind="joint_position"):
    """Sensors on all joints with one coordinate, and what they read."""
    sensors, table = [], {}
    for joint in robot.joints:
        if joint.type.nv == 1:
            value = run.q[:, robot.q_slices[joint.name].start]
            sensors.append({"sensor": f"enc {joint.name}", kind: joint.name, "sigma": sigma})
            table[f"enc {joint.name}"] = value + sigma * rng.standard_normal(len(value))
    return sensors, table


def torques(robot, run):
    return {f"tau:{j.name}": run.tau[:, robot.v_slices[j.name].start] for j in robot.joints if j.type.nv == 1}


def in_the_mean(squares, dof):
    """Whether normalised squared errors, one a run, are a sample of chi square in the mean."""
    total, k = float(np.sum(squares)), dof * len(squares)
    return chi2.ppf(SURE / 2, k) < total < chi2.ppf(1 - SURE / 2, k)


def normalised(found, truth):
    error = np.array(list(found.parameters.values())) - truth
    return float(error @ np.linalg.solve(found.covariance, error))


def test_mass_and_damping_of_an_arm_are_within_their_covariance():
    robot, q0, qd0 = moving("rr")
    run = motion(robot, q0, qd0)
    squares, hits, states = [], [], []
    for seed in range(RUNS):
        sensors, table = encoders(robot, run, 1e-3, np.random.default_rng(seed))
        found = sg.estimate(
            robot,
            {"t": run.t, **table, **torques(robot, run)},
            ("link2.mass", "joint1.damping"),
            sensors=sensors,
            q0=q0,
        )
        assert found.status.value == "converged"
        assert found.model_error < 1.0
        squares.append(normalised(found, [robot.link("link2").inertia.mass, 0.0]))
        hits.append(np.abs(found.q - run.q) < 3.0 * found.q_sigma)
        k = len(run.t) // 2
        states.append(((found.q[k] - run.q[k]) / found.q_sigma[k]) ** 2)
    assert in_the_mean(squares, 2)
    assert in_the_mean(np.array(states)[:, 0], 1)
    assert np.mean(hits) > 0.985


def test_dampers_that_are_faster_than_the_steps_leave_no_swinging_velocities():
    """An arm whose last joint forgets a velocity within 1/30 of a step; of the first instant none can be known."""
    robot, q0, qd0 = moving("rr")
    slow = sg.mass_matrix(robot)(q0)[1, 1] * 30.0 / 0.02
    first, last = robot.joints
    robot = tree("damped", robot.links, [first, replace(last, damping=slow)])
    run = motion(robot, q0, [qd0[0], 0.0])
    sensors, table = encoders(robot, run, 1e-3, np.random.default_rng(0))
    found = sg.estimate(robot, {"t": run.t, **table, **torques(robot, run)}, sensors=sensors, q0=q0)
    assert found.status.value == "converged"
    inside = slice(1, None)
    assert np.all(np.abs(found.qd - run.qd)[inside] < 4.5 * found.qd_sigma[inside])
    assert found.qd_sigma[3:, 1].max() < 0.5 * found.qd_sigma[3:, 0].max()


def test_an_unknown_torque_is_found_from_what_moves():
    robot, q0, qd0 = moving("rr")
    run = motion(robot, q0, qd0)
    sensors, table = encoders(robot, run, 1e-5, np.random.default_rng(0))
    known = {"tau:joint2": run.tau[:, 1]}
    found = sg.estimate(robot, {"t": run.t, **table, **known}, inputs=["joint1"], sensors=sensors, q0=q0)
    error = np.abs(found.tau[:, 0] - run.tau[:, 0])
    assert (error < 4.0 * found.tau_sigma[:, 0]).mean() > 0.97
    assert np.median(error) < 0.1


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.sampled(2)
def test_a_floating_robot_by_pose_gyroscope_and_accelerometer(seed):
    robot, q0, qd0 = moving("thrown")
    run, rng = motion(robot, q0, qd0, time=0.6), np.random.default_rng(seed)
    turning, force = imu(robot, run, "hand")
    sensors, table = encoders(robot, run, 1e-3, rng)
    for name, kind, values, sigma in (("gyro", "gyroscope", turning, 1e-2), ("acc", "accelerometer", force, 5e-2)):
        sensors.append({"sensor": name, kind: "hand", "sigma": sigma})
        noisy = values + sigma * rng.standard_normal(values.shape)
        table |= {f"{name}_{x}": noisy[:, i] for i, x in enumerate("xyz")}
    sensors.append({"sensor": "camera", "position": "body", "sigma": 1e-2})
    at = np.array([link_poses(robot, q)["body"][:3, 3] for q in run.q]) + 1e-2 * rng.standard_normal((len(run.t), 3))
    table |= {f"camera_{x}": at[:, i] for i, x in enumerate("xyz")}
    found = sg.estimate(
        robot, {"t": run.t, **table, **torques(robot, run)}, ("hand.mass",), sensors=sensors, q0=q0, qd0=qd0
    )
    assert abs(found.parameters["hand.mass"] - robot.link("hand").inertia.mass) < 3.5 * found.sigma["hand.mass"]
    assert found.sigma["hand.mass"] < 0.1 * robot.link("hand").inertia.mass
    assert (np.abs(found.qd - run.qd) < 3.0 * found.qd_sigma).mean() > 0.97
    np.testing.assert_allclose(np.linalg.norm(found.q[:, 3:7], axis=1), 1.0, atol=1e-12)
    residuals = np.array([found.residuals[f"{name}_{x}"] for name in ("gyro", "acc") for x in "xyz"])
    spread = residuals.std(axis=1) / np.repeat([1e-2, 5e-2], 3)
    assert ((spread > 0.6) & (spread < 1.4)).all()


def test_a_pose_sensor_places_a_floating_robot_and_the_estimate_is_saved(tmp_path):
    robot, q0, qd0 = moving("thrown")
    run = motion(robot, q0, qd0, time=0.4)
    sensors, table = encoders(robot, run, 1e-4, np.random.default_rng(0))
    sensors.append({"sensor": "marker", "pose": "body", "sigma": [1e-4] * 3 + [1e-4] * 3})
    table |= {f"marker_{x}": run.q[:, i] for i, x in enumerate(["x", "y", "z", "qx", "qy", "qz", "qw"])}
    found = sg.estimate(robot, {"t": run.t, **table, **torques(robot, run)}, sensors=sensors, q0=q0)
    np.testing.assert_allclose(found.q, run.q, atol=1e-3)
    np.testing.assert_allclose(found.qd, run.qd, atol=1e-2)
    assert repr(found) == "<estimate of 'thrown': 21 states, converged>"
    found.save(tmp_path / "estimate.csv")
    heading, *rows = (tmp_path / "estimate.csv").read_text().splitlines()
    assert heading.startswith("t,q:fly[0],")
    assert len(rows) == 21
    assert len(heading.split(",")) == 1 + robot.nq + 7 * robot.nv


@pytest.mark.suite
def test_the_mass_of_a_closed_chain_is_within_its_covariance():
    robot, q0, qd0 = moving("five_bar")
    run = motion(robot, q0, qd0, time=0.6, dt=0.01, drive=0.2)
    link, driven = robot.links[-1].name, robot.independent_joints
    squares, off = [], []
    for seed in range(RUNS):
        sensors, table = encoders(robot, run, 1e-3, np.random.default_rng(seed))
        kept = [s for s in sensors if s["joint_position"] in driven]
        table = {s["sensor"]: table[s["sensor"]] for s in kept}
        given = {"t": run.t, **table, **torques(robot, run)}
        found = sg.estimate(robot, given, (f"{link}.mass",), sensors=kept, q0=q0, qd0=qd0)
        squares.append(normalised(found, [robot.link(link).inertia.mass]))
        off.append(np.abs(found.q - run.q) < 3.0 * found.q_sigma)
    assert in_the_mean(squares, 1)
    assert np.mean(off) > 0.985


ENCODER = {"sensor": "a", "joint_position": "joint1", "sigma": 1e-3}


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"parameters": ("link9.mass",)}, "link9"),
        ({"parameters": ("inertia:link1",)}, r"no parameter is called 'inertia:link1'"),
        ({"inputs": ("joint9",)}, r"no joint is called 'joint9'"),
        ({"sensors": [{"sensor": "a", "sonar": "link1", "sigma": 1.0}]}, r"no kind of sensor is called 'sonar'"),
        ({"sensors": [{**ENCODER, "joint_position": "joint9"}]}, r"no joint is called 'joint9'"),
        ({"sensors": [{**ENCODER, "sigma": 0.0}]}, "is not a positive standard deviation"),
        ({"sensors": [{k: v for k, v in ENCODER.items() if k != "sigma"}]}, 'no sigma, .*"sigma": 0.001 is usual of'),
        ({"sensors": [ENCODER, ENCODER]}, "two sensors are called 'a'"),
        ({"sensors": [{"sensor": "a", "joint_torque": "joint1", "sigma": 1.0}]}, "is measured, but not unknown"),
        ({"sensors": ENCODER}, r"sensors: expected a list of mappings, \{name: \.\.\.\}, got dict"),
        ({"noise": 0.1}, "noise: expected a ModelNoise, got float 0.1"),
        ({"watch": 1.0}, "watch: expected a function, got float 1.0"),
    ],
)
def test_bad_arguments_are_one_line(options, line):
    table = {"t": 0.01 * np.arange(10), "a": np.zeros(10)}
    with pytest.raises(sg.ScrewgraphError, match=line) as caught:
        sg.estimate(sg.load("rr"), table, **{"sensors": [ENCODER], **options})
    assert "\n" not in str(caught.value)


def test_parameters_of_several_numbers_are_refused():
    robot = sg.load("bodies:\n  - {link: ball, joint: socket, type: spherical, mass: 1, com: [0, 0, -1]}")
    with pytest.raises(sg.InputError, match=r"'socket.armature' cannot be estimated: it has several numbers"):
        sg.estimate(robot, {"t": 0.01 * np.arange(10)}, ("socket.armature",), sensors=[])


@pytest.mark.parametrize("value", [0.0, -1.0, np.nan, "1"])
def test_standard_deviations_of_the_model_are_positive(value):
    with pytest.raises(sg.InputError, match=r"dynamics = .* of ModelNoise is not a positive standard deviation"):
        ModelNoise(dynamics=value)


@pytest.fixture(scope="module")
def swung():
    """An arm that swings, and what its encoders read."""
    robot, q0, qd0 = moving("rr")
    run = motion(robot, q0, qd0, time=0.5)
    sensors, table = encoders(robot, run, 1e-3, np.random.default_rng(0))
    return robot, {"t": run.t, **table, **torques(robot, run)}, sensors, q0


def test_wrong_units_are_said_with_the_sensor_or_the_times(swung):
    robot, table, sensors, q0 = swung
    turned = {name: np.degrees(x) if name == "enc joint2" else x for name, x in table.items()}
    with pytest.raises(
        sg.InputError, match=r"enc joint2 is off by .* of its standard deviations; .*units and names of sensors"
    ):
        sg.estimate(robot, turned, sensors=sensors, q0=q0)
    with pytest.raises(
        sg.InputError, match=r"diverges at t = .* steps are up to 20 s long \(check the unit of the times"
    ):
        sg.estimate(robot, {**table, "t": 1e3 * table["t"]}, sensors=sensors, q0=q0)


def test_swapped_sensors_leave_doubts(swung):
    robot, table, sensors, q0 = swung
    swapped = {**table, "enc joint1": table["enc joint2"], "enc joint2": table["enc joint1"]}
    found = sg.estimate(robot, swapped, sensors=sensors, q0=q0)
    assert min(found.misfit.values()) > 10.0
    assert any("the residuals of enc joint1 are" in doubt for doubt in found.doubts)
    assert "doubts>" in repr(found)
    right = sg.estimate(robot, table, sensors=sensors, q0=q0)
    assert right.doubts == ()
    assert all(0.7 < size < 1.3 for size in right.misfit.values())


def test_what_only_priors_determine_is_named(swung):
    """A torque makes up for whatever the other joint does: what is found is near the priors, or where they end."""
    robot, table, sensors, q0 = swung
    one = {"t": table["t"], "enc joint1": table["enc joint1"]}
    found = sg.estimate(robot, one, sensors=sensors, q0=q0, inputs=["joint1", "joint2"])
    assert found.doubts == ("the measurements hardly determine q:joint2[0]: what is found lies near the priors",)
    with pytest.raises(sg.InputError, match=r"the measurements hardly determine q:joint2\[0\] \(add sensors that do"):
        sg.estimate(robot, one, sensors=sensors, q0=[q0[0], q0[1] + 2.0], inputs=["joint1", "joint2"])


@pytest.mark.suite
def test_a_spin_that_no_sensor_sees_is_named():
    """The coupler of an RSSR linkage turns about its own line, on which the sensors do not depend."""
    it = random_robot(np.random.default_rng([2, 0]), "loop")
    table = draw(it, np.random.default_rng(2000)).table
    sensors = [sensor for sensor in it.sensors if sensor["sensor"] != "marker"]
    seen = {name: values for name, values in table.items() if "marker" not in name}
    start = {"q0": it.start[0], "qd0": it.start[1], "noise": ModelNoise(position=0.3)}
    found = sg.estimate(it.model, seen, tuple(it.parameters), sensors=sensors, **start)
    assert found.status is Status.CONVERGED
    assert found.unobserved == ("q:joint2[0]",)
    assert found.q_sigma[0, 1] > 100.0 * found.q_sigma[0, [0, 2, 3, 4]].max()
    assert all(0.7 < size < 1.3 for size in found.misfit.values())


def pushed(a):
    """A body that slides under a force of 1 N with acceleration a, and what is measured of it."""
    joint = Joint("x", Prismatic((1.0, 0.0, 0.0)), "world", "body")
    slider = tree("slider", [Link("world"), Link("body", BODY)], [joint])
    t = 0.05 * np.arange(20)
    sensors = [{"sensor": "ruler", "joint_position": "x", "sigma": 1e-3}]
    return slider, {"t": t, "ruler": 0.5 * a * t**2, "tau:x": np.ones(20)}, sensors


def test_a_mass_that_the_file_says_wrongly_raises_no_doubt():
    slider, table, sensors = pushed(1.0 / (3.0 * BODY.mass))
    found = sg.estimate(slider, table, ("body.mass",), sensors=sensors)  # a warning would fail this test
    assert abs(found.parameters["body.mass"] - 3.0 * BODY.mass) < 1e-2 * BODY.mass
    assert found.doubts == ()


def test_a_negative_mass_is_refused():
    slider, table, sensors = pushed(-1.0 / BODY.mass)
    with pytest.raises(sg.InputError, match=r"the mass or inertia of body comes out negative: body\.mass = -"):
        sg.estimate(slider, table, ("body.mass",), sensors=sensors)
