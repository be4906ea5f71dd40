"""Spatial inertia against its definition: sums over point masses, and energies that no frame changes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from screwgraph.spatial import Ad, SpatialInertia, inverse, skew
from tests.spatial.strategies import PROPERTY, transforms, vectors


@st.composite
def point_masses(draw):
    """A few masses (kg) and their places (m)."""
    count = draw(st.integers(1, 4))
    masses = draw(st.lists(st.floats(0.1, 5.0), min_size=count, max_size=count))
    return masses, [draw(vectors(3)) for _ in range(count)]


def body(points):
    """Build the inertia of point masses by adding bodies."""
    bodies = [SpatialInertia.of_body(m, p, np.zeros((3, 3))) for m, p in zip(*points, strict=True)]
    return sum(bodies, SpatialInertia())


def assert_same(a, b, atol=1e-10):
    np.testing.assert_allclose(a.matrix(), b.matrix(), atol=atol * max(1.0, np.abs(b.matrix()).max()))


@PROPERTY
@given(point_masses(), vectors(6))
def test_kinetic_energy_is_that_of_the_points(points, V):
    energy = sum(0.5 * m * np.sum((V[3:] + np.cross(V[:3], p)) ** 2) for m, p in zip(*points, strict=True))
    assert 0.5 * V @ body(points).matrix() @ V == pytest.approx(energy, rel=1e-10, abs=1e-10)


@PROPERTY
@given(point_masses(), transforms)
def test_a_moved_inertia_is_that_of_the_moved_points(points, T_ab):
    masses, places = points
    moved = [T_ab[:3, :3] @ p + T_ab[:3, 3] for p in places]
    assert_same(body(points).moved(T_ab), body((masses, moved)))


@PROPERTY
@given(point_masses(), transforms)
def test_a_moved_inertia_is_Lynch_and_Park_8_42(points, T_ab):
    G, A = body(points), Ad(inverse(T_ab))
    expected = A.T @ G.matrix() @ A
    np.testing.assert_allclose(G.moved(T_ab).matrix(), expected, atol=1e-10 * max(1.0, np.abs(expected).max()))


@PROPERTY
@given(point_masses(), point_masses(), transforms)
def test_a_sum_of_bodies_moves_as_a_whole(first, second, T):
    assert_same((body(first) + body(second)).moved(T), body(first).moved(T) + body(second).moved(T))


@PROPERTY
@given(point_masses(), transforms)
def test_moving_forth_and_back_changes_nothing(points, T):
    assert_same(body(points).moved(T).moved(inverse(T)), body(points))


@PROPERTY
@given(point_masses())
def test_mass_and_centre_are_those_of_the_points(points):
    masses, places = points
    assert body(points).mass == pytest.approx(sum(masses))
    np.testing.assert_allclose(body(points).com, np.average(places, axis=0, weights=masses), atol=1e-12)


@PROPERTY
@given(st.floats(0.1, 5.0), vectors(3), point_masses(), transforms)
def test_a_body_gives_back_what_it_was_made_of(mass, com, points, T):
    about_com, R = body(points).about_origin, T[:3, :3]
    made = SpatialInertia.of_body(mass, com, about_com, R)
    np.testing.assert_allclose(made.com, com, atol=1e-12)
    np.testing.assert_allclose(made.about_com, R @ about_com @ R.T, atol=1e-10)


def test_the_matrix_holds_the_first_moment_off_the_diagonal():
    h = np.array([0.1, -0.2, 0.3])
    G = SpatialInertia(2.0, h, np.diag([1.0, 2.0, 3.0])).matrix()
    np.testing.assert_array_equal(G[:3, 3:], skew(h))
    np.testing.assert_array_equal(G, G.T)
    np.testing.assert_array_equal(G[3:, 3:], 2.0 * np.eye(3))


@pytest.mark.parametrize(
    "something", [{"mass": 1.0}, {"first_moment": np.ones(3)}, {"about_origin": np.diag([1e-9, 0, 0])}]
)
def test_only_a_body_of_nothing_is_zero(something):
    assert SpatialInertia().is_zero
    assert not SpatialInertia(**something).is_zero


def test_a_massless_body_has_its_centre_at_the_origin():
    np.testing.assert_array_equal(SpatialInertia().com, np.zeros(3))
