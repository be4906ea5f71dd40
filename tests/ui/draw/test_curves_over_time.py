"""Curves can be told apart, and paths are drawn with all axes alike."""

from __future__ import annotations

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.ui.draw import Panel, draw_histories, draw_motion, draw_paths
from screwgraph.ui.draw.time_plots import line_looks


@pytest.mark.parametrize("count", [3, 12, 24, 40])
def test_no_two_curves_of_a_legend_look_the_same(count):
    looks = line_looks([f"joint{i}" for i in range(count)])
    assert len(set(looks.values())) == count


def run_of(robot: sg.Robot, q: np.ndarray) -> sg.Trajectory:
    return sg.Trajectory(robot, "given", np.linspace(0.0, 1.0, len(q)), q, *(np.zeros((len(q), robot.nv)),) * 3)


def test_twelve_joints_have_two_panels_and_no_two_lines_alike():
    run = run_of(sg.load("a1"), np.outer(np.linspace(0.0, 1.0, 5), np.arange(12.0)))
    figure = draw_motion(run, ("q",))
    curves = [axes.get_lines()[:6] for axes in figure.axes]
    assert [len(lines) for lines in curves] == [6, 6]
    assert len({(line.get_color(), str(line.get_linestyle())) for lines in curves for line in lines}) == 12


def test_values_of_curves_that_stand_still_are_written_as_they_are():
    turned = 2.0 * np.pi + 1e-9 * np.linspace(0.0, 1.0, 5)
    figure = draw_motion(run_of(sg.load("rr"), np.stack([turned, turned], axis=1)), ("q",))
    (axes,) = figure.axes
    figure.canvas.draw()
    assert axes.yaxis.get_offset_text().get_text() == ""
    assert "6.0" in {label.get_text() for label in axes.get_yticklabels()}


def test_rounding_does_not_look_like_a_motion():
    noise = 1e-16 * np.linspace(0.0, 1.0, 5)
    figure = draw_motion(run_of(sg.load("rr"), np.stack([noise, -noise], axis=1)), ("q",))
    (axes,) = figure.axes
    figure.canvas.draw()
    assert axes.yaxis.get_offset_text().get_text() == ""
    assert np.ptp(axes.get_ylim()) > 0.01
    small = draw_motion(run_of(sg.load("rr"), np.stack([1e8 * noise, noise], axis=1)), ("q",))
    assert np.ptp(small.axes[0].get_ylim()) < 2e-8  # what moves is shown as large as it fits


def test_panels_without_values_are_left_out():
    t = np.linspace(0.0, 1.0, 5)
    full, empty = Panel("a (m)", {"a": t}), Panel("b (m)", {"b": np.full(5, np.nan)})
    assert [axes.get_ylabel() for axes in draw_histories(t, [full, empty, [empty]]).axes] == ["a (m)"]
    with pytest.raises(sg.InputError, match="nothing to draw"):
        draw_histories(t, [empty])


def test_limits_have_the_names_of_their_joints():
    t = np.linspace(0.0, 1.0, 5)
    limits = {"a": (1.1,), "b": (-0.2,), "c": (-0.2, 40.0)}
    panel = Panel("q (rad)", {"a": t, "b": 0.5 * t, "c": 0.2 * t}, limits)
    (axes,) = draw_histories(t, [panel]).axes
    assert {text.get_text(): text.get_position()[1] for text in axes.texts} == {"a": 1.1, "b ...": -0.2}


def test_limits_far_from_curves_are_not_drawn():
    """Near is what is less than 0.6 of their range away, wherever zero is."""
    t = np.linspace(0.0, 1.0, 5)
    panel = Panel("q (rad)", {"a": 10.0 + t}, {"a": (9.3, 9.5, 11.5, 11.7)})
    (axes,) = draw_histories(t, [panel]).axes
    levels = [line.get_ydata() for line in axes.get_lines()[1:]]
    assert [set(level) for level in levels] == [{9.5}, {11.5}]


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


def test_curves_of_few_states_are_smooth():
    mechanism = sg.load_mechanism("four_bar")
    coarse, fine = (sg.simulate(mechanism, time=1.0, dt=dt) for dt in (0.02, 0.0025))
    path = draw_paths(coarse, ["P2"]).axes[0].get_lines()[0].get_xydata()
    assert len(path) >= 400
    exact = fine.path("P2")
    nearest = np.linalg.norm(path[:, None] - exact[None], axis=2).min(axis=1)
    step = np.linalg.norm(np.diff(exact, axis=0), axis=1).max()
    assert nearest.max() < 0.51 * step + 1e-4


def test_time_is_written_below_the_last_panel_of_each_column():
    t = np.linspace(0.0, 1.0, 5)
    a, b, c = (Panel(f"{name} (m)", {name: t}) for name in "abc")
    for panels, expected in (([a], {"a (m)"}), ([a, b], {"b (m)"}), ([[a, b], [c]], {"b (m)", "c (m)"})):
        written = {axes.get_ylabel(): axes.get_xlabel() for axes in draw_histories(t, panels).axes if axes.axison}
        assert {name for name, label in written.items() if label == "time (s)"} == expected
        assert {label for name, label in written.items() if name not in expected} <= {""}


def test_a_curve_alone_has_its_name_too():
    t = np.linspace(0.0, 1.0, 5)
    one, two = draw_histories(t, [Panel("a (m)", {"a": t}), Panel("b (m)", {"b": t, "a": 2.0 * t})]).axes
    names = [[text.get_text() for text in axes.get_legend().get_texts()] for axes in (one, two)]
    assert names == [["a"], ["b"]]
