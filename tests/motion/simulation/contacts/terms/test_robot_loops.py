"""Loops of robots by the velocities that couplings leave free: which are small enough to be solved for."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.motion.simulation.contacts.laws.independent_velocities import FEW
from screwgraph.motion.simulation.contacts.terms.coupled_velocities import find_free_velocities
from screwgraph.motion.simulation.contacts.terms.robot_loops import RobotLoops
from tests.robots import robot_file

BASE = 6


def find_loops(robot):
    return RobotLoops(robot, find_free_velocities(robot))


def test_loops_of_legs_are_solved_for_each_by_itself():
    """A Cassie's four: two of five joints, two of three, none of the base."""
    loops = find_loops(sg.load(robot_file("cassie_v2.sdf"), base="floating"))
    blocks, K = loops.find_blocks(BASE), loops.make_example()
    assert sorted((len(rows), len(columns)) for rows, columns in blocks) == [(2, 3), (2, 3), (3, 5), (3, 5)]
    assert sorted(i for rows, _ in blocks for i in rows) == list(range(len(K)))
    for rows, columns in blocks:
        others = np.setdiff1d(np.arange(K.shape[1]), columns)
        assert not K[np.ix_(rows, others)].any()
        assert np.linalg.matrix_rank(K[np.ix_(rows, columns)]) == len(rows)


def test_loops_that_share_a_plate_are_too_large():
    platform = find_loops(sg.load("stewart_gough"))
    assert platform.find_blocks(0) == ()
    assert platform.make_example().shape == (18, 24)
    assert FEW < 24


@pytest.mark.parametrize(("name", "rows", "columns"), [("five_bar", 2, 4), ("four_bar_linkage", 2, 3)])
def test_linkages_are_one_block_each_unless_it_has_a_velocity_of_the_root(name, rows, columns):
    loops = find_loops(sg.load(name))
    ((own, joints),) = loops.find_blocks(0)
    assert (len(own), len(joints)) == (rows, columns)
    assert loops.find_blocks(1) == ()


def test_linear_couplings_are_no_loops():
    assert find_loops(sg.load("differential")).find_blocks(0) == ()
