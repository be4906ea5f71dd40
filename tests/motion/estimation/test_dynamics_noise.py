"""Contacts whose forces cancel: the four corners of a flat foot."""

from functools import cache

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot import Frame, Joint, Link, tree
from screwgraph.model.robot.joints import Floating, Revolute
from screwgraph.motion.estimation import ModelNoise, get_mechanics, replay_measurements
from screwgraph.motion.estimation.robots.unknowns import compute_dynamics_sigma, generalised_forces
from screwgraph.spatial import SpatialInertia
from tests.motion.simulation.robots import BODY

N, DT = 16, 0.004
SOLE = SpatialInertia.of_body(0.3, np.zeros(3), 1e-4 * np.eye(3))
CORNERS = {
    f"corner{i}": (x, y, -0.05) for i, (x, y) in enumerate([(0.1, 0.05), (0.1, -0.05), (-0.1, 0.05), (-0.1, -0.05)])
}


@cache
def monopod():
    """A floating body on an ankle with two axes and a flat, light foot."""
    below = np.eye(4)
    below[2, 3] = -0.5
    links = [Link("world"), Link("body", BODY), Link("ankle", SOLE), Link("foot", SOLE)]
    joints = [
        Joint("base", Floating(), "world", "body"),
        Joint("pitch", Revolute((0.0, 1.0, 0.0)), "body", "ankle", below),
        Joint("roll", Revolute((1.0, 0.0, 0.0)), "ankle", "foot"),
    ]
    frames = []
    for name, place in CORNERS.items():
        T = np.eye(4)
        T[:3, 3] = place
        frames.append(Frame(name, "foot", T))
    return tree("monopod", links, joints, frames=frames)


def log_of_standing():
    """Return torques that hold the robot, and what sensors read while it stands."""
    robot, rng, q = monopod(), np.random.default_rng(0), sg.neutral(monopod())
    needed = sg.bias_forces(robot)(q, np.zeros(robot.nv))
    J = np.vstack([sg.frame_jacobian(robot, corner, reference="local_world_aligned")(q)[3:] for corner in CORNERS])
    tau = needed - J.T @ np.linalg.lstsq(J[:, :6].T, needed[:6], rcond=None)[0]
    table = {"t": DT * np.arange(N)} | {f"contact:{corner}": np.ones(N) for corner in CORNERS}
    for i, joint in enumerate(robot.joint_names[1:]):
        table[f"joint_position:{joint}"] = 1e-3 * rng.standard_normal(N)
        table[f"tau:{joint}"] = np.full(N, tau[6 + i])
    for axis, felt in zip("xyz", [0.0, 0.0, 9.80665], strict=True):
        table[f"gyroscope:body_{axis}"] = 1e-2 * rng.standard_normal(N)
        table[f"accelerometer:body_{axis}"] = felt + 0.1 * rng.standard_normal(N)
    return table


def test_forces_that_cancel_leave_full_steps_their_digits():
    """Priors alone tell these apart, by 1e-6/N^2; the laws of a light foot weigh 1e14 times as much."""
    found = sg.estimate(monopod(), log_of_standing())
    assert found.result.method == "gauss_newton"
    assert found.result.iterations < 20
    weight = np.mean(sum(found.forces.values()), axis=0)
    assert weight == pytest.approx([0.0, 0.0, monopod().mass * 9.80665], abs=0.1 * monopod().mass * 9.80665)
    assert max(sigma.max() for sigma in found.forces_sigma.values()) < 2e3  # that of the prior, to rounding


def test_a_loop_of_fixed_rate_stands_on_flat_feet():
    found = replay_measurements(monopod(), log_of_standing(), 3 * DT)
    assert found.smoother.converged
    assert found.slips == ()


def test_generalised_forces_are_those_of_the_jacobian():
    robot = monopod()
    q = robot.random(np.random.default_rng(3))
    found = generalised_forces(get_mechanics(robot), tuple(CORNERS), q)
    for i, corner in enumerate(CORNERS):
        assert found[3 * i : 3 * i + 3] == pytest.approx(sg.frame_jacobian(robot, corner)(q)[3:], abs=1e-9)


def test_laws_are_as_exact_as_asked_where_no_forces_cancel():
    robot, noise = monopod(), ModelNoise()
    sigma = [
        compute_dynamics_sigma(get_mechanics(robot), pushed, sg.neutral(robot), DT, noise)
        for pushed in ((), ("corner0",))
    ]
    assert sigma[1] == pytest.approx(sigma[0])
    assert (
        compute_dynamics_sigma(get_mechanics(robot), tuple(CORNERS), sg.neutral(robot), DT, noise) >= sigma[0]
    ).all()
