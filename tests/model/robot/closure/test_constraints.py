"""Residuals of loops and couplings, and the rows of K as their derivatives."""

from dataclasses import replace

import numpy as np
import pytest

from screwgraph.model.robot import (
    closed_states,
    constraint_jacobian,
    constraint_residual,
    constraint_rows,
    link_poses,
)
from screwgraph.model.robot.joints import Revolute
from screwgraph.spatial import inverse
from tests.model.robot.closed_instances import geared_pair, planar_four_bar, two_arms
from tests.model.robot.joint_instances import instances

CLOSING = {name: joint for name, joint in instances().items() if joint.nv < 6}


def derivative(robot, q):
    """Central differences along every velocity coordinate."""
    h = 1e-6
    columns = [
        (
            constraint_residual(robot, robot.manifold.retract(q, h * e))
            - constraint_residual(robot, robot.manifold.retract(q, -h * e))
        )
        / (2 * h)
        for e in np.eye(robot.nv)
    ]
    return np.stack(columns, axis=1)


@pytest.mark.parametrize("loop_type", CLOSING.values(), ids=CLOSING)
def test_rows_are_the_derivative_of_the_residual_where_the_loop_is_closed(loop_type):
    robot = two_arms(loop_type)
    for q in closed_states(robot, 3):
        assert np.abs(constraint_residual(robot, q)).max() < 1e-11
        np.testing.assert_allclose(constraint_jacobian(robot, q), derivative(robot, q), atol=1e-7)


@pytest.mark.parametrize("loop_type", CLOSING.values(), ids=CLOSING)
def test_a_loop_is_closed_just_where_its_joint_could_stand(loop_type):
    robot = two_arms(loop_type)
    loop = robot.loops[0]
    (q,) = closed_states(robot, 1, seed=3)
    poses = link_poses(robot, q)
    T = inverse(poses["left"] @ loop.T_pf) @ poses["right"] @ loop.T_sf
    np.testing.assert_allclose(loop_type.transform(loop_type.nearest(T)), T, atol=1e-11)


@pytest.mark.parametrize("loop_type", CLOSING.values(), ids=CLOSING)
def test_there_is_a_named_row_for_every_motion_that_a_loop_takes_away(loop_type):
    robot = two_arms(loop_type)
    rows = constraint_rows(robot)
    assert len(rows) == len(set(rows)) == 6 - loop_type.nv == len(constraint_residual(robot, robot.neutral()))
    assert {row.of for row in rows} == {"grip"}


def test_rows_of_a_pin_are_named_after_its_axes():
    names = [str(row) for row in constraint_rows(planar_four_bar())]
    assert names == [f"pin: {what}" for what in ("rotation x", "rotation y", *(f"translation {i}" for i in "xyz"))]


def test_the_gap_of_a_planar_loop_is_the_distance_of_its_ends():
    robot = planar_four_bar((0.5, 1.1, 0.7, 1.0))
    gap = constraint_residual(robot, np.zeros(3))
    np.testing.assert_allclose(gap, [0, 0, 1.7 - 1.6, 0, 0], atol=1e-15)


def test_half_a_turn_off_is_a_gap_too():
    robot = planar_four_bar(loop=Revolute((1.0, 0.0, 0.0)))
    gap = constraint_residual(robot, np.array([0.0, np.pi, 0.0]))
    assert np.abs(gap[:2]).max() == pytest.approx(np.pi)


def test_a_gear_is_a_constant_row():
    robot = geared_pair(6.0)
    np.testing.assert_array_equal(constraint_jacobian(robot, np.array([0.3, 2.0])), [[-6.0, 1.0]])
    np.testing.assert_allclose(constraint_residual(robot, np.array([0.3, 2.0])), [0.2], atol=1e-15)


def test_constraints_that_lie_along_no_axis_are_numbered_from_one():
    """A hinge about an oblique line takes away three shifts and two turns."""
    robot = planar_four_bar()
    oblique = replace(robot.loops[0], type=Revolute((0.6, 0.0, 0.8)))
    names = [row.component for row in constraint_rows(replace(robot, loops=(oblique,)))]
    assert len(set(names)) == len(names) == 5
    numbered = {i: name.split()[1] for i, name in enumerate(names, start=1) if name.startswith("rotation")}
    assert len(numbered) == 2
    assert all(text in ("y", str(i)) for i, text in numbered.items())
    assert not all(text == "y" for text in numbered.values())
