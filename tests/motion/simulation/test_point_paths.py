"""Paths are where Pinocchio puts frames, and where rigid bodies carry their points."""

from __future__ import annotations

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.motion.simulation import label_of
from tests.oracle import oracle


def motion(model: sg.Robot | sg.Mechanism, q: np.ndarray) -> sg.Trajectory:
    t = np.arange(len(q), dtype=float)
    still = np.zeros((len(q), model.nv if isinstance(model, sg.Robot) else model.n))
    return sg.Trajectory(model, "given", t, q, still, still, still)


def test_a_frame_follows_pinocchio_and_a_place_goes_along():
    robot, rng = sg.load("panda"), np.random.default_rng(0)
    q = np.array([robot.random(rng) for _ in range(4)])
    run, reference = motion(robot, q), oracle(robot)
    link = robot.links[-1].name
    poses = [reference.pose(state, link) for state in q]
    np.testing.assert_allclose(run.path(link), [T[:3, 3] for T in poses], atol=1e-12)
    expected = [(T @ [0.1, 0.2, 0.3, 1.0])[:3] for T in poses]
    np.testing.assert_allclose(run.path((link, (0.1, 0.2, 0.3))), expected, atol=1e-12)
    frame = robot.frame("panda_hand_tcp")
    tool = [(reference.pose(state, frame.link) @ frame.T_lf)[:3, 3] for state in q]
    np.testing.assert_allclose(run.path("panda_hand_tcp"), tool, atol=1e-12)


def test_a_coupler_point_keeps_its_distances_from_the_bodys_points():
    mechanism = sg.load_mechanism("four_bar")
    run = sg.simulate(mechanism, time=0.5)
    curve = run.path(("coupler", (1.0, 0.5)))
    for point, distance in (("P1", np.hypot(1.0, 0.5)), ("P2", np.hypot(1.0, 0.5))):
        apart = np.linalg.norm(curve - run.path(point), axis=1)
        np.testing.assert_allclose(apart, distance, atol=1e-9)
    np.testing.assert_allclose(run.path(("coupler", (2.0, 0.0))), run.path("P2"), atol=1e-9)


def test_places_that_are_not_there_are_refused():
    robot, mechanism = sg.load("rr"), sg.load_mechanism("four_bar")
    arm, linkage = motion(robot, np.zeros((2, 2))), motion(mechanism, np.tile(mechanism.home, (2, 1)))
    for run, place in ((arm, "elbow"), (linkage, "P9"), (linkage, ("rod", (0.0, 0.0)))):
        with pytest.raises(sg.InputError, match=r"no (frame|point|body)|there is no point"):
            run.path(place)
    with pytest.raises(sg.InputError, match="is not 3 numbers"):
        arm.path((robot.links[1].name, (0.0, 0.0)))
    assert label_of(("coupler", (1.0, 0.5))) == "coupler (1, 0.5)"
