"""Rigid transforms, their adjoint maps, and the Lie bracket of twists."""

import numpy as np
from hypothesis import given
from scipy.linalg import expm

from screwgraph.spatial import Ad, ad, from_xyz_rpy, inverse, rotation, skew, so3, transform, translation
from tests.spatial.strategies import PROPERTY, transforms, vectors


def bracket(V):
    """Write a twist as the 4x4 matrix [V]. Lynch & Park (3.80)."""
    result = np.zeros((4, 4))
    result[:3, :3], result[:3, 3] = skew(V[:3]), V[3:]
    return result


def twist_of(matrix):
    return np.array([matrix[2, 1], matrix[0, 2], matrix[1, 0], *matrix[:3, 3]])


@PROPERTY
@given(transforms)
def test_a_transform_is_its_rotation_and_its_translation(T):
    np.testing.assert_array_equal(transform(rotation(T), translation(T)), T)


@PROPERTY
@given(transforms, transforms)
def test_Ad_of_a_product_is_the_product_of_Ad(T_ab, T_bc):
    np.testing.assert_allclose(Ad(T_ab @ T_bc), Ad(T_ab) @ Ad(T_bc), atol=1e-12)


@PROPERTY
@given(transforms)
def test_the_inverse_undoes_a_transform(T):
    np.testing.assert_allclose(inverse(T) @ T, np.eye(4), atol=1e-13)
    np.testing.assert_allclose(inverse(T), np.linalg.inv(T), atol=1e-12)


@PROPERTY
@given(transforms)
def test_Ad_of_the_inverse_is_the_inverse_of_Ad(T):
    np.testing.assert_allclose(Ad(inverse(T)) @ Ad(T), np.eye(6), atol=1e-12)


@PROPERTY
@given(transforms, vectors(6))
def test_Ad_moves_a_twist_as_conjugation_does(T, V):
    np.testing.assert_allclose(Ad(T) @ V, twist_of(T @ bracket(V) @ np.linalg.inv(T)), atol=1e-10)


@PROPERTY
@given(transforms, vectors(6), vectors(6))
def test_power_does_not_depend_on_the_frame(T_ab, V_b, F_a):
    """Wrenches move by the transpose of Ad. Lynch & Park (3.97)."""
    np.testing.assert_allclose(F_a @ (Ad(T_ab) @ V_b), (Ad(T_ab).T @ F_a) @ V_b, atol=1e-9)


@PROPERTY
@given(vectors(6), vectors(6))
def test_ad_is_the_bracket_of_twists(V, W):
    commutator = bracket(V) @ bracket(W) - bracket(W) @ bracket(V)
    np.testing.assert_allclose(ad(V) @ W, twist_of(commutator), atol=1e-11)


@PROPERTY
@given(vectors(6))
def test_ad_is_the_derivative_of_Ad(V):
    """d/dt Ad(exp([V] t)) at t = 0, by complex step."""
    step = 1e-30
    np.testing.assert_allclose(Ad(np.eye(4) + 1j * step * bracket(V)).imag / step, ad(V), atol=1e-13)


@PROPERTY
@given(vectors(6).map(lambda V: V / 10.0))
def test_Ad_of_the_exponential_is_the_exponential_of_ad(V):
    np.testing.assert_allclose(Ad(expm(bracket(V))), expm(ad(V)), atol=1e-12)


def test_an_origin_of_a_file_turns_by_rpy_then_moves():
    T = from_xyz_rpy(np.array([1.0, 2.0, 3.0]), np.array([0.1, 0.2, 0.3]))
    np.testing.assert_array_equal(rotation(T), so3.from_rpy(np.array([0.1, 0.2, 0.3])))
    np.testing.assert_array_equal(translation(T), [1.0, 2.0, 3.0])
