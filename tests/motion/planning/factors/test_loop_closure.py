"""What plans demand of closed chains, for loops closed by every type of joint."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.mechanism.equations import residual
from screwgraph.model.robot import closed_states, constraint_jacobian, constraint_residual
from screwgraph.motion.planning import Task, horizon
from screwgraph.motion.planning.factors.loop_closure import StabilisedClosure, closure_errors
from screwgraph.motion.planning.goals import Position
from screwgraph.motion.planning.mechanics import Mechanics
from screwgraph.motion.planning.vector_code import trace_function
from tests.model.robot.closed_instances import two_arms
from tests.model.robot.joint_instances import instances

CLOSING = {name: joint for name, joint in instances().items() if joint.nv < 6}


@pytest.mark.parametrize("joint", CLOSING.values(), ids=CLOSING)
def test_closure_errors_and_forces_are_those_of_the_robot(joint):
    robot, rng = two_arms(joint), np.random.default_rng(2)
    mechanics, kept = Mechanics(robot), list(robot.mobility.kept)
    errors = trace_function(lambda q: closure_errors(mechanics, q), robot.nq)
    efforts, rest = mechanics.efforts(), np.zeros(robot.nv)
    (at,), pull = closed_states(robot, 1, seed=3), rng.normal(size=len(kept))
    beside = robot.manifold.retract(at, 1e-4 * rng.normal(size=robot.nv))
    np.testing.assert_allclose(errors(beside), constraint_residual(robot, beside)[kept], rtol=0, atol=1e-10)
    forces = efforts(at, rest, rest, np.zeros(len(kept))) - efforts(at, rest, rest, pull)
    np.testing.assert_allclose(forces, constraint_jacobian(robot, at)[kept].T @ pull, rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", ["slider_crank", "five_bar"])
def test_loops_are_closed_where_the_start_is_free(name):
    """At rest anywhere, and at any velocity from a given position: the motion under the torques is the planned one."""
    model = sg.load(name)
    is_robot = isinstance(model, sg.Robot)
    joint = model.independent_joints[0] if is_robot else "theta"
    home = model.close_loops(model.neutral()) if is_robot else model.home
    goal = float(home[model.q_slices[joint].start if is_robot else model.index(joint)]) + 0.3
    for given in ({}, {"start": home, "start_velocity": None}):
        plan = sg.plan(Task(model, horizon(10, dt=0.05), goals=(Position({joint: goal}),), **given))
        assert plan.solved, plan.status
        errors = [constraint_residual(model, q) if is_robot else residual(model, q) for q in plan.q]
        np.testing.assert_allclose(errors, 0.0, atol=1e-5)
        assert plan.error < plan.task.accuracy


@pytest.mark.parametrize("rate", [1.0, 4.0])
def test_errors_that_the_law_admits_decay_as_at_critical_damping(rate):
    """(exp(a t) g)'' = exp(a t) (g'' + 2 a g' + a^2 g), by differences of five points of a motion that opens loops."""
    robot, rng, h = sg.load("five_bar"), np.random.default_rng(0), 0.1
    mechanics, a, step = Mechanics(robot), rate / h, 1e-3
    errors = trace_function(lambda q: closure_errors(mechanics, q), robot.nq)
    q, qd, qdd = robot.close_loops(robot.neutral()) + 0.1 * rng.normal(size=robot.nq), *rng.normal(size=(2, robot.nv))
    far, near, here, ahead, beyond = (
        np.exp(a * t) * errors(q + t * qd + 0.5 * t * t * qdd) for t in step * np.arange(-2, 3)
    )
    expected = (16.0 * (ahead + near) - (beyond + far) - 30.0 * here) / (12.0 * step**2)
    law = trace_function(lambda x: StabilisedClosure(mechanics)(*np.split(x, 3), h=h, rate=rate), 3 * robot.nq)
    found = law(np.concatenate([q, qd, qdd]))
    np.testing.assert_allclose(found, expected, atol=1e-5 * a * a)
