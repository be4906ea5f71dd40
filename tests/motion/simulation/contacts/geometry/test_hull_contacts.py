"""Points at which convex bodies touch, found with coal: closed forms of simple bodies, and boxes as code has them."""

from __future__ import annotations

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import InputError
from screwgraph.model.robot import Box, Capsule, Cylinder, Ellipsoid, Sphere
from screwgraph.motion.simulation.contacts.geometry.box_pairs import BoxPose, touch_boxes
from screwgraph.motion.simulation.contacts.geometry.convex_body import find_convex_body, make_convex_body
from screwgraph.motion.simulation.contacts.geometry.hull_contacts import place_body, touch_hulls
from screwgraph.motion.simulation.contacts.geometry.touching_points import APART, MOST_SLOTS
from screwgraph.spatial.se3 import transform
from tests.motion.simulation.contacts.convex_shapes import make_mesh, nearby_poses, random_turn

coal = pytest.importorskip("coal")
FLOOR = Box((2.0, 2.0, 0.2))


def touch(other, T, own, there):
    first, second = (place_body(find_convex_body(shape), pose) for shape, pose in ((other, T), (own, there)))
    return touch_hulls(first, second, MOST_SLOTS)


def on_floor(height: float, R: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return poses of a floor whose face is z = 0, and of a body above it."""
    return transform(np.eye(3), np.array([0.0, 0.0, -0.1])), transform(R, np.array([0.2, -0.1, height]))


@pytest.mark.parametrize("shape", [Sphere(0.1), Capsule(0.05, 0.2), Cylinder(0.1, 0.3), Box((0.1, 0.2, 0.3))])
def test_heights_above_a_face(shape):
    """A body's lowest points above a plane are as far from it as its balls and corners."""
    rng = np.random.default_rng(0)
    balls = shape.contact_balls()
    for height in (0.3, 0.05):  # apart, and deep
        R = random_turn(rng, 1.0)
        T, there = on_floor(height, R)
        points = touch(FLOOR, T, shape, there)
        lowest = min((R @ ball.centre)[2] + height - ball.radius for ball in balls)
        assert min(point.gap for point in points) == pytest.approx(lowest, abs=1e-9)
        for point in points:
            np.testing.assert_allclose(point.normal, [0.0, 0.0, 1.0], atol=1e-9)
            assert point.p[2] == pytest.approx(point.gap, abs=1e-9)


def test_a_capsule_lies_in_two_points():
    T, there = on_floor(0.05, np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]]))
    points = touch(FLOOR, T, Capsule(0.05, 0.2), there)
    np.testing.assert_allclose(sorted(point.p[0] for point in points), [0.1, 0.3], atol=1e-12)
    np.testing.assert_allclose([point.gap for point in points], 0.0, atol=1e-12)
    points = touch(Capsule(0.05, 0.2), there, FLOOR, T)
    np.testing.assert_allclose([point.normal for point in points], [[0.0, 0.0, -1.0]] * 2, atol=1e-12)
    np.testing.assert_allclose([point.p[2] for point in points], 0.0, atol=1e-12)


@pytest.mark.parametrize("along", [0.0, 0.12])
@pytest.mark.parametrize("tilt", [0.0, 1e-3])
def test_a_capsule_lies_on_another_one_in_two_points(along, tilt):
    """Those at the ends of what both have along one another; each as far as a point and a segment are."""
    T = transform(random_turn(np.random.default_rng(1), 1.0), np.array([0.1, -0.2, 0.3]))
    c, s = np.cos(tilt), np.sin(tilt)
    turn = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
    points = touch(Capsule(0.05, 0.3), T, Capsule(0.04, 0.2), T @ transform(turn, np.array([0.088, 0.0, along])))
    assert len(points) == 2
    places = np.array([T[:3, :3].T @ (point.p - T[:3, 3]) for point in points])
    ends = sorted([max(along - 0.1, -0.15), min(along + 0.1, 0.15)])
    np.testing.assert_allclose(sorted(places[:, 2]), ends, atol=2e-4)
    for place, point in zip(places, points, strict=True):
        np.testing.assert_allclose(T[:3, :3].T @ point.normal, [1.0, 0.0, 0.0], atol=1.1 * tilt + 1e-9)
        height = 0.088 + (place[2] - along) * np.tan(tilt) - 0.09
        assert point.gap == pytest.approx(height, abs=1e-6 if tilt else 1e-12)


def test_a_capsule_stays_on_a_longer_one_along_it():
    """Its centre is 0.06 m beyond the middle of the lower one: on one point it would tip."""
    bar = sg.load(
        '<robot name="bar"><link name="body"><inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.001" '
        'ixy="0" ixz="0" iyz="0"/></inertial></link></robot>',
        base="floating",
    )
    low = sg.load('<robot name="low"><link name="low"/></robot>')
    below = sg.OtherBody("low/low", Capsule(0.05, 0.4), rpy=(0.0, np.pi / 2, 0.0))
    lies = sg.Contact("bar/body", shape=Capsule(0.04, 0.2), against=below)
    q0, world = np.array([0.06, 0.0, 0.09, 0.0, np.sqrt(0.5), 0.0, np.sqrt(0.5)]), sg.world({"low": low, "bar": bar})
    after = sg.simulate(world, q0, time=0.15, dt=1e-3, contacts=[lies])
    np.testing.assert_allclose(after.q[-1], q0, atol=1e-5)
    np.testing.assert_allclose(after.qd[-1], 0.0, atol=1e-9)


@pytest.mark.parametrize(("first", "second"), [(Sphere(0.1), Sphere(0.07)), (Capsule(0.1, 0.3), Sphere(0.07))])
def test_balls_and_capsules(first, second):
    """The distance of centres, or of a centre and a segment, less the radii."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        T, there = (transform(random_turn(rng, 1.0), 0.3 * rng.normal(size=3)) for _ in range(2))
        own = T[:3, :3].T @ (there[:3, 3] - T[:3, 3])
        own[2] -= np.clip(own[2], -0.5 * getattr(first, "length", 0.0), 0.5 * getattr(first, "length", 0.0))
        (point,) = touch(first, T, second, there)
        assert point.gap == pytest.approx(np.linalg.norm(own) - 0.17, abs=1e-9)
        np.testing.assert_allclose(point.normal, T[:3, :3] @ own / np.linalg.norm(own), atol=1e-6)
        np.testing.assert_allclose(point.p, there[:3, 3] - 0.07 * point.normal, atol=1e-9)


def test_crossing_capsules_touch_amid():
    """At right angles, one above the other: ends are far away, which alone would touch nothing."""
    along = transform(np.eye(3), np.zeros(3))
    across = transform(np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]), np.array([0.099, 0.02, 0.01]))
    (point,) = touch(Capsule(0.05, 0.4), along, Capsule(0.05, 0.4), across)
    assert point.gap == pytest.approx(-1e-3, abs=1e-9)
    np.testing.assert_allclose(point.p, [0.049, 0.0, 0.01], atol=1e-9)


@pytest.mark.parametrize("gap", [-1e-4, 1e-4])
def test_hulls_of_boxes_touch_as_boxes_do(gap):
    rng = np.random.default_rng(2)
    sizes = rng.uniform(0.06, 0.2, (60, 2, 3))
    pairs = [(coal.Box(*a), coal.Box(*b)) for a, b in sizes]
    same = 0
    for (a, b), (T, there, distance) in zip(sizes, nearby_poses(coal, pairs, rng, gap), strict=True):
        found = touch(Box(tuple(a.tolist())), T, Box(tuple(b.tolist())), there)
        assert min(point.gap for point in found) == pytest.approx(distance, abs=2e-6)
        first, second = (BoxPose(X[:3, 3], X[:3, :3], 0.5 * size) for X, size in ((T, a), (there, b)))
        expected = [point for point in touch_boxes(first, second) if point.gap < APART]
        # Of faces that are almost parallel either one may be taken.
        if gap < 0.0 and np.allclose(found[0].normal, expected[0].normal, rtol=0.0, atol=1e-9):
            gaps = [sorted(point.gap for point in points) for points in (found, expected)]
            np.testing.assert_allclose(gaps[0], gaps[1], atol=1e-9)
            same += 1
    assert gap > 0.0 or same > 40


def test_a_mesh_of_a_ball_is_a_ball_but_for_its_triangles(tmp_path):
    """An icosphere of 642 corners of 0.05 m: its faces are up to 0.2 mm within."""
    mesh, rng = make_mesh(tmp_path, "ball"), np.random.default_rng(3)
    assert len(find_convex_body(mesh).points) == 642
    for _ in range(10):
        T, there = (transform(random_turn(rng, 1.0), 0.1 * rng.normal(size=3)) for _ in range(2))
        points, (ball,) = touch(FLOOR, T, mesh, there), touch(FLOOR, T, Sphere(0.05), there)
        assert -1e-9 < min(point.gap for point in points) - ball.gap < 2.5e-4


def test_faces_of_many_triangles_are_one(tmp_path):
    for name in ("cube", "fine cube"):
        body = find_convex_body(make_mesh(tmp_path, name))
        assert len(body.points) == 8
        assert sorted(map(len, body.faces)) == [4] * 6
        assert len(body.edges) == 12
        np.testing.assert_allclose(np.abs(body.normals).max(axis=1), 1.0, atol=1e-12)


def test_flat_points_are_no_body():
    with pytest.raises(InputError, match="is flat"):
        make_convex_body(np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]), 0.0, "the mesh")
    assert len(find_convex_body(Ellipsoid((0.1, 0.2, 0.3))).points) == 26
