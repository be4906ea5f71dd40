"""Bipeds that stand and are pushed, of .4 s ahead: a Cassie with closed loops on two line feet, a G1 on soles.

Velocities of the base weigh a fifth of its place: of the capture point x + v (h/g)^(1/2), h/g is about 0.1 s^2. So a
horizon that is shorter than a fall sees it.
"""

from functools import cache

import numpy as np
import pytest
from tests.motion.control.predictive.plants import Disturbance, OwnPlant, record_loop, run_loop
from tests.motion.control.predictive.test_closed_legs import list_independent
from tests.robots import robot_file, shared_file

import screwgraph as sg
from screwgraph.motion.control import Sole, converge, stack_references, stack_schedule, stack_weights

DT, STAGES, HALF, LOW = 0.02, 20, 0.08, 0.03
BENT = {"hip_pitch": -0.3, "knee": 0.6, "ankle_pitch": -0.3, "shoulder_pitch": 0.2, "elbow": 0.6}


@cache
def cassie():
    """Return the robot, its position, line feet, and the way (m) by which its centre of mass is before their middle."""
    robot = sg.load(robot_file("cassie_v2.sdf"), base="floating")
    q = robot.close_loops(np.load(shared_file("reference", "contact", "cassie_q0.npy")))
    feet, heights = list[Sole](), list[float]()
    for frame in ("left-foot", "right-foot"):
        T = np.asarray(sg.forward_kinematics(robot, frame)(q))
        place, x, z = (T[:3, :3].T @ [*way] for way in ((0.0, 0.0, -LOW), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)))
        feet.append(Sole(frame, 2.0 * HALF, 0.0, tuple(place), tuple(x), tuple(z), friction=0.8))
        heights.append(T[2, 3] - LOW)
    q[2] -= min(heights)
    return robot, q, feet, 0.02


@cache
def g1():
    robot = sg.load(robot_file("g1_29dof_rev_1_0.urdf"), base="floating")
    feet = [
        Sole(f"{side}_ankle_roll_link", 0.17, 0.05, at=(0.035, 0.0, -0.035), friction=0.7) for side in ("left", "right")
    ]
    q = robot.neutral()
    for name, angle in BENT.items():
        for side in ("left", "right"):
            q[robot.q_slices[f"{side}_{name}_joint"]] = angle
    q[2] -= sg.forward_kinematics(robot, feet[0].frame)(q)[2, 3] - 0.035
    return robot, q, feet, 0.0


def stand(made, plant, model, seconds, own):
    """Return a log of a robot that stands, from a state in which it has stood."""
    robot, q, feet, back = made
    _, at, along = list_independent(robot)
    control = sg.mpc(robot, DT, STAGES, contacts=feet, near=q if robot.is_closed else None)
    weights = stack_weights(
        robot,
        position=[40.0] * 3 + [500.0, 500.0, 400.0] + [2.0] * (len(along) - 6),
        velocity=[10.0] * 3 + [100.0, 100.0, 10.0] + [0.4] * (len(along) - 6),
        force=1e-4,
        acceleration=1e-6,
    )
    wanted, schedule = q[at], stack_schedule(control, feet)
    found = converge(
        control, wanted, np.zeros(len(along)), stack_references(control, wanted), weights, contacts=schedule
    )
    assert max(found.solution[2:5]) < 1e-6
    wanted[0] -= back
    given, previous = (stack_references(control, wanted), weights), found.next

    def command(k, q, qd):
        nonlocal previous
        tau, *_, previous, solution = control(q[at], qd[along], *given, schedule, float(k > 0), previous)
        assert solution[0] in (0.0, 1.0)
        efforts = np.zeros(robot.nv)
        efforts[along[6:]] = tau
        return efforts, solution[0]

    blow = np.zeros(len(along))
    blow[3:6] = own.blow
    rates = robot.complete_velocity(q, blow) if robot.is_closed else blow
    return run_loop(plant, model, command, DT, seconds, own.pushed(own.at, rates)), wanted


def corners(feet, friction=None):
    """Return the contacts of feet in simulations."""
    points = [point for foot in feet for point in foot.corners]
    return points if friction is None else [sg.Contact(point.frame, friction=friction, at=point.at) for point in points]


@pytest.mark.suite
@pytest.mark.parametrize("way", [(0.2, 0.0, 0.0), (-0.2, 0.0, 0.0)])
def test_a_cassie_that_is_pushed_stands_on_line_feet(way):
    """Pushed by 0.2 m/s: in its plane the capture point is then within 2 cm of the ends of its feet."""
    made, own = cassie(), Disturbance(0.05, True).pushed(0.8, way)
    robot, q, feet, _ = made
    plant, model = OwnPlant(robot, q, corners(feet, 1.0), own.part), OwnPlant(robot, q, corners(feet))
    log, wanted = stand(made, plant, model, 2.6, own)
    missed = np.abs(log.q[-10:, :3] - wanted[:3]).max()
    most = np.abs(log.q[:, :3] - wanted[:3]).max()
    kept = f"place {1e3 * missed:.0f} mm (30), {1e3 * most:.0f} mm while pushed"
    label = f"Cassie stands, is pushed by {way[0]:g} m/s along its feet"
    record_loop(label, "own", own, kept, log, robot.effort_limits)
    assert missed < 0.03
    assert most < 0.08
    assert np.abs(log.qd[-10:, :6]).max() < 0.1
    assert log.ratios.max() < 0.8


@pytest.mark.suite
def test_a_g1_that_is_pushed_stands_on_its_soles():
    made, own = g1(), Disturbance(0.05, True, 1e-3).pushed(0.8, (0.1, 0.1, 0.0))
    robot, q, feet, _ = made
    plant = OwnPlant(robot, q, corners(feet, 1.0), own.part)
    log, wanted = stand(made, plant, OwnPlant(robot, q, corners(feet)), 2.4, own)
    missed, most = (np.abs(part[:, :3] - wanted[:3]).max() for part in (log.q[-10:], log.q))
    kept = f"place {1e3 * missed:.0f} mm (30), {1e3 * most:.0f} mm while pushed"
    record_loop("G1 stands, is pushed by 0.1 m/s along x and y", "own", own, kept, log, robot.effort_limits)
    assert missed < 0.03
    assert most < 0.1
    assert log.ratios.max() < 0.7
