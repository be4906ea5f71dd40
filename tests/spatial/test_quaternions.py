import numpy as np
import pytest
from hypothesis import given
from scipy.spatial.transform import Rotation

from screwgraph.spatial import quaternions, skew
from tests.spatial.strategies import PROPERTY, vectors
from tests.spatial.strategies import quaternions as unit_quaternions

STEP = 1e-30


@PROPERTY
@given(unit_quaternions)
def test_a_unit_quaternion_is_read_as_x_y_z_w(q):
    np.testing.assert_allclose(quaternions.to_rotation(q), Rotation.from_quat(q).as_matrix(), atol=1e-14)


@PROPERTY
@given(unit_quaternions, vectors(3))
def test_quaternion_rate_turns_the_body_with_its_angular_velocity(q, omega):
    """R' = R [omega], by complex step."""
    rate = quaternions.rate(q, omega)
    Rdot = quaternions.to_rotation(q + 1j * STEP * rate).imag / STEP
    np.testing.assert_allclose(quaternions.to_rotation(q).T @ Rdot, skew(omega), atol=1e-12)


@PROPERTY
@given(unit_quaternions, vectors(3))
def test_quaternion_rate_keeps_the_norm(q, omega):
    assert q @ quaternions.rate(q, omega) == pytest.approx(0.0, abs=1e-13)


@PROPERTY
@given(unit_quaternions, unit_quaternions)
def test_products_are_those_of_rotations(p, q):
    R = quaternions.to_rotation(quaternions.product(p, q))
    np.testing.assert_allclose(R, quaternions.to_rotation(p) @ quaternions.to_rotation(q), atol=1e-14)


@PROPERTY
@given(unit_quaternions)
def test_the_quaternion_of_a_rotation_has_that_rotation(q):
    R = quaternions.to_rotation(q)
    found = quaternions.from_rotation(R)
    np.testing.assert_allclose(quaternions.to_rotation(found), R, atol=1e-14)
    assert found[3] >= 0.0
