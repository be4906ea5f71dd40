"""Distances of spheres and capsules to obstacles and to each other: coal's (the collision library of Pinocchio)."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import screwgraph as sg
from screwgraph.model.robot import frame_pose, link_poses
from screwgraph.motion.planning.collision import BodyCapsule, BodySphere, Box, Capsule, Cylinder, HalfSpace, Sphere

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
    f = sg.minimal_distance(
        robot, [wall], shapes=[BodySphere("link6", radius=0.05)]
    )  # which has no other shape to touch
    p = frame_pose(robot, robot.frame("link6"), robot.neutral())[:3, 3]
    expected = np.hypot(p[0] - 1.0, p[1]) - 0.15  # the wrist is between the heights of its ends
    assert f(robot.neutral()) == pytest.approx(expected, abs=1e-9)


def _geometry(a, b, radius):
    """Return a capsule of coal from a to b, or a sphere."""
    import coal

    length = np.linalg.norm(b - a)
    if length == 0.0:
        return coal.Sphere(radius), coal.Transform3s(np.eye(3), a)
    R = Rotation.align_vectors([(b - a) / length], [[0.0, 0.0, 1.0]])[0].as_matrix()
    return coal.Capsule(radius, length), coal.Transform3s(R, 0.5 * (a + b))


def test_capsules_are_as_far_from_obstacles_and_each_other_as_coal_says():
    coal = pytest.importorskip("coal")
    robot, rng = sg.load("puma560"), np.random.default_rng(0)
    shapes = [
        BodyCapsule("link3", (0.0, 0.0, 0.0), (0.4, 0.1, 0.0), 0.05),
        BodyCapsule("link6", (0.0, 0.0, -0.1), (0.0, 0.05, 0.2), 0.04),
        BodySphere("link5", (0.0, 0.0, 0.1), 0.07),
    ]
    turn = (0.4, 0.1, 0.3)
    obstacles = [
        Box((0.6, 0.1, 0.2), (0.4, 0.3, 0.5), turn),
        Cylinder((-0.4, 0.5, 0.3), 0.2, 0.5, turn),
        Sphere((0.3, -0.6, 0.4), 0.15),
        Capsule((0.0, 0.6, 0.5), (0.5, 0.6, 0.8), 0.1),
        HalfSpace((0.0, 0.0, -0.6)),
    ]
    R = Rotation.from_euler("xyz", turn).as_matrix()
    theirs = [
        (coal.Box(0.4, 0.3, 0.5), coal.Transform3s(R, np.array([0.6, 0.1, 0.2]))),
        (coal.Cylinder(0.2, 0.5), coal.Transform3s(R, np.array([-0.4, 0.5, 0.3]))),
        (coal.Sphere(0.15), coal.Transform3s(np.eye(3), np.array([0.3, -0.6, 0.4]))),
        _geometry(np.array([0.0, 0.6, 0.5]), np.array([0.5, 0.6, 0.8]), 0.1),
        (coal.Halfspace(np.array([0.0, 0.0, 1.0]), -0.6), coal.Transform3s()),
    ]
    q = np.array([robot.random(rng) for _ in range(30)])
    f = sg.minimal_distance(robot, obstacles, shapes=shapes, each=True, allowed=[("link5", "link6")])
    request = coal.DistanceRequest()
    request.gjk_tolerance = 1e-10
    for state, found in zip(q, f(q), strict=True):
        poses, placed = link_poses(robot, state), []
        for shape in shapes:
            ends = (shape.centre, shape.centre) if isinstance(shape, BodySphere) else (shape.start, shape.end)
            T = poses[shape.link]
            placed.append(_geometry(*(T[:3, :3] @ np.array(end) + T[:3, 3] for end in ends), shape.radius))
        pairs = [(one, other) for one in theirs for other in placed]
        pairs += [(placed[0], placed[1]), (placed[0], placed[2])]
        expected = np.array([coal.distance(*a, *b, request, coal.DistanceResult()) for a, b in pairs])
        apart = expected > 1e-3  # what overlaps, coal measures in another way
        np.testing.assert_allclose(found[apart], expected[apart], atol=1e-7)
        assert (found[~apart] < 1e-2).all()


def test_capsules_have_exact_derivatives_and_crossing_axes_are_their_radii_deep():
    robot = sg.load("rr")
    shapes = [BodyCapsule("link2", (0.0, 0.0, 0.0), (0.5, 0.0, 0.0), 0.1)]
    f = sg.minimal_distance(robot, [Box((2.0, 0.5, 0.0), (0.5, 0.5, 0.5))], shapes=shapes, itself=False)
    jacobian, q, h = f.jacobian("q"), np.array([0.3, -0.4]), 1e-6
    numeric = [(f(q + h * e) - f(q - h * e)) / (2.0 * h) for e in np.eye(2)]
    np.testing.assert_allclose(jacobian(q), numeric, atol=1e-6)
    T = link_poses(robot, q)["link2"]
    middle = T[:3, :3] @ [0.25, 0.0, 0.0] + T[:3, 3]
    up = np.array([0.0, 0.0, 1.0])
    across = Capsule(tuple(middle - up), tuple(middle + up), 0.2)
    f = sg.minimal_distance(robot, [across], shapes=shapes, itself=False)
    assert f(q) == pytest.approx(-0.3, abs=1e-7)
