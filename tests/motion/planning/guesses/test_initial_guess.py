"""Where searches begin: contacts carry the weight."""

from dataclasses import dataclass
from pathlib import Path as File

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.mechanics.kinematics import forward_kinematics, targets
from screwgraph.motion.planning import Phase, Task, horizon
from screwgraph.motion.planning.contacts import FlatContact, PointContact
from screwgraph.motion.planning.goals import Point, Position
from screwgraph.motion.planning.guesses.initial_guess import make_initial_values
from screwgraph.motion.planning.search.infeasibility import prove_infeasible
from screwgraph.motion.planning.search.planner import Planner
from screwgraph.motion.planning.task import FULL_GRAPH
from screwgraph.motion.planning.transcription.problem import list_wrenches, transcribe
from tests.oracle import pinocchio_model

MONOPOD = File(__file__).parents[1] / "monopod.yaml"
MASS = 4.0 + 0.5 + 0.6 + 0.3 + 0.2
SQUARE = ((0.06, 0.03, 0.0), (0.06, -0.03, 0.0), (-0.06, -0.03, 0.0), (-0.06, 0.03, 0.0))


@pytest.mark.parametrize("gravity", [9.81, 1.62])
def test_first_forces_of_contacts_carry_the_weight_together(gravity):
    """A sole in the first phase, a sole and four points in the second, none in the third: m g, m g, 0 upwards."""
    robot = sg.load(MONOPOD, base="floating", gravity=(0.0, 0.0, -gravity))
    task = Task(
        robot,
        (Phase(3, 0.1, "one"), Phase(3, 0.1, "two"), Phase(2, 0.1, "none")),
        start=robot.neutral(),
        contacts=(
            FlatContact("sole", 0.1, 0.05, phases=["one", "two"]),
            PointContact("sole", phases=["two"], points=SQUARE),
        ),
    )
    steps = transcribe(task, is_measured=True).steps
    values, pose = make_initial_values(task, steps), np.array(forward_kinematics(robot, "sole")(robot.neutral()))
    up = np.zeros(len(steps.points))
    acting = [np.zeros(len(steps.points), dtype=int) for _ in range(2)]
    for w, count in zip(list_wrenches(task, steps), acting, strict=True):
        for sample, x in zip(w.samples, values[w.unknowns.name], strict=True):
            force = pose[:3, :3] @ np.asarray(w.template(robot.neutral(), pose, x), dtype=float)[3:]
            np.testing.assert_allclose(force[:2], 0.0, atol=1e-12)
            up[sample] += force[2]
            count[sample] += 1
    standing = acting[0] > 0
    assert 0 < acting[1].sum() < standing.sum() < len(standing)
    np.testing.assert_allclose(up, np.where(standing, MASS * gravity, 0.0), rtol=1e-12)


def test_other_guesses_go_from_stop_to_stop_along_cubics():
    """They stand still at each stop; velocities are the rates of positions."""
    robot, goals = sg.load("rrr"), ([0.3, -0.5, 0.8], [-0.4, 0.9, 0.1])
    task = Task(
        robot,
        (Phase(6, 0.6, "one"), Phase(5, 1.0, "two")),
        start=[0.1, 0.2, -0.3],
        goals=(Position(goals[0], 0.6), Position(goals[1])),
        collocation="trapezoidal",
    )
    steps = transcribe(task, is_measured=True).steps
    values = make_initial_values(task, steps, 1)
    np.testing.assert_allclose(values["q"][[0, 6, 11]], [task.start, *goals], atol=1e-12)
    np.testing.assert_allclose(values["qd"][[0, 6, 11]], 0.0, atol=1e-12)
    for part in (slice(0, 7), slice(6, 12)):
        t = steps.times[part] - steps.times[part][0]
        for q, qd in zip(values["q"][part].T, values["qd"][part].T, strict=True):
            cubic = np.polynomial.Polynomial.fit(t, q, 3)
            np.testing.assert_allclose(q, cubic(t), atol=1e-12)
            np.testing.assert_allclose(qd, cubic.deriv()(t), atol=1e-11)


@dataclass(frozen=True, eq=False)
class FootAbove:
    """A goal of one's own: a frame is a height above the origin."""

    frame: str
    height: float
    time: str = "end"
    sigma: None = None

    def factors(self, steps, name):
        return Point(self.frame, (0.0, 0.0, self.height)).factors(steps, name)

    def target(self, mechanics):
        return targets.Point(self.frame), self.place(mechanics)

    def place(self, mechanics):
        return np.array([0.0, 0.0, self.height])

    def rotation(self, mechanics):
        return None


@pytest.mark.parametrize("height", [0.9, 1.9])
def test_goals_of_ones_own_lead_guesses_and_are_explained(height):
    """A Panda's hand comes at most 1.33 m (the sum of its links' lengths) from its second joint."""
    task = Task(
        sg.load("panda"),
        horizon(5, 0.4),
        start=[0, -0.5, 0, -2.0, 0, 1.5, 0.8],
        goals=(FootAbove("panda_hand", height),),
    )
    planner = Planner(task)
    found = list(prove_infeasible(task, planner.transcription.steps))
    if height > 1.5:
        assert len(found) == 1
        assert "goal 1 is out of reach" in found[0]
        return
    assert not found
    q = make_initial_values(task, planner.transcription.steps)["q"]
    np.testing.assert_allclose(forward_kinematics(task.robot, "panda_hand")(q[-1])[:3, 3], [0, 0, height], atol=1e-2)


@pytest.mark.parametrize("gravity", [(0.0, 0.0, -9.81), (1.0, -2.0, 3.0)])
def test_first_directions_of_gravity_are_those_in_the_frames_of_links(gravity):
    """Pinocchio's rotations turn them back to the world's gravity."""
    pinocchio = pytest.importorskip("pinocchio")
    robot = sg.load("rrr", gravity=gravity)
    task = Task(
        robot,
        horizon(6, duration=0.6),
        start=[0.1, 0.2, -0.3],
        goals=(Position([0.5, -0.4, 0.9]),),
        dynamics=FULL_GRAPH,
    )
    steps = transcribe(task, is_measured=True).steps
    values = make_initial_values(task, steps)
    model, data = pinocchio_model(robot)
    compared = 0
    for k, q in enumerate(values["q"][steps.points]):
        pinocchio.forwardKinematics(model, data, q)
        for joint in robot.joints:
            R = data.oMi[model.getJointId(joint.name)].rotation
            found = values[f"gravity {joint.child}"][k]
            np.testing.assert_allclose(R @ found, gravity, atol=1e-12)
            compared += 1
    assert compared > 12
