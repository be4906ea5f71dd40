"""Robots posed by hand: trees freely, closed chains closed."""

from __future__ import annotations

import builtins
import sys
from urllib.request import urlopen

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.mechanics.mechanism.mechanism_functions import compile_mechanism
from screwgraph.model.robot import constraint_residual, link_poses
from screwgraph.ui import view
from screwgraph.ui.view import viser_viewer
from screwgraph.ui.view.sliders import (
    make_sliders,
    mechanism_sliders,
    pose_mechanism,
    pose_robot,
    rest_position,
    slider_coordinates,
)


@pytest.mark.parametrize("name", ["five_bar", "four_bar_linkage", "belt_leg", "differential"])
def test_closed_chains_stay_closed_while_their_sliders_move(name):
    robot = sg.load(name)
    q = rest_position(robot)
    found, before = make_sliders(robot, q), slider_coordinates(robot, q)
    assert len(found) == robot.mobility.freedom
    for slider in found:
        after = before.copy()
        after[slider.coordinate] += 0.3 if slider.high > before[slider.coordinate] + 0.3 else -0.3
        q, before = pose_robot(robot, q, before, after), after
        assert np.abs(constraint_residual(robot, q)).max() < 1e-9
        assert slider_coordinates(robot, q)[slider.coordinate] == pytest.approx(after[slider.coordinate], abs=1e-9)


def test_a_tree_stands_where_its_sliders_are():
    robot = sg.load("panda")
    found = make_sliders(robot, rest_position(robot))
    assert [slider.label for slider in found] == list(robot.joint_names)
    assert (found[3].low, found[3].high, found[3].initial) == (-3.0718, -0.0698, -0.0698)
    after = np.linspace(-1.0, 1.0, 7)
    np.testing.assert_array_equal(pose_robot(robot, rest_position(robot), np.zeros(7), after), after)


def test_a_floating_base_has_six_sliders():
    robot = sg.load("a1", base="floating")
    found = make_sliders(robot, rest_position(robot))
    assert [slider.label for slider in found[:6]] == [f"floating_base[{i}]" for i in range(6)]
    after = np.zeros(robot.nv)
    after[5] = 0.7
    np.testing.assert_allclose(pose_robot(robot, rest_position(robot), np.zeros(robot.nv), after)[:3], (0.0, 0.0, 0.7))


def test_a_slider_that_would_open_a_loop_is_refused():
    robot = sg.load("four_bar_linkage").with_independent_joints(["joint3"])
    q = rest_position(robot)
    before = slider_coordinates(robot, q)
    after = before.copy()
    after[robot.v_slices["joint3"]] += 3.0
    with pytest.raises(sg.InputError, match="loop 'joint4' has a loop-closure error of"):
        pose_robot(robot, q, before, after)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("name", ["five_bar", "rr"])
def test_a_robot_is_served_to_the_browser(name):
    pytest.importorskip("viser")
    live = view.show_robot(sg.load(name), 8731)
    try:
        live.tick()
        assert live.address.startswith("http://127.0.0.1:")
    finally:
        live.close()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_robot_is_placed_before_its_sliders_move(monkeypatch):
    pytest.importorskip("viser")
    robot, placed = sg.load("rr"), []
    monkeypatch.setattr(viser_viewer, "_add_scene", lambda *_: lambda scene, frame: placed.append(scene))
    live = view.show_robot(robot, 8733)
    try:
        live.tick()
        live.tick()
    finally:
        live.close()
    (scene,) = placed  # once: nothing has moved since
    poses = link_poses(robot, rest_position(robot))
    for body in scene.bodies:
        np.testing.assert_allclose(body.poses.reshape(-1, 4, 4)[0], poses[body.name], atol=1e-9)


@pytest.mark.parametrize("name", ["four_bar", "slider_crank"])
def test_mechanisms_stay_closed_while_their_sliders_move(name):
    mechanism = sg.load_mechanism(name)
    q = before = mechanism.home
    (slider,) = mechanism_sliders(mechanism)
    after = before.copy()
    after[slider.coordinate] += 0.3
    moved = pose_mechanism(mechanism, q, before, after)
    assert moved[slider.coordinate] == pytest.approx(after[slider.coordinate], abs=1e-9)
    assert np.abs(compile_mechanism(mechanism).closing(moved)[0]).max() < 1e-9


def test_a_slider_that_would_tear_a_mechanism_apart_is_refused():
    mechanism = sg.load_mechanism("four_bar")
    home = mechanism.home
    with pytest.raises(sg.ModelError):
        pose_mechanism(mechanism, home, home, home + 40.0)


def page(port: int) -> str:
    """What a browser is given at a port of this machine."""
    with urlopen(f"http://localhost:{port}", timeout=10) as answer:
        return answer.read(100).decode().lower()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_mechanism_is_served_to_the_browser():
    pytest.importorskip("viser")
    live = view.show_mechanism(sg.load_mechanism("four_bar"), 8771)
    live.tick()
    assert page(8771).startswith("<!doctype html>")
    live.close()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_motion_is_served_to_the_browser():
    pytest.importorskip("viser")
    robot, t = sg.load("rr"), np.linspace(0.0, 1.0, 11)
    blinking = np.where(t[:, None, None] > 0.5, np.nan, 0.0) + np.eye(3)
    surface = view.Surface("ground", np.eye(3)[None])
    marks = {"lines": [view.Line("l", blinking)], "points": [view.Points("p", blinking)], "surfaces": [surface]}
    live = view.show(view.robot_scene(robot, t, np.outer(t, [1.0, 2.0]), **marks), 8751)
    live.tick()
    live.tick()
    assert page(8751).startswith("<!doctype html>")
    live.close()


def test_without_viser_one_line_says_what_to_install(monkeypatch):
    real = builtins.__import__

    def refuse(name, *arguments, **options):
        if name == "viser":
            raise ImportError(name)
        return real(name, *arguments, **options)

    monkeypatch.delitem(sys.modules, "viser", raising=False)
    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(sg.InputError, match=r"pip install 'screwgraph\[view\]'"):
        view.show_robot(sg.load("rr"))
