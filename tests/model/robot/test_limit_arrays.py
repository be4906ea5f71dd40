"""Limits as arrays stand where the coordinates of their joints stand."""

import numpy as np

import screwgraph as sg
from screwgraph.model.robot import Joint, Limits, Link, tree
from screwgraph.model.robot.joints import Floating, Prismatic, Revolute, Spherical


def test_limits_are_in_the_order_of_the_coordinates():
    links = [Link(name) for name in "abcde"]
    joints = [
        Joint("free", Floating(), "a", "b"),
        Joint("slide", Prismatic((1, 0, 0)), "b", "c", limits=Limits(-1.0, 2.0, 3.0, 4.0)),
        Joint("ball", Spherical(), "c", "d", limits=Limits(velocity=5.0)),
        Joint("hinge", Revolute((0, 0, 1)), "d", "e", limits=Limits(upper=0.5, effort=6.0)),
    ]
    limits = tree("every", links, joints).limits
    inf = np.inf
    assert limits.lower.tolist() == [-inf] * 7 + [-1.0] + [-inf] * 4 + [-inf]
    assert limits.upper.tolist() == [inf] * 7 + [2.0] + [inf] * 4 + [0.5]
    assert limits.velocity.tolist() == [inf] * 6 + [3.0] + [5.0] * 3 + [inf]
    assert limits.effort.tolist() == [inf] * 6 + [4.0] + [inf] * 3 + [6.0]
    assert not limits.lower.flags.writeable


def test_random_positions_keep_them():
    robot = sg.load("panda")
    q = sg.random(robot, (100,), seed=0)
    assert (q >= robot.limits.lower).all()
    assert (q <= robot.limits.upper).all()


def test_names_of_places_are_those_that_kinematics_know():
    robot = sg.load("panda")
    assert robot.link_names[0] == robot.links[0].name
    assert sg.forward_kinematics(robot, robot.frame_names)(robot.neutral()).shape == (len(robot.frame_names), 4, 4)
