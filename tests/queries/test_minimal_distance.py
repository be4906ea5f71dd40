"""Distances of spheres to obstacles and to each other: coal's (the collision library of Pinocchio)."""

from __future__ import annotations

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.plan.collision import BodySphere, Box, Capsule, Sphere
from screwgraph.robot import frame_pose

SPHERES = tuple(BodySphere(f"link{i}", (0.05 * i, 0.0, -0.02 * i), 0.05 + 0.01 * i) for i in range(1, 7))
OBSTACLES = (Sphere((0.6, 0.1, 0.3), 0.1), Box((-0.5, 0.2, 0.4), (0.2, 0.4, 0.6), (0.1, 0.2, 0.3)))


def test_distances_are_coals():
    coal = pytest.importorskip("coal")
    robot = sg.load("puma560")
    q = sg.random(robot, 8, seed=0)
    d = sg.minimal_distance(robot, OBSTACLES, shapes=SPHERES, each=True)(q)
    assert (sg.minimal_distance(robot, OBSTACLES, shapes=SPHERES)(q) == d.min(axis=-1)).all()
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = sg.spatial.from_xyz_rpy(np.zeros(3), np.array(OBSTACLES[1].rpy))[:3, :3], OBSTACLES[1].centre
    shapes = [(coal.Sphere(0.1), np.eye(3), np.array([0.6, 0.1, 0.3])), (coal.Box(0.2, 0.4, 0.6), T[:3, :3], T[:3, 3])]
    for state, found in zip(q, d, strict=True):
        balls = [_ball(coal, robot, state, sphere) for sphere in SPHERES]
        expected = [_distance(coal, shape, ball) for shape in shapes for ball in balls]
        apart = [(a, b) for a in range(6) for b in range(a + 2, 6)]
        expected += [_distance(coal, balls[a], balls[b]) for a, b in apart]
        outside = np.array(expected) > 1e-3  # of overlapping shapes, coal's depth is another number
        np.testing.assert_allclose(found[outside], np.array(expected)[outside], atol=1e-6)
        assert (found[~outside] < 2e-3).all()


def _ball(coal, robot, q, sphere):
    T = frame_pose(robot, robot.frame(sphere.link), q)
    return coal.Sphere(sphere.radius), T[:3, :3], T[:3, :3] @ np.array(sphere.centre) + T[:3, 3]


def _distance(coal, one, other):
    (a, Ra, pa), (b, Rb, pb) = one, other
    result = coal.DistanceResult()
    coal.distance(a, coal.Transform3s(Ra, pa), b, coal.Transform3s(Rb, pb), coal.DistanceRequest(), result)
    return result.min_distance


def test_the_gradient_is_that_of_the_nearest_pair():
    robot = sg.load("puma560")
    q, h = sg.random(robot, seed=1), 1e-6
    f = sg.minimal_distance(robot, OBSTACLES, shapes=SPHERES, itself=False)
    steps = [(f(q + h * e) - f(q - h * e)) / (2 * h) for e in np.eye(robot.nv)]
    np.testing.assert_allclose(f.jacobian("q")(q), steps, atol=1e-6)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"shapes": SPHERES, "itself": False}, "nothing that the robot could touch"),
        ({"shapes": SPHERES, "obstacles": ["box"]}, r"obstacles: expected a list of Shapes, got list \['box'\]"),
        ({"shapes": SPHERES[:2]}, "no two of the robot's shapes could touch"),
        ({"shapes": ()}, "no collision shapes"),
    ],
)
def test_refusals(options, message):
    with pytest.raises(sg.InputError, match=message):
        sg.minimal_distance(sg.load("puma560"), **options)


def test_capsules_are_obstacles_too():
    robot = sg.load("puma560")
    wall = Capsule((1.0, 0.0, 0.0), (1.0, 0.0, 2.0), 0.1)
    f = sg.minimal_distance(robot, [wall], shapes=[BodySphere("link6", radius=0.05)], itself=False)
    p = frame_pose(robot, robot.frame("link6"), robot.neutral())[:3, 3]
    expected = np.hypot(p[0] - 1.0, p[1]) - 0.15  # the wrist is between the heights of its ends
    assert f(robot.neutral()) == pytest.approx(expected, abs=1e-9)
