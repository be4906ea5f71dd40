"""Distances from shapes against dense samples of their surfaces, and tables of distances against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from screwgraph.base.errors import InputError
from screwgraph.motion.planning.collision import (
    SHAPES,
    Box,
    Capsule,
    Cylinder,
    DistanceGrid,
    HalfSpace,
    Sphere,
    height_map,
    load_distance_grid,
)
from screwgraph.motion.planning.collision.fields.height_map import distance_to_triangles

PITCH = 0.01
RPY = (0.3, -0.5, 1.1)


def _turned(points: np.ndarray, centre, rpy) -> np.ndarray:
    r, p, y = rpy
    X = np.array([[1, 0, 0], [0, np.cos(r), -np.sin(r)], [0, np.sin(r), np.cos(r)]])
    Y = np.array([[np.cos(p), 0, np.sin(p)], [0, 1, 0], [-np.sin(p), 0, np.cos(p)]])
    Z = np.array([[np.cos(y), -np.sin(y), 0], [np.sin(y), np.cos(y), 0], [0, 0, 1]])
    return points @ (Z @ Y @ X).T + np.asarray(centre)


def _ball(radius: float) -> np.ndarray:
    n = int(12.0 * (radius / PITCH) ** 2)
    i = np.arange(n) + 0.5
    z, angle = 1.0 - 2.0 * i / n, np.pi * (1.0 + np.sqrt(5.0)) * i
    s = np.sqrt(1.0 - z * z)
    return radius * np.stack([s * np.cos(angle), s * np.sin(angle), z], axis=1)


def _tube(radius: float, length: float) -> np.ndarray:
    angle, z = np.meshgrid(
        np.arange(0, 2 * np.pi, PITCH / radius), np.linspace(-0.5, 0.5, int(length / PITCH)) * length
    )
    return np.stack([radius * np.cos(angle), radius * np.sin(angle), z], axis=-1).reshape(-1, 3)


def _disc(radius: float, z: float) -> np.ndarray:
    x, y = np.meshgrid(*2 * [np.arange(-radius, radius, PITCH)])
    kept = x * x + y * y <= radius * radius
    return np.stack([x[kept], y[kept], np.full(kept.sum(), z)], axis=1)


def _faces(size) -> np.ndarray:
    found = []
    for axis in range(3):
        a, b = (k for k in range(3) if k != axis)
        for side in (-0.5, 0.5):
            u, v = np.meshgrid(*(np.linspace(-0.5, 0.5, int(size[k] / PITCH)) * size[k] for k in (a, b)))
            p = np.zeros((u.size, 3))
            p[:, a], p[:, b], p[:, axis] = u.ravel(), v.ravel(), side * size[axis]
            found.append(p)
    return np.concatenate(found)


def _half_ball(radius: float, z: float) -> np.ndarray:
    found = _ball(radius) + np.array([0.0, 0.0, z])
    return found[found[:, 2] >= z]


def _inside_box(p):
    return (np.abs(p) < 0.5 * np.array([0.3, 0.2, 0.5])).all(axis=1)


CENTRE = np.array([0.1, -0.2, 0.05])
CASES = {
    "sphere": (Sphere(CENTRE, 0.2), _ball(0.2), (0, 0, 0), lambda p: np.linalg.norm(p, axis=1) < 0.2),
    "box": (Box(CENTRE, (0.3, 0.2, 0.5), RPY), _faces((0.3, 0.2, 0.5)), RPY, _inside_box),
    "cylinder": (
        Cylinder(CENTRE, 0.15, 0.4, RPY),
        np.concatenate([_tube(0.15, 0.4), _disc(0.15, 0.2), _disc(0.15, -0.2)]),
        RPY,
        lambda p: (np.hypot(p[:, 0], p[:, 1]) < 0.15) & (np.abs(p[:, 2]) < 0.2),
    ),
    "capsule": (
        Capsule(_turned(np.array([0, 0, -0.2]), CENTRE, RPY), _turned(np.array([0, 0, 0.2]), CENTRE, RPY), 0.1),
        np.concatenate([_tube(0.1, 0.4), _half_ball(0.1, 0.2), -_half_ball(0.1, 0.2)]),
        RPY,
        lambda p: (
            np.linalg.norm(p - np.stack([0 * p[:, 0], 0 * p[:, 0], np.clip(p[:, 2], -0.2, 0.2)], axis=1), axis=1) < 0.1
        ),
    ),
}


@pytest.mark.parametrize("kind", CASES)
def test_distances_are_those_to_a_sampled_surface(kind):
    from scipy.spatial import KDTree

    shape, surface, rpy, inside = CASES[kind]
    own = np.random.default_rng(2).uniform(-0.45, 0.45, (300, 3))
    nearest = KDTree(surface).query(own)[0]
    truth = np.where(inside(own), -nearest, nearest)
    points = _turned(own, CENTRE, rpy)
    found = np.array([SHAPES[kind].distance(p, shape.numbers()) for p in points])
    off = np.abs(truth) - np.abs(found)  # samples are never nearer than the surface, and never much farther
    assert (np.sign(found) == np.sign(truth)).all()
    assert off.min() > -1e-9
    assert off.max() < 0.75 * PITCH


def test_half_spaces_measure_along_their_normal():
    floor = HalfSpace((1.0, 2.0, 0.5), (0.0, 0.0, 3.0))
    assert HalfSpace.distance(np.array([4.0, 5.0, 0.7]), floor.numbers()) == pytest.approx(0.2)


def test_a_capsule_without_length_is_a_sphere():
    p = np.array([0.3, 0.1, 0.2])
    ball = Sphere.distance(p, Sphere((0, 0, 0), 0.1).numbers())
    assert Capsule.distance(p, Capsule((0, 0, 0), (0, 0, 0), 0.1).numbers()) == pytest.approx(ball)


def _sphere_grid(method: str = "tricubic") -> DistanceGrid:
    axes = [np.arange(-0.5, 0.5001, 0.05)] * 3
    x, y, z = np.meshgrid(*axes, indexing="ij")
    return DistanceGrid(np.sqrt(x * x + y * y + z * z) - 0.2, (-0.5, -0.5, -0.5), 0.05, method)


@pytest.mark.parametrize(("method", "near"), [("tricubic", 2e-4), ("trilinear", 4.2e-3)])
def test_grids_are_near_the_distances_that_they_tabulate(method, near):
    """Linear ones within h^2 / 8 times the Laplacian, 2 / r."""
    p = np.random.default_rng(0).uniform(-0.45, 0.45, (500, 3))
    p = p[np.linalg.norm(p, axis=1) > 0.15]
    assert np.abs(_sphere_grid(method).taylor(p)[0] - (np.linalg.norm(p, axis=1) - 0.2)).max() < near


@pytest.mark.parametrize("method", ["tricubic", "trilinear"])
def test_derivatives_of_grids_are_central_differences_inside_and_out(method):
    grid, e = _sphere_grid(method), 1e-5
    p = np.random.default_rng(1).uniform(-0.8, 0.8, (200, 3))
    cell = np.abs(p / 0.05 - np.round(p / 0.05)).min(axis=1) * 0.05 > 2.0 * e  # kinks of linear tables are left out
    p = p[cell]
    _, g, H = grid.taylor(p)
    inside = (np.abs(p) < 0.5).all(axis=1)
    for i in range(3):
        step = e * np.eye(3)[i]
        up, down = grid.taylor(p + step), grid.taylor(p - step)
        assert np.allclose(g[:, i], (up[0] - down[0]) / (2 * e), atol=1e-7)
        assert np.allclose(H[inside, i], ((up[1] - down[1]) / (2 * e))[inside], atol=1e-5)


def test_gradients_of_cubic_grids_do_not_jump_between_cells():
    grid = _sphere_grid()
    p = np.stack([np.full(50, 0.1), np.linspace(-0.4, 0.4, 50), np.linspace(0.3, -0.3, 50)], axis=1)
    step = np.array([1e-9, 0.0, 0.0])
    assert np.allclose(grid.taylor(p + step)[1], grid.taylor(p - step)[1], atol=1e-6)


def test_height_maps_tell_distances_from_their_ground():
    """Oracle: a dense sample of the ground, a ramp with a step."""
    from scipy.spatial import KDTree

    x = np.arange(0.0, 1.001, 0.05)
    z = np.repeat(np.where(x < 0.5, 0.2 * x, 0.4)[:, None], 11, axis=1)
    grid = height_map(z, (0.0, 0.0), 0.05, above=0.3, below=0.2, cell=0.025)
    u, v = np.meshgrid(np.arange(0.0, 1.0, 0.002), np.arange(0.0, 0.5, 0.005), indexing="ij")
    ground = np.stack([u, v, np.interp(u, x, z[:, 0])], axis=-1).reshape(-1, 3)
    p = np.random.default_rng(3).uniform([0.1, 0.1, -0.1], [0.9, 0.4, 0.6], (400, 3))
    truth = KDTree(ground).query(p)[0] * np.sign(p[:, 2] - np.interp(p[:, 0], x, z[:, 0]))
    far = np.abs(truth) > 0.02
    assert np.abs(grid.taylor(p)[0] - truth)[far].max() < 0.01
    assert np.median(np.abs(grid.taylor(p)[0] - truth)) < 0.001


def test_distances_from_triangles_are_those_of_least_squares():
    """Oracle: the nearest mean of the corners with weights that are not negative and add up to 1 (SciPy's NNLS)."""
    from scipy.optimize import nnls

    rng = np.random.default_rng(6)
    for size in (0.3, 4.0):
        triangle, p = size * rng.standard_normal((3, 3)), size * rng.standard_normal((40, 3))
        A = np.vstack([triangle.T / size, np.full(3, 1e4)])
        truth = [np.linalg.norm(triangle.T @ nnls(A, np.append(x / size, 1e4))[0] - x) for x in p]
        found = distance_to_triangles(p, triangle[None], 0.1 * size, 1)
        np.testing.assert_allclose(found, truth, rtol=1e-6, atol=1e-6 * size)


def test_bad_shapes_are_told_in_one_line():
    for make, said in (
        (lambda: Sphere((0, 0, 0), 0.0), "radius is 0.0"),
        (lambda: Sphere((0, 0), 0.1), "three numbers"),
        (lambda: Box((0, 0, 0), (1, -1, 1)), "edge of a box is -1"),
        (lambda: Cylinder((0, 0, 0), 0.1, 0.0), "length is 0.0"),
        (lambda: Cylinder((0, 0, 0), 0.1, 1.0, (0, 0)), "rpy"),
        (lambda: Capsule((0, 0, 0), (0, 0, np.nan), 0.1), "end is"),
        (lambda: HalfSpace(normal=(0, 0, 0)), "normal is zero"),
        (lambda: DistanceGrid(np.zeros((0, 3, 3))), r"shape \(0, 3, 3\)"),
        (lambda: DistanceGrid(np.full((2, 2, 2), np.nan)), "not finite"),
        (lambda: DistanceGrid(np.zeros((2, 2, 2)), spacing=0.0), "spacing"),
        (lambda: DistanceGrid(np.zeros((2, 2, 2)), method="cubic"), "tricubic"),
        (lambda: height_map(np.zeros((0, 0))), "height map"),
    ):
        with pytest.raises(InputError, match=said) as caught:
            make()
        assert "\n" not in str(caught.value)


def test_grids_come_from_files_and_broken_files_are_told(tmp_path):
    path = tmp_path / "grid.npz"
    np.savez(path, values=_sphere_grid().values, origin=np.full(3, -0.5), spacing=0.05)
    assert load_distance_grid(path).taylor(np.array([[0.3, 0.0, 0.0]]))[0] == pytest.approx(0.1, abs=1e-3)
    np.savez(path, values=np.zeros((0, 0, 0)), origin=np.zeros(3), spacing=1.0)
    with pytest.raises(InputError, match=r"grid.npz: a grid of distances has the shape \(0, 0, 0\)"):
        load_distance_grid(path)
    np.savez(path, values=np.zeros((2, 2, 2)))
    with pytest.raises(InputError, match="no array 'origin'"):
        load_distance_grid(path)
    path.write_bytes(b"PK nonsense")
    for broken in (path, tmp_path / "none.npz"):
        with pytest.raises(InputError, match="cannot be read"):
            load_distance_grid(broken)


def test_a_grid_has_the_distances_of_its_points_up_to_its_sides():
    """And a field that is linear, with its slope, everywhere between."""
    values = np.random.default_rng(0).uniform(0.0, 0.3, (5, 6, 7))
    grid = DistanceGrid(values, (-1.0, 0.5, 2.0), 0.25)
    nodes = np.stack(np.meshgrid(*(np.arange(n) for n in values.shape), indexing="ij"), axis=-1).reshape(-1, 3)
    np.testing.assert_allclose(grid.taylor([-1.0, 0.5, 2.0] + 0.25 * nodes)[0], values.ravel(), atol=1e-12)
    slope = np.array([0.3, -0.5, 0.2])
    linear = DistanceGrid((0.25 * nodes @ slope).reshape(values.shape), (0.0, 0.0, 0.0), 0.25)
    at = np.random.default_rng(1).uniform(0.0, 0.25 * (np.array(values.shape) - 1.0), (40, 3))
    found, gradient = linear.taylor(at)[:2]
    np.testing.assert_allclose(found, at @ slope, atol=1e-12)
    np.testing.assert_allclose(gradient, np.tile(slope, (40, 1)), atol=1e-12)
