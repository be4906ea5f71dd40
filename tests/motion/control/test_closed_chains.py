"""Controllers of closed chains, geared and underactuated robots beside programs in which nothing is eliminated."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import InputError
from screwgraph.model.robot import Thruster, constraint_jacobian
from screwgraph.motion.control import (
    ControlLimits,
    ControlLoop,
    FrameTask,
    PostureTask,
    controller,
    stack_contacts,
    stack_gains,
)
from screwgraph.motion.control.models import as_controlled
from screwgraph.motion.control.small_weights import FORCE_REST, TASK_REST
from tests.motion.control.robots import PLACES, RADIUS, feet, tripod, tripod_text

LIMITS = ControlLimits(dt=2e-3)
FINGER = """
name: finger
bodies:
  - {link: proximal, joint: base_joint, axis: y, mass: 0.05, com: [0, 0, 0.02], inertia: [2e-5, 2e-5, 2e-6],
     limits: {lower: -0.2, upper: 1.6, velocity: 20}}
  - {link: distal, joint: middle, axis: y, at: [0, 0, 0.04], mass: 0.03, com: [0, 0, 0.015],
     inertia: [1e-5, 1e-5, 1e-6], limits: {lower: 0, upper: 1.6, velocity: 20}}
actuators:
  - {actuator: flexor, terms: {base_joint: 0.01, middle: 0.008}, bounds: [0, 60]}
  - {actuator: shallow, terms: {base_joint: 0.009}, bounds: [0, 60]}
  - {actuator: extensor, displacement: -0.008*a - 0.005*sin(b), joints: {a: base_joint, b: middle}, bounds: [0, 60]}
"""
GEARED = FINGER.partition("  - {actuator: extensor")[0].replace("[0, 60]", "[-8, 8]")


@dataclass
class Case:
    """A robot, its task, its motors, and what unknowns the small weights are of: efforts, or accelerations."""

    model: str
    task: PostureTask | FrameTask
    actuated: tuple[str, ...] | None = None
    by_efforts: bool = False

    @cached_property
    def robot(self):
        return sg.load(self.model)


CASES = {
    "five_bar": Case("five_bar", FrameTask("end_effector", of="position")),
    "belt_leg": Case("belt_leg", PostureTask(("ankle", "knee_motor"))),
    "redundant": Case("four_bar_linkage", PostureTask(("joint2",)), ("joint1", "joint2"), True),
    "underactuated": Case("cart_pole", PostureTask(("theta",)), ("x",), True),
    "tendons": Case(FINGER, PostureTask(), None, True),
    "gears": Case(GEARED, PostureTask()),
}


def whole_program(case, q, qd, wanted):
    """Return H, g, E, e, A, lower, upper in x = (qdd, multipliers, efforts), and what tasks want, constant."""
    robot = case.robot
    kept = list(robot.mobility.kept) if robot.is_closed else []
    step = 1e-30
    K = constraint_jacobian(robot, q)[kept].reshape(len(kept), robot.nv)
    turned = constraint_jacobian(robot, q + 1j * step * qd)[kept].reshape(K.shape).imag / step
    motors = as_controlled(as_controlled(robot).with_motors(case.actuated)).motors
    B, rest = motors.arms(q)
    n, k, m = robot.nv, len(kept), len(motors.names)
    M, h = sg.mass_matrix(robot)(q), sg.bias_forces(robot)(q, qd)
    E = np.block([[M, K.T, -B], [K, np.zeros((k, k + m))]])
    e = np.concatenate([rest - h, -turned @ qd])
    J, drift = task_rows(case, q, qd)
    wide = np.hstack([J, np.zeros((len(J), k + m))])
    H = wide.T @ wide
    if case.by_efforts:
        small = slice(n + k, n + k + m)
        H[small, small] += FORCE_REST / robot.mass**2 * np.eye(m)
    else:
        names = robot.independent_joints if robot.is_closed else robot.joint_names
        for name in names:
            i = robot.v_slices[name].start
            H[i, i] += TASK_REST
    g = wide.T @ (drift - wanted)
    rows, lower, upper = [], [], []
    for i, (low, up) in enumerate(motors.bounds):
        if np.isfinite([low, up]).any():
            rows.append(np.eye(n + k + m)[n + k + i])
            lower.append(low)
            upper.append(up)
    for bounds in LIMITS.list_bounds(robot):
        low, up = LIMITS.bound_acceleration(bounds, float(q[bounds.at]), float(qd[bounds.along]))
        rows.append(np.eye(n + k + m)[bounds.along])
        lower.append(float(low))
        upper.append(float(up))
    return H, g, E, e, np.array(rows).reshape(-1, n + k + m), np.array(lower), np.array(upper)


def task_rows(case, q, qd):
    """Return the Jacobian of what is followed, and its acceleration without qdd."""
    robot = case.robot
    if isinstance(case.task, FrameTask):
        J = sg.frame_jacobian(robot, case.task.frame, reference="local_world_aligned")(q)[3:]
        drift = sg.frame_acceleration(robot, case.task.frame, reference="local_world_aligned")(
            q, qd, np.zeros(robot.nv)
        )
        return J, drift[3:]
    along = [place for _, place in case.task.list_places(robot)]
    return np.eye(robot.nv)[along], np.zeros(len(along))


def closed_state(case, rng):
    """Return a closed position near the neutral one, within the range of joints, and a velocity that loops allow."""
    robot = case.robot
    names = robot.independent_joints if robot.is_closed else robot.joint_names
    for _ in range(50):
        q = robot.neutral()
        for name in names:
            i = robot.q_slices[name].start
            low, up = max(robot.limits.lower[i], -0.5), min(robot.limits.upper[i], 0.5)
            q[i] = rng.uniform(low, up)
        yd = rng.uniform(-1.0, 1.0, len(names))
        if not robot.is_closed:
            return q, yd
        try:
            q = robot.close_loops(q, names)
        except InputError:
            continue
        return q, robot.complete_velocity(q, yd)
    raise AssertionError("no closed position")


@pytest.mark.parametrize("name", CASES)
def test_the_whole_program_has_the_same_optimum(name):
    daqp = pytest.importorskip("daqp")
    case = CASES[name]
    robot, f = case.robot, controller(case.robot, [case.task], limits=LIMITS, actuated=case.actuated)
    rng, met = np.random.default_rng(3), 0
    shape, still = f.arguments[2].shape, np.zeros(f.arguments[3].shape)
    gains = np.array([[0.0, 0.0, 1.0]])
    for _ in range(40):
        q, qd = closed_state(case, rng)
        wanted = rng.standard_normal(shape[0]) * 10.0 ** rng.uniform(0.0, 2.0)
        rates = still.copy()
        rates[1] = wanted
        tau, qdd, _, (status, *_) = f(q, qd, np.zeros(shape), rates, gains, np.zeros(f.arguments[-1].shape))
        H, g, E, e, A, lower, upper = whole_program(case, q, qd, wanted)
        x0 = np.linalg.lstsq(E, e, rcond=None)[0]
        _, s, Vt = np.linalg.svd(E)
        Z = Vt[len(s) :].T
        rest, turned = H @ x0 + g, A @ Z
        scale = np.maximum(np.linalg.norm(turned, axis=1), 1e-3) if len(A) else np.ones(0)
        given = ((turned.T / scale).T, (upper - A @ x0) / scale, (lower - A @ x0) / scale)
        z, _, flag, _ = daqp.solve(
            Z.T @ H @ Z, Z.T @ rest, *(np.ascontiguousarray(a) for a in given), np.zeros(len(A), dtype=np.int32)
        )
        if flag != 1:  # limits contradict each other
            continue
        met += 1
        best = x0 + Z @ z
        assert status == 0.0
        own = np.concatenate([qdd, np.zeros(E.shape[1] - robot.nv - len(tau)), tau])
        own[robot.nv : len(own) - len(tau)] = np.linalg.lstsq(
            E[:, robot.nv : len(own) - len(tau)], e - E @ own, rcond=None
        )[0]
        np.testing.assert_allclose(E @ own, e, atol=1e-7 * (1.0 + np.abs(own).max()))
        costs = [0.5 * x @ H @ x + g @ x for x in (own, best)]
        size = abs(costs[1]) + 0.5 * wanted @ wanted
        assert abs(costs[0] - costs[1]) < 1e-7 * (1.0 + size)
    assert met > 15


def test_a_five_bar_follows_a_circle_in_simulation():
    robot, frame = sg.load("five_bar"), "end_effector"
    pose, q0, w = sg.forward_kinematics(robot, frame), robot.neutral(), 4.0
    start = pose(q0)[:3, 3]

    def place(t):
        return start + 0.05 * np.array([np.sin(w * t), 1.0 - np.cos(w * t), 0.0])

    def rates(t):
        c, s = np.cos(w * t), np.sin(w * t)
        return 0.05 * np.array([[w * c, w * s, 0.0], [-w * w * s, w * w * c, 0.0]])

    given = {f"{frame}_position": place, f"{frame}_position_rates": rates}
    loop = ControlLoop(robot, [FrameTask(frame, of="position", stiffness=900.0)], q0=q0, references=given)
    motion = sg.simulate(robot, q0, time=0.8, dt=1e-3, controller=loop)
    late = motion.t > 0.4
    missed = [np.linalg.norm(pose(q)[:3, 3] - place(t)) for t, q in zip(motion.t[late], motion.q[late], strict=True)]
    assert max(missed) < 1e-3
    np.testing.assert_array_equal(motion.tau[:, 2:], 0.0)
    assert np.abs(motion.tau).max() <= 40.0
    assert loop.report(motion).statuses == {"solved": len(motion.t)}


def test_tendons_that_only_pull_bend_a_finger():
    robot = sg.load(FINGER)
    goal = np.array([0.9, 0.6])
    loop = ControlLoop(robot, [PostureTask(stiffness=400.0)], references={"posture": goal})
    motion = sg.simulate(robot, time=0.6, dt=1e-3, controller=loop)
    np.testing.assert_allclose(motion.q[-1], goal, atol=2e-3)
    pulls = loop.function(motion.q[-1], motion.qd[-1], **loop.arguments(0.0))[0]
    assert pulls.min() >= 0.0
    np.testing.assert_allclose(robot.actuation_torques(motion.q[-1], pulls), motion.tau[-1], atol=1e-9)


ROTOR = """<joint name="{side}_motor" type="revolute"><parent link="{side}_thigh_link"/><child link="{side}_rotor"/>
  <axis xyz="0 1 0"/><origin xyz="0 0.03 0"/><limit effort="60" velocity="60" lower="-20" upper="20"/>
  <mimic joint="{side}_knee" multiplier="6"/></joint>
<link name="{side}_rotor"><inertial><mass value="0.1"/>
  <inertia ixx="1e-4" iyy="2e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial></link>"""


def with_rotors(text):
    """Return the tripod with a rotor at each knee, which turns six times as fast."""
    rotors = "".join(ROTOR.format(side=side) for side in PLACES)
    return sg.load(text.replace("</robot>", f"{rotors}</robot>"), base="floating")


def test_a_body_with_rotors_squats_on_forces_that_a_simulation_finds():
    robot, dt, w = with_rotors(tripod_text()), 2e-3, 10.0
    q = robot.neutral()
    for side in PLACES:
        for name, value in (("thigh", 0.5), ("knee", -1.0), ("motor", -6.0)):
            q[robot.q_slices[f"{side}_{name}"]] = value
    q[2] = RADIUS + 0.4 * np.cos(0.5)
    tasks = [FrameTask("body"), PostureTask(("front_hip",), weight=1e-6)]
    f = controller(robot, tasks, contacts=feet())
    assert f.results[0].size == 9  # rotors have no effort of their own
    simulator = sg.Simulator(robot, dt, q, contacts=feet(friction=0.7))
    goal, active, motors = (
        sg.forward_kinematics(robot, "body")(q),
        np.zeros(f.arguments[-1].shape),
        as_controlled(robot),
    )
    for i in range(150):
        rates = np.zeros((2, 6))
        c, s = np.cos(w * dt * i), np.sin(w * dt * i)
        goal[2, 3], rates[:, 5] = q[2] - 0.015 * (1.0 - c), (-0.015 * w * s, -0.015 * w * w * c)
        tau, _, forces, active, (status, *_) = f(
            simulator.q, simulator.qd, goal, rates, [0.0], np.zeros((2, 1)), stack_gains(tasks),
            stack_contacts(feet()), active,
        )  # fmt: skip
        simulator.step(motors.push(simulator.q, tau))
        assert status == 0.0
        if i > 10:
            np.testing.assert_allclose(simulator.forces, forces, atol=0.06)  # 2e-3 of them: a step
        assert abs(simulator.q[2] - goal[2, 3]) < 2e-3


def test_motors_that_cannot_be():
    with pytest.raises(InputError, match="no joint is called 'handle'"):
        controller(sg.load("cart_pole"), [PostureTask()], actuated=["handle"])
    with pytest.raises(InputError, match="no motor is named"):
        controller(sg.load("cart_pole"), [PostureTask()], actuated=[])
    tendons = [Thruster(f"m{i}", {f"{side}_knee": 1.0}) for i, side in enumerate([*PLACES, "front"])]
    with pytest.raises(InputError, match="with contacts: its 4 motors move 3 independent coordinates"):
        controller(replace(tripod(), actuators=tuple(tendons)), [FrameTask("body")], contacts=feet())
