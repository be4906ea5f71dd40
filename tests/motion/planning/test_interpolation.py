"""Plans between their points: what they mean is what their collocation says."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import InputError
from screwgraph.motion.planning import Phase, Plan, Task
from screwgraph.motion.planning.costs import Acceleration
from screwgraph.motion.planning.goals import Position
from screwgraph.motion.planning.transcription.problem import transcribe
from screwgraph.optimize import Result, Status
from screwgraph.optimize.result import Iterate

from .contact_checks import moved

TIMES = np.array([0.0, 0.013, 0.1, 0.15, 0.2, 0.26, 0.4])


def motion(robot, collocation, states, tau=None):
    """A plan of two phases whose states are those of a given motion: q, qd, qdd at times."""
    phases = (Phase(2, 0.2), Phase(1, 0.2))
    goals, costs = (Position(robot.neutral(), sigma=1.0),), (Acceleration(1.0),)
    task = Task(robot, phases, goals=goals, costs=costs, collocation=collocation, dynamics=tau is not None)
    made = transcribe(task)
    steps = made.steps
    values = {name: np.array([states(t)[i] for t in steps.times]) for i, name in enumerate(("q", "qd"))}
    values["qdd"] = np.array([states(t)[2] for t in steps.times[steps.points]])
    if tau is not None:
        values["tau"] = np.array([tau(t) for t in steps.times[steps.points]])
    problem = made.problem
    x = problem.start({v.name: values[v.name] for v in problem.families})
    return Plan(made, Result(problem, Iterate(x, 0.0, 0.0), 0, 0.0, Status.CONVERGED, "", "none"))


def polynomial(*rows):
    """Positions, velocities, accelerations of joints whose positions are polynomials of time."""
    parts = [np.polynomial.Polynomial(row) for row in rows]
    return lambda t: tuple(np.array([p.deriv(k)(t) for p in parts]) for k in range(3))


SMOOTH = {"trapezoidal": 2, "linear_acceleration": 3, "hermite_simpson": 3, "none": 3}


@pytest.mark.parametrize("collocation", SMOOTH)
def test_motions_of_as_high_a_degree_as_the_collocation_are_met_exactly(collocation):
    rng = np.random.default_rng(0)
    states = polynomial(*rng.standard_normal((2, SMOOTH[collocation] + 1)))
    plan = motion(sg.load("rr"), collocation, states, tau=lambda t: np.array([1.0 + t, -2.0 * t]))
    found = plan.at(TIMES)
    assert found.q == pytest.approx(np.array([states(t)[0] for t in TIMES]), abs=1e-12)
    assert found.qd == pytest.approx(np.array([states(t)[1] for t in TIMES]), abs=1e-12)
    assert found.tau == pytest.approx(np.stack([1.0 + TIMES, -2.0 * TIMES], axis=1), abs=1e-12)


def test_euler_holds_efforts_and_goes_along_the_velocity_at_the_end():
    plan = motion(sg.load("rr"), "euler", polynomial([0.0, 1.0], [0.0, 0.0, 5.0]), tau=lambda t: np.array([t, 0.0]))
    found = plan.at(0.15)
    assert found.q == pytest.approx([0.15, 0.05 + 0.05 * 2.0])
    assert found.qd == pytest.approx([1.0, 1.5])
    assert found.tau == pytest.approx([0.1, 0.0])


@pytest.mark.parametrize("collocation", ["trapezoidal", "none"])
def test_a_steady_turn_of_a_floating_robot_is_met(collocation):
    robot = sg.load("a1", base="floating")
    V = np.zeros(robot.nv)
    V[:3], V[6:] = [0.3, -2.0, 1.0], 0.5  # about the origin: a screw motion, and one in local coordinates
    q0 = robot.neutral()
    plan = motion(robot, collocation, lambda t: (moved(robot, q0, t * V), V, 0.0 * V))
    q, qd, *_ = plan.at(TIMES)
    assert q == pytest.approx(np.array([moved(robot, q0, t * V) for t in TIMES]), abs=1e-9)
    assert qd == pytest.approx(np.tile(V, (len(TIMES), 1)), abs=1e-9)


@pytest.mark.parametrize("time", [-0.1, 0.41, np.nan])
def test_times_outside_of_a_plan_are_refused(time):
    plan = motion(sg.load("rr"), "trapezoidal", polynomial([0.0, 1.0], [0.0]))
    with pytest.raises(InputError, match=r"the motion of .rr. has no state at t = .* it lasts from 0 to 0.4 s"):
        plan.at([0.1, time])
