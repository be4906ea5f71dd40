"""A leg that hops on a rail: where its foot is set down, and how long its phases take, is found."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import InputError
from screwgraph.motion.planning import Phase, Planner, Task
from screwgraph.motion.planning.contacts import PointContact
from screwgraph.motion.planning.costs import Acceleration, Effort
from screwgraph.motion.planning.goals import Point, Position, Velocity
from screwgraph.motion.planning.transcription.problem import transcribe

HOPPER = Path(__file__).with_name("hopper.yaml")
BEND, LINK = 0.9, 0.25
LOW = np.array([2 * LINK * np.cos(BEND), BEND, -2 * BEND])
APEX = Point("trunk", [0.6], 0.36, axes="z")


@pytest.fixture(scope="module")
def robot():
    return sg.load(HOPPER)


def hop(robot, steps, free=(None, None), goals=(APEX,), collocation="trapezoidal"):
    names = {"push": 0.2, "flight": 0.32, "land": 0.2}
    return Task(
        robot,
        tuple(Phase(steps, duration, name, *free) for name, duration in names.items()),
        start=LOW,
        goals=(*goals, Position(LOW), Velocity(0.0)),
        costs=(Effort(1.0), Acceleration(1e-3)),
        contacts=(PointContact("foot", phases=["push", "land"]),),
        actuated=("hip", "knee"),
        collocation=collocation,
    )


def foot(q, qd):
    """Place and velocity of the foot along x and z, by hand."""
    height, hip, knee = q.T
    (u, w, k), shank = qd.T, hip + knee
    place = [-LINK * (np.sin(hip) + np.sin(shank)), height - LINK * (np.cos(hip) + np.cos(shank))]
    turning = [-LINK * (np.cos(hip) * w + np.cos(shank) * (w + k)), LINK * (np.sin(hip) * w + np.sin(shank) * (w + k))]
    return np.array(place), np.array([turning[0], u + turning[1]])


@pytest.fixture(scope="module")
def planner(robot):
    return Planner(hop(robot, 20))


def test_a_foot_set_down_before_a_given_position_lands_on_the_ground_and_does_not_slide(planner):
    plan = planner.solve()
    assert plan.converged, plan
    land = plan.transcription.steps.states[2]
    place, velocity = foot(plan.q[land], plan.qd[land])
    assert place[1][0] == pytest.approx(0.0, abs=1e-7)
    assert velocity[:, 0] == pytest.approx(0.0, abs=1e-6)
    assert np.abs(place[0]).max() < 1e-3
    assert np.abs(velocity[0]).max() < 1e-6
    assert np.abs(place[1]).max() < 1e-3


def test_free_durations_are_found_and_cost_less(planner, robot):
    fixed = planner.solve()
    planner.change(phases=hop(robot, 20, (0.1, 0.5)).phases)
    free = planner.solve()
    assert free.converged, free
    assert free.cost < 0.95 * fixed.cost
    durations = free.values["duration"].ravel()
    assert (durations > 0.1 - 1e-6).all()
    assert (durations < 0.5 + 1e-6).all()
    assert free.t[-1] == pytest.approx(durations.sum())


def test_a_foot_rises_as_its_swing_says_and_no_higher_than_it_must(robot):
    heights = {}
    for swing in (0.0, 0.15):
        stepping = PointContact("foot", phases=["push", "land"], swing=swing)
        plan = sg.plan(replace(hop(robot, 12, goals=()), contacts=(stepping,)))
        assert plan.converged, plan
        flight = plan.transcription.steps.states[1]
        heights[swing] = foot(plan.q[flight], plan.qd[flight])[0][1]
        s = (plan.t[flight] - 0.2)[1:-1] / 0.32
        assert (heights[swing][1:-1] >= swing * np.sin(np.pi * s) ** 2 - 1e-6).all()
    assert heights[0.0].max() < 0.1
    assert heights[0.15].max() == pytest.approx(0.15, rel=0.1)


def test_a_swing_goes_from_one_step_of_stairs_to_the_next():
    monopod = sg.load(Path(__file__).with_name("monopod.yaml"), base="floating")
    phases = tuple(Phase(4, 0.4, name) for name in ("stand", "swing", "on"))
    stairs = PointContact("foot", phases=["stand", "on"], at=[[0, 0, 0], [0.2, 0, 0.1]], swing=0.05)
    transcription = transcribe(Task(monopod, phases, contacts=(stairs,), collocation="trapezoidal"))
    (clearance,) = (f for f in transcription.problem.factors if f.name.endswith("clearance"))
    s = np.linspace(0.0, 1.0, len(clearance) + 2)[1:-1]
    rise = 0.1 * s + 0.05 * np.sin(np.pi * s) ** 2
    assert clearance.each["ground"].ravel() == pytest.approx(rise)


def test_a_foot_that_is_in_the_air_at_the_start_need_not_rise_at_once(robot):
    hanging = replace(hop(robot, 12, goals=()), contacts=(PointContact("foot", ["land"], swing=0.06),))
    for start, low in ((LOW + np.array([0.01, 0.0, 0.0]), 0.0), (LOW, 0.06)):
        transcription = transcribe(replace(hanging, start=start))
        (clearance,) = (f for f in transcription.problem.factors if f.name.endswith("clearance"))
        assert np.max({**clearance.each, **clearance.shared}["ground"]) == pytest.approx(low, abs=1e-3)


@pytest.mark.parametrize(
    ("changes", "why"), [({"swing": -0.1}, "swing of 'foot'"), ({"swing": 0.1, "clearance": False}, "no clearance")]
)
def test_swings_that_are_none_are_refused(robot, changes, why):
    with pytest.raises(InputError, match=why):
        transcribe(replace(hop(robot, 4), contacts=(PointContact("foot", phases=["push", "land"], **changes),)))
