"""Obstacles in plans: derivatives by differences, clearance by Pinocchio and plain geometry, bad input."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import InputError
from screwgraph.motion.planning import Planner, Task, horizon
from screwgraph.motion.planning.collision import BodySphere, Box, Capsule, Cylinder, DistanceGrid, HalfSpace, Sphere
from screwgraph.motion.planning.costs import Effort, Smoothness
from screwgraph.motion.planning.goals import Position, Velocity
from screwgraph.motion.planning.obstacles import Avoid, AvoidItself
from screwgraph.motion.planning.task_files import read_task
from tests.robots import robot_file

SHAPES = (
    Sphere((0.6, 0.2, 0.4), 0.2),
    Box((0.2, 0.5, 0.3), (0.2, 0.3, 0.4), (0.1, 0.4, -0.2)),
    Capsule((0.1, -0.4, 0.0), (0.3, -0.5, 0.6), 0.1),
    Cylinder((-0.4, 0.0, 0.3), 0.1, 0.5, (0.5, 0.1, 0.0)),
    HalfSpace((0.0, 0.0, -0.1)),
)


def _grid(seed: int = 4) -> DistanceGrid:
    return DistanceGrid(np.random.default_rng(seed).uniform(0.0, 0.3, (5, 5, 5)), (-1.0, -1.0, -1.0), 0.5)


def _task(robot, spheres, shapes, *, soft: bool = True, order: int = 2) -> Task:
    how: dict[str, Any] = {"sigma": 0.1, "threshold": 0.2} if soft else {}
    return Task(
        robot,
        horizon(3, duration=1.0),
        start=None,
        start_velocity=None,
        costs=(Smoothness(1.0, ("velocity", "acceleration")[order - 2]),),
        obstacles=(
            Avoid(shapes, spheres, order=order, **how),
            AvoidItself(spheres, margin=0.01, order=order, **how),
        ),
        collocation="none",
        dynamics=False,
    )


def _panda():
    robot = sg.load("panda")
    return (
        robot,
        [BodySphere(f"panda_link{i}", (0.02, 0.01, -0.03), 0.05 + 0.01 * i) for i in (3, 5)],
        (*SHAPES, _grid()),
    )


def _floating():
    robot = sg.load("rr", base="floating")
    spheres = [BodySphere(link, (0.1, 0.01, -0.1), 0.05) for link in ("base", "link2")]
    return robot, spheres, (SHAPES[0], _grid())


@pytest.mark.parametrize(("make", "soft", "order"), [(_panda, True, 2), (_panda, False, 2), (_floating, True, 3)])
@pytest.mark.sampled(3)
def test_derivatives_of_all_factors_are_central_differences(make, soft, order):
    problem = Planner(_task(*make(), soft=soft, order=order)).transcription.problem
    rng, layout = np.random.default_rng(7), problem.layout
    robot = make()[0]
    values = {
        v.name: np.array([robot.random(rng) for _ in range(v.count)])
        if v.name == "q"
        else rng.standard_normal((v.count, *v.manifold.shape)) * 0.3
        for v in problem.families
    }
    x, e = layout.pack(values), 1e-6
    views = layout.views(x)
    for batch in problem.assembly.batches:
        kernels, directions = batch.factors.kernels, batch.directions(layout)
        _, entries = kernels.jacobian(*batch.inputs(views))
        J = np.zeros((len(batch), kernels.rows, kernels.size))
        J[:, kernels.places[0], kernels.places[1]] = entries
        for k in range(kernels.size):
            step = np.zeros((2, layout.size))
            step[0, directions[0, k]], step[1, directions[0, k]] = e, -e
            up, down = (kernels.residual(*batch.inputs(layout.views(layout.retract(x, s))))[0] for s in step)
            assert np.allclose(J[0, :, k], (up - down) / (2 * e), atol=2e-7 * max(1.0, np.abs(J[0]).max())), (
                batch.members
            )
        if batch.factors.kind == "soft":
            white, W, _ = kernels.whitened_jacobian(*batch.inputs(views))
            H, g, _ = kernels.normal(*batch.inputs(views))
            full = np.swapaxes(W, 1, 2) @ W
            assert np.allclose(
                H, full[:, kernels.pattern[0], kernels.pattern[1]], atol=1e-9 * max(1.0, np.abs(H).max())
            )
            assert np.allclose(g, np.einsum("nmk,nm->nk", W, white), atol=1e-9 * max(1.0, np.abs(g).max()))
        else:
            y = rng.standard_normal((len(batch), kernels.rows))
            bends = kernels.curvature(*batch.inputs(views), y)[0]
            a, b = kernels.bends
            for k in range(0, kernels.size, 3):
                d = np.zeros(layout.size)
                d[directions[0, k]] = e
                up, down = (
                    kernels.jacobian(*batch.inputs(layout.views(layout.retract(x, s * d))))[1][0] for s in (1, -1)
                )
                slope = np.zeros(kernels.size)
                np.add.at(slope, kernels.places[1], y[0, kernels.places[0]] * (up - down) / (2 * e))
                row = np.zeros(kernels.size)
                row[b[a == k]] = bends[a == k]
                row[a[b == k]] = bends[b == k]
                assert np.allclose(row, slope, atol=1e-4 * max(1.0, np.abs(bends).max()))


def _fine_clearance(times, q, qd, shapes, spheres, parts: int = 10) -> float:
    """Least clearance at finer time, by cubic splines, Pinocchio's kinematics, and plain geometry."""
    pin = pytest.importorskip("pinocchio")
    from scipy.interpolate import CubicHermiteSpline

    model = pin.buildModelFromUrdf(str(robot_file("panda.urdf")))
    data, spline = model.createData(), CubicHermiteSpline(times, q, qd)
    worst = np.inf
    for t in np.linspace(times[0], times[-1], parts * (len(times) - 1) + 1):
        pin.framesForwardKinematics(model, data, np.append(spline(t), [0.0, 0.0]))
        for s in spheres:
            centre = data.oMf[model.getFrameId(s.link)].act(np.asarray(s.centre, dtype=float))
            for o in shapes:
                worst = min(worst, np.linalg.norm(centre - np.asarray(o.centre)) - o.radius - s.radius)
    return float(worst)


def test_plan7_starts_in_collision_by_what_the_reference_says_and_ends_clear():
    task = read_task("plan7")
    planner, avoid = Planner(task), task.obstacles[0]
    assert isinstance(avoid, Avoid)
    assert len(avoid.spheres) == 9
    shapes = [s for s in avoid.shapes if isinstance(s, Sphere)]
    plan = planner.solve()
    assert plan.solved
    straight = np.linspace(plan.q[0], plan.q[-1], 51)
    still = np.zeros_like(straight)
    assert _fine_clearance(plan.t, straight, still, shapes, avoid.spheres, 1) == pytest.approx(-0.153, abs=5e-4)
    assert _fine_clearance(plan.t, plan.q, plan.qd, shapes, avoid.spheres) >= 0.013


def test_a_hard_margin_is_kept_with_dynamics_between_points():
    """Oracle: two rods of 1 m in a plane, their tip a ball, the motion between states a cubic spline."""
    from scipy.interpolate import CubicHermiteSpline

    ball, obstacle = BodySphere("tool", radius=0.1), Sphere((1.3, 0.9, 0.0), 0.25)
    task = Task(
        sg.load("rr"),
        horizon(12, duration=2.0),
        start=(0.1, 0.3),
        goals=(Position((1.2, 0.3)), Velocity()),
        costs=(Effort(1.0),),
        obstacles=(Avoid((obstacle,), (ball,), margin=0.02, between=9),),
        regularisation=np.inf,  # the way of least effort is past the obstacle
    )
    plan = Planner(task).solve()
    assert plan.converged
    assert plan.violation <= 1e-6
    spline = CubicHermiteSpline(plan.t, plan.q, plan.qd)

    def clearance(parts: int) -> float:
        q = spline(np.linspace(0.0, 2.0, 12 * parts + 1))
        x = np.cos(q[:, 0]) + np.cos(q.sum(axis=1)) - 1.3
        y = np.sin(q[:, 0]) + np.sin(q.sum(axis=1)) - 0.9
        return float((np.hypot(x, y) - 0.35).min())

    assert 0.02 - 1e-6 <= clearance(10) < 0.021
    assert clearance(100) >= 0.019


def test_moved_obstacles_use_the_same_code():
    robot, spheres, _ = _panda()
    task = _task(robot, spheres, (*SHAPES, _grid()))
    planner = Planner(task)
    before = planner.transcription.problem.assembly
    shapes = tuple(replace(s, radius=0.11) if isinstance(s, Sphere) else s for s in SHAPES)
    planner.change(obstacles=(Avoid((*shapes, _grid(9)), spheres, sigma=0.1, threshold=0.2), task.obstacles[1]))
    after = planner.transcription.problem.assembly
    assert after._places is before._places
    assert not np.allclose(after.cost(np.zeros(56)), before.cost(np.zeros(56)))


def test_tables_are_refused_by_solvers_that_want_expressions():
    with pytest.raises(InputError, match="reads a table"):
        Planner(_task(*_panda())).solve(method="ipopt")


Q0, Q1 = (-1, 0.2, 0, -1.8, 0, 2, 0.8), (1, 0.2, 0, -1.8, 0, 2, 0.8)


def _one(obstacle, **fields) -> Task:
    fields = {"start": Q0, "goals": (Position(Q1),)} | fields
    return Task(sg.load("panda"), horizon(5, duration=1.0), obstacles=(obstacle,), dynamics=False, **fields)


def test_given_positions_in_collision_are_named():
    hand = BodySphere("panda_hand", (0, 0, 0.05), 0.1)
    at_start, at_goal = Sphere((0.25, -0.4, 0.3), 0.1), Sphere((0.25, 0.4, 0.3), 0.1)
    for shape, said in (
        (at_start, r"obstacle 1: at the start a sphere on 'panda_link7' is 0\.\d+ m inside sphere 2"),
        (at_goal, r"obstacle 1: at goal 1 a sphere on 'panda_link7' is 0\.\d+ m inside sphere 2"),
    ):
        with pytest.raises(InputError, match=said):
            Planner(_one(Avoid((Sphere((9, 9, 9), 0.1), shape), [hand])))
    with pytest.raises(InputError, match="link 'panda_link5'"):
        Planner(_one(AvoidItself([BodySphere("panda_link2", radius=0.5), BodySphere("panda_link5", radius=0.4)])))


def test_bad_obstacles_are_told_in_one_line():
    ball, on = Sphere((9, 9, 9), 0.1), [BodySphere("panda_hand", radius=0.1)]
    for make, said in (
        (lambda: Avoid((ball,), [BodySphere("panda_hnad", radius=0.1)]), "panda_hnad"),
        (lambda: Avoid((ball,), [BodySphere("panda_hand", radius=0.0)]), "radius of a sphere on 'panda_hand' is 0.0"),
        (lambda: Avoid((ball,), []), "no collision spheres"),
        (lambda: Avoid((), on), "no obstacles"),
        (lambda: Avoid(cast(Any, (None,)), on), "expected an obstacle, got"),
        (lambda: Avoid((ball,), on, between=-1), "positions between"),
        (lambda: Avoid((ball,), on, order=4), "order of interpolation"),
        (lambda: Avoid((ball,), on, sigma=0.0), "sigma"),
        (lambda: Avoid((ball,), on, margin=np.nan), "margin"),
        (lambda: AvoidItself(on), "no two of the robot.s shapes could touch"),
    ):
        with pytest.raises(InputError, match=said) as caught:
            Planner(_one(make()))
        assert "\n" not in str(caught.value)


def test_task_files_tell_where_obstacles_are_wrong(tmp_path):
    text = """robot: panda
horizon: {steps: 5, duration: 1}
obstacles:
  - avoid:
      shapes: [SHAPE]
      spheres: [{link: LINK, radius: RADIUS}]
"""
    good = {"SHAPE": "{sphere: {centre: [9, 9, 9], radius: 0.1}}", "LINK": "panda_hand", "RADIUS": "0.1"}
    np.savez(tmp_path / "grid.npz", values=np.zeros((0, 1, 1)), origin=np.zeros(3), spacing=1.0)
    for change, said in (
        ({"LINK": "hadn"}, r":6: .*hadn"),
        ({"RADIUS": "0"}, r":6: .*radius"),
        ({"SHAPE": "{sphere: {centre: [0, 0, 1], radius: 0}}"}, r":5: .*radius is 0.0"),
        ({"SHAPE": "{ball: {radius: 1}}"}, r":5: there is no obstacle 'ball'"),
        ({"SHAPE": "{sphere: {radius: 1}}"}, r":5: .*centre"),
        ({"SHAPE": "{distance_grid: {file: none.npz}}"}, r":5: .*cannot be read"),
        ({"SHAPE": "{distance_grid: {file: grid.npz}}"}, r":5: .*shape \(0, 1, 1\)"),
    ):
        path = tmp_path / "task.yaml"
        content = text
        for key, value in (good | change).items():
            content = content.replace(key, value)
        path.write_text(content)
        with pytest.raises(sg.ModelError, match=said) as caught:
            read_task(path)
        assert "\n" not in str(caught.value)
