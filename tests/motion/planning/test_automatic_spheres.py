"""Spheres that are made of the shapes in a robot's file: they cover these, and not much more."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import InputError
from screwgraph.model.robot import Box, Capsule, Cylinder, Ellipsoid, Robot, Sphere, Visual
from screwgraph.motion.planning.collision import automatic_spheres
from screwgraph.spatial import from_xyz_rpy

SHAPES = (
    Sphere(0.1),
    Capsule(0.05, 0.4),
    Cylinder(0.08, 0.3),
    Box((0.1, 0.15, 0.4)),
    Ellipsoid((0.1, 0.1, 0.2)),
    Ellipsoid((0.1, 0.06, 0.15)),  # three slices, of which one is about the middle
)


def _with(visuals: tuple[Visual, ...]) -> Robot:
    robot = sg.load("rr")
    links = [replace(link, visuals=visuals if link.name == "link2" else link.visuals) for link in robot.links]
    return replace(robot, links=tuple(links))


def _inside(shape, p: np.ndarray):
    x, y, z = p.T
    across = np.hypot(x, y)
    match shape:
        case Sphere():
            return np.linalg.norm(p, axis=1) < shape.radius
        case Capsule():
            return np.hypot(across, np.abs(z) - np.minimum(np.abs(z), 0.5 * shape.length)) < shape.radius
        case Cylinder():
            return (across < shape.radius) & (np.abs(z) < 0.5 * shape.length)
        case Box():
            return (np.abs(p) < 0.5 * np.array(shape.size)).all(axis=1)
        case _:
            return ((p / np.array(shape.radii)) ** 2).sum(axis=1) < 1.0


@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: type(s).__name__)
def test_spheres_cover_the_shape_and_stay_near_it(shape):
    T = from_xyz_rpy(np.array([0.1, 0.2, -0.3]), np.array([0.4, -0.2, 0.9]))
    robot = _with((Visual(shape, T),))
    robot = replace(robot, links=tuple(replace(k, visuals=k.visuals or (Visual(Sphere(0.01)),)) for k in robot.links))
    spheres = [s for s in automatic_spheres(robot) if s.link == "link2"]
    own = np.random.default_rng(0).uniform(-0.35, 0.35, (20000, 3))
    points = own @ T[:3, :3].T + T[:3, 3]
    covered = np.zeros(len(points), dtype=bool)
    for s in spheres:
        covered |= np.linalg.norm(points - np.asarray(s.centre), axis=1) <= s.radius + 1e-12
    inside = _inside(shape, own)
    assert inside.sum() > 50
    assert covered[inside].all()
    assert covered.sum() < 4 * inside.sum()


def test_links_without_shapes_are_named():
    with pytest.raises(InputError, match=r"link '\w+' has no shape to make"):
        automatic_spheres(sg.load("panda"))
