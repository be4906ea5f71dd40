"""Plans with contacts, checked by code that shares nothing with the planner."""

from pathlib import Path

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.motion.planning import Phase, Planner, Task, horizon
from screwgraph.motion.planning.contacts import FlatContact, PointContact
from screwgraph.motion.planning.costs import Acceleration, Effort
from screwgraph.motion.planning.goals import Point, Velocity
from screwgraph.optimize import InteriorPoint, Tolerances
from tests.motion.planning.contact_checks import Body, is_passed_on, moved

MONOPOD = Path(__file__).with_name("monopod.yaml")
LENGTH, WIDTH, FRICTION = 0.12, 0.06, 0.6
SQUARE = tuple((x * LENGTH / 2, y * WIDTH / 2, 0.0) for x, y in ((1, 1), (1, -1), (-1, -1), (-1, 1)))
GAUSS_NEWTON = InteriorPoint(curvature=False)  # whose code is made sooner
COSTS = (Effort(1e-2), Acceleration(1e-3))


@pytest.fixture(scope="module")
def robot():
    return sg.load(MONOPOD, base="floating")


@pytest.fixture(scope="module")
def body(robot):
    return Body(robot)


def standing(robot):
    q = robot.neutral()
    q[7:] = [0.0, 0.6, -1.2, 0.6]
    q[2] = 2 * 0.25 * np.cos(0.6) + 0.04
    return q


def cross(p):
    return np.array([[0.0, -p[2], p[1]], [p[2], 0.0, -p[0]], [-p[1], p[0], 0.0]])


def lean(robot, contact, collocation, **fields):
    """Move the trunk by some centimetres and stop."""
    q = standing(robot)
    goals = (Point("trunk", [0.03, q[2] - 0.06], axes="xz"), Velocity(0.0))
    task = Task(
        robot, horizon(10, dt=0.04), start=q, goals=goals, costs=COSTS, contacts=(contact,),
        collocation=collocation, guess="stay", **fields,
    )  # fmt: skip
    plan = Planner(task).solve(method=GAUSS_NEWTON, tolerances=Tolerances(violation=1e-8, dual=1e-7))
    assert plan.converged, plan
    return plan


FLAT = FlatContact("sole", LENGTH, WIDTH, friction=FRICTION)
CORNERS = PointContact("sole", friction=FRICTION, points=SQUARE)


@pytest.fixture(scope="module")
def euler(robot):
    return lean(robot, FLAT, "euler")


@pytest.mark.suite
def test_a_condensed_task_has_the_same_optimum(robot, euler):
    condensed = lean(robot, FLAT, "euler", dynamics="condensed")
    assert condensed.cost == pytest.approx(euler.cost, rel=1e-6)
    for name in ("q", "qd", "qdd", "tau"):
        assert condensed.values[name] == pytest.approx(euler.values[name], abs=1e-4 * np.abs(euler.values[name]).max())


@pytest.mark.suite
def test_four_point_forces_do_what_one_wrench_does_though_they_are_not_unique(robot, euler):
    corners = lean(robot, CORNERS, "euler")
    assert corners.cost == pytest.approx(euler.cost, rel=1e-5)
    assert corners.q == pytest.approx(euler.q, abs=1e-4)
    forces = corners.values["contact 1 force"]
    grasp = np.vstack([np.tile(np.eye(3), 4), np.hstack([cross(p) for p in SQUARE])])
    least = forces @ (np.linalg.pinv(grasp) @ grasp).T  # of those that make the same wrench; the sole does not turn
    inside = (np.abs(least.reshape(-1, 4, 3)[..., :2]) < 0.9 * FRICTION / 2 * least.reshape(-1, 4, 3)[..., 2:]).all(
        (1, 2)
    )
    assert inside.sum() > 3
    assert forces[inside] == pytest.approx(least[inside], abs=1e-3 * forces.max())


def test_ways_to_hold_on_agree_as_far_as_time_steps_allow(robot, body):
    costs = []
    for level in ("velocity", "acceleration"):
        contact = FlatContact("sole", LENGTH, WIDTH, friction=FRICTION, level=level)
        plan = lean(robot, contact, "trapezoidal")
        costs.append(plan.cost)
        places = np.array([body.pose(q, "sole") for q in plan.q])
        assert np.abs(places - places[0]).max() < 2e-4
    assert costs[1] == pytest.approx(costs[0], rel=2e-2)


@pytest.fixture(scope="module")
def hop(robot):
    phases = (
        Phase(12, 0.36, "push"),
        Phase(8, 0.2, "flight", shortest=0.12, longest=0.4),
        Phase(14, 0.42, "land"),
    )
    q = standing(robot)
    task = Task(
        robot,
        phases,
        start=q,
        goals=(Point("trunk", [0.12, 0.0, q[2]]), Velocity(0.0)),
        costs=COSTS,
        contacts=(FlatContact("sole", LENGTH, WIDTH, phases=["push", "land"], friction=FRICTION),),
        guess="stay",
    )
    plan = Planner(task).solve()
    assert plan.converged, plan
    return plan


def wrenches(plan):
    """The sole's wrench (M, 6) at all samples, zero in flight."""
    steps = plan.transcription.steps
    found = np.zeros((len(steps.points), 6))
    (wrench,) = plan.transcription.task.contacts[0].wrenches(steps, "contact 1")
    found[wrench.samples] = plan.values[wrench.unknowns.name]
    return found


def forces_at(body, q, wrench):
    """A wrench in the sole's axes as a force at its origin and a couple of forces."""
    R = body.pose(q, "sole")[:3, :3]
    m, f = wrench[:3], R @ wrench[3:]
    pairs = [("sole", np.zeros(3), f)]
    for axis, arm, push in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        at, force = np.eye(3)[arm], m[axis] / 2 * np.eye(3)[push]
        pairs += [("sole", at, R @ force), ("sole", -at, R @ -force)]
    return pairs


def test_equations_of_motion_hold_at_all_samples(hop, body):
    points, loads = hop.transcription.steps.points, wrenches(hop)
    tau = np.zeros((len(points), body.robot.nv))
    tau[:, 6:] = hop.values["tau"]
    off = [
        body.residual(hop.q[p], hop.qd[p], hop.values["qdd"][m], tau[m], forces_at(body, hop.q[p], loads[m]))
        for m, p in enumerate(points)
    ]
    assert np.abs(off).max() < 1e-6


def test_the_sole_pushes_within_its_cone_and_not_at_all_in_flight(hop):
    loads, steps = wrenches(hop), hop.transcription.steps
    assert not loads[steps.samples[1]].any()
    for w in loads[np.r_[steps.samples[0], steps.samples[2]]]:
        assert w[5] > 0.0
        assert is_passed_on(w + 1e-5 * np.eye(6)[5], LENGTH, WIDTH, FRICTION)


def finer(plan, per=10):
    """Times, positions and phases between points: accelerations are linear between them, motions their integrals."""
    robot, t, steps = plan.transcription.task.robot, plan.t, plan.transcription.steps
    for k in range(len(t) - 1):
        h = t[k + 1] - t[k]
        for i in range(per):
            s = i / per
            d = h * (s * plan.qd[k] + 0.5 * s * s * (plan.qd[k + 1] - plan.qd[k]))
            yield t[k] + s * h, moved(robot, plan.q[k], d), int(steps.phase_of_point[k])


def test_the_sole_neither_slips_nor_sinks_between_the_points(hop, body):
    places = {0: [], 1: [], 2: []}
    for _, q, phase in finer(hop):
        places[phase].append(body.pose(q, "sole"))
    for phase in (0, 2):
        stance = np.array(places[phase])
        assert np.abs(stance[:, :3, 3] - stance[0, :3, 3]).max() < 1e-3
        assert np.abs(stance[:, 2, 3]).max() < 2e-4
    lowest = [min((T[:3, :3] @ c + T[:3, 3])[2] for c in np.array(SQUARE)) for T in places[1]]
    assert min(lowest) > -1e-3
    assert max(lowest) > 5e-4


def test_in_flight_the_centre_of_mass_is_a_stone(hop, body):
    points = np.arange(hop.transcription.steps.states[1].start, hop.transcription.steps.states[1].stop)
    t = hop.t[points] - hop.t[points[0]]
    links = [link for link in body.robot.links if link.inertia.mass]
    mass = sum(link.inertia.mass for link in links)

    def centre(q):
        poses = [body.pose(q, link.name) for link in links]
        pairs = zip(poses, links, strict=True)
        return sum(T[:3, :3] @ b.inertia.first_moment + b.inertia.mass * T[:3, 3] for T, b in pairs) / mass

    x = np.array([centre(hop.q[p]) for p in points])
    fit = np.polyfit(t, x, 2)
    assert 2.0 * fit[0] == pytest.approx([0.0, 0.0, -9.81], abs=0.15)
    assert np.abs(x - sum(c * t[:, None] ** (2 - i) for i, c in enumerate(fit))).max() < 1e-4
