"""Rotations: what makes them rotations, and their several coordinates."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from screwgraph.spatial import skew, so3
from tests.spatial.strategies import PROPERTY, angles, axes, vectors

STEP = 1e-30
QUARTERS = [k * np.pi / 2 for k in range(-4, 5)]


def assert_is_rotation(R):
    np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-14)
    assert np.linalg.det(R) == pytest.approx(1.0)


@PROPERTY
@given(vectors(3), vectors(3))
def test_skew_is_the_cross_product(w, x):
    np.testing.assert_allclose(skew(w) @ x, np.cross(w, x), atol=1e-13)


@PROPERTY
@given(axes, angles)
def test_about_axis_is_the_matrix_exponential(axis, angle):
    R = so3.about_axis(axis, angle)
    assert_is_rotation(R)
    np.testing.assert_allclose(R, expm(skew(axis * angle)), atol=1e-13)


@pytest.mark.parametrize("axis", np.eye(3))
def test_about_a_coordinate_axis_zeros_and_ones_are_exact(axis):
    R = so3.about_axis(axis, 0.3)
    i = int(np.argmax(axis))
    np.testing.assert_array_equal(R[i], axis)
    np.testing.assert_array_equal(R[:, i], axis)


@PROPERTY
@given(st.tuples(angles, angles, angles))
def test_rpy_turns_about_the_fixed_axes_x_y_z(rpy):
    np.testing.assert_allclose(so3.from_rpy(np.array(rpy)), Rotation.from_euler("xyz", rpy).as_matrix(), atol=1e-14)


@pytest.mark.parametrize("roll", QUARTERS)
@pytest.mark.parametrize("pitch", QUARTERS)
@pytest.mark.parametrize("yaw", QUARTERS)
@pytest.mark.sampled(3)
def test_quarter_turns_have_exact_entries(roll, pitch, yaw):
    R = so3.from_rpy(np.array([roll, pitch, yaw]))
    assert set(R.flat) <= {-1.0, 0.0, 1.0}
    assert_is_rotation(R)


@PROPERTY
@given(st.tuples(angles, angles, angles))
def test_rpy_of_a_rotation_gives_the_rotation_back(rpy):
    R = so3.from_rpy(np.array(rpy))
    np.testing.assert_allclose(so3.from_rpy(so3.to_rpy(R)), R, atol=1e-14)


@PROPERTY
@given(angles, st.floats(-1.5, 1.5), angles)
def test_rpy_are_found_again_away_from_gimbal_lock(roll, pitch, yaw):
    found = so3.to_rpy(so3.from_rpy(np.array([roll, pitch, yaw])))
    turns = (found - [roll, pitch, yaw]) / (2 * np.pi)
    np.testing.assert_allclose(turns, np.round(turns), atol=1e-13)


@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize("short", [0.0, *10.0 ** np.arange(-17, -5)])
@pytest.mark.parametrize(("roll", "yaw"), [(0.7, 1.9), (-2.5, 0.4), (0.0, 0.0), (3.0, -3.0)])
def test_rpy_of_a_rotation_gives_the_rotation_back_in_and_near_gimbal_lock(sign, short, roll, yaw):
    R = Rotation.from_euler("xyz", [roll, sign * (np.pi / 2 - short), yaw]).as_matrix()
    np.testing.assert_allclose(so3.from_rpy(so3.to_rpy(R)), R, atol=3e-14)


@pytest.mark.parametrize("pitch", [np.pi / 2, -np.pi / 2])
def test_in_gimbal_lock_roll_is_zero(pitch):
    assert so3.to_rpy(so3.from_rpy(np.array([0.4, pitch, 1.1])))[0] == 0.0
