"""Planar mechanisms as scenes: points of bodies are where the mechanism has them."""

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
