"""The zoo against Pinocchio's reading of the benchmark files, closed forms, and published results."""

# pyright: reportAttributeAccessIssue=false
# Pinocchio's compiled module declares no types.

from __future__ import annotations

from importlib.resources import files

import numpy as np
import pinocchio as pin
import pytest

from screwgraph.model.formats import load
from screwgraph.model.robot import Robot
from tests.oracle import Oracle, file_oracle, oracle, pinocchio_from_file
from tests.robots import robot_file

ZOO = sorted(p.name.removesuffix(".yaml") for p in files("screwgraph.model.zoo").iterdir() if p.name.endswith(".yaml"))
BENCHMARK = {"iiwa14": "iiwa.urdf", "panda": "panda7.urdf", "a1": "a1.urdf"}
"""Robots whose joints are called as in the file; `puma560` is compared apart."""
CLOSED = ("five_bar", "four_bar_linkage", "stewart_gough", "belt_leg", "differential")
G = 9.81


def state(robot: Robot, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return robot.random(rng), rng.normal(size=robot.nv), rng.normal(size=robot.nv)


def assert_close(actual, expected, tolerance: float = 1e-12) -> None:
    np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance * np.abs(expected).max())


def assert_same_dynamics(ours: Oracle, theirs: Oracle) -> None:
    for seed in range(5):
        q, qd, qdd = state(ours.robot, seed)
        assert_close(ours.mass_matrix(q), theirs.mass_matrix(q))
        assert_close(ours.inverse_dynamics(q, qd, qdd), theirs.inverse_dynamics(q, qd, qdd))


def test_the_zoo_holds_the_promised_robots():
    assert set(ZOO) == {"puma560", "rr", "rrr", "cart_pole", "acrobot", "iiwa14", "panda", "a1", *CLOSED}


@pytest.mark.parametrize("name", ZOO)
def test_each_robot_loads_under_its_name(name):
    assert load(name).name == name


@pytest.mark.parametrize("name", ZOO)
def test_each_file_names_its_source(name):
    assert "\nsource: " in files("screwgraph.model.zoo").joinpath(f"{name}.yaml").read_text()


@pytest.mark.parametrize("name", ZOO)
def test_each_robot_has_a_positive_definite_mass_matrix(name):
    robot = load(name)
    assert np.linalg.eigvalsh(oracle(robot).mass_matrix(state(robot)[0])).min() > 0.0


@pytest.mark.parametrize("base", ["fixed", "floating"])
@pytest.mark.parametrize("name", BENCHMARK)
def test_dynamics_are_those_of_the_benchmark_file(name, base):
    robot = load(name, base=base)
    path = robot_file(BENCHMARK[name])
    assert_same_dynamics(oracle(robot), file_oracle(robot, path, base == "floating"))


def test_puma_dynamics_are_those_of_the_benchmark_file():
    robot = load("puma560")
    model, data = pinocchio_from_file(robot_file("puma560.urdf"))
    for seed in range(5):
        q, qd, qdd = state(robot, seed)
        M = np.triu(pin.crba(model, data, q))
        assert_close(oracle(robot).mass_matrix(q), M + np.triu(M, 1).T)
        assert_close(oracle(robot).inverse_dynamics(q, qd, qdd), pin.rnea(model, data, q, qd, qdd))


@pytest.mark.parametrize(
    ("name", "file"),
    [("iiwa14", "iiwa.urdf"), ("panda", "panda.urdf"), ("a1", "a1.urdf")],
)
def test_limits_are_those_of_the_file(name, file):
    model, _ = pinocchio_from_file(robot_file(file))
    for joint in load(name).joints:
        i = model.joints[model.getJointId(joint.name)].idx_v
        theirs = [
            getattr(model, f"{what}Limit")[i] for what in ("lowerPosition", "upperPosition", "velocity", "effort")
        ]
        ours = [joint.limits.lower, joint.limits.upper, joint.limits.velocity, joint.limits.effort]
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)


@pytest.mark.parametrize(
    ("name", "frames"),
    [("panda", ["panda_hand_tcp", "panda_hand", "panda_link8"]), ("a1", ["FR_foot", "FL_foot", "RR_foot", "RL_foot"])],
)
def test_frames_lie_where_the_file_puts_them(name, frames):
    robot = load(name)
    theirs = file_oracle(robot, robot_file(BENCHMARK[name]))
    q = state(robot)[0]
    for frame in frames:
        np.testing.assert_allclose(oracle(robot).pose(q, frame), theirs.pose(q, frame), atol=1e-14)


def test_puma_tool_follows_the_published_denavit_hartenberg_table():
    robot = load("puma560")
    q = state(robot)[0]
    T = np.eye(4)
    twists, lengths = np.array([1, 0, -1, 1, -1, 0]) * np.pi / 2, [0, 0.4318, 0.0203, 0, 0, 0]
    for angle, alpha, a, d in zip(q, twists, lengths, [0, 0, 0.15005, 0.4318, 0, 0.05625], strict=True):
        c, s, ca, sa = np.cos(angle), np.sin(angle), np.cos(alpha), np.sin(alpha)
        T = T @ [[c, -s * ca, s * sa, a * c], [s, c * ca, -c * sa, a * s], [0, sa, ca, d], [0, 0, 0, 1]]
    np.testing.assert_allclose(oracle(robot).pose(q, "tool"), T, atol=1e-14)


def test_puma_gravity_torques_are_those_that_corke_publishes():
    """Corke, Robotics, Vision and Control (2011), section 9.1.3: `p560.gravload(qn)`, four decimals."""
    q = np.pi * np.array([0, 1 / 4, 1, 0, 1 / 4, 0])
    torques = oracle(load("puma560")).bias_forces(q, np.zeros(6))
    np.testing.assert_allclose(torques, [0, 31.6399, 6.0351, 0, 0.0283, 0], atol=5e-5)


def test_rr_has_the_closed_form_of_two_rods():
    (q1, q2), (w1, w2), _ = state(load("rr"))
    c2, s2, c12 = np.cos(q2), np.sin(q2), np.cos(q1 + q2)
    M = [[5 / 3 + c2, 1 / 3 + c2 / 2], [1 / 3 + c2 / 2, 1 / 3]]
    bias = [
        -s2 / 2 * (2 * w1 * w2 + w2**2) + G * (3 / 2 * np.cos(q1) + c12 / 2),
        s2 / 2 * w1**2 + G * c12 / 2,
    ]
    assert_closed_form("rr", M, bias)


def test_rrr_has_the_closed_form_of_three_rods():
    """In absolute angles: each rod carries the rods behind it as point masses at its tip."""
    q, qd, _ = state(load("rrr"))
    angle, rate, behind = np.cumsum(q), np.cumsum(qd), np.array([2, 1, 0])
    coupling = 1 / 2 + np.minimum.outer(behind, behind)
    np.fill_diagonal(coupling, 1 / 3 + behind)
    difference, to_absolute = np.subtract.outer(angle, angle), np.tril(np.ones((3, 3)))
    M = to_absolute.T @ (coupling * np.cos(difference)) @ to_absolute
    torques = (coupling * np.sin(difference)) @ rate**2 + G * (1 / 2 + behind) * np.cos(angle)
    assert_closed_form("rrr", M, to_absolute.T @ torques)


def test_cart_pole_has_the_closed_form():
    """Cart m1, bob m2 on a massless pole of length l, hanging at zero: Kelly (2017), cart-pole equations."""
    (_, angle), (_, rate), _ = state(load("cart_pole"))
    m1, m2, length = 1.0, 0.3, 0.5
    c, s = np.cos(angle), np.sin(angle)
    M = [[m1 + m2, m2 * length * c], [m2 * length * c, m2 * length**2]]
    assert_closed_form("cart_pole", M, [-m2 * length * s * rate**2, m2 * G * length * s])


def test_cart_pole_moves_right_with_x_and_with_small_theta():
    robot = oracle(load("cart_pole"))
    np.testing.assert_allclose(robot.pose(np.array([0.2, np.pi / 2]), "bob")[:3, 3], [0.7, 0, 0], atol=1e-15)
    np.testing.assert_allclose(robot.pose(np.array([0.2, np.pi]), "bob")[:3, 3], [0.2, 0, 0.5], atol=1e-15)


def test_acrobot_has_the_closed_form():
    """Spong (1995), equations (1)-(2), angles from hanging."""
    (q1, q2), (w1, w2), _ = state(load("acrobot"))
    (l1, r1, r2), (i1, i2) = (1.0, 0.5, 1.0), (0.083, 0.33)
    c2, s2, s12 = np.cos(q2), np.sin(q2), np.sin(q1 + q2)
    d11, d12, d22 = r1**2 + l1**2 + r2**2 + 2 * l1 * r2 * c2 + i1 + i2, r2**2 + l1 * r2 * c2 + i2, r2**2 + i2
    bias = [
        -l1 * r2 * s2 * (w2**2 + 2 * w1 * w2) + G * ((r1 + l1) * np.sin(q1) + r2 * s12),
        l1 * r2 * s2 * w1**2 + G * r2 * s12,
    ]
    assert_closed_form("acrobot", [[d11, d12], [d12, d22]], bias)


def assert_closed_form(name: str, M, bias) -> None:
    """Compare with Pinocchio on our model, at the state that `state` gives."""
    robot = load(name)
    q, qd, _ = state(robot)
    assert_close(oracle(robot).mass_matrix(q), M)
    assert_close(oracle(robot).bias_forces(q, qd), bias)
