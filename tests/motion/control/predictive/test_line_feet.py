"""A biped with closed loops on two line feet, of .4 s ahead: a Cassie, whose motions grow within its horizon."""

import numpy as np
import pytest
from tests.motion.control.predictive.test_closed_legs import list_independent
from tests.robots import robot_file, shared_file

import screwgraph as sg
from screwgraph.motion.control import Sole, converge, stack_references, stack_schedule, stack_weights

DT, STAGES, HALF, LOW = 0.02, 20, 0.08, 0.03


@pytest.mark.suite
def test_a_cassie_stands_on_line_feet():
    """The pelvis is kept within millimetres where the robot alone falls: its feet take no moment about their length."""
    robot = sg.load(robot_file("cassie_v2.sdf"), base="floating")
    q = robot.close_loops(np.load(shared_file("reference", "contact", "cassie_q0.npy")))
    feet, heights = list[Sole](), list[float]()
    for frame in ("left-foot", "right-foot"):
        T = np.asarray(sg.forward_kinematics(robot, frame)(q))
        place, x, z = (T[:3, :3].T @ [*way] for way in ((0.0, 0.0, -LOW), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)))
        feet.append(Sole(frame, 2.0 * HALF, 0.0, tuple(place), tuple(x), tuple(z), friction=0.8))
        heights.append(T[2, 3] - LOW)
    q[2] -= min(heights)
    _, at, along = list_independent(robot)
    control = sg.mpc(robot, DT, STAGES, contacts=feet, near=q)
    weights = stack_weights(
        robot,
        position=[40.0] * 3 + [50.0, 50.0, 400.0] + [2.0] * 12,
        velocity=0.4,
        force=1e-4,
        acceleration=1e-6,
    )
    given = stack_references(control, q[at]), weights
    schedule = stack_schedule(control, feet)
    found = converge(control, q[at], np.zeros(18), *given, contacts=schedule)
    assert found.solution[0] == 0.0
    assert max(found.solution[2:5]) < 1e-7
    assert found.forces is not None
    weight = 9.81 * robot.mass
    # Over the horizon the normal forces carry the weight but for the momentum of a body that moves some mm/s.
    assert abs(found.forces[:, [4, 9]].sum(axis=1).mean() / weight - 1.0) < 0.01
    ends = [point for foot in feet for point in foot.corners]
    plant, previous = sg.Simulator(robot, 1e-3, q, contacts=ends), found.next
    for k in range(100):
        tau, *_, previous, solution = control(plant.q[at], plant.qd[along], *given, schedule, float(k > 0), previous)
        assert solution[0] in (0.0, 1.0)
        efforts = np.zeros(robot.nv)
        efforts[along[6:]] = tau
        plant.step(efforts, steps=20)
        assert np.abs(plant.q[:3] - q[:3]).max() < 0.01
    assert np.abs(plant.qd[3:6]).max() < 0.02
