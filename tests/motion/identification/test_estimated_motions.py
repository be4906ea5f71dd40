"""Identification with the motion estimated along with the parameters: joints, ball joints, loops, floating bases."""

from __future__ import annotations

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot import (
    Joint,
    Link,
    Loop,
)
from screwgraph.model.robot.joints import Revolute, Spherical, Universal
from screwgraph.spatial import SpatialInertia
from tests.motion.identification.motions import fourier, projected_torques, smooth, truth_of
from tests.suites import in_suites


@pytest.mark.parametrize("noise", [1e-4, 2e-3])
def test_a_motion_that_is_estimated_with_the_parameters(noise):
    """Noise of positions of 0.1 degrees biases parameters of a filtered motion, those of an estimated one not."""
    robot = sg.load("rr")
    t, q, qd, qdd = fourier(2, 2000, 0.005)
    tau, rng = sg.inverse_dynamics(robot)(q, qd, qdd), np.random.default_rng(0)
    log = {"t": t, "q": q + noise * rng.standard_normal(q.shape), "tau": tau + 0.05 * rng.standard_normal(q.shape)}
    found = {way: sg.identify(robot, log, motion=way, cutoff=10.0) for way in ("filtered", "estimated")}
    joint = found["estimated"]
    exact = truth_of(robot, joint)
    off = {way: one.base_values - exact for way, one in found.items()}
    assert np.abs(off["estimated"]).max() < 0.02 * np.abs(exact).max()
    assert (np.abs(off["estimated"]) < 5.0 * joint.base_sigma).all()
    if noise > 1e-3:
        assert np.abs(off["filtered"]).max() > 5.0 * np.abs(off["estimated"]).max()


def ball_arm() -> sg.Robot:
    turn = np.array([[1.0, 0.0, 0.0, 0.3], [0.0, 0.0, -1.0, 0.1], [0.0, 1.0, 0.0, 0.2], [0.0, 0.0, 0.0, 1.0]])
    body = SpatialInertia.of_body(1.0, np.array([0.1, 0.2, 0.3]), np.diag([0.02, 0.03, 0.04]))
    kinds = {"a": Revolute(), "b": Spherical(), "c": Revolute()}
    links = (Link("base"), *(Link(f"link_{name}", body) for name in kinds))
    pairs = zip(kinds.items(), links[:-1], links[1:], strict=True)
    return sg.Robot("ball_arm", links, tuple(Joint(n, kind, p.name, c.name, turn) for (n, kind), p, c in pairs))


ESTIMATED = {
    "ball joint": (ball_arm, 1e-3, 0.6),
    "planar loop": (lambda: sg.load("five_bar"), 5e-3, 0.3),
    "spatial loops": (lambda: sg.load("stewart_gough"), 1e-3, 0.06),
    "floating arm": (lambda: sg.load("rrr", base="floating"), 1e-3, 0.3),
}


@pytest.mark.parametrize("kind", [in_suites(kind) if kind == "spatial loops" else kind for kind in ESTIMATED], ids=str)
@pytest.mark.sampled(3)
def test_a_motion_on_a_manifold_is_estimated_with_the_parameters(kind):
    """Torques by Pinocchio's tree, projected. Of the floating base's, which act by a rig, 2 % is noise, too."""
    make, noise, size = ESTIMATED[kind]
    robot, rng = make(), np.random.default_rng(0)
    t, q, qd, qdd = smooth(robot, 700, 0.005, size=size)
    tau = projected_torques(robot, q, qd, qdd)
    log = {
        "t": t,
        "q": sg.integrate(robot)(q, noise * rng.standard_normal(qd.shape)),
        "tau": tau + 0.02 * np.sqrt((tau**2).mean(axis=0)) * rng.standard_normal(tau.shape),
    }
    filtered, found = (sg.identify(robot, log, motion=way, cutoff=6.0) for way in ("filtered", "estimated"))
    truth = truth_of(robot, found)
    off = {way: np.linalg.norm(x.base_values - truth) for way, x in (("filtered", filtered), ("estimated", found))}
    whitened = (found.base_values - truth) / found.base_sigma
    assert np.abs(whitened).max() < 4.5
    assert 0.3 < np.sqrt((whitened**2).mean()) < 1.5
    assert off["estimated"] < off["filtered"]
    np.testing.assert_allclose(list(found.noise.values()), 0.02 * np.sqrt((tau**2).mean(axis=0)), rtol=0.2)


def test_a_motion_of_a_part_of_a_joint_is_refused():
    """A body on a ball joint that a universal joint holds, too: two of three coordinates lead."""
    links = (Link("base"), Link("body", SpatialInertia.of_body(1.0, np.ones(3) / 9.0, np.diag([0.02, 0.03, 0.04]))))
    held = Loop("hook", Universal(), "base", "body")
    robot = sg.Robot("held", links, (Joint("b", Spherical(), "base", "body"),), loops=(held,))
    log = {"t": np.arange(50) * 0.01, "q": np.tile(robot.neutral(), (50, 1)), "tau": np.zeros((50, robot.nv))}
    with pytest.raises(sg.InputError, match=r"some coordinates of joint 'b'.*with_independent_joints"):
        sg.identify(robot, log, motion="estimated")
