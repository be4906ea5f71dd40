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
