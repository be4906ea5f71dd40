"""Held torques: SciPy carries them out, one for each step, and arrives where the plan says."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import screwgraph as sg
from screwgraph.base.errors import InputError
from screwgraph.motion.planning import COLLOCATIONS, Phase, Planner, Task, horizon, read_task
from screwgraph.motion.planning.contacts import PointContact
from screwgraph.motion.planning.costs import Acceleration, Effort
from screwgraph.motion.planning.goals import Point, Position, Velocity
from screwgraph.motion.planning.limits import EffortLimit
from tests.motion.planning.oracles import cart_pole

PERIOD = 0.01
HOPPER = Path(__file__).with_name("hopper.yaml")


def reach(robot="panda", steps=32, **fields) -> Task:
    robot = sg.load(robot)
    start = np.array([0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785])[: robot.nv]
    goal = start + np.array([0.3, 0.2, -0.2, 0.3, 0.2, -0.2, 0.3])[: robot.nv]
    goals = (Position(goal), Velocity(0.0))
    return Task(robot, horizon(steps, dt=PERIOD), start=start, goals=goals, costs=(Effort(1.0),), **fields)


def carried_out(plan, acceleration, torques, begin=0, end=None):
    """Largest distance (rad, m) from the plan's knots of a motion whose torques are each held for a step."""
    steps, nv = plan.transcription.steps, plan.task.robot.nv
    knots = np.append(steps.first, len(plan.t) - 1)[begin:end]
    x, off = np.concatenate([plan.q[knots[0]], plan.qd[knots[0]]]), 0.0
    for a, b, tau in zip(knots[:-1], knots[1:], torques, strict=True):
        run = solve_ivp(
            lambda t, x, tau=tau: np.append(x[nv:], acceleration(x[:nv], x[nv:], tau)),
            (plan.t[a], plan.t[b]),
            x,
            method="LSODA",
            rtol=1e-10,
            atol=1e-12,
        )
        x = run.y[:, -1]
        off = max(off, np.abs(x[:nv] - plan.q[b]).max())
    return off


def at_beginnings(plan, **options):
    return plan.torque(plan.t[plan.transcription.steps.first], **options)


def test_held_torques_move_an_arm_as_planned():
    plan = sg.plan(reach(collocation="held"))
    assert plan.status == "solved"
    assert carried_out(plan, sg.forward_dynamics(plan.task.robot), at_beginnings(plan)) < 1e-6


def test_means_of_other_rules_move_it_nearly_so():
    """The torque at the beginning is half a period late: h T v / 2; its mean errs by the square of the period."""
    plan = sg.plan(reach(collocation="trapezoidal"))
    acceleration = sg.forward_dynamics(plan.task.robot)
    assert carried_out(plan, acceleration, at_beginnings(plan)) > 1e-2
    assert carried_out(plan, acceleration, at_beginnings(plan, hold=PERIOD)) < 1e-3


@pytest.fixture(scope="module")
def swing_up():
    return replace(read_task("cp2lim12"), collocation="held", phases=horizon(80, duration=4.0), accuracy=1e-3)


def test_held_forces_swing_a_cart_pole_up(swing_up):
    """The first swing; upright, any motion without feedback leaves any plan."""
    plan = sg.plan(swing_up)
    assert plan.status == "solved"
    assert np.abs(plan.tau).max() <= 12.0 + 1e-6
    first = at_beginnings(plan)[:30]
    assert carried_out(plan, lambda q, v, u: cart_pole(q, v, u[0]), first, 0, 31) < 1e-3
    steps = plan.values["tau"]
    assert plan.cost == pytest.approx(float((steps**2).sum()) * 0.05, rel=1e-9)


def test_a_horizon_of_held_torques_moves_along(swing_up):
    planner = Planner(swing_up)
    before = planner.solve()
    after = planner.step(2, q=before.q[6])
    assert after.solved
    assert np.abs(after.tau[0] - before.tau[6]).max() < 0.5  # of 12 N; goals keep their place in the horizon
    assert planner.transcription.steps.count_unknowns("tau", 6) == 2
    assert after.iterations < before.iterations


def test_held_torques_push_a_leg_off_the_ground():
    """The foot stands while it pushes: accelerations and its force follow from one linear system."""
    robot = sg.load(HOPPER)
    low = np.array([2 * 0.25 * np.cos(0.9), 0.9, -1.8])
    phases = (Phase(10, 0.2, "push"), Phase(10, 0.2, "flight"))
    task = Task(
        robot,
        phases,
        start=low,
        goals=(Point("trunk", [0.55], 0.4, axes="z"),),
        costs=(Effort(1.0), Acceleration(1e-3)),
        contacts=(PointContact("foot", phases=["push"]),),
        actuated=("hip", "knee"),
        collocation="held",
    )
    plan = sg.plan(task)
    assert plan.status == "solved", plan
    M, h, nv = sg.mass_matrix(robot), sg.bias_forces(robot), robot.nv
    J = sg.frame_jacobian(robot, "foot", reference="local_world_aligned")
    A = sg.frame_acceleration(robot, "foot", reference="local_world_aligned")

    def standing(q, v, tau):
        rows = J(q)[[3, 5]]
        system = np.block([[M(q), -rows.T], [rows, np.zeros((2, 2))]])
        return np.linalg.solve(system, np.append(tau - h(q, v), -A(q, v, np.zeros(nv))[[3, 5]]))[:nv]

    torques = at_beginnings(plan)
    assert carried_out(plan, standing, torques[:10], 0, 11) < 1e-3
    assert carried_out(plan, sg.forward_dynamics(robot), torques[10:], 10) < 1e-5


@pytest.mark.parametrize("collocation", [name for name in COLLOCATIONS if name != "none"])
def test_torques_between_points_are_those_of_the_collocation(collocation):
    plan = sg.plan(reach("rr", 4, collocation=collocation))
    rule, knots = COLLOCATIONS[collocation], plan.t[plan.transcription.steps.first]
    parts = np.linspace(0.02, 0.98, 9)
    for k, begin in enumerate(knots):
        found = plan.torque(begin + parts * PERIOD)
        degree = 0 if collocation in ("euler", "held", "held_9") else len(rule.accelerated) - 1
        through = np.polynomial.Polynomial.fit(parts, found[:, 0], degree)
        assert np.abs(through(parts) - found[:, 0]).max() <= 1e-9 * np.abs(found).max()
        if not degree:
            first = plan.transcription.steps.first[k]
            assert plan.torque(begin) == pytest.approx(plan.tau[first], rel=1e-12)
            assert found == pytest.approx(np.tile(plan.tau[first], (9, 1)), rel=1e-12)
    assert plan.torque(plan.t[-1]) == pytest.approx(plan.tau[-1], rel=1e-9)
    assert plan.effort(plan.t) == pytest.approx(plan.torque(plan.t))


def test_means_go_over_jumps_and_end_with_the_plan():
    plan = sg.plan(reach("rr", 4, collocation="held"))
    tau = plan.values["tau"]
    assert plan.torque(0.005, hold=0.02) == pytest.approx((0.5 * tau[0] + tau[1] + 0.5 * tau[2]) / 2.0, rel=1e-9)
    assert plan.torque(0.035, hold=1.0) == pytest.approx(tau[3], rel=1e-9)
    for times, hold in ((0.05, 0.0), (-1e-3, 0.0), (0.0, -1.0), (np.nan, 0.0)):
        with pytest.raises(InputError):
            plan.torque(times, hold=hold)


def test_finer_motions_keep_the_period_where_they_can():
    """Long steps ask for a higher order within them, before their torques are held for shorter."""
    rough = reach("rr", 4, collocation="held", accuracy=1e-6)
    rough = replace(rough, phases=horizon(4, duration=0.4))
    assert sg.plan(rough).coarse
    plan = sg.plan(rough, refine=True)
    assert plan.solved
    assert plan.task.collocation == "held_9"
    assert len(plan.values["tau"]) == 4


def test_limits_costs_and_files_know_held_torques(tmp_path):
    soft = reach("rr", 6, collocation="held", limits=(EffortLimit(5.0, sigma=0.01),))
    hard = replace(soft, limits=(EffortLimit(5.0),), phases=horizon(6, duration=1.0))
    assert sg.plan(soft).converged
    assert np.abs(sg.plan(hard).tau).max() <= 5.0 + 1e-6
    file = tmp_path / "task.yaml"
    file.write_text(
        "robot: rr\nhorizon: {steps: 4, dt: 0.01}\nstart: {position: [0, 0]}\n"
        "goals: [{position: [0.01, 0]}]\ncosts: {effort: 1}\ncollocation: held\n"
    )
    assert sg.plan(file).values["tau"].shape == (4, 2)
    with pytest.raises(InputError, match="holds one over all samples of a step"):
        sg.plan(replace(soft, dynamics="condensed"))
