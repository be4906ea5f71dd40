"""Nonholonomic bases: differential drives and cars that park, by finite differences and Pinocchio's dynamics."""

from dataclasses import replace

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import InputError, ScrewgraphError
from screwgraph.motion.planning import Planner, Task, horizon, read_task
from screwgraph.motion.planning.collision import BodySphere, Box
from screwgraph.motion.planning.contacts import Axle
from screwgraph.motion.planning.costs import Acceleration, Speed
from screwgraph.motion.planning.goals import Position, Velocity
from screwgraph.motion.planning.limits import PositionLimit
from screwgraph.motion.planning.obstacles import Avoid
from tests.oracle import Oracle, pinocchio_model

CART = """
name: cart
bodies:
  - {link: chassis, joint: base, type: planar, axis: z, mass: 10, com: [0.05, 0, 0], inertia: [0.2, 0.2, 0.3]}
"""
CAR = """
name: car
bodies:
  - {link: chassis, joint: base, type: planar, axis: z, mass: 100, com: [0.5, 0, 0], inertia: [10, 10, 20]}
  - {link: fork, joint: steer, axis: z, at: [1, 0, 0], mass: 5, inertia: [0.1, 0.1, 0.2]}
"""
WHEELBASE, LOCK = 1.0, 0.6


def aside(**fields) -> Task:
    """One metre to the left, from rest to rest, with the same heading."""
    task = Task(
        sg.load(CART),
        horizon(10, duration=4.0),
        start=[0.0, 0.0, 0.0],
        goals=(Position([0.0, 1.0, 0.0]), Velocity(0.0)),
        costs=(Acceleration(1.0),),
        contacts=(Axle("chassis"),),
        collocation="hermite_simpson",
    )
    return replace(task, **fields)


def sliding(plan, ahead=0.0, steer=None) -> np.ndarray:
    """Return the velocities along an axle so far ahead of the base's origin, by differences of positions (m/s)."""
    t = np.linspace(0.0, plan.t[-1], 4001)
    q = plan.at(t).q
    heading = q[:, 2] + (0.0 if steer is None else q[:, steer])
    place = q[:, :2] + ahead * np.stack([np.cos(q[:, 2]), np.sin(q[:, 2])], axis=1)
    v, middle = np.diff(place, axis=0) / np.diff(t)[:, None], 0.5 * (heading[1:] + heading[:-1])
    return v[:, 1] * np.cos(middle) - v[:, 0] * np.sin(middle)


def test_a_differential_drive_moves_aside_by_turning():
    """Between points it slides by what collocation errs, of third order."""
    plans = [sg.plan(aside(phases=horizon(n, duration=4.0))) for n in (10, 20, 40)]
    assert all(plan.converged for plan in plans)
    off = [float(np.abs(sliding(plan)).max()) for plan in plans]
    assert off[0] < 0.01
    assert off[1] < off[0] / 4.0
    assert off[2] < off[1] / 4.0
    assert np.abs(plans[-1].q[:, 2]).max() > 0.5, "it turns"
    assert np.abs(sliding(sg.plan(aside(contacts=())))).max() > 0.3


def test_the_ground_exerts_the_force_across():
    """Torques along x, y and the heading, and the force along the axle, make the motion, as Pinocchio says."""
    plan = sg.plan(aside())
    robot = plan.task.robot
    oracle = Oracle(robot, *pinocchio_model(robot))
    states = zip(plan.q, plan.qd, plan.qdd, plan.tau, plan.trajectory.external_wrenches["chassis"], strict=True)
    across = []
    for q, qd, qdd, tau, wrench in states:
        assert wrench[[0, 1, 2, 3, 5]] == pytest.approx(np.zeros(5), abs=1e-12)
        force = wrench[4] * np.array([-np.sin(q[2]), np.cos(q[2]), 0.0])
        across.append(wrench[4])
        assert tau + force == pytest.approx(oracle.inverse_dynamics(q, qd, qdd), abs=1e-6)
    assert np.abs(across).max() > 0.1


def test_without_dynamics_too():
    plan = sg.plan(aside(dynamics=False, costs=(Speed(1.0),), phases=horizon(40, duration=4.0)))
    assert plan.converged, plan
    assert np.abs(sliding(plan)).max() < 0.02
    assert plan.q[-1] == pytest.approx([0.0, 1.0, 0.0], abs=1e-7)


def test_a_car_parks_between_two_others():
    """Front and rear wheels do not slide, so curves are no narrower than steering allows; nothing is touched."""
    parked = [Box((2.2, 0.0, 0.0), (0.8, 0.6, 1.0)), Box((-1.2, 0.0, 0.0), (0.8, 0.6, 1.0))]
    balls = [BodySphere("chassis", (x, 0.0, 0.0), 0.3) for x in (0.0, 0.5, 1.0)]
    task = Task(
        sg.load(CAR),
        horizon(40, duration=10.0),
        start=[0.0, 1.0, 0.0, 0.0],
        goals=(Position([0.0, 0.0, 0.0, 0.0]), Velocity(0.0)),
        costs=(Acceleration(1.0),),
        limits=(PositionLimit({"steer": (-LOCK, LOCK)}),),
        obstacles=(Avoid(parked, balls),),
        contacts=(Axle("chassis"), Axle("fork")),
        collocation="hermite_simpson",
    )
    plan = sg.plan(task)
    assert plan.converged, plan
    assert not plan.touches
    assert np.abs(sliding(plan)).max() < 5e-3
    assert np.abs(sliding(plan, WHEELBASE, 3)).max() < 5e-3
    state = plan.at(np.linspace(0.0, 10.0, 4001))
    along = state.qd[:, 0] * np.cos(state.q[:, 2]) + state.qd[:, 1] * np.sin(state.q[:, 2])
    assert (np.abs(state.qd[:, 2]) <= np.abs(along) * np.tan(LOCK) / WHEELBASE + 0.01).all()
    assert along.min() < -0.01 < 0.01 < along.max(), "there and back"
    for x in (0.0, 0.5, 1.0):
        place = state.q[:, :2] + x * np.stack([np.cos(state.q[:, 2]), np.sin(state.q[:, 2])], axis=1)
        for box in parked:
            beyond = np.abs(place - box.centre[:2]) - 0.5 * np.array(box.size[:2])
            outside = np.linalg.norm(np.maximum(beyond, 0.0), axis=1) + np.minimum(beyond.max(axis=1), 0.0)
            assert outside.min() > 0.3 - 1e-4


def test_an_axle_on_a_step_of_a_controller():
    planner = Planner(aside())
    first = planner.solve()
    plan = planner.step(2)
    assert plan.feasible, plan
    assert plan.q[0] == pytest.approx(first.q[2 * plan.transcription.steps.per_step], abs=1e-9)
    assert np.abs(sliding(plan)).max() < 0.05


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"contacts": (Axle("hull"),)}, r"contact 1: no frame is called 'hull'"),
        ({"contacts": (Axle("chassis", axis=(0, 0, 0)),)}, r"contact 1: the axis of 'chassis' is \(0, 0, 0\)"),
        ({"contacts": (Axle("chassis", phases=["drive"]),)}, "contact 1: there is no phase 'drive'"),
        ({"start_velocity": [0.0, 0.3, 0.0]}, "at t = 0 s the axle of 'chassis' slides by 0.3 m/s"),
    ],
)
def test_what_is_wrong_is_refused(fields, said):
    with pytest.raises(InputError, match=said) as caught:
        Planner(aside(**fields))
    assert "\n" not in str(caught.value)


FILE = """
robot: cart.yaml
horizon: {steps: 10, duration: 4}
start: {position: [0, 0, 0]}
goals: [{time: end, position: [0, 1, 0], velocity: 0}]
costs: {acceleration: 1}
collocation: hermite_simpson
contacts: [{axle: {frame: chassis}}]
"""


def test_files_name_it(tmp_path):
    (tmp_path / "cart.yaml").write_text(CART)
    (tmp_path / "task.yaml").write_text(FILE)
    plan = sg.plan(read_task(tmp_path / "task.yaml"))
    assert plan.converged, plan
    assert np.abs(sliding(plan)).max() < 0.01
    for old, new, said in (
        ("{frame: chassis}", "{axis: [0, 1, 0]}", "task.yaml:8: .*it must have a frame"),
        ("frame: chassis", "frame: hull", "task.yaml:8: .*no frame is called 'hull'"),
        ("frame: chassis", "frame: chassis, wheels: 2", "task.yaml:8: .*there is no key 'wheels'"),
        ("axle", "axel", r"task.yaml:8: contacts: there is no 'axel' \(did you mean 'axle'\?\)"),
    ):
        (tmp_path / "task.yaml").write_text(FILE.replace(old, new))
        with pytest.raises(ScrewgraphError, match=said) as caught:
            read_task(tmp_path / "task.yaml")
        assert "\n" not in str(caught.value)
