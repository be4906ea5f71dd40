"""Plans as scenes: obstacles where they are, goals where they were wanted, forces that carry the robot."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot import link_poses
from screwgraph.motion.planning import Task, horizon
from screwgraph.motion.planning.collision import (
    SHAPES,
    BodySphere,
    Box,
    Capsule,
    Cylinder,
    DistanceGrid,
    HalfSpace,
    Sphere,
)
from screwgraph.motion.planning.contacts import FlatContact
from screwgraph.motion.planning.costs import Acceleration, Smoothness
from screwgraph.motion.planning.goals import Point, Position
from screwgraph.motion.planning.mechanics import Mechanics
from screwgraph.motion.planning.obstacles import Avoid
from screwgraph.motion.simulation import read_trajectory
from screwgraph.spatial import from_xyz_rpy
from screwgraph.ui import view
from screwgraph.ui.view.obstacles import VISUALS, extract_zero_surface, make_obstacle_bodies
from screwgraph.ui.view.primitive_parts import is_inside
from tests.ui.view.browser import opened

OBSTACLES = [
    Sphere((0.5, 0.1, 0.2), 0.2),
    Box((0.1, 0.2, 0.3), (0.2, 0.4, 0.6), (0.3, 0.2, 0.1)),
    Cylinder((0.3, 0.0, 0.1), 0.1, 0.5, (0.4, 0.0, 0.2)),
    Capsule((0.0, 0.1, 0.2), (0.4, 0.2, 0.6), 0.1),
]


@pytest.mark.parametrize("shape", OBSTACLES, ids=lambda s: s.kind)
def test_what_is_drawn_is_where_the_planners_distance_is_negative(shape):
    (body,), _ = make_obstacle_bodies([shape], 1.0)
    points = np.random.default_rng(0).uniform(-0.2, 0.8, (900, 3))
    d = np.array([float(shape.distance(p, shape.numbers())) for p in points])
    drawn = [any(is_inside(visual, p, 0.0) for visual in body.visuals) for p in points]
    np.testing.assert_array_equal(drawn, d < 0.0)
    assert 5 < np.sum(drawn) < 895


def test_the_upper_face_of_a_half_spaces_plate_lies_in_its_plane():
    plane = HalfSpace((0.2, 0.0, 0.3), (0.0, 1.0, 1.0))
    (body,), _ = make_obstacle_bodies([plane], 2.0)
    (visual,) = body.visuals
    top = visual.T_bs @ [0.0, 0.0, visual.shape.size[2] / 2.0, 1.0]
    assert float(plane.distance(top[:3], plane.numbers())) == pytest.approx(0.0, abs=1e-12)


def test_every_kind_of_obstacle_can_be_drawn():
    assert VISUALS.keys() == SHAPES.keys()


def test_the_surface_of_a_balls_distances_is_the_ball():
    axis = np.linspace(-1.0, 1.0, 33)
    x = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), axis=-1)
    triangles = extract_zero_surface(np.linalg.norm(x, axis=-1) - 0.7, np.full(3, -1.0), np.full(3, 1.0 / 16.0))
    assert np.abs(np.linalg.norm(triangles, axis=2) - 0.7).max() < 2e-3
    normal = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    assert np.linalg.norm(normal, axis=1).sum() / 2.0 == pytest.approx(4.0 * np.pi * 0.49, rel=5e-3)
    corners = np.unique(triangles.reshape(-1, 3).round(9), axis=0, return_inverse=True)[1].reshape(-1, 3)
    edges = np.sort(corners[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    assert (np.unique(edges, axis=0, return_counts=True)[1] == 2).all()  # it is closed
    assert len(extract_zero_surface(np.ones((3, 3, 3)), np.zeros(3), np.ones(3))) == 0


def test_a_large_table_of_distances_becomes_few_triangles_of_its_surface():
    z = np.arange(81) * 0.01
    grid = DistanceGrid(np.broadcast_to(z - 0.4, (81, 81, 81)).copy(), (0.0, 0.0, 0.0), 0.01)
    _, (surface,) = make_obstacle_bodies([grid], 1.0)
    assert len(surface.triangles) == 2 * 31 * 31
    np.testing.assert_allclose(surface.triangles[..., 2], 0.4, atol=1e-9)


def test_a_surface_is_drawn_up_to_the_border_of_its_table():
    z = np.arange(11) * 0.1
    grid = DistanceGrid(np.broadcast_to(z - 0.95, (11, 11, 11)).copy(), (0.0, 0.0, 0.0), 0.1)
    _, (surface,) = make_obstacle_bodies([grid], 1.0)
    low, high = (ends(surface.triangles.reshape(-1, 3), axis=0) for ends in (np.min, np.max))
    np.testing.assert_allclose([low[2], high[2]], 0.95, atol=1e-9)
    assert (low[:2] < 0.1).all()  # in the first cell, and in the last
    assert (high[:2] > 0.9).all()


def test_goals_are_drawn_where_they_are_wanted():
    robot = sg.load("rr")
    goals = (Position({"joint1": 0.5}, time=0.5, sigma=0.1), Point("link2", (0.3, 0.4, 0.0), sigma=0.1))
    task = Task(
        robot, horizon(4, 0.25), (0.0, 0.0), goals=goals, costs=(Smoothness(1.0, "velocity"),), dynamics=False,
        collocation="none",
    )  # fmt: skip
    plan = sg.plan(task)
    scene = view.plan_scene(plan)
    lines = {line.name: line.points for line in scene.lines}
    elbow = link_poses(robot, np.array([0.5, plan.q[2, 1]]))["link2"][:3, 3]
    assert min(np.linalg.norm(np.nan_to_num(lines["goals"], nan=9.0) - elbow, axis=1)) < 1e-9
    (marks,) = scene.points
    np.testing.assert_allclose(marks.points, [[0.3, 0.4, 0.0]])
    tips = [sg.forward_kinematics(robot, "tool")(q)[:3, 3] for q in plan.q]
    np.testing.assert_allclose(lines["end-effector path"][: len(tips)], tips, atol=1e-9)


def test_a_goal_of_one_coordinate_of_a_base_is_drawn_at_its_height():
    robot = sg.load("rr", base="floating")
    task = Task(
        robot, horizon(2, 0.5), goals=(Position({"floating_base[5]": 0.4}, sigma=0.1),), dynamics=False,
        costs=(Smoothness(1.0, "velocity"),), start_velocity=None, collocation="none",
    )  # fmt: skip
    (goals,) = (line for line in view.plan_scene(sg.plan(task)).lines if line.name == "goals")
    np.testing.assert_allclose(np.nanmin(goals.points[:, 2]), 0.4, atol=1e-9)


def test_forces_of_contacts_carry_the_weight_below_the_centre_of_mass(block):
    scene = view.plan_scene(block)
    (forces,) = (line for line in scene.lines if line.name == "forces of contacts")
    at, tip, gap = np.moveaxis(forces.points.reshape(scene.frames, 3, 3), 1, 0)
    np.testing.assert_allclose(at, np.tile([0.05, 0.0, 0.0], (scene.frames, 1)), atol=1e-6)
    size = view.plans.robot_size(block.task.robot)
    np.testing.assert_allclose(tip - at, np.tile([0.0, 0.0, 0.6 * size], (scene.frames, 1)), atol=1e-6)
    assert np.isnan(gap).all()
    (feet,) = scene.points
    np.testing.assert_allclose(feet.points[:, 0], at)


def test_motions_of_files_show_the_forces_on_their_frames(block, tmp_path):
    block.trajectory.save(tmp_path / "block.npz")
    scene = view.trajectory_scene(read_trajectory(tmp_path / "block.npz"))
    (forces,) = (line for line in scene.lines if line.name == "forces")
    at, tip, gap = np.moveaxis(forces.points.reshape(scene.frames, 3, 3), 1, 0)
    size = view.plans.robot_size(block.task.robot)
    np.testing.assert_allclose(at, np.tile([0.05, 0.0, 0.0], (scene.frames, 1)), atol=1e-6)
    np.testing.assert_allclose(tip - at, np.tile([0.0, 0.0, 0.6 * size], (scene.frames, 1)), atol=1e-6)
    assert np.isnan(gap).all()


@pytest.fixture(scope="module")
def block(tmp_path_factory: pytest.TempPathFactory) -> sg.Plan:
    """A block that stands on the ground, its centre of mass beside the middle of its foot."""
    file = tmp_path_factory.mktemp("robots") / "block.yaml"
    block = "{link: block, joint: free, type: floating, mass: 2, com: [0.05, 0, 0.1], inertia: [0.01, 0.01, 0.01]}"
    file.write_text(f"name: block\nbodies:\n  - {block}\n")
    robot = sg.load(file)
    foot = FlatContact("block", 0.3, 0.2, friction=0.6)
    task = Task(robot, horizon(2, dt=0.1), start=robot.neutral(), contacts=(foot,), costs=(Acceleration(1.0),))
    plan = sg.plan(task)
    assert plan.solved, plan
    return plan


def test_a_plan_with_all_kinds_of_obstacles_plays_offline(tmp_path):
    robot = sg.load("rr")
    far = [
        Sphere((9.0, 0.0, 0.0), 0.2),
        DistanceGrid(np.full((3, 3, 3), 1.0) - 1.5 * np.eye(3)[:, :, None], (5, 5, 5), 0.1),
    ]
    avoid = Avoid(far, [BodySphere("link2", radius=0.1)])
    goal = Position({"joint1": 1.0, "joint2": 0.5})
    costs, obstacles = (Smoothness(1.0, "velocity"),), (avoid,)
    task = Task(
        robot, horizon(4, 0.25), (0.0, 0.0), goals=(goal,), costs=costs, obstacles=obstacles, dynamics=False,
        collocation="none",
    )  # fmt: skip
    plan, path = sg.plan(task), tmp_path / "plan.html"
    view.save_html(view.plan_scene(plan), path)
    with opened(path) as page:
        shots = []
        for time in (0.0, 1.0):
            page.value(f"screwgraph.setTime({time})")
            shots.append(np.reshape(page.value("screwgraph.pose('link2')"), (4, 4)))
        np.testing.assert_allclose(shots[1], link_poses(robot, np.array([1.0, 0.5]))["link2"], atol=1e-5)
        assert np.abs(shots[1] - shots[0]).max() > 0.1
        legend = page.value("document.getElementById('legend').textContent")
        assert (legend, page.complaints, page.value("screwgraph.ready")) == (
            "goalsend-effector pathclearance, 7.28 m at 0.75 s",
            [],
            True,
        )
        assert [address.partition(":")[0] for address in page.requests] == ["file"]


def test_the_line_of_the_clearance_leads_from_the_nearest_sphere_to_the_surface_of_the_obstacle():
    robot = sg.load("rr")
    sphere = BodySphere("link2", (0.3, 0.0, 0.0), 0.05)
    walls = (Sphere((1.2, 0.6, 0.1), 0.2), Box((0.2, 1.4, 0.0), (0.4, 0.2, 0.4)))
    avoid = Avoid(walls, [sphere])
    task = Task(
        robot, horizon(8, duration=1.0), start=[-0.5, 0.0], goals=(Position([0.6, 0.5]),), costs=(Acceleration(1.0),)
    )
    plan = sg.plan(replace(task, obstacles=(avoid,)))
    assert plan.feasible
    (line,) = [line for line in view.plan_scene(plan, rate=1000.0).lines if line.name.startswith("clearance")]
    distance = sg.minimal_distance(robot, walls, shapes=[sphere], itself=False)(plan.q)
    assert line.name == f"clearance, {distance.min():.3g} m at {plan.t[distance.argmin()]:.3g} s"
    centres = sg.forward_kinematics(robot, "link2")(plan.q) @ [0.3, 0.0, 0.0, 1.0]
    begin, end = line.points[:, 0], line.points[:, 1]
    np.testing.assert_allclose(np.linalg.norm(begin - centres[:, :3], axis=1), 0.05, atol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(end - begin, axis=1), distance, atol=1e-9)
    off = [min(abs(float(s.distance(p, s.numbers()))) for s in walls) for p in end]
    np.testing.assert_allclose(off, 0.0, atol=1e-6)


def test_the_clearance_of_obstacles_that_move_is_that_of_the_time():
    robot = sg.load("rr")

    def along(t):
        return from_xyz_rpy(np.array([0.0, 2.0 * t, 0.0]), np.array([0.0, 0.0, t]))

    avoid = Avoid((Box((1.5, 0.0, 0.0), (0.2, 0.2, 0.2)),), [BodySphere("link2", radius=0.1)], motion=along)
    mechanics, q, times = Mechanics(robot), np.array([[0.1, 0.2], [0.3, -0.4]]), np.array([0.2, 0.7])
    distances, ends = avoid.nearest(mechanics, q, times)
    for k in range(2):
        assert distances[k] == pytest.approx(min(avoid.clearances(mechanics, q[k], times[k]))[0], abs=1e-12)
        local = np.linalg.inv(along(times[k])) @ np.append(ends[k, 1], 1.0)
        (box,) = avoid.shapes
        assert float(box.distance(local[:3], box.numbers())) == pytest.approx(0.0, abs=1e-6)
