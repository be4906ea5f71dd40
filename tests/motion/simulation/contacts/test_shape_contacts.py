"""Contacts of collision shapes are as near to the ground as the shapes: their support functions are known."""

from __future__ import annotations

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot.shapes.cylinder import RIM
from screwgraph.motion.simulation.contacts.shape_contacts import contacts_of_shapes
from screwgraph.spatial.exponential import exp3

BODY = """<sdf version="1.9"><model name="m"><link name="body"><inertial><mass>1</mass></inertial>
<collision name="c"><pose>0.3 -0.2 0.1 0.4 -0.7 1.1</pose><geometry>{}</geometry></collision></link></model></sdf>"""
SHAPES = {
    "sphere": ("<sphere><radius>0.2</radius></sphere>", lambda d: 0.2),
    "box": ("<box><size>0.2 0.4 0.6</size></box>", lambda d: np.abs(d) @ [0.1, 0.2, 0.3]),
    "capsule": ("<capsule><radius>0.1</radius><length>0.5</length></capsule>", lambda d: 0.1 + 0.25 * abs(d[2])),
    "cylinder": (
        "<cylinder><radius>0.1</radius><length>0.5</length></cylinder>",
        lambda d: 0.1 * np.hypot(d[0], d[1]) + 0.25 * abs(d[2]),
    ),
    "ellipsoid": ("<ellipsoid><radii>0.1 0.2 0.3</radii></ellipsoid>", lambda d: np.linalg.norm(d * [0.1, 0.2, 0.3])),
}
COARSE = {"cylinder": 0.1 * (1.0 - np.cos(np.pi / RIM)), "ellipsoid": 0.3}
"""How much nearer (m) the shape may be than its points."""


@pytest.mark.parametrize("name", SHAPES)
def test_points_are_as_low_as_the_shape(name):
    text, support = SHAPES[name]
    robot, rng = sg.load(BODY.format(text), base="floating"), np.random.default_rng(0)
    (link,) = (link for link in robot.links if link.collisions)
    (T,) = (visual.T_bs for visual in link.collisions)
    np.testing.assert_allclose(T[:3, 3], [0.3, -0.2, 0.1])
    contacts = contacts_of_shapes(robot)
    assert {contact.frame for contact in contacts} == {"body"}
    for _ in range(20):
        down = exp3(rng.normal(size=3)).astype(float)[2]
        far = max(down @ contact.at + contact.radius for contact in contacts)
        exact = down @ T[:3, 3] + support(T[:3, :3].T @ down)
        assert -1e-12 < exact - far < COARSE.get(name, 0.0) + 1e-12
        if name == "ellipsoid":  # it touches its planes at its points, and those of its axes
            axis = T[:3, rng.integers(3)]
            far = max(axis @ contact.at for contact in contacts)
            assert far == pytest.approx(axis @ T[:3, 3] + support(T[:3, :3].T @ axis), abs=1e-12)
