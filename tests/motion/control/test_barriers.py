"""Barriers: exact derivatives, distances, closed loops that keep them, and the nearest efforts."""

import numpy as np
import pytest
from scipy.optimize import lsq_linear

import screwgraph as sg
from screwgraph.base.errors import InputError
from screwgraph.compiler import compile_expression, make_numbered_argument
from screwgraph.model.robot.shapes import Box
from screwgraph.motion.control import (
    BallBarrier,
    CapsuleBarrier,
    ControlLimits,
    EffortTask,
    FrameTask,
    FunctionBarrier,
    LinkCapsule,
    PlaneBarrier,
    PostureTask,
    ShapeBarrier,
    controller,
    stack_barriers,
    stack_gains,
)
from screwgraph.motion.control.barriers import differentiate_barrier
from screwgraph.motion.control.barriers.capsules import measure_distance
from tests.motion.control.robots import arm, tripod

TIP = LinkCapsule("tip", 0.02, end=(-0.2, 0.0, 0.0))


def speed_left(robot, q, qd):
    """Return how much of 1 m^2/s^2 the square of the tip's speed leaves."""
    v = sg.frame_velocity(robot, "tip")(q, qd)[3:]
    return [1.0 - v @ v]


CASES = {
    "ball": (arm, BallBarrier(TIP, 0.1)),
    "capsules": (arm, CapsuleBarrier(TIP, LinkCapsule("base", 0.05, end=(0.0, 0.1, 0.2)))),
    "plane": (arm, PlaneBarrier(TIP, sg.Plane(normal=(0.3, 0.0, 1.0), height=-0.5))),
    "box": (arm, ShapeBarrier(LinkCapsule("tip", 0.02), sg.OtherBody("base", Box((0.1, 0.1, 0.1))))),
    "speed": (arm, FunctionBarrier("speed", speed_left)),
    "floating": (tripod, BallBarrier(LinkCapsule("front_knee_link", 0.0, end=(0.0, 0.0, -0.2)), 0.1)),
}


@pytest.mark.parametrize("case", CASES)
def test_derivatives_are_those_along_motions(case):
    make, barrier = CASES[case]
    robot, rng = make(), np.random.default_rng(3)
    integrate = sg.integrate(robot)
    shapes = barrier.list_arguments(robot)
    arguments = tuple(make_numbered_argument(name, *shape) for name, shape in shapes.items())
    state = (make_numbered_argument("q", robot.nq), make_numbered_argument("qd", robot.nv))

    def numbers(q, qd, *others):
        rows = differentiate_barrier(robot, barrier, q, qd, others)
        return [x for r in rows for x in (r.value, r.rate, r.drift, *(r.J.get(i, 0.0) for i in range(robot.nv)))]

    f = compile_expression("rows", numbers, (*state, *arguments), numbers, branches=True)
    n = robot.nv + 3
    for _ in range(2):
        q, qd, qdd = robot.random(rng), rng.standard_normal(robot.nv), rng.standard_normal(robot.nv)
        p, rates = rng.standard_normal((1, 3)) if shapes else np.zeros((0, 3)), rng.standard_normal((2, 3))
        h = 1e-3

        def value(t, q=q, qd=qd, qdd=qdd, p=p, rates=rates, h=h):
            # By small steps: coordinates of a floating base are no vector.
            at, v, steps = q, qd, 8
            for _ in range(steps):
                middle = v + 0.5 * t / steps * qdd
                at, v = integrate(at, t / steps * middle), v + t / steps * qdd
            own = [x + t * rates[0] + 0.5 * t * t * rates[1] for x in p]
            return np.array([float(x) for x in barrier.values(robot, at, v, *own)])

        rows = np.reshape(f(q, qd, *(x for x in p), *((rates,) if shapes else ())), (-1, n))
        before, here, after = value(-h), value(0.0), value(h)
        np.testing.assert_allclose(rows[:, 0], here, atol=1e-12)
        slope = (after - before) / (2.0 * h)
        if case == "speed":
            np.testing.assert_allclose(rows[:, 3:] @ qdd + rows[:, 2], slope, rtol=1e-3, atol=1e-3)
        else:
            np.testing.assert_allclose(rows[:, 1], slope, rtol=1e-3, atol=1e-4)
            bend = (after - 2.0 * here + before) / h**2
            np.testing.assert_allclose(rows[:, 3:] @ qdd + rows[:, 2], bend, rtol=2e-3, atol=2e-3)


def test_distances_of_lines_are_least_squares_within_bounds():
    rng = np.random.default_rng(0)
    for ends in ((2, 2), (2, 1), (1, 2)) * 60:
        first, second = (list(rng.standard_normal((count, 3))) for count in ends)
        columns = [x for x in (first[-1] - first[0], -(second[-1] - second[0])) if np.any(x)]
        found = lsq_linear(np.array(columns).T, second[0] - first[0], (0.0, 1.0), tol=1e-14)
        assert measure_distance(first, second) == pytest.approx(np.sqrt(2.0 * found.cost), abs=1e-6)
    across = [np.zeros(3), np.array([1.0, 0.0, 0.0])]
    assert measure_distance(across, [x + np.array([0.0, 0.3, 0.0]) for x in across]) == pytest.approx(0.3)


def test_an_arm_keeps_off_a_ball_and_the_ground():
    robot, dt = arm(), 2e-3
    barriers = [BallBarrier(TIP, 0.1, rate=15.0), PlaneBarrier(TIP, rate=15.0, margin=0.05)]
    tasks = [FrameTask("tip", of="position", stiffness=100.0), PostureTask(weight=1e-3)]
    f = controller(robot, tasks, barriers=barriers, limits=ControlLimits(dt=dt))
    q = np.array([0.1, -0.4, 0.8])
    simulator, pose, active = sg.Simulator(robot, dt, q), sg.forward_kinematics(robot, "tip"), np.zeros(9)
    goal, least = pose(q)[:3, 3] - [0.0, 0.0, 0.6], np.inf
    start = pose(q)[:3, 3]
    for i in range(500):
        t = dt * i
        ball, rates = start + np.array([0.0, 0.6 - t, -0.2]), np.array([[0.0, -1.0, 0.0], [0.0, 0.0, 0.0]])
        tau, _, active, (status, *_) = f(
            simulator.q, simulator.qd, goal, np.zeros((2, 3)), q, np.zeros((2, 3)), ball, rates,
            stack_gains(tasks), stack_barriers(barriers), active,
        )  # fmt: skip
        simulator.step(tau)
        ends = TIP.ends(robot, simulator.q)
        moved = ball + dt * rates[0]
        s = np.clip((moved - ends[0]) @ (ends[1] - ends[0]) / 0.04, 0.0, 1.0)
        apart = np.linalg.norm(ends[0] + s * (ends[1] - ends[0]) - moved) - 0.12
        least = min(least, apart)
        assert status == 0.0
        assert apart > -1e-3
        assert min(end[2] for end in ends) > 0.07 - 1e-3
    assert least < 0.02  # it was in the way


def test_a_filter_gives_the_nearest_efforts():
    robot, rng, filtered = arm(), np.random.default_rng(1), 0
    own = FunctionBarrier("height", lambda robot, q, qd: [sg.forward_kinematics(robot, "tip")(q)[2, 3]], rate=20.0)
    limits = ControlLimits(effort=False, velocity=False, position=False)
    f = controller(robot, [EffortTask()], barriers=[own], limits=limits)
    J_of = sg.frame_jacobian(robot, "tip", reference="local_world_aligned")
    drift_of = sg.frame_acceleration(robot, "tip", reference="local_world_aligned")
    for _ in range(40):
        q, qd, wanted = rng.uniform(-1, 1, 3), rng.standard_normal(3), 20.0 * rng.standard_normal(3)
        tau, _, _, (status, *_) = f(q, qd, wanted, stack_gains([EffortTask()]), stack_barriers([own]), np.zeros(1))
        M, h = sg.mass_matrix(robot)(q), sg.bias_forces(robot)(q, qd)
        J, height = J_of(q)[5], sg.forward_kinematics(robot, "tip")(q)[2, 3]
        row = np.linalg.solve(M, J)
        least = -drift_of(q, qd, np.zeros(3))[5] - 40.0 * (J @ qd) - 400.0 * height + row @ h
        nearest = wanted + row * max(0.0, least - row @ wanted) / (row @ row)
        assert status == 0.0
        np.testing.assert_allclose(tau, nearest, atol=1e-6)
        filtered += row @ wanted < least
    assert 5 < filtered < 35


def test_what_no_barrier_can_be():
    with pytest.raises(InputError, match="neither positions nor velocities"):
        controller(arm(), [PostureTask()], barriers=[FunctionBarrier("none", lambda robot, q, qd: [1.0])])
    with pytest.raises(InputError, match="on one link"):
        controller(arm(), [PostureTask()], barriers=[CapsuleBarrier(TIP, TIP)])
    with pytest.raises(InputError, match="expected a list of Barriers"):
        controller(arm(), [PostureTask()], barriers=["tip"])
    with pytest.raises(InputError, match="the rate must be positive"):
        PlaneBarrier(TIP, rate=0.0)
    with pytest.raises(InputError, match="has the radius"):
        LinkCapsule("tip", -1.0)
