"""Scenes: what they refuse, what a page holds of them, and the shapes that robots without any get."""

from __future__ import annotations

import re

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot import Box, Capsule, Cylinder, Ellipsoid, Link, Sphere, Visual, link_poses
from screwgraph.spatial import SpatialInertia, from_xyz_rpy
from screwgraph.ui import view
from screwgraph.ui.view.scene_bounds import compute_bounds
from screwgraph.ui.view.skeleton import _equal_box
from tests.robots import robot_files

T = np.array([0.0, 0.5, 1.0])
POSE = from_xyz_rpy(np.array([0.1, 0.2, 0.3]), np.array([0.4, 0.5, 0.6]))


def stack(pose: np.ndarray) -> np.ndarray:
    return np.tile(pose, (3, 1, 1))


BAD = {
    "no time": (lambda: view.Scene("s", np.zeros(0)), "not an array of finite times"),
    "times back": (lambda: view.Scene("s", np.array([0.0, 0.0])), "do not increase"),
    "too few poses": (lambda: view.Scene("s", T, (view.Body("b", stack(POSE)[:2]),)), "(2, 4, 4), expected (4, 4)"),
    "NaN": (lambda: view.Scene("s", T, (view.Body("b", POSE * np.nan),)), "'b' are not finite"),
    "twins": (lambda: view.Scene("s", T, (view.Body("b"), view.Body("b"))), "two bodies are called 'b'"),
    "flat points": (lambda: view.Scene("s", T, lines=(view.Line("l", np.zeros((4, 2))),)), "'l' have the shape (4, 2)"),
    "no direction": (lambda: view.Scene("s", T, up=(0.0, 0.0, 0.0)), "expected a direction"),
}


@pytest.mark.parametrize(("make", "complaint"), BAD.values(), ids=BAD)
def test_what_is_no_scene_is_refused(make, complaint):
    with pytest.raises(sg.InputError, match=re.escape(complaint)):
        make()


@pytest.mark.parametrize("name", ["x.pdf", "no/x.html"])
def test_pages_go_to_html_files_in_folders_that_exist(tmp_path, name):
    with pytest.raises(sg.InputError):
        view.save_html(view.Scene("s", T), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_texts_of_a_scene_cannot_break_out_of_its_page():
    page = view.html(view.Scene("<b>&", T, (view.Body("</script><script>alert(1)</script>"),)))
    assert "alert(1)</script>" not in page
    assert "&lt;b&gt;&amp;" in page


def test_a_page_of_a_quadruped_is_small():
    robot, t = sg.load("a1", base="floating"), np.linspace(0.0, 5.0, 5001)
    q = np.tile(robot.neutral(), (5001, 1))
    q[:, 7:] += 1e-3 * t[:, None]
    q[:, :3] += 1e-3 * t[:, None]
    scene = view.robot_scene(robot, t, q, rate=30.0)
    assert scene.frames == 151
    assert len(view.html(scene)) < 300_000


def test_thinning_keeps_the_ends_and_an_even_pace():
    t = np.cumsum(np.random.default_rng(0).uniform(0.5e-3, 1.5e-3, 4000))
    kept, numbers = view.thin_states(t, np.arange(4000), rate=50.0)
    assert (kept[0], kept[-1], numbers[-1]) == (t[0], t[-1], 3999)
    np.testing.assert_allclose(np.diff(kept), (t[-1] - t[0]) / (len(kept) - 1), atol=3.1e-3)
    assert 1.0 / np.diff(kept).mean() == pytest.approx(50.0, rel=0.02)


SHAPES = [Box((1.0, 2.0, 3.0)), Ellipsoid((1.0, 2.0, 3.0)), Sphere(1.5), Cylinder(0.5, 2.0), Capsule(0.5, 2.0)]


def support(shape, d: np.ndarray) -> float:
    """How far a shape reaches from its centre along a unit vector, in closed form."""
    match shape:
        case Box():
            return float(0.5 * np.abs(d) @ shape.size)
        case Ellipsoid():
            return float(np.linalg.norm(d * shape.radii))
        case Sphere():
            return shape.radius
        case Cylinder():
            return shape.radius * float(np.hypot(d[0], d[1])) + 0.5 * shape.length * abs(float(d[2]))
        case Capsule():
            return shape.radius + 0.5 * shape.length * abs(float(d[2]))
    raise AssertionError(shape)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: type(shape).__name__)
def test_shapes_reach_as_far_as_they_should(shape):
    direction = np.array([2.0, -1.0, 0.5]) / np.linalg.norm([2.0, -1.0, 0.5])
    low, high = compute_bounds(view.Body("b", stack(POSE), (Visual(shape, POSE),)), direction)
    T_ws = POSE @ POSE
    expected, middle = support(shape, T_ws[:3, :3].T @ direction), T_ws[:3, 3] @ direction
    np.testing.assert_allclose((low, high), (middle - expected, middle + expected), atol=1e-12)


def test_a_rod_reaches_from_point_to_point():
    p, q = np.array([0.1, -0.2, 0.3]), np.array([0.4, 0.1, -0.2])
    rod = view.link_between(p, q, 0.01)
    half = 0.5 * rod.shape.length * rod.T_bs[:3, 2]
    np.testing.assert_allclose(rod.T_bs[:3, 3] - half, p, atol=1e-15)
    np.testing.assert_allclose(rod.T_bs[:3, 3] + half, q, atol=1e-15)


@pytest.mark.parametrize("name", sg.zoo_names())
def test_every_built_in_robot_can_be_seen(name):
    robot = sg.load(name)
    scene = view.robot_scene(robot, np.zeros(1), view.rest_position(robot)[None])
    massive = {link.name for link in robot.links[1:] if link.inertia.mass}
    assert massive <= {body.name for body in scene.bodies if body.visuals}
    poses = link_poses(robot, view.rest_position(robot))
    assert all((body.poses.reshape(4, 4) == poses[body.name]).all() for body in scene.bodies)


@pytest.mark.parametrize("path", robot_files(".urdf") + robot_files(".sdf"), ids=lambda path: path.name)
@pytest.mark.filterwarnings("ignore:.*left out")
@pytest.mark.sampled(3)
def test_every_robot_of_files_can_be_seen(path):
    can_be_seen(sg.load(path.read_text()))  # of a text, relative meshes are not found


@pytest.mark.suite
@pytest.mark.parametrize("path", robot_files(".urdf") + robot_files(".sdf"), ids=lambda path: path.name)
@pytest.mark.filterwarnings("ignore:.*left out")
def test_every_robot_of_files_can_be_seen_with_its_meshes(path):
    can_be_seen(sg.load(path))


def can_be_seen(robot):
    scene = view.robot_scene(robot, np.zeros(1), robot.neutral()[None])
    low = min(
        [compute_bounds(body, np.array([0.0, 0.0, 1.0]))[0] for body in scene.bodies if body.visuals], default=0.0
    )
    assert -1e3 < low <= scene.ground + 1e3
    assert view.html(scene)


def test_planar_mechanisms_are_seen_from_the_front_and_stand_upright():
    robot = sg.load("five_bar")
    scene = view.robot_scene(robot, np.zeros(1), view.rest_position(robot)[None])
    assert scene.up == (0.0, 1.0, 0.0)
    assert scene.look is not None
    assert scene.look[2] > 0.9


def test_a_body_without_shapes_is_the_box_of_its_mass_and_inertia():
    """A box of mass m has the inertia m (y^2 + z^2) / 12, ...; a thin rod has no box, nor has a body beyond a size."""
    x, y, z = 0.1, 0.2, 0.4
    inertia = 3.0 / 12.0 * np.diag([y * y + z * z, x * x + z * z, x * x + y * y])
    body = Link("body", SpatialInertia.of_body(3.0, np.array([0.1, 0.0, 0.2]), inertia))
    (box,) = _equal_box(body, 0.41, "red")
    assert isinstance(box.shape, Box)
    assert sorted(box.shape.size) == pytest.approx([x, y, z])
    np.testing.assert_allclose(box.T_bs[:3, 3], [0.1, 0.0, 0.2], atol=1e-12)
    assert _equal_box(body, 0.39, "red") == []
    for thin in ([0.1, 0.1, 0.0], [0.1, 0.3, 0.1]):  # a rod; what no body can have
        assert _equal_box(Link("rod", SpatialInertia.of_body(1.0, np.zeros(3), np.diag(thin))), 9.0, "red") == []
