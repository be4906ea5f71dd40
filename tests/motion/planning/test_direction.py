"""Directions of axes: goals and constraints whose rotation about the axis is free, as Pinocchio sees the motion."""

from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import InputError, ScrewgraphError
from screwgraph.motion.planning import Plan, Task, horizon, read_task
from screwgraph.motion.planning.costs import Effort
from screwgraph.motion.planning.goals import Direction, Point, Position, Velocity
from screwgraph.motion.planning.goals.direction import DirectionError, measure_angle, project_direction
from screwgraph.motion.planning.mechanics import Mechanics
from tests.oracle import pinocchio_model

pin = pytest.importorskip("pinocchio")
ARM = """
name: arm
bodies:
  - {link: turret, joint: pan, axis: z, mass: 3, inertia: [0.02, 0.02, 0.02]}
  - {link: upper, joint: lift, axis: y, at: [0, 0, 0.3], mass: 2, com: [0, 0, 0.2], inertia: [0.03, 0.03, 0.01]}
  - {link: lower, joint: elbow, axis: y, at: [0, 0, 0.4], mass: 1, com: [0, 0, 0.2], inertia: [0.02, 0.02, 0.01]}
  - {link: wrist, joint: twist, axis: z, at: [0, 0, 0.4], mass: 0.3, inertia: [0.002, 0.003, 0.002]}
  - {link: hand, joint: pitch, axis: y, mass: 0.5, com: [0, 0, 0.1], inertia: [0.01, 0.01, 0.01]}
  - {link: tool, joint: roll, axis: z, at: [0, 0, 0.1], mass: 0.3, inertia: [0.002, 0.003, 0.002]}
"""
DOWN = (0.0, 0.0, -1.0)
PLACE = Point("tool", (0.3, 0.3, 0.3))
RAISED = {"lift": 0.6, "elbow": 1.0, "pitch": -1.6}
LOWERED = {"pan": -0.4, "lift": 0.6, "elbow": 1.4, "pitch": np.pi - 2.0}
"""The tool points up, and down."""


@cache
def arm():
    return sg.load(ARM)


def make_plan(*goals, start, steps=8, place: Point | Position = PLACE) -> Plan:
    goals = (place, Velocity(0.0), *goals)
    return sg.plan(Task(arm(), horizon(steps, duration=1.5), start=start, goals=goals, costs=(Effort(1.0),)))


def tool_axes(plan: Plan, times) -> np.ndarray:
    """Return the z axis of the tool at times, by Pinocchio."""
    model, data = pinocchio_model(arm())
    number, found = model.getJointId("roll"), []
    for q in plan.at(np.asarray(times)).q:
        pin.forwardKinematics(model, data, q)
        found.append(data.oMi[number].rotation[:, 2].copy())
    return np.array(found)


def tilts(plan: Plan, at=DOWN) -> np.ndarray:
    """Return angles of the tool from a direction at 601 times."""
    axes = tool_axes(plan, np.linspace(plan.t[0], plan.t[-1], 601))
    return np.arctan2(np.linalg.norm(np.cross(axes, at), axis=1), axes @ np.array(at))


def test_an_axis_that_points_up_is_turned_down_wherever_it_turns_about_itself():
    """Exactly opposite at first: projections from there, and sines of the angle, would have no slope."""
    plan = make_plan(Direction("tool", DOWN), start=RAISED)
    assert plan.converged, plan
    first, last = tool_axes(plan, plan.t[[0, -1]])
    assert first == pytest.approx([0.0, 0.0, 1.0], abs=1e-12)
    assert last == pytest.approx(DOWN, abs=1e-7)


def test_rotation_about_the_axis_is_free():
    turned = make_plan(Direction("tool", DOWN), start=LOWERED | {"roll": 1.0})
    assert turned.converged, turned
    assert turned.q[-1, 5] != pytest.approx(0.0, abs=0.1), "no effort is spent on turning the tool"


def test_an_axis_keeps_its_direction_on_the_whole_way():
    """Between points it is off by what collocation errs, of third order."""
    start = {"pan": -0.4, "lift": 0.6, "elbow": 1.2, "twist": 0.5, "pitch": 0.8}
    at = sg.forward_kinematics(arm(), ["tool"])([*start.values(), 0.0])[0, :3, 2]
    place = Position({"pan": 0.1, "lift": 0.6, "elbow": 1.2})
    kept = Direction("tool", at, time="always")
    coarse, fine = (tilts(make_plan(kept, start=start, steps=n, place=place), at) for n in (16, 32))
    assert 1e-6 < coarse.max() < 5e-3
    assert fine.max() < coarse.max() / 4.0


def test_an_axis_stays_in_a_cone():
    free = tilts(make_plan(Direction("tool", DOWN), start=LOWERED))
    most = 0.5 * free.max()
    plan = make_plan(Direction("tool", DOWN, time="always", within=most), start=LOWERED, steps=16)
    assert plan.converged, plan
    assert 0.98 * most < tilts(plan).max() < 1.01 * most


def test_a_soft_direction_weighs_its_standard_deviation():
    """The least of the cost: halving sigma quarters what half the square of the angle weighs beside efforts."""
    off = [tilts(make_plan(Direction("tool", DOWN, sigma=s), start=LOWERED | {"pitch": 0.0}))[-1] for s in (0.2, 0.02)]
    assert 0.0 < off[1] < 0.02 * off[0]


def test_coordinates_of_directions_vanish_at_one_direction_alone():
    mechanics, rng = Mechanics(arm()), np.random.default_rng(3)
    error = DirectionError(mechanics, "tool", (0.0, 0.0, 1.0))
    for _ in range(20):
        q, at = rng.uniform(-np.pi, np.pi, 6), rng.standard_normal(3)
        at /= np.linalg.norm(at)
        v, rows = sg.forward_kinematics(arm(), ["tool"])(q)[0, :3, 2], project_direction(at)
        r = np.asarray(error(q, at=rows), dtype=float)
        assert measure_angle(rows, r) == pytest.approx(np.arccos(v @ at), abs=1e-9)
        assert np.asarray(error(q, at=project_direction(v)), dtype=float) == pytest.approx([0.0, 0.0], abs=1e-12)
        opposite = project_direction(-v)
        slope = [(error(q + h, at=opposite) - error(q - h, at=opposite)) / 2e-6 for h in 1e-6 * np.eye(6)]
        sizes = np.linalg.svd(np.asarray(slope, dtype=float))[1]
        assert sizes[1] > 0.5, "an axis that points the wrong way has two ways to turn"
        near = 1e-5 * rng.standard_normal(6)
        turn = np.linalg.norm(sg.forward_kinematics(arm(), ["tool"])(q + near)[0, :3, 2] - v)
        assert np.linalg.norm(np.asarray(error(q + near, at=project_direction(v)), dtype=float)) == pytest.approx(
            turn, rel=1e-3
        )


@dataclass(frozen=True)
class Refused:
    fields: dict
    said: str


@pytest.mark.parametrize(
    "case",
    [
        Refused({"at": (0, 0)}, "goal 1: the direction of frame 'tool' is .*give three numbers"),
        Refused({"at": (0, 0, 0)}, "the direction of frame 'tool' is"),
        Refused({"at": DOWN, "axis": "down"}, "the axis of frame 'tool' is"),
        Refused({"at": DOWN, "within": -0.1}, r"within is -0.1: it is an angle \(give 0 to pi rad\)"),
        Refused({"at": DOWN, "time": "always"}, "at t = 0 s the axis of frame 'tool' is 3.14 rad from its direction"),
    ],
)
def test_directions_that_are_none_are_refused(case):
    task = Task(arm(), horizon(2, dt=0.1), start=RAISED, goals=(Direction("tool", **case.fields),))
    with pytest.raises(InputError, match=case.said) as caught:
        sg.plan(task)
    assert "\n" not in str(caught.value)


FILE = """
robot: arm.yaml
horizon: {steps: 16, duration: 1.5}
start: {position: {lift: 0.6, elbow: 1.4, pitch: pi - 2}}
goals:
  - {time: end, point: {frame: tool, at: [0.3, 0.3, 0.3]}, velocity: 0}
  - {time: always, direction: {frame: tool, at: [0, 0, -1], within: 0.1}}
costs: {effort: 1}
"""


def test_a_file_asks_for_it(tmp_path):
    (tmp_path / "arm.yaml").write_text(ARM)
    (tmp_path / "task.yaml").write_text(FILE)
    plan = sg.plan(read_task(tmp_path / "task.yaml"))
    assert plan.converged, plan
    assert tilts(plan).max() < 0.102
    for old, new, said in (
        ("at: [0, 0, -1]", "at: [0, -1]", "task.yaml:7: .*at is a list of 2: it must be 3 numbers"),
        ("frame: tool, at: [0, 0", "frame: tol, at: [0, 0", "task.yaml:7: .*did you mean tool"),
        ("within: 0.1", "inside: 0.1", "task.yaml:7: .*there is no key 'inside'"),
        (", at: [0, 0, -1]", "", "task.yaml:7: .*it must have a frame and a direction `at`"),
        ("at: [0, 0, -1]", "at: [0, 0, 1]", "task.yaml:7: goal 3: at t = 0 s the axis of frame 'tool' is 3.14 rad"),
    ):
        (tmp_path / "task.yaml").write_text(FILE.replace(old, new))
        with pytest.raises(ScrewgraphError, match=said) as caught:
            sg.plan(read_task(tmp_path / "task.yaml"))
        assert "\n" not in str(caught.value)
