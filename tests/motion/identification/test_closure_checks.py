"""Logs of closed chains through singular positions, and logs that loops contradict."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot import Joint, Link, Loop
from screwgraph.model.robot.joints import Revolute
from screwgraph.spatial import SpatialInertia
from tests.motion.identification.motions import projected_torques, smooth


def at(x: float) -> np.ndarray:
    T = np.eye(4)
    T[0, 3] = x
    return T


@cache
def parallelogram() -> tuple[sg.Robot, dict[str, np.ndarray]]:
    """A parallelogram whose links lie on one line at q = 0, where it may change its mode, and a motion through it."""
    body = SpatialInertia.of_body(1.0, np.array([0.2, 0.0, 0.0]), np.diag([0.02, 0.03, 0.04]))
    links = (Link("base"), *(Link(name, body) for name in ("crank", "coupler", "rocker")))
    places = (("base", "crank", 0.0), ("crank", "coupler", 0.5), ("base", "rocker", 1.0))
    joints = tuple(Joint(child, Revolute(), parent, child, at(x)) for parent, child, x in places)
    loop = Loop("pin", Revolute(), "coupler", "rocker", at(1.0), at(0.5))
    robot = sg.Robot("parallelogram", links, joints, loops=(loop,))
    t, q, qd, qdd = smooth(robot, 300, 0.01)
    return robot, {"t": t, "q": q, "qd": qd, "qdd": qdd, "tau": projected_torques(robot, q, qd, qdd)}


def test_a_motion_through_singular_positions():
    """Independent joints do not determine the others at q = 0; the noise that is found is what was put in."""
    robot, log = parallelogram()
    assert (np.diff(np.sign(log["q"][:, 0])) != 0.0).sum() > 2
    noise = 0.02 * np.sqrt((log["tau"] ** 2).mean(axis=0))
    rng = np.random.default_rng(0)
    found = sg.identify(robot, {**log, "tau": log["tau"] + noise * rng.standard_normal(log["tau"].shape)})
    np.testing.assert_allclose(list(found.noise.values()), noise, rtol=5.0 / np.sqrt(2.0 * len(log["t"])))


def test_positions_that_leave_loops_open_are_refused():
    robot, log = parallelogram()
    wrong = log["q"] * np.array([1.0, 1.0, -1.0])
    for names in (("qd", "qdd", "tau"), ("t", "tau")):  # without and with a filter
        with pytest.raises(sg.InputError, match=r"do not close the loops.*at sample \d+"):
            sg.identify(robot, {"q": wrong, **{name: log[name] for name in names}})
    noisy = log["q"] + 0.03 * np.random.default_rng(0).standard_normal(log["q"].shape)
    assert sg.identify(robot, {**log, "q": noisy}).samples > 100


@pytest.mark.parametrize("name", ["qd", "qdd"])
def test_motions_that_loops_contradict_are_said(name):
    robot, log = parallelogram()
    spiked = log[name].copy()
    spiked[7, 2] += 1e3
    what = {"qd": "velocities", "qdd": "accelerations"}[name]
    with pytest.warns(RuntimeWarning, match=f"{what} of the log do not satisfy the loops: at sample 7, that of rocker"):
        sg.identify(robot, {**log, name: spiked})
