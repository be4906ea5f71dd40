"""Functions of the manifold of positions: Pinocchio's integrate and difference, random positions within limits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

import screwgraph as sg
from screwgraph.base.errors import InputError
from screwgraph.model.robot import constraint_residual
from tests.mechanics.kinematics.states import close, robot_of, state_of
from tests.oracle import to_pin_q, to_pin_v
from tests.robots import robot_file


def test_integrate_is_pinocchios():
    s = state_of("a1")
    for scale in (0.0, 1e-9, 1.0, 4.0):
        found = sg.integrate(s.robot)(s.q, scale * s.qd)
        step = to_pin_v(s.robot, s.q, scale * s.qd)
        expected = pin.integrate(s.peer.model, s.position, step)
        same = np.sign(to_pin_q(s.robot, found)[6] * expected[6])  # q and -q are one rotation
        found[3:7] *= same
        close(to_pin_q(s.robot, found), expected)


def test_difference_undoes_integrate():
    s = state_of("twisted")
    step = 0.9 * s.qd / np.abs(s.qd).max()
    there = sg.integrate(s.robot)(s.q, step)
    close(sg.difference(s.robot)(s.q, there), step)
    close(sg.difference(s.robot)(s.q, s.q), 0.0 * step)


def test_derivatives_by_positions_are_along_the_manifold():
    s = state_of("a1")
    change = sg.difference(s.robot).jacobian("q_to")(s.q, s.q)
    close(change, np.eye(s.robot.nv))


def test_random_positions_keep_limits():
    robot = sg.load("panda")
    q = sg.random(robot, (50,), seed=3)
    assert (q == sg.random(robot, 50, seed=np.random.default_rng(3))).all()
    for joint, column in zip(robot.joints, q.T, strict=True):
        assert joint.limits.lower <= column.min() < column.max() <= joint.limits.upper
    floating = sg.random(robot_of("a1"), 4, seed=0)
    close(np.linalg.norm(floating[:, 3:7], axis=1), np.ones(4))


def test_random_positions_of_closed_chains_are_closed():
    robot = sg.load("five_bar")
    for q in sg.random(robot, 3, seed=0):
        assert np.abs(constraint_residual(robot, q)).max() < 1e-10


@pytest.mark.suite
@pytest.mark.parametrize("name", ["cassie_v2.sdf", "stewart_gough"])
def test_random_positions_of_closed_chains_are_within_limits_where_few_are(name):
    robot = sg.load(robot_file(name) if "." in name else name)
    q = sg.random(robot, seed=0)
    assert np.abs(constraint_residual(robot, q)).max() < 1e-7  # an angle near 0 from its cosine: root of the rounding
    limited = [joint for joint in robot.joints if joint.limits.lower is not None]
    assert limited
    for joint in limited:
        assert joint.limits.lower <= q[robot.q_slices[joint.name]][0] <= joint.limits.upper


@pytest.mark.parametrize(("lower", "upper"), [(None, 2.0), (1.0, None)])
def test_closed_positions_keep_limits_of_one_side(lower, upper):
    """The follower of a parallelogram turns as its crank."""
    robot = sg.load("four_bar_linkage")
    last = robot.joints[-1]
    bounded = replace(last, limits=replace(last.limits, lower=lower, upper=upper))
    robot = replace(robot, joints=(*robot.joints[:-1], bounded))
    for seed in range(4):
        q = sg.random(robot, seed=seed)
        assert np.abs(constraint_residual(robot, q)).max() < 1e-9
        (at,) = q[robot.q_slices[last.name]]
        assert lower is None or lower <= at
        assert upper is None or at <= upper


def test_a_joint_that_loops_keep_outside_of_its_limits_is_named():
    robot = sg.load("four_bar_linkage")
    last = robot.joints[-1]
    bad = replace(last, limits=replace(last.limits, lower=4.6, upper=5.0))
    with pytest.raises(InputError, match=rf"joint '{last.name}' is at 4.*, its limits are 4.6 to 5"):
        sg.random(replace(robot, joints=(*robot.joints[:-1], bad)), seed=0)


def test_neutral_positions():
    robot = robot_of("a1")
    assert sg.neutral(robot).shape == (robot.nq,)
    found = sg.neutral(robot, (2, 3))
    assert found.shape == (2, 3, robot.nq)
    assert (found == robot.neutral()).all()


@pytest.mark.parametrize("shape", [-1, (2, -3), (2.5,), True, (10**5, 10**5)])
def test_shapes_that_are_none(shape):
    with pytest.raises(sg.InputError, match=r"the shape of a batch|random: shape: expected an integer or a list"):
        sg.random(robot_of("puma560"), shape)
