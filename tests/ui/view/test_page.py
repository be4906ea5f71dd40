"""Exported animations in a headless Chromium: they move as the robot does, and ask for nothing."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot import Box, Visual, link_poses
from screwgraph.ui import view
from tests.oracle import oracle
from tests.ui.view.browser import Page, opened


def swing(robot: sg.Robot, t: np.ndarray) -> np.ndarray:
    """Let all joints of a tree swing, each by its own amplitude."""
    return np.sin(2.0 * np.pi * t / t[-1])[:, None] * np.linspace(0.4, 1.0, robot.nv)


@pytest.fixture(scope="module")
def panda(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[sg.Robot, Page]]:
    """A page of the Panda, and its robot."""
    robot, t = sg.load("panda"), np.linspace(0.0, 2.0, 41)
    path = tmp_path_factory.mktemp("pages") / "a page.html"
    view.export(robot, t, swing(robot, t), path)
    with opened(path) as page:
        page.prefer("light")
        yield robot, page


def shown_poses(page: Page, name: str) -> np.ndarray:
    return np.reshape(page.value(f"screwgraph.pose({name!r})"), (4, 4))


def test_the_robot_moves(panda):
    _, page = panda
    pictures = []
    for time in (0.0, 0.5):
        page.value(f"screwgraph.setTime({time})")
        pictures.append(page.screenshot())
    assert pictures[0] != pictures[1]
    assert page.value("screwgraph.time") == 0.5


def test_links_stand_where_kinematics_puts_them(panda):
    robot, page = panda
    t = np.linspace(0.0, 2.0, 41)
    for frame in (0, 7, 20, 33):
        page.value(f"screwgraph.setTime({t[frame]})")
        for name, pose in link_poses(robot, swing(robot, t)[frame]).items():
            np.testing.assert_allclose(shown_poses(page, name), pose, atol=2e-5)  # float32, and time as well


def test_links_stand_where_pinocchio_puts_them(panda):
    robot, page = panda
    q = swing(robot, np.linspace(0.0, 2.0, 41))[8]
    page.value("screwgraph.setTime(0.4)")
    pinocchio = oracle(robot)
    for joint in robot.joints:
        np.testing.assert_allclose(shown_poses(page, joint.child), pinocchio.pose(q, joint.child), atol=2e-5)


def test_between_two_states_it_goes_on_evenly(panda):
    robot, page = panda
    q = swing(robot, np.linspace(0.0, 2.0, 41))
    page.value("screwgraph.setTime(0.025)")
    ends = [link_poses(robot, q[i])["panda_link3"][:3, 3] for i in (0, 1)]
    np.testing.assert_allclose(shown_poses(page, "panda_link3")[:3, 3], np.mean(ends, axis=0), atol=1e-5)


def test_no_request_leaves_the_page_and_nothing_is_complained_about(panda):
    _, page = panda
    page.value("screwgraph.setTime(1)")
    assert [address.partition(":")[0] for address in page.requests] == ["file"]
    assert page.complaints == []
    assert page.value("screwgraph.ready")
    assert page.value("screwgraph.errors") == []


def test_it_plays_and_stops(panda):
    _, page = panda
    page.value("screwgraph.setTime(0)")
    assert not page.value("screwgraph.playing")
    page.value("document.getElementById('play').click()")
    assert page.value("screwgraph.playing")
    moved = "new Promise((done) => { const look = () => screwgraph.time > 0 ? done() : setTimeout(look, 20); look(); })"
    page.ask("Runtime.evaluate", {"expression": moved, "awaitPromise": True})
    page.value("screwgraph.pause()")
    assert page.value("screwgraph.time") > 0.0


@pytest.mark.parametrize(("width", "height"), [(320, 568), (1200, 700)])
def test_nothing_sticks_out_of_narrow_and_wide_screens(panda, width, height):
    _, page = panda
    page.resize(width, height)
    boxes = "[...document.querySelectorAll('#bar > *')].map((e) => e.getBoundingClientRect())"
    edges = page.value(f"{boxes}.map((b) => [b.left, b.top, b.right, b.bottom])")
    page.resize(800, 600)
    low, high = np.min(edges, axis=0), np.max(edges, axis=0)
    assert (low[:2] >= 0.0).all()
    assert (high[2:] <= (width, height)).all()


def test_dark_readers_get_a_dark_page(panda):
    _, page = panda
    paper = "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)"
    light = page.value(paper)
    page.prefer("dark")
    dark = page.value(paper)
    page.prefer("light")
    assert max(dark) < 60 < 200 < min(light)


def test_a_report_plays_its_animation_and_asks_for_nothing(tmp_path):
    scene = view.Scene(
        "one </script> box", np.array([0.0, 1.0]), (view.Body("b", np.eye(4), (Visual(Box((1, 1, 1))),)),)
    )
    svg = b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>'
    sections = [
        view.Text("Words", "a < b\n\nand more"),
        view.Table("Figures", ("name", "value"), [("cost", 1.25), ("steps", 7)]),
        view.Picture("A square", svg, "black"),
        view.Animation("Box", scene),
    ]
    path = tmp_path / "report.html"
    view.save_report("All & sundry", sections, path)
    with opened(path) as page:
        frame = "document.querySelector('iframe').contentWindow.screwgraph"
        assert page.value(f"{frame}.ready")
        assert page.value(f"{frame}.bodies") == ["b"]
        assert page.value("document.querySelector('img').naturalWidth") == 9
        assert page.value("document.querySelectorAll('p').length") == 2
        assert page.value("document.querySelector('td.number').textContent") == "1.25"
        assert {address.partition(":")[0] for address in page.requests} <= {"file", "data", "about"}
        assert page.complaints == []
