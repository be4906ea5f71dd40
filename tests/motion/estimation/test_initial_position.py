"""Searches that begin where first readings say, of robots that stand far from where they are neutral."""

from functools import cache

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.formats import read_table
from screwgraph.model.robot import Frame, Joint, Link, tree
from screwgraph.model.robot.joints import Floating, Prismatic, Revolute
from screwgraph.motion.estimation import get_mechanics, replay_measurements
from screwgraph.motion.estimation.initial_position import find_initial_position
from screwgraph.motion.estimation.readings.sensors import SensorResidual, parse_sensors, sensors_from_columns
from screwgraph.spatial import SpatialInertia
from screwgraph.spatial.quaternions import exponential, from_rotation, product, to_rotation
from tests.motion.estimation.readings.test_missing_measurements import slider
from tests.motion.estimation.robots import moving
from tests.motion.simulation.robots import BODY

N, DT = 16, 0.01
LEGS = {"front": (0.3, 0.0), "left": (-0.2, 0.25), "right": (-0.2, -0.25)}
LIGHT = SpatialInertia.of_body(0.1, np.zeros(3), 1e-3 * np.eye(3))
FEET = tuple(f"{leg}_foot" for leg in LEGS)


@cache
def stool():
    """A floating body on three legs, which can be drawn in."""
    links, joints, frames = [Link("world"), Link("body", BODY)], [Joint("base", Floating(), "world", "body")], []
    for leg, place in LEGS.items():
        at = np.eye(4)
        at[:2, 3] = place
        links.append(Link(leg, LIGHT))
        joints.append(Joint(f"{leg}_leg", Prismatic((0.0, 0.0, -1.0)), "body", leg, at))
        frames.append(Frame(f"{leg}_foot", leg, np.eye(4)))
    return tree("stool", links, joints, frames=frames)


@cache
def tripod():
    """A floating body on three legs, each with a hip and a knee."""
    links, joints, frames = [Link("world"), Link("body", BODY)], [Joint("base", Floating(), "world", "body")], []
    for leg, place in LEGS.items():
        at, below = np.eye(4), np.eye(4)
        at[:2, 3], below[2, 3] = place, -0.3
        links += [Link(f"{leg}_thigh", BODY), Link(f"{leg}_shank", BODY)]
        joints.append(Joint(f"{leg}_hip", Revolute((0.0, 1.0, 0.0)), "body", f"{leg}_thigh", at))
        joints.append(Joint(f"{leg}_knee", Revolute((0.0, 1.0, 0.0)), f"{leg}_thigh", f"{leg}_shank", below))
        frames.append(Frame(f"{leg}_foot", f"{leg}_shank", below))
    return tree("tripod", links, joints, frames=frames)


def standing(robot, tilt, posture):
    """Return a position, the torques that hold it, and a table of what sensors read there."""
    rng = np.random.default_rng(0)
    q = sg.neutral(robot)
    q[3:7] = exponential(np.array(tilt))
    q[7:] = posture
    needed = sg.bias_forces(robot)(q, np.zeros(robot.nv))
    J = np.vstack([sg.frame_jacobian(robot, foot, reference="local_world_aligned")(q)[3:] for foot in FEET])
    tau = needed - J.T @ np.linalg.lstsq(J[:, :6].T, needed[:6], rcond=None)[0]
    table = {"t": DT * np.arange(N)}
    for i, joint in enumerate(robot.joint_names[1:]):
        table[f"joint_position:{joint}"] = q[7 + i] + 1e-3 * rng.standard_normal(N)
        table[f"tau:{joint}"] = np.full(N, tau[6 + i])
    felt = to_rotation(q[3:7]).T @ [0.0, 0.0, 9.80665]
    for i, axis in enumerate("xyz"):
        table[f"gyroscope:body_{axis}"] = 1e-2 * rng.standard_normal(N)
        table[f"accelerometer:body_{axis}"] = felt[i] + 0.1 * rng.standard_normal(N)
    return q, tau, table | {f"contact:{foot}": np.ones(N) for foot in FEET}


def test_a_loop_of_fixed_rate_begins_without_a_start():
    q, _, table = standing(stool(), (0.5, -0.4, 0.0), [1.2, 0.9, 1.0])
    found = replay_measurements(stool(), table, 0.03)
    assert found.smoother.converged
    assert found.slips == ()
    sigma = found.smoother.sigma()
    assert np.abs(sg.difference(stool())(found.smoother.q, q) / sigma["q"]).max() < 4.0
    assert np.abs(found.run.q[:, 7:] - q[7:]).max() < 5e-3
    weight = sum(force[2] for force in found.smoother.forces.values())
    assert weight == pytest.approx(
        stool().mass * 9.80665, rel=0.15
    )  # the accelerometer may be off by a twentieth of gravity


def test_a_contact_does_not_depend_on_the_heading():
    """Where nothing observes the heading, full steps diverge if residuals turn with it."""
    robot, rng = stool(), np.random.default_rng(2)
    q, qd = robot.random(rng), rng.standard_normal(robot.nv)
    turned, heading = q.copy(), exponential(np.array([0.0, 0.0, 0.7]))
    turned[:3], turned[3:7] = to_rotation(heading) @ q[:3], product(heading, q[3:7])
    (sensor,) = parse_sensors(get_mechanics(robot), sensors_from_columns(["contact:left_foot"]))
    reading = SensorResidual(get_mechanics(robot), (sensor.place,))
    before, after = (np.asarray(reading(x, qd, measured=np.ones(1)), dtype=float) for x in (q, turned))
    assert after == pytest.approx(before)
    J = sg.frame_jacobian(robot, "left_foot", reference="local_world_aligned")(q)
    assert np.linalg.norm(before) == pytest.approx(np.linalg.norm(J[3:] @ qd))


@pytest.mark.suite
@pytest.mark.parametrize(("make", "posture"), [(stool, [1.2, 0.9, 1.0]), (tripod, 3 * [0.9, -1.7])])
def test_a_heading_that_nothing_observes_lets_full_steps_converge(make, posture):
    """They diverge where residuals of contacts, or forces, turn with the heading."""
    q, _, table = standing(make(), (0.1, -0.15, 0.0), posture)
    found = sg.estimate(make(), table)
    assert found.result.method == "gauss_newton"
    assert found.result.iterations < 20
    assert found.slips == ()
    assert np.abs(found.q[:, 7:] - q[7:]).max() < 5e-3
    sums, weight = np.mean(sum(found.forces.values()), axis=0), make().mass * 9.80665
    assert sums == pytest.approx([0.0, 0.0, weight], abs=0.1 * weight)  # in the base's axes, not in tilted ones


def told(robot, table, q0=None):
    """Return the position that columns KIND:TARGET tell."""
    mechanics = get_mechanics(robot)
    start = sg.neutral(robot) if q0 is None else q0
    return find_initial_position(mechanics, parse_sensors(mechanics, sensors_from_columns(table)), table, start, 1.0)


def test_a_measured_pose_of_any_frame_gives_the_base():
    robot = stool()
    q = robot.random(np.random.default_rng(1))
    T = get_mechanics(robot).pose("left_foot", q)
    table = {f"joint_position:{joint}": [np.nan, q[7 + i]] for i, joint in enumerate(robot.joint_names[1:])}
    pose = [*np.asarray(T, dtype=float)[:3, 3], *from_rotation(np.asarray(T, dtype=float)[:3, :3])]
    table |= {
        f"pose:left_foot_{x}": [value] for x, value in zip(["x", "y", "z", "qx", "qy", "qz", "qw"], pose, strict=True)
    }
    assert np.abs(sg.difference(robot)(told(robot, table), q)).max() < 1e-9


@pytest.mark.parametrize("tilt", [(0.5, -0.4, 0.0), (np.pi, 0.0, 0.0), (0.0, 0.0, 0.0)])
def test_gravity_tells_the_tilt_and_points_the_place(tilt):
    robot, R = stool(), to_rotation(exponential(np.array(tilt)))
    table = {f"accelerometer:body_{x}": [value] for x, value in zip("xyz", R.T @ [0.0, 0.0, 9.81], strict=True)}
    table |= {f"position:right_foot_{x}": [value] for x, value in zip("xyz", [1.0, 2.0, 3.0], strict=True)}
    q = told(robot, table)
    assert np.abs((R - to_rotation(q[3:7]))[2]).max() < 1e-9
    assert np.asarray(get_mechanics(robot).pose("right_foot", q), dtype=float)[:3, 3] == pytest.approx([1.0, 2.0, 3.0])


def test_loops_are_closed_from_independent_joints():
    robot, q0, _ = moving("five_bar")
    q = robot.complete(np.array([q0[robot.q_slices[j]][0] + 0.1 for j in robot.independent_joints]), q0)
    table = {f"joint_position:{j}": [q[robot.q_slices[j]][0]] for j in robot.independent_joints}
    assert told(robot, table, q0) == pytest.approx(q, abs=1e-9)


def test_what_is_less_sure_than_the_start_does_not_move_it():
    mechanics = get_mechanics(slider())
    sensors = parse_sensors(mechanics, [{"sensor": "x", "joint_position": "x", "sigma": 1e-3, "bias": 0.5}])
    assert find_initial_position(mechanics, sensors, {"x": [0.3]}, np.zeros(1), 0.1) == pytest.approx([0.0])
    assert find_initial_position(mechanics, sensors, {"x": [0.3]}, np.zeros(1), 1.0) == pytest.approx([0.3])


def test_torques_that_are_missing_are_said_with_their_line(tmp_path):
    (tmp_path / "log.csv").write_text(
        "t,joint_position:x,tau:x\n" + "\n".join(f"{0.1 * k:.1f},0.3,{'nan' if k == 4 else 0}" for k in range(9))
    )
    with pytest.raises(
        sg.InputError, match=r"log.csv:6: tau:x of the measurements is missing .* t = 0.4 s.*fill it in"
    ):
        replay_measurements(slider(), read_table(tmp_path / "log.csv", missing=True), 0.3)
