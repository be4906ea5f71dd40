"""The laws of the pages operational_space.md and impedance.md on other arms, through singular poses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot import Joint, Link, Robot, tree
from screwgraph.model.robot.joints import Revolute
from screwgraph.model.robot.parts import Limits
from screwgraph.spatial import SpatialInertia
from tests.docs.pages import ROOT, blocks
from tests.robots import robot_file

PAGES = {"operational_space": 'sg.load("panda"), "panda_hand_tcp"', "impedance": 'sg.load("ur10.urdf"), "tool0"'}
"""The pages, and what the laws are for in each."""
DT = 2e-3


def ur10e() -> Robot:
    """Return an arm of the UR10e's published lengths, masses and limits; its last axis turns 1.3e-4 kg m^2."""
    rows = [  # a, alpha, d (Denavit & Hartenberg); mass, its centre; principal moments; largest torque
        (0.0, np.pi / 2, 0.1807, 7.369, (0.021, 0.0, 0.027), (0.03, 0.03, 0.02), 330.0),
        (-0.6127, 0.0, 0.0, 13.051, (0.38, 0.0, 0.158), (0.04, 0.3, 0.3), 330.0),
        (-0.57155, 0.0, 0.0, 3.989, (0.24, 0.0, 0.068), (0.01, 0.1, 0.1), 150.0),
        (0.0, np.pi / 2, 0.17415, 2.1, (0.0, 0.007, 0.018), (0.003, 0.003, 0.002), 56.0),
        (0.0, -np.pi / 2, 0.11985, 1.98, (0.0, 0.007, 0.018), (0.003, 0.003, 0.002), 56.0),
        (0.0, 0.0, 0.11655, 0.615, (0.0, 0.0, -0.026), (3e-4, 3e-4, 1.3e-4), 56.0),
    ]
    links, joints, origin = [Link("base")], [], np.eye(4)
    for i, (a, alpha, d, mass, centre, moments, effort) in enumerate(rows, start=1):
        c, s = np.cos(alpha), np.sin(alpha)
        end = np.array([[1.0, 0.0, 0.0, a], [0.0, c, -s, 0.0], [0.0, s, c, d], [0.0, 0.0, 0.0, 1.0]])
        R = end[:3, :3]
        body = SpatialInertia.of_body(mass, R @ centre + end[:3, 3], R @ np.diag(moments) @ R.T)
        limits = Limits(effort=effort)
        joints.append(Joint(f"joint{i}", Revolute((0.0, 0.0, 1.0)), links[-1].name, f"link{i}", origin, limits=limits))
        links.append(Link(f"link{i}", body))
        origin = end
    return tree("ur10e", links, joints)


ARMS = {
    "ur5": (lambda: sg.load(robot_file("ur5_robot.urdf")), "ee_link", (0.3, -1.2, 1.6, -1.9, -1.3, 0.2)),
    "ur10e": (ur10e, "link6", (0.3, -1.2, 1.6, -1.9, -1.3, 0.2)),
    "panda": (lambda: sg.load("panda"), "panda_hand_tcp", (0.0, -0.5, 0.0, -2.0, 0.0, 1.6, 0.8)),
    "iiwa14": (lambda: sg.load("iiwa14"), "tool", (0.3, 0.6, 0.0, -1.3, 0.0, 0.9, 0.2)),
}


@pytest.fixture(scope="module", params=ARMS)
def robot(request) -> str:
    return request.param


@pytest.fixture(scope="module")
def laws(robot) -> dict[str, Any]:
    """The names of the pages for another arm: what their blocks define, up to what they simulate."""
    load, tool, start = ARMS[robot]
    names: dict[str, Any] = {"ROBOT": load(), "TOOL": tool}
    for page, loaded in PAGES.items():
        texts = [b.text for b in blocks(ROOT / "docs" / "howto" / f"{page}.md") if "\ndef " in b.text]
        assert loaded in texts[0]
        for text in texts:
            if not any(word in text for word in ("mujoco", "by_hand", "pushed(")):
                exec(text.replace(loaded, "ROBOT, TOOL"), names)
    return {**names, "q0": np.array(start)}


def targets(laws):
    """Return the pose at the start, and one along the same ray far out of reach."""
    near = laws["pose"](laws["q0"])
    far = near.copy()
    far[:3, 3] *= 3.0
    return near, far


def lightness(laws, q):
    """Return the largest apparent inertia that the law takes for exact, relative to the tool's, and a condition."""
    J, S = laws["J_of"](q), np.sqrt(np.outer(laws["HEAVIEST"], laws["HEAVIEST"]))
    values = np.linalg.eigvalsh(S * (J @ np.linalg.solve(laws["M_of"](q), J.T)))
    return values[0], values[-1] / values[0]


@pytest.mark.sampled(4)
def test_an_arm_that_stretches_out_comes_to_rest_and_back(laws):
    (near, far), q0 = targets(laws), laws["q0"]
    arm = sg.Simulator(laws["robot"], DT, q0)
    assert laws["follow"](arm, far, q0, 2000) < 5.0
    assert np.abs(arm.qd).max() < 0.02
    assert lightness(laws, arm.q)[0] < 0.1  # in some direction, the tool is ten times too heavy
    assert laws["follow"](arm, near, q0, 2000) < 5.0
    np.testing.assert_allclose(laws["pose"](arm.q), near, atol=1e-3)


def test_without_damping_the_law_asks_for_far_more_than_there_is(laws):
    (_, far), q0 = targets(laws), laws["q0"]
    arm = sg.Simulator(laws["robot"], DT, q0)
    undamped = {**laws, "apparent_inertia": lambda A: np.linalg.inv(A + 1e-9 * np.eye(6))}
    for name in ("operational_space", "follow"):
        undamped[name] = type(laws[name])(laws[name].__code__, undamped, name, laws[name].__defaults__)
    assert undamped["follow"](arm, far, q0, 1000) > 50.0


def test_the_law_is_exact_where_the_tool_is_light(laws):
    """The tool accelerates as it is told to, whatever the posture."""
    rng, robot, names = np.random.default_rng(0), laws["robot"], laws
    F = sg.forward_dynamics(robot)
    for _ in range(20):
        q = names["q0"] + 0.1 * rng.normal(size=robot.nv)
        qd, xdd, posture = rng.normal(size=robot.nv), rng.normal(size=6), rng.normal(size=robot.nv)
        least, condition = lightness(names, q)
        assert least >= 1.0
        tau = names["operational_space"](q, qd, xdd, posture)
        found = names["drift_of"](q, qd, F(q, qd, tau))
        np.testing.assert_allclose(found, xdd, atol=1e-11 * condition)


def test_the_apparent_inertia_is_bounded_at_any_pose(laws):
    rng, robot = np.random.default_rng(1), laws["robot"]
    S = np.sqrt(np.outer(laws["HEAVIEST"], laws["HEAVIEST"]))
    poses = [*rng.uniform(-np.pi, np.pi, size=(200, robot.nv)), np.zeros(robot.nv), np.full(robot.nv, np.pi / 2)]
    sizes = []
    for q in poses:
        J = laws["J_of"](q)
        A = J @ np.linalg.solve(laws["M_of"](q), J.T)
        sizes.append(np.linalg.eigvalsh(laws["apparent_inertia"](A) / S)[-1])
    assert max(sizes) <= 0.5 * (1.0 + np.sqrt(5.0)) + 1e-9  # of w / (w^2 + (1 - w)^2 / 4), at w = 1 / sqrt(5)


@pytest.mark.sampled(2)
def test_a_force_moves_the_tool_by_the_compliance_and_it_comes_back_from_afar(laws):
    (near, far), q0 = targets(laws), laws["q0"]
    arm = sg.Simulator(laws["robot"], DT, q0)
    push = np.array([0.0, 0.0, 0.0, 0.0, 8.0, 0.0])
    for _ in range(1500):
        arm.step(laws["impedance"](arm.q, arm.qd, near, DT) + laws["J_of"](arm.q).T @ push)
    moved = laws["pose"](arm.q)[:3, 3] - near[:3, 3]
    stiffness = laws["gains"](arm.q, DT)[0]
    assert moved[1] == pytest.approx(np.linalg.inv(stiffness)[4, 4] * 8.0, rel=0.02)
    assert moved[1] == pytest.approx(8.0 / 400.0, rel=0.05)
    for target in (far, near):
        for _ in range(2500):
            arm.step(laws["impedance"](arm.q, arm.qd, target, DT))
    np.testing.assert_allclose(laws["pose"](arm.q), near, atol=1e-4)


@pytest.mark.parametrize("dt", [1e-4, 1e-3, 4e-3])
def test_gains_follow_the_rule_at_any_pose(laws, dt):
    """Every direction swings at omega dt <= 0.2; stiffness is K where that is slow; both are semidefinite."""
    rng, robot, K = np.random.default_rng(2), laws["robot"], np.diag(laws["K"])
    for q in [*rng.uniform(-np.pi, np.pi, size=(50, robot.nv)), np.zeros(robot.nv)]:
        stiffness, damping, M = laws["gains"](q, dt)
        J = laws["J_of"](q)
        A = J @ np.linalg.solve(M, J.T)
        assert dt * np.sqrt(np.abs(np.linalg.eigvals(A @ stiffness)).max()) <= 0.2 * (1.0 + 1e-6)
        assert dt * np.abs(np.linalg.eigvals(A @ damping)).max() <= 2.0 * 0.7 * 0.2 * (1.0 + 1e-6)
        for gain in (stiffness, damping, np.diag(K) - stiffness):
            assert np.linalg.eigvalsh(gain)[0] > -1e-6 * K.max()


def test_gains_of_a_heavy_wrist_throw_a_light_one_about():
    """What the rule is for: the same numbers for all arms."""
    robot, (_, tool, start) = ur10e(), ARMS["ur10e"]
    J_of, bias = sg.frame_jacobian(robot, tool, reference="local_world_aligned"), sg.bias_forces(robot)
    D, arm = np.diag([4.0] * 3 + [50.0] * 3), sg.Simulator(robot, 1e-3, start, np.full(6, 1e-3))

    def damp():
        for _ in range(2000):
            J = J_of(arm.q)
            arm.step(bias(arm.q, arm.qd) - J.T @ (D @ (J @ arm.qd)) - 0.5 * arm.qd)

    with pytest.raises(sg.InputError, match="diverged"):
        damp()
