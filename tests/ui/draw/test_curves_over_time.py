"""Curves can be told apart, and paths are drawn with all axes alike."""

from __future__ import annotations

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.ui.draw import draw_motion, draw_paths
from screwgraph.ui.draw.time_plots import line_looks


@pytest.mark.parametrize("count", [3, 12, 24, 40])
def test_no_two_curves_of_a_legend_look_the_same(count):
    looks = line_looks([f"joint{i}" for i in range(count)])
    assert len(set(looks.values())) == count


def test_twelve_joints_have_six_colours_of_two_styles():
    names = sg.load("a1").joint_names
    t = np.linspace(0.0, 1.0, 5)
    run = sg.Trajectory(sg.load("a1"), "given", t, *(np.outer(t, np.arange(12.0)) for _ in range(4)))
    lines = draw_motion(run, ("q",)).axes[0].get_lines()[: len(names)]
    assert len({line.get_color() for line in lines}) == 6
    assert len({(line.get_color(), line.get_linestyle()) for line in lines}) == 12


def test_paths_of_planar_motions_take_one_panel_and_others_three():
    mechanism = sg.load_mechanism("four_bar")
    still = np.zeros((3, mechanism.n))
    run = sg.Trajectory(mechanism, "given", np.arange(3.0), np.tile(mechanism.home, (3, 1)), still, still, still)
    figure = draw_paths(run, ["P2", ("coupler", (1.0, 0.5))])
    assert [axes.get_xlabel() for axes in figure.axes] == ["x (m)"]
    robot, rng = sg.load("panda"), np.random.default_rng(0)
    q = np.array([robot.random(rng) for _ in range(3)])
    arm = sg.Trajectory(robot, "given", np.arange(3.0), q, *(np.zeros((3, 7)) for _ in range(3)))
    figure = draw_paths(arm, [robot.links[-1].name])
    assert [axes.get_ylabel() for axes in figure.axes] == ["z (m)", "z (m)", "y (m)"]
    assert all(axes.get_aspect() == 1.0 for axes in figure.axes)
    with pytest.raises(sg.InputError, match="no path"):
        draw_paths(arm, [])
