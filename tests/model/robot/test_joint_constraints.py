"""What every joint type must offer to loops: what it transmits, where it could stand, and steps along it."""

import numpy as np
import pytest

from tests.model.robot.joint_instances import instances

JOINTS = instances()
MOVING = {name: joint for name, joint in JOINTS.items() if joint.nv}


def some_states(joint, count=5):
    rng = np.random.default_rng(3)
    return [(joint.manifold.random(rng), rng.normal(size=joint.nv)) for _ in range(count)]


@pytest.mark.parametrize("joint", JOINTS.values(), ids=JOINTS)
def test_wrenches_that_a_joint_transmits_do_no_work_and_are_all_there_are(joint):
    for q, _ in some_states(joint):
        W, A = joint.constraint_wrenches(q), joint.screw_axes(q)
        assert W.shape == (6, 6 - joint.nv)
        np.testing.assert_allclose(W.T @ A, np.zeros((6 - joint.nv, joint.nv)), atol=1e-14)
        assert np.linalg.matrix_rank(np.column_stack([W, A])) == 6


@pytest.mark.parametrize("joint", JOINTS.values(), ids=JOINTS)
def test_the_nearest_position_to_a_pose_that_it_can_take_takes_it(joint):
    for q, _ in some_states(joint):
        T = joint.transform(q)
        np.testing.assert_allclose(joint.transform(joint.nearest(T)), T, atol=1e-14)


@pytest.mark.parametrize("joint", MOVING.values(), ids=MOVING)
def test_a_small_step_moves_at_the_rate_of_the_position(joint):
    for q, qd in some_states(joint):
        h = 1e-6
        rate = (joint.manifold.retract(q, h * qd) - joint.manifold.retract(q, -h * qd)) / (2.0 * h)
        np.testing.assert_allclose(rate, joint.manifold.rate(q, qd), atol=1e-9)


@pytest.mark.parametrize("joint", MOVING.values(), ids=MOVING)
def test_a_large_step_is_many_small_ones_where_the_axes_are_constant(joint):
    if not joint.constant_axes:
        pytest.skip("the axes turn on the way")
    for q, qd in some_states(joint):
        small = q
        for _ in range(100):
            small = joint.manifold.retract(small, qd / 100.0)
        np.testing.assert_allclose(joint.transform(joint.manifold.retract(q, qd)), joint.transform(small), atol=1e-12)


def test_a_step_of_a_floating_body_is_the_exponential_of_its_twist():
    from scipy.linalg import expm

    joint = JOINTS["floating-default"]
    for q, V in some_states(joint):
        for twist in (V, 1e-7 * V, np.concatenate([np.zeros(3), V[3:]])):
            w = twist[:3]
            screw = np.zeros((4, 4))
            screw[:3, :3] = [[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]]
            screw[:3, 3] = twist[3:]
            np.testing.assert_allclose(
                joint.transform(joint.manifold.retract(q, twist)), joint.transform(q) @ expm(screw), atol=1e-14
            )
