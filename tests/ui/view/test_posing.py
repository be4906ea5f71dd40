"""Pages with sliders: bodies stand where the library has them, loops stay closed, and what cannot close is refused."""

from __future__ import annotations

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot import link_poses
from screwgraph.ui import view
from screwgraph.ui.view.sliders import make_sliders, pose_mechanism, pose_robot, rest_position, slider_coordinates
from tests.ui.view.browser import Page, opened


def shown(page: Page, body: str) -> np.ndarray:
    return np.reshape(page.value(f"screwgraph.pose({body!r})"), (4, 4))


def moved(page: Page, number: int, value: float) -> bool:
    return page.value(f"screwgraph.posing.move({number}, {value})")


def opened_scene(scene: view.Scene, tmp_path):
    path = tmp_path / "posed.html"
    view.save_html(scene, path)
    return opened(path)


def test_a_tree_stands_where_its_sliders_are(tmp_path):
    robot = sg.load("panda")
    with opened_scene(view.posable_robot_scene(robot), tmp_path) as page:
        q = np.linspace(-0.9, 0.9, 7) - [0, 0, 0, 1.5, 0, 0, 0]
        for i, value in enumerate(q):
            assert moved(page, i, value)
        for name, pose in link_poses(robot, q).items():
            np.testing.assert_allclose(shown(page, name), pose, atol=1e-6)
        assert (page.complaints, page.value("document.querySelectorAll('#joints input').length")) == ([], 7)
        assert [address.partition(":")[0] for address in page.requests] == ["file"]


def test_the_ground_lies_below_the_feet_of_a_floating_robot():
    robot = sg.load("a1", base="floating")
    scene = view.posable_robot_scene(robot)
    assert scene.posing is not None
    assert scene.ground is not None
    poses = link_poses(robot, robot.manifold.retract(robot.neutral(), scene.posing.start))
    feet = [(poses[f.link] @ f.T_lf)[2, 3] for f in robot.frames if "foot" in f.name]
    assert len(feet) == 4
    assert min(feet) - 0.1 < scene.ground <= min(feet)


@pytest.mark.parametrize("name", ["five_bar", "belt_leg", "stewart_gough"])
@pytest.mark.sampled(2)
def test_the_other_joints_of_closed_chains_follow(name, tmp_path):
    robot = sg.load(name)
    q = rest_position(robot)
    sliders, before = make_sliders(robot, q), slider_coordinates(robot, q)
    with opened_scene(view.posable_robot_scene(robot), tmp_path) as page:
        for i, slider in enumerate(sliders):
            after, far = before.copy(), 0.04 if slider.unit == "m" else 0.3
            after[slider.coordinate] += far if slider.high > before[slider.coordinate] + far else -far
            assert moved(page, i, after[slider.coordinate])
            q, before = pose_robot(robot, q, before, after), after
        assert np.abs(page.value("screwgraph.posing.errors")).max() < 1e-9
        for link, pose in link_poses(robot, q).items():
            np.testing.assert_allclose(shown(page, link), pose, atol=2e-6)


@pytest.mark.parametrize("name", ["four_bar", "slider_crank", "rssr"])
def test_mechanisms_stay_closed_and_their_points_go_along(name, tmp_path):
    mechanism = sg.load_mechanism(name)
    home = mechanism.home
    scene = view.posable_mechanism_scene(mechanism)
    assert scene.posing is not None
    (slider,) = scene.posing.sliders
    after = home.copy()
    after[slider.coordinate] += 0.3
    q = pose_mechanism(mechanism, home, home, after)
    expected = view.mechanism_scene(mechanism, np.zeros(1), q[None])
    with opened_scene(scene, tmp_path) as page:
        assert moved(page, 0, float(after[slider.coordinate]))
        for part, body in zip(mechanism.bodies, expected.bodies, strict=True):
            found, wanted = shown(page, body.name), np.reshape(body.poses, (4, 4))
            columns = (
                [0, 3] if mechanism.dimension == 3 and part.is_rod else [0, 1, 2, 3]
            )  # a rod may turn about itself
            np.testing.assert_allclose(found[:, columns], wanted[:, columns], atol=2e-6)
            np.testing.assert_allclose(found[:3, :3].T @ found[:3, :3], np.eye(3), atol=2e-6)
        free = len(scene.lines) + next(i for i, some in enumerate(scene.points) if np.ndim(some.points) == 3)
        points = np.reshape(page.value(f"[...trails[{free}].data]"), (-1, 3))
        np.testing.assert_allclose(points, expected.points[free - len(scene.lines)].points[0], atol=2e-6)


def test_a_slider_goes_only_as_far_as_the_loops_close(tmp_path):
    mechanism = sg.load_mechanism("four_bar")
    with opened_scene(view.posable_mechanism_scene(mechanism), tmp_path) as page:
        assert not moved(page, 0, 40.0)
        assert np.abs(page.value("screwgraph.posing.errors")).max() < 1e-9


def test_the_centre_of_mass_is_that_of_the_robot(tmp_path):
    robot = sg.load("panda")
    with opened_scene(view.posable_robot_scene(robot), tmp_path) as page:
        moved(page, 1, 0.7)
        q = np.array(page.value("screwgraph.posing.coordinates"))
        found = page.value("centreOfMass(frameAt(0))")
        np.testing.assert_allclose(found, sg.center_of_mass(robot)(q), atol=1e-6)
        page.value("document.getElementById('com').click(), document.getElementById('frames').click(), 1")
        assert page.complaints == []
