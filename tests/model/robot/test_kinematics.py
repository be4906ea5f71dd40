"""Poses and velocities of frames, on every kind of number."""

import numpy as np
import pytest

from screwgraph.compiler import casadi_of
from screwgraph.model.robot import Frame, frame_pose, frame_velocity, link_poses
from screwgraph.spatial import from_xyz_rpy
from tests.model.robot.joint_instances import in_a_tree, instances

STEP = 1e-30
JOINTS = instances()


@pytest.fixture(params=JOINTS)
def tree(request):
    """A robot, a frame beside one of its links, and a state."""
    robot, rng = in_a_tree(JOINTS[request.param]), np.random.default_rng(5)
    frame = Frame("tool", "hand", from_xyz_rpy(np.array([0.3, -0.2, 0.5]), np.array([0.4, 0.1, -0.7])))
    return robot, frame, robot.random(rng), rng.normal(size=robot.nv)


def test_the_pose_of_a_frame_is_that_of_its_link(tree):
    robot, frame, q, _ = tree
    np.testing.assert_array_equal(frame_pose(robot, frame, q), link_poses(robot, q)["hand"] @ frame.T_lf)


def test_only_what_carries_a_link_is_computed(tree):
    robot, _, q, _ = tree
    poses = link_poses(robot, q, ["sledge"])
    assert list(poses) == ["base", "arm", "sledge"]
    np.testing.assert_array_equal(poses["sledge"], link_poses(robot, q)["sledge"])


def test_the_velocity_of_a_frame_is_the_derivative_of_its_pose(tree):
    robot, frame, q, qd = tree
    rate = frame_pose(robot, frame, q + 1j * STEP * robot.manifold.rate(q, qd)).imag / STEP
    turning = rate[:3, :3] @ frame_pose(robot, frame, q)[:3, :3].T
    expected = [turning[2, 1], turning[0, 2], turning[1, 0], *rate[:3, 3]]
    np.testing.assert_allclose(frame_velocity(robot, frame, q, qd), expected, rtol=0, atol=1e-12)


def test_casadi_and_numpy_agree(tree):
    robot, frame, q, qd = tree
    T = casadi_of(lambda q: frame_pose(robot, frame, q), q.shape)(q)
    V = casadi_of(lambda q, qd: frame_velocity(robot, frame, q, qd), q.shape, qd.shape)(q, qd)
    np.testing.assert_allclose(np.array(T).reshape(4, 4), frame_pose(robot, frame, q), rtol=0, atol=1e-13)
    np.testing.assert_allclose(np.array(V)[:, 0], frame_velocity(robot, frame, q, qd), rtol=0, atol=1e-12)
