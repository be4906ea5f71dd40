"""Pivots: those that magnify rounding wait, and what vanishes with the problem only is a pivot nevertheless."""

from __future__ import annotations

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.elimination.pivot import CONSTANT, NATURAL, SMALL, classify_pivot, find_share_near_zero
from screwgraph.graph import Key
from screwgraph.model.robot import Joint, Link, Robot, tree
from screwgraph.model.robot.joints import Revolute
from screwgraph.spatial import SpatialInertia, from_xyz_rpy
from screwgraph.tape import SAMPLES, WIDE, Tape
from tests.agreement import random_states
from tests.dynamics_suite import PRECISION, by_code, equations, tree_states
from tests.oracle import oracle
from tests.robots import robot_file

STATES = 300
TO_X = from_xyz_rpy((0.0, 0.0, 0.0), (0.0, np.pi / 2, 0.0))
TO_Y = from_xyz_rpy((0.0, 0.0, 0.0), (-np.pi / 2, 0.0, 0.0))


def shoulders(count: int) -> Robot:
    """Return bodies that hang on each other by three hinges each: two massless links, and gimbal lock at pi/2."""
    links, joints = [Link("base")], []
    for i in range(count):
        body = SpatialInertia.of_body(1.5, (0.02, -0.2, 0.03), np.diag((0.02, 0.005, 0.03)))
        start = from_xyz_rpy((0.1, -0.4, 0.05) if i else (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
        for axis, origin in (("z", start), ("x", TO_X), ("y", TO_Y)):
            link = Link(f"{axis}{i}", body) if axis == "y" else Link(f"{axis}{i}")
            joints.append(Joint(f"{axis}{i}", Revolute(), links[-1].name, link.name, origin))
            links.append(link)
    return tree("shoulders", links, joints)


@pytest.mark.parametrize("ordering", ["auto", "articulated", "composite"])
def test_massless_links_have_answers_wherever_they_are_regular(ordering):
    robot = shoulders(2)
    f = sg.forward_dynamics(robot, ordering=ordering)
    for states in (tree_states(robot, STATES), random_states(robot, 2000, seed=1)):
        found = equations(oracle(robot), states).forward().report(by_code(f))
        assert found.missing == 0
        assert found.share <= PRECISION


def test_at_gimbal_lock_there_is_no_number():
    robot = shoulders(1)
    f = sg.forward_dynamics(robot, ordering="articulated")
    with pytest.warns(RuntimeWarning, match="no number at 1 of 2 states"):
        found = f([[0.3, np.pi / 2, -0.4], [0.3, 0.2, -0.4]], np.zeros(3), np.ones(3))
    assert np.isnan(found[0]).all()
    assert np.isfinite(found[1]).all()


def test_a_file_s_rounded_angle_is_no_pivot():
    """1.5708 rad is pi/2 but for 3.7e-6: what an order divided by, twice, with a share of 1e-6."""
    robot = sg.load(robot_file("so101.urdf"))
    f = sg.forward_dynamics(robot, ordering="quasi_definite")
    found = equations(oracle(robot), tree_states(robot, STATES)).forward().report(by_code(f))
    assert found.missing == 0
    assert found.share <= PRECISION


@pytest.mark.parametrize(
    ("pivot", "other", "coefficient", "expected"),
    [
        ("acceleration", "acceleration", 3.7e-6, SMALL),  # the cosine of a file's 1.5708
        ("acceleration", "lambda", 4e-5, CONSTANT),  # a rotor's inertia
        ("acceleration", "lambda", 1e-12, SMALL),
        ("wrench", "wrench", 0.02, CONSTANT),  # a lever arm in m
        ("wrench", "acceleration", 0.02, CONSTANT),
    ],
)
def test_constants_are_compared_with_what_has_their_units(pivot, other, coefficient, expected):
    column, beside = (Key(pivot, "rotor"), 2), (Key(other, "belt"), 0)
    found = classify_pivot(column, {column: coefficient, beside: -1.0}, lambda: False, lambda: False)
    assert found == expected
    assert classify_pivot(column, {column: coefficient, beside: -1.0}, lambda: True, lambda: True) <= NATURAL


def test_how_often_a_pivot_is_near_zero():
    tape, rng = Tape(), np.random.default_rng(0)
    (x,) = tape.vector(["x"], rng.standard_normal((SAMPLES + WIDE, 1)))
    wide = np.abs(tape.wide_samples(x))
    assert find_share_near_zero(x) == np.mean(wide < 0.05 * np.median(wide)) > 0.0
    assert find_share_near_zero(x * x + 1.0) == find_share_near_zero(1e-9) == 0.0
