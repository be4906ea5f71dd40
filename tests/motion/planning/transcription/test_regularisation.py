"""Least effort with a little cost of accelerations: motions stay smooth, and known optima are found without it."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import InputError
from screwgraph.model.robot import with_gravity
from screwgraph.motion.planning import Planner, Task, horizon, read_task
from screwgraph.motion.planning.contacts import FlatContact, PointContact
from screwgraph.motion.planning.costs import Acceleration, Effort
from screwgraph.motion.planning.goals import Position, Velocity
from screwgraph.motion.planning.transcription.problem import (
    ARM,
    list_wrenches,
    make_internal_force_cost,
    transcribe,
)
from screwgraph.motion.planning.transcription.regularisation import NAME
from screwgraph.optimize.whitening import INVERSE_SIGMA
from screwgraph.spatial import SpatialInertia
from tests.motion.planning.guesses.test_initial_guess import SQUARE
from tests.motion.planning.test_random_tasks import task


@pytest.mark.suite
def test_arms_do_not_whirl_to_save_effort():
    """Without it, the arm turns so fast that centrifugal forces carry it, finer than any mesh."""
    plan = Planner(task("kinova")).solve()
    assert plan.solved, plan
    assert np.abs(plan.qdd).max() < 50.0
    assert plan.cost == pytest.approx(plan.costs["cost 1"])
    whirling = Planner(replace(task("kinova"), regularisation=np.inf)).solve(iterations=60)
    assert np.abs(whirling.qdd).max() > 500.0


def test_heavier_robots_have_the_same_motions():
    """All masses ten times as large: all torques are, and the weight is a hundred times as large."""
    robot, found = with_gravity(sg.load("rr"), (0.0, -9.81, 0.0)), []
    for times in (1.0, 10.0):
        links = [
            replace(
                x, inertia=SpatialInertia.of_body(times * x.inertia.mass, x.inertia.com, times * x.inertia.about_com)
            )
            for x in robot.links
        ]
        made = replace(robot, links=tuple(links))
        goals = (Position([0.8, -0.4]), Velocity(0.0))
        found.append(sg.plan(Task(made, horizon(8, duration=1.0), [0.1, 0.2], goals=goals, costs=(Effort(),))))
    one, ten = found
    assert one.converged, one
    assert ten.q == pytest.approx(one.q, abs=1e-6)
    assert ten.costs[NAME] == pytest.approx(100.0 * one.costs[NAME], rel=1e-5)


def test_it_is_for_effort_alone_and_can_be_left_out():
    plain = read_task("cp2")
    assert plain.regularisation == np.inf
    for changed, names in (
        ({}, []),
        ({"regularisation": 100.0}, [NAME]),
        ({"regularisation": 100.0, "costs": (Effort(), Acceleration(1e-3))}, []),
    ):
        factors = Planner(replace(plain, **changed)).transcription.problem.factors
        assert [f.name for f in factors if f.name == NAME] == names
    with pytest.raises(InputError, match="regularisation is -1"):
        replace(plain, regularisation=-1.0)


@pytest.mark.suite
def test_who_stands_still_has_steady_contact_forces():
    """The sole carries the weight, up to the acceleration of the centre of mass, and does not alternate."""
    robot = sg.load(Path(__file__).parents[1] / "monopod.yaml", base="floating")
    q = robot.neutral()
    q[7:] = [0.0, 0.6, -1.2, 0.6]
    q[2] = 2 * 0.25 * np.cos(0.6) + 0.04
    goals = (Position(q), Velocity())
    contact = FlatContact("sole", 0.12, 0.06, friction=0.6)
    plan = sg.plan(
        Task(robot, horizon(8, dt=0.05), q, goals=goals, costs=(Effort(),), contacts=(contact,), guess="stay")
    )
    assert plan.converged, plan
    weight = 9.81 * sum(link.inertia.mass for link in robot.links)
    force = plan.values["contact 1 force"][:, 5]
    assert force.mean() == pytest.approx(weight, rel=0.02)
    ends = np.sign(np.diff(force[1::2]))  # it dips a little, and comes back
    assert (np.diff(ends) != 0).sum() <= 1
    assert np.abs(force - weight).max() < 0.6 * weight


@pytest.mark.parametrize("count", [2, 8])
def test_forces_of_contacts_cost_by_their_time_not_by_their_number(count):
    """Corners of a sole stand for two seconds: squares weigh as much in all, however many points there are."""
    robot = sg.load(Path(__file__).parents[1] / "monopod.yaml", base="floating")
    contacts = (PointContact("sole", points=SQUARE),)
    task = Task(robot, horizon(count, duration=2.0), robot.neutral(), costs=(Effort(3.0),), contacts=contacts)
    steps = transcribe(task, is_measured=True).steps
    (factors,) = make_internal_force_cost(task, steps, list(list_wrenches(task, steps)))
    weights = sum(np.asarray(factors.each[INVERSE_SIGMA]) ** 2)
    np.testing.assert_allclose(weights, 2.0 * ARM**2 * 3.0 * 2.0, rtol=1e-12)
