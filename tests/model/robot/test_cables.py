"""Cables: lengths and lever arms beside MuJoCo's tendons, wrenches beside geometry; they follow edits and files."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import ModelError
from screwgraph.model.robot import Cable, without_loops

PLATFORM = """
bodies:
  - {link: body, joint: free, type: floating, mass: 3, com: [0.02, 0.01, 0], inertia: [0.05, 0.06, 0.07]}
"""
CORNERS = [(x, y) for x in (-1, 1) for y in (-1, 1)]
ANCHORS = [(2.0 * x, 1.5 * y, z) for z in (3.0, 0.0) for x, y in CORNERS]
ENDS = [(-0.25 * x, 0.2 * y, -0.15) for x, y in CORNERS] + [(0.25 * x, 0.2 * y, 0.15) for x, y in CORNERS]


def make_suspended(**fields) -> sg.Robot:
    """Return a platform on eight cables; those from above end on its lower side, crossed."""
    robot = sg.load(PLATFORM)
    pairs = enumerate(zip(ANCHORS, ENDS, strict=True))
    cables = tuple(Cable(f"c{i}", (("base", a), ("body", b)), **fields) for i, (a, b) in pairs)
    return replace(robot, actuators=cables)


def differences(robot: sg.Robot, q: np.ndarray, step: float = 1e-6) -> np.ndarray:
    """Return the derivatives (nv, n) of displacements along velocity coordinates, by differences."""
    ends = [[robot.displacements(robot.manifold.retract(q, s * step * e)) for s in (1, -1)] for e in np.eye(robot.nv)]
    return np.array([(a - b) / (2.0 * step) for a, b in ends])


def across(name: str, *ways: tuple[int, ...]) -> sg.Robot:
    """Return a robot with cables over some of its links, at random points."""
    robot, rng = sg.load(name), np.random.default_rng(3)
    cables = [tuple((robot.link_names[k], tuple(rng.uniform(-0.3, 0.3, 3))) for k in way) for way in ways]
    return replace(robot, actuators=tuple(Cable(f"c{i}", points) for i, points in enumerate(cables)))


ROBOTS = {
    "platform": make_suspended(),
    "arm": across("puma560", (0, 4), (2, 6), (0, 3, 5), (6, 4, 1), (5, 0)),
    "five-bar": across("five_bar", (0, 2), (1, 4), (4, 0, 3)),
}


@pytest.mark.parametrize("name", ROBOTS)
def test_lever_arms_are_the_derivatives_of_lengths(name):
    robot, rng = ROBOTS[name], np.random.default_rng(0)
    for _ in range(3):
        q = robot.random(rng)
        np.testing.assert_allclose(robot.actuation_matrix(q), differences(robot, q), atol=1e-8)


@pytest.mark.parametrize("name", ROBOTS)
def test_forward_dynamics_takes_tensions(name):
    robot, rng = ROBOTS[name], np.random.default_rng(1)
    q, qd = robot.random(rng), rng.standard_normal(robot.nv)
    if robot.is_closed:
        q = robot.close_loops(q)
        qd = robot.complete_velocity(q, [0.3, -0.5])
    tension = rng.uniform(0.0, 50.0, len(robot.actuators))
    expected = sg.forward_dynamics(robot)(q, qd, robot.actuation_torques(q, tension))
    np.testing.assert_allclose(sg.forward_dynamics(robot, actuators=True)(q, qd, tension), expected, rtol=1e-9)


def test_the_wrench_is_the_sum_of_tensions_along_cables():
    robot, rng = ROBOTS["platform"], np.random.default_rng(2)
    q, tension = robot.random(rng), rng.uniform(1.0, 50.0, 8)
    T = sg.forward_kinematics(robot, ["body"])(q)[0]
    wrench = np.zeros(6)
    for t, a, b in zip(tension, ANCHORS, ENDS, strict=True):
        way = T[:3, :3].T @ (np.array(a) - T[:3, 3]) - b
        force = t * way / np.linalg.norm(way)
        wrench += np.concatenate([np.cross(b, force), force])
    np.testing.assert_allclose(robot.actuation_torques(q, tension), wrench, rtol=1e-12)


def test_lengths_and_forces_are_those_of_mujocos_tendons():
    mujoco = pytest.importorskip("mujoco")
    places = "".join(f'<site name="a{i}" pos="{a[0]} {a[1]} {a[2]}"/>' for i, a in enumerate(ANCHORS))
    ends = "".join(f'<site name="b{i}" pos="{b[0]} {b[1]} {b[2]}"/>' for i, b in enumerate(ENDS))
    ways = "".join(f'<spatial name="c{i}"><site site="a{i}"/><site site="b{i}"/></spatial>' for i in range(8))
    motors = "".join(f'<motor tendon="c{i}" gear="-1"/>' for i in range(8))
    text = f"""<mujoco><worldbody>{places}<body><freejoint/><inertial pos="0.02 0.01 0" mass="3"
        diaginertia="0.05 0.06 0.07"/>{ends}</body></worldbody><tendon>{ways}</tendon>
        <actuator>{motors}</actuator></mujoco>"""
    model, robot, rng = mujoco.MjModel.from_xml_string(text), ROBOTS["platform"], np.random.default_rng(4)
    data, q, tension = mujoco.MjData(model), robot.random(rng), rng.uniform(0.0, 50.0, 8)
    data.qpos[:3], data.qpos[3], data.qpos[4:], data.ctrl = q[:3], q[6], q[3:6], tension
    mujoco.mj_forward(model, data)
    np.testing.assert_allclose(robot.displacements(q), -data.ten_length, rtol=1e-12)
    force, moment = np.split(data.qfrc_actuator, 2)  # in the world's axes, and in the body's
    R = sg.forward_kinematics(robot, ["body"])(q)[0][:3, :3]
    np.testing.assert_allclose(robot.actuation_torques(q, tension), np.append(moment, R.T @ force), atol=1e-9)


def test_cables_come_back_from_files_and_follow_edits(tmp_path):
    robot = replace(ROBOTS["arm"], actuators=(replace(ROBOTS["arm"].actuators[0], bounds=(2.0, np.inf)),))
    sg.save(robot, tmp_path / "arm.yaml")
    again, q = sg.load(tmp_path / "arm.yaml"), robot.random(np.random.default_rng(5))
    assert again.actuators[0].bounds == (2.0, np.inf)
    np.testing.assert_allclose(again.actuation_matrix(q), robot.actuation_matrix(q), atol=1e-12)
    arm = ROBOTS["arm"]
    still = dict.fromkeys(arm.joint_names[:4], 0.3)
    locked = sg.robot.lock(arm, still)
    assert [a.name for a in locked.actuators] == ["c1", "c2", "c3", "c4"], "c0 ends on links that no longer part"
    at = np.append(np.full(4, 0.3), q[4:])
    np.testing.assert_allclose(locked.actuation_matrix(q[4:]), arm.actuation_matrix(at)[4:, 1:], atol=1e-12)
    held = sg.robot.attach(sg.load("rr"), arm, sg.load("rr").link_names[-1], prefix="its_")
    assert held.actuators[0].name == "its_c0"
    np.testing.assert_allclose(held.actuation_matrix(np.append([0.1, 0.2], q))[2:], arm.actuation_matrix(q), atol=1e-12)
    assert len(without_loops(ROBOTS["five-bar"]).actuators) == 3


@pytest.mark.parametrize(
    ("cable", "said"),
    [
        ("[{link: base}]", "actuator 'c' has 1 points"),
        ("[{link: base}, {link: bdy}]", "actuator 'c' ends on 'bdy'"),
        ("[{link: body}, {link: body, at: [0, 0, 1]}]", "actuator 'c' moves no joint: all its points are on one link"),
        ("[{at: [0, 0, 1]}, {link: body}]", "it must have a link"),
        ("[{link: base, at: [0, 1]}, {link: body}]", "it must be 3 numbers, not 2"),
        ("[{link: base}, {link: body}], bounds: [3, 1]", "actuator 'c' has the bounds 3 and 1"),
        ("[{link: base}, {link: body}], bounds: [3]", "it must be two numbers"),
        ("[{link: base}, {link: body}], joints: {a: free}", "an actuator with 'cable' has no such key"),
    ],
)
def test_cables_that_are_none_are_refused(cable, said):
    with pytest.raises(ModelError, match=said):
        sg.load(f"{PLATFORM}actuators:\n  - {{actuator: c, cable: {cable}}}\n")
