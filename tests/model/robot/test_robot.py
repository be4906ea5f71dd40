"""Robots, mechanisms and motions tell in one line what they are."""

import screwgraph as sg


def test_a_robot_is_shown_in_one_line():
    assert repr(sg.load("five_bar")) == "<robot 'five_bar': 5 links, 4 joints, 1 loop, nq = 4, nv = 4>"


def test_motions_and_mechanisms_are_shown_in_one_line():
    mechanism = sg.load_mechanism("four_bar")
    run = sg.simulate(mechanism, time=0.01)
    assert repr(mechanism) == "<mechanism 'four_bar': 4 points, 3 bodies>"
    assert repr(run).startswith("<motion of 'four_bar' by rk4: 11 states, t = 0 to 0.01 s, energy drift ")
    assert repr(sg.simulate(sg.load("rr"), time=0.01)).startswith("<motion of 'rr' by rk4: 11 states")


def test_parts_of_robots_print_on_one_line():
    robot = sg.load("five_bar")
    parts = [robot, robot.links[1], robot.joints[0], robot.loops[0], robot.frame(robot.links[1].name), robot.mobility]
    assert all("\n" not in repr(part) and len(repr(part)) < 120 for part in parts)
    assert repr(robot.loops[0]) == "<loop 'joint5': revolute, 'link4' moves on 'link2'>"
    assert repr(robot.mobility) == "<mobility 2: 4 velocities, rank 2 of 5 rows>"
