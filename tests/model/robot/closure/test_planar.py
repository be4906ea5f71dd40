"""Which loops are planar."""

import pytest

import screwgraph as sg
from screwgraph.model.robot import is_planar
from screwgraph.model.robot.joints import Prismatic, Revolute, Spherical
from tests.model.robot.closed_instances import planar_four_bar, two_arms
from tests.robots import robot_file


@pytest.mark.parametrize("name", ["five_bar", "four_bar_linkage"])
def test_linkages_in_a_plane_are_planar(name):
    robot = sg.load(name)
    assert all(is_planar(robot, loop) for loop in robot.loops)


def test_what_closes_a_planar_linkage_does_not_matter():
    robot = planar_four_bar()
    assert is_planar(robot, robot.loops[0])


@pytest.mark.parametrize("kind", [Revolute((1.0, 2.0, -0.5)), Prismatic((0.3, 1.0, 0.0)), Spherical()])
def test_arms_in_space_are_not(kind):
    robot = two_arms(kind)
    assert not any(is_planar(robot, loop) for loop in robot.loops)
    assert not any(is_planar(r, loop) for r in [sg.load("stewart_gough")] for loop in r.loops)


@pytest.mark.suite
def test_cassies_achilles_rods_leave_the_plane():
    robot = sg.load(robot_file("cassie_simple.sdf"))
    told = {loop.name: is_planar(robot, loop) for loop in robot.loops}
    assert not told["left-achilles-spring-joint"]
