"""Wrong logs are doubted, right ones are not."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.mechanics.dynamics.regressor import linear_parameters
from screwgraph.model.robot.parameters import parameters_of
from screwgraph.motion.identification.models.robot import apply_parameters
from screwgraph.spatial import SpatialInertia
from tests.motion.identification.motions import projected_torques, smooth
from tests.robots import robot_file

RIGHT = ("rr", "rrr", "acrobot", "cart_pole", "five_bar", "puma560", "differential", "belt_leg", "iiwa14", "ur5.urdf")
LONG = ("panda", "a1", "stewart_gough", "kinova.urdf", "kuka_iiwa.urdf", "solo12.urdf", "go2.urdf", "talos_arm.urdf")


@cache
def log_of(name: str) -> tuple[sg.Robot, dict[str, np.ndarray]]:
    """Return a robot, and the log of one whose bodies are up to twice as heavy or light as the file's."""
    robot, rng = sg.load(robot_file(name) if "." in name else name), np.random.default_rng(len(name))
    own = parameters_of(robot, linear_parameters(robot))
    truth = np.concatenate([p.nominal(robot) * np.exp(0.3 * rng.standard_normal()) for p in own])
    t, q, qd, qdd = smooth(robot, 1500, 0.01, seed=1, size=0.2 if robot.is_closed else 0.8)
    tau = projected_torques(apply_parameters(robot, own, truth), q, qd, qdd)
    return robot, {"t": t, "q": q, "qd": qd, "qdd": qdd, "tau": tau}


def noisy(tau: np.ndarray, part: float, seed: int = 0) -> np.ndarray:
    return tau + part * np.sqrt((tau**2).mean(axis=0)) * np.random.default_rng(seed).standard_normal(tau.shape)


def test_right_logs_have_no_doubts():
    for name in ("rr", "acrobot", "five_bar"):
        check_right(name)


@pytest.mark.suite
@pytest.mark.parametrize("name", [*RIGHT, *LONG])
def test_right_logs_of_many_robots_have_no_doubts(name):
    check_right(name)


def check_right(name: str) -> None:
    robot, log = log_of(name)
    for part in (0.0, 0.01, 0.05, 0.2):
        found = sg.identify(robot, {**log, "tau": noisy(log["tau"], part)})
        assert [doubt for doubt in found.doubts if "motion does not show" not in doubt] == []
        assert bool(found.doubts) == bool(found.unexcited)


def degrees(log):
    return {name: np.degrees(x) if name in ("q", "qd", "qdd") else x for name, x in log.items()}


def shuffled(log, *names):
    order = np.random.default_rng(0).permutation(len(log["t"]))
    return {name: x[order] if name in names else x for name, x in log.items()}


def with_torque(log, more):
    return {**log, "tau": log["tau"] + more}


WRONG = {
    "other sign": (lambda log: {**log, "tau": -log["tau"]}, "other sign"),
    "zero": (lambda log: {**log, "tau": 0.0 * log["tau"]}, "all torques are zero"),
    "degrees": (degrees, "are not explained"),
    "shuffled torques": (lambda log: shuffled(log, "tau"), "are not explained"),
    "shuffled positions": (
        lambda log: shuffled(log, "q"),
        "velocities of joint1, joint2 are not those of the positions",
    ),
    "other units": (lambda log: {**log, "tau": 1e3 * log["tau"]}, "torques are .* times those"),
    "sign of one joint": (lambda log: {**log, "tau": log["tau"] * [1.0, -1.0]}, "no real body"),
    "swapped joints": (lambda log: {**log, "tau": log["tau"][:, ::-1]}, "no real body|not modelled"),
    "delay": (lambda log: {**log, "tau": np.roll(log["tau"], 20, axis=0)}, "are .* parameters|not modelled"),
    "friction": (
        lambda log: with_torque(log, 0.1 * log["tau"].std(axis=0) * np.tanh(log["qd"] / 0.01)),
        "joint1.friction, joint2.friction",
    ),
    "damping": (
        lambda log: with_torque(log, 0.1 * log["tau"].std(axis=0) * log["qd"]),
        "joint1.damping, joint2.damping",
    ),
    "spring": (lambda log: with_torque(log, 5.0 * log["q"]), "not modelled"),
    "steady velocity": (lambda log: {**log, "qd": np.full_like(log["qd"], 2.0)}, "are not explained|not modelled"),
}


@pytest.mark.parametrize("kind", WRONG, ids=str)
def test_wrong_logs_are_doubted(kind):
    change, match = WRONG[kind]
    robot, log = log_of("rr")
    found = sg.identify(robot, change({**log, "tau": noisy(log["tau"], 0.02)}))
    assert found.doubts
    assert "doubt" in repr(found)
    with pytest.raises(AssertionError, match=match):
        raise AssertionError("; ".join(found.doubts))


def test_friction_of_a_light_machine_is_seen():
    """All masses and torques are a ten thousandth of those of the arm."""
    robot, log = log_of("rr")
    own = parameters_of(robot, linear_parameters(robot))
    light = apply_parameters(robot, own, np.concatenate([1e-4 * p.nominal(robot) for p in own]))
    tau = noisy(1e-4 * log["tau"], 0.02)
    found = sg.identify(light, with_torque({**log, "tau": tau}, 0.1 * tau.std(axis=0) * np.tanh(log["qd"] / 0.01)))
    assert "joint1.friction, joint2.friction" in "; ".join(found.doubts)


def test_modelled_friction_is_no_doubt():
    robot, log = log_of("rr")
    names = [*linear_parameters(robot), "joint1.friction", "joint2.friction", "joint1.damping", "joint2.damping"]
    tau = log["tau"] + 0.5 * np.tanh(log["qd"] / 0.01) + 0.3 * log["qd"]
    assert sg.identify(robot, {**log, "tau": noisy(tau, 0.02)}, names).doubts == ()


def test_a_prior_that_is_wrong_is_doubted():
    """Priors far away, and of so much weight that torques cannot move them."""
    robot, log = log_of("rr")
    body = SpatialInertia.of_body(30.0, np.array([0.3, 0.1, 0.0]), np.eye(3)).parameters
    priors = {link.name: body for link in robot.links[1:]}
    found = sg.identify(robot, {**log, "tau": noisy(log["tau"], 0.05)}, priors=priors, prior_weight=1e5)
    assert any("the prior contradicts" in doubt for doubt in found.doubts)
    assert any("the robot leaves" in doubt for doubt in found.doubts)


@pytest.mark.parametrize("kind", ["right", "other sign", "zero", "shuffled torques", "swapped joints"])
def test_torques_of_known_bodies_count_where_only_damping_is_sought(kind):
    """The file's damping is 0: its model of the damping torques says nothing, that of the bodies does."""
    robot = sg.load("rr")
    t, q, qd, qdd = smooth(robot, 1500, 0.01, seed=1, size=0.8)
    tau = noisy(projected_torques(robot, q, qd, qdd) + [0.5, 2.0] * qd, 0.02)
    log = {"t": t, "q": q, "qd": qd, "qdd": qdd, "tau": tau}
    change = WRONG[kind][0] if kind in WRONG else dict
    found = sg.identify(robot, change(log), ["joint1.damping", "joint2.damping"])
    doubted = [doubt for doubt in found.doubts if "are not explained" in doubt or "all torques are zero" in doubt]
    assert bool(doubted) == (kind != "right")
    assert bool(found.doubts) == (kind != "right")
