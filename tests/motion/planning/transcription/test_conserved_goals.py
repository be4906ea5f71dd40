"""Goals of models that nothing drives as a whole: what momenta imply is left out, what they forbid is proved."""

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import screwgraph as sg
from screwgraph.motion.planning import Planner, Task, horizon
from screwgraph.motion.planning.costs import Acceleration, Effort
from screwgraph.motion.planning.goals import Position, Velocity
from screwgraph.motion.planning.limits import EffortLimit, PositionLimit
from screwgraph.motion.planning.transcription.conserved_goals import find_momenta
from screwgraph.optimize import equality
from screwgraph.spatial import cos, sin, vector

CAT = """
gravity: [0, 0, 0]
bodies:
  - {link: slide, joint: x, type: prismatic, axis: x}
  - {link: rise, parent: slide, joint: y, type: prismatic, axis: y}
  - {link: trunk, parent: rise, joint: turn, axis: z, mass: 1.2, inertia: [0, 0, 0.1]}
  - {link: fore, parent: trunk, joint: a, axis: z, at: [0.3, 0, 0], mass: 1, com: [0.3, 0, 0], inertia: [0, 0, 0.05]}
  - {link: hind, parent: trunk, joint: b, axis: z, at: [-0.3, 0, 0], mass: 1, com: [-0.3, 0, 0],
     inertia: [0, 0, 0.05]}
"""
CART = """
bodies:
  - {link: cart, joint: x, type: prismatic, axis: x, mass: 2}
  - {link: pole, joint: th, parent: cart, axis: -y, mass: 1, com: [0, 0, -0.6], inertia: [0.02, 0.02, 0.02]}
"""
SATELLITE = """
bodies:
  - {link: body, joint: base, type: floating, mass: 4, inertia: [0.4, 0.5, 0.6]}
  - {link: arm, parent: body, joint: shoulder, axis: z, at: [0.2, 0, 0], mass: 1, com: [0.3, 0, 0],
     inertia: [0.01, 0.03, 0.03]}
"""
MOBILE = """
bodies:
  - {link: platform, joint: base, type: planar, axis: z, mass: 15, inertia: [1, 1, 1]}
"""


def cat(turn: float, x: float = 0.0, **fields) -> Task:
    robot, goals = sg.load(CAT), (Position([x, 0.0, turn, 0.0, 0.0]), Velocity())
    fields = {"actuated": ("a", "b"), **fields}
    return Task(robot, horizon(30, duration=2.0), np.zeros(5), goals=goals, costs=(Effort(0.5),), **fields)


def goals_of(task):
    factors = Planner(task).transcription.problem.factors
    return {f.name: f.template.columns for f in factors if f.name.startswith("goal")}


def test_goals_that_follow_from_momenta_are_left_out():
    assert goals_of(cat(1.0)) == {"goal 1: position": (2, 3, 4), "goal 2: velocity": (3, 4)}
    driven = replace(cat(1.0), actuated=("x", "y", "turn", "a", "b"))
    assert goals_of(driven) == {"goal 1: position": (0, 1, 2, 3, 4), "goal 2: velocity": (0, 1, 2, 3, 4)}


def test_the_integral_of_linear_momentum_is_the_way_of_the_centre_of_mass():
    robot = sg.load(CAT)
    momenta = find_momenta(Planner(cat(1.0)).transcription.steps)
    a, b = np.random.default_rng(0).uniform(-1.0, 1.0, (2, 5))
    assert momenta is not None
    assert momenta.integrable.shape == (3, 2)  # the angular momentum has no integral
    centre = sg.center_of_mass(robot)
    way = 3.2 * (np.array(centre(b)) - np.array(centre(a)))[:2]
    found = momenta.integrable.T @ momenta.integral(a, b)
    assert np.sort(np.abs(found)) == pytest.approx(np.sort(np.abs(way)), rel=1e-8)


def carried_out(plan):
    """The position after all of a plan's torques, by SciPy from forward dynamics."""
    robot = plan.task.robot
    accelerations = sg.forward_dynamics(robot)

    def rates(t, x):
        q, qd = np.split(x, 2)
        return np.concatenate([qd, accelerations(q, qd, plan.torque(min(t, plan.t[-1])))])

    knots, x = plan.t[:: plan.transcription.steps.per_step], np.concatenate([plan.q[0], plan.qd[0]])
    for span in pairwise(knots.tolist()):  # torques jump from step to step
        x = solve_ivp(rates, span, x, method="DOP853", rtol=1e-9, atol=1e-11).y[:, -1]
    return np.split(x, 2)[0]


@pytest.mark.parametrize("turn", [1.0, -1.5])
def test_a_body_that_nothing_drives_turns_by_cycles_of_its_joints(turn):
    plan = Planner(cat(turn)).solve()
    assert plan.solved, plan
    assert plan.momentum_errors is not None
    assert plan.momentum_errors.relative <= plan.task.accuracy
    assert np.abs(plan.tau[:, :3]).max() == 0.0
    # It turns because torques turn it: errors are bounded as parts of the whole way, which is some radians.
    bound = plan.task.accuracy * np.abs(plan.q).max() * 3.0
    assert carried_out(plan) == pytest.approx([0.0, 0.0, turn, 0.0, 0.0], abs=bound)


def test_cyclic_motions_are_refined_unless_a_mesh_is_to_stay():
    rough = Planner(cat(-1.5)).solve(refine=False)
    assert rough.converged
    assert rough.task.phases == cat(-1.5).phases
    assert "momentum changes without a force" in rough.status
    assert not Planner(cat(0.3, actuated=("x", "y", "turn", "a", "b"))).transcription.is_cyclic


def test_a_goal_beside_the_centre_of_mass_is_proved_impossible():
    plan = Planner(cat(1.0, x=0.05)).solve()
    assert plan.status == "infeasible"
    assert "goal 1: joint 'x' is 0.05 m from where momentum leads" in plan.reason


@pytest.mark.parametrize(("off", "possible"), [(0.0, True), (5e-5, True), (1e-3, False), (-0.05, False)])
def test_a_free_cart_is_where_its_pole_pushes_it(off, possible):
    x = -0.6 / 3.0 * np.sin(1.2)  # the centre of mass stays: 3 x + 0.6 sin(th) = 0
    goals = (Position({"th": 1.2, "x": x + off}), Velocity())
    robot = sg.load(CART)
    task = Task(robot, horizon(20, duration=2.0), np.zeros(2), goals=goals, costs=(Effort(),), actuated=("th",))
    plan = Planner(task).solve()
    assert plan.converged == possible, plan
    assert (plan.status == "infeasible") == (not possible)
    if possible:
        assert plan.q[-1] == pytest.approx([x, 1.2], abs=2e-3)


def test_what_turns_or_falls_does_not_come_to_rest():
    """A wheel takes the spin of a body in space, but not both; a body that falls rests if it was thrown up before."""
    wheel = sg.load(
        "gravity: [0, 0, 0]\nbodies:\n  - {link: bus, joint: turn, axis: z, mass: 10, inertia: [1, 1, 0.8]}\n"
        "  - {link: wheel, parent: bus, joint: spin, axis: z, mass: 1, inertia: [0.02, 0.02, 0.05]}\n"
    )
    task = Task(
        wheel, horizon(10, duration=1.0), np.zeros(2), [1.0, 0.0], (Velocity(),), (Effort(),), actuated=("spin",)
    )
    (proof,) = Planner(task).transcription.proofs
    assert "is 1 rad/s from where momentum leads" in proof
    plan = Planner(replace(task, goals=(Velocity({"turn": 0.0}),))).solve()
    assert plan.solved
    assert plan.qd[-1] == pytest.approx([0.0, 0.85 / 0.05], rel=1e-6)
    robot = sg.load(SATELLITE)
    fall = Task(robot, horizon(5, duration=0.5), robot.neutral(), goals=(Velocity(),), costs=(Effort(),))
    (proof,) = Planner(fall).transcription.proofs
    assert f"{0.5 * 9.81:.3g} m/s from where momentum leads" in proof
    up = np.zeros(robot.nv)
    up[5] = 0.5 * 9.81
    assert not Planner(replace(fall, start_velocity=up)).transcription.proofs


def test_a_falling_body_is_where_gravity_leads_it():
    robot = sg.load(SATELLITE)
    goal = robot.neutral()
    goal[2] = -0.5 * 9.81 * 0.4**2
    task = Task(robot, horizon(8, duration=0.4), robot.neutral(), goals=(Position(goal),), costs=(Effort(),))
    assert Planner(task).transcription.proofs == ()
    goal[2] += 0.01
    (proof,) = Planner(replace(task, goals=(Position(goal),))).transcription.proofs
    assert "is 0.01 m from where momentum leads at t = 0.4 s" in proof


@dataclass(frozen=True, eq=False)
class Rolling:
    """Wheels do not slide sideways."""

    def factors(self, steps, name):
        def sideways(q, qd):
            return vector([cos(q[2]) * qd[1] - sin(q[2]) * qd[0]])

        yield equality(sideways, steps.q[:], steps.qd[:], name=f"{name}: sideways")


@pytest.mark.parametrize("aside", [0.2, 1.0, 2.0])
def test_a_platform_parks_parallel_to_where_it_stood(aside):
    goals = (Position([0.0, aside, 0.0]), Velocity())
    task = Task(sg.load(MOBILE), horizon(40, duration=4.0), np.zeros(3), goals=goals, limits=(Rolling(),),
                costs=(Acceleration(),), dynamics=False, collocation="trapezoidal")  # fmt: skip
    plan = Planner(task).solve()
    assert plan.solved, plan
    across = np.cos(plan.q[:, 2]) * plan.qd[:, 1] - np.sin(plan.q[:, 2]) * plan.qd[:, 0]
    assert np.abs(across).max() < 1e-6
    assert plan.q[-1] == pytest.approx([0.0, aside, 0.0], abs=1e-6)


def test_a_double_pole_swings_up_on_a_short_rail():
    poles = "".join(
        f"  - {{link: p{i}, joint: t{i}, parent: {parent}, axis: -y, at: [0, 0, {z}], mass: 0.3, com: [0, 0, -0.25],\n"
        "     inertia: [0.006, 0.006, 0.0001]}\n"
        for i, parent, z in ((1, "cart", 0.0), (2, "p1", -0.5))
    )
    robot = sg.load("bodies:\n  - {link: cart, joint: x, type: prismatic, axis: x, mass: 1}\n" + poles)
    limits, goals = (EffortLimit(30.0), PositionLimit({"x": 1.0})), (Position([0.0, np.pi, 0.0]), Velocity())
    task = Task(robot, horizon(40, duration=2.0), np.zeros(3), goals=goals, costs=(Effort(),), limits=limits,
                actuated=("x",))  # fmt: skip
    plan = Planner(task).solve()
    assert plan.solved, plan
    assert plan.cost == pytest.approx(176.3, rel=0.02)  # meshes of 30 and 60 steps lead to the same motion
    assert np.abs(plan.q[:, 0]).max() < 1.0 + 1e-6
    assert np.abs(plan.tau).max() < 30.0 + 1e-6
    rough = Planner(task).solve(refine=False)
    assert len(rough.t) == 81 < len(plan.t)
    assert "coarse" in rough.status


@pytest.mark.parametrize(("turn", "least"), [(1.0, 14.5), pytest.param(np.pi / 2.0, 64.0, marks=pytest.mark.suite)])
def test_cycles_within_the_range_of_joints_keep_momenta(turn, least):
    """IPOPT finds 66.2 for the quarter turn, on a trapezoidal mesh of 60 steps."""
    task = cat(turn, limits=(PositionLimit({"a": 2.5, "b": 2.5}),))
    plan = Planner(task).solve()
    assert plan.solved, plan
    assert plan.momentum_errors is not None
    assert plan.momentum_errors.relative <= plan.task.accuracy
    assert np.abs(plan.q[:, 3:]).max() < 2.5 + 1e-6
    assert least < plan.cost < 1.05 * least
    bound = plan.task.accuracy * np.abs(plan.q).max() * 3.0
    assert carried_out(plan) == pytest.approx([0.0, 0.0, turn, 0.0, 0.0], abs=bound)
