"""Mechanisms as scenes: points of bodies are where the mechanism has them."""

from __future__ import annotations

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.ui import view


@pytest.mark.parametrize("name", ["four_bar", "parallel_robot", "slider_crank"])
def test_corners_of_bodies_lie_on_their_points(name):
    mechanism = sg.load_mechanism(name)
    q = np.tile(mechanism.home, (2, 1))
    scene = view.mechanism_scene(mechanism, np.array([0.0, 1.0]), q)
    for planar, body in zip(mechanism.bodies, scene.bodies, strict=True):
        np.testing.assert_allclose(np.linalg.det(body.poses), 1.0)
        for point, (a, b) in zip(planar.points, planar.shape, strict=True):
            corner = body.poses[0] @ [float(a), float(b), 0.0, 1.0]
            np.testing.assert_allclose(corner[:2], mechanism.position(q[0], point), atol=1e-9)
    assert view.html(scene)


def test_a_motion_that_does_not_fit_is_refused():
    with pytest.raises(sg.InputError, match=r"q \(1, 1\)"):
        view.mechanism_scene(sg.load_mechanism("four_bar"), np.zeros(1), np.zeros((1, 1)))


def test_bodies_in_space_stand_where_their_frames_are():
    mechanism = sg.load_mechanism("rssr")
    run = sg.simulate(mechanism, time=0.1, dt=1e-2)
    scene = view.mechanism_scene(mechanism, run.t, run.q)
    names = [body.name for body in scene.bodies]
    for name in ("crank", "rocker"):
        poses = sg.forward_kinematics(mechanism, name)(run.q)
        np.testing.assert_allclose(scene.bodies[names.index(name)].poses, poses, atol=1e-9)
    rod = scene.bodies[names.index("coupler")].poses
    np.testing.assert_allclose(rod[:, :3, 0] * 1.5, run.q[:, 3:6] - run.q[:, :3], atol=1e-9)
    assert scene.up == (0.0, 0.0, 1.0)


def test_forces_of_the_ground_stand_on_points():
    """A rod of 2 kg at rest on its ends: half its weight on each, as a line of 0.3 of its length."""
    rod = sg.load_mechanism(
        "points: [{name: P, x: 0, y: 0}, {name: Q, x: 1, y: 0}]\n"
        "bodies: [{name: rod, points: [P, Q], length: 1, mass: 2, cog: [0.5, 0], I0: 0.6667}]\n"
    )
    run = sg.simulate(rod, time=0.3, dt=1e-2, contacts=[sg.Contact("P"), sg.Contact("Q")])
    (forces,) = (line for line in view.trajectory_scene(run).lines if line.name == "forces")
    feet, tips, _ = np.moveaxis(forces.points.reshape(-1, 2, 3, 3), 2, 0)
    np.testing.assert_allclose(feet[-2], [[0, 0, 0], [1, 0, 0]], atol=1e-4)
    np.testing.assert_allclose(tips[-2] - feet[-2], [[0, 0.3, 0]] * 2, atol=1e-3)
