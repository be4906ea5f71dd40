"""Masses, payloads, gravity and damping as inputs of steps with contacts: those of a robot that has them."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import InputError
from screwgraph.model.robot.parameters import parameters_of, with_values
from tests.motion.simulation.contacts.bodies import box, feet, quadruped, standing

DT, G = 1e-3, 9.81
ROBOT = quadruped()
NAMES = ("body.mass", "a_hip.damping", "b_knee.armature", "c_thigh", "gravity")
THIGH = [1.1, 0.0, 0.02, -0.13, 0.02, 0.021, 0.004, 0.001, 0.0, 0.0005]


def at_values(**values) -> sg.Robot:
    own = parameters_of(ROBOT, tuple(values))
    return with_values(ROBOT, {p: np.atleast_1d(np.asarray(values[p.name], float)) for p in own})


def test_steps_are_those_of_a_robot_with_these_numbers():
    values: dict[str, Any] = dict(zip(NAMES, (9.0, 2.0, 0.05, THIGH, [0.5, 0.0, -9.0]), strict=True))
    live = sg.Simulator(ROBOT, DT, standing(ROBOT), contacts=feet(), parameters=values)
    fixed = sg.Simulator(at_values(**values), DT, standing(ROBOT), contacts=feet())
    for simulator in (live, fixed):
        simulator.step(steps=150)
    assert fixed.forces[:, 2].max() > 0.0
    np.testing.assert_allclose(live.q, fixed.q, atol=1e-8)
    live.set_parameters({"body.mass": 5.0})
    live.reset(standing(ROBOT))
    live.step(steps=150)
    plain = sg.Simulator(ROBOT, DT, standing(ROBOT), contacts=feet())
    plain.step(steps=150)
    np.testing.assert_allclose(live.q, plain.q, atol=1e-8)


def test_the_ground_carries_the_weight_of_each_motion():
    robot, contacts = box(0.5, stiffness=1e6)
    masses, loads = np.array([[0.5], [1.0], [30.0]]), np.zeros((3, 10))
    loads[:, 0] = 0.0, 2.0, 0.0
    loads[:, 4:7] = 1e-3 * loads[:, :1]
    given = {"body.mass": masses, "payload": loads, "gravity": np.array([[0, 0, -G], [0, 0, -G], [0, 0, -1.6]])}
    simulator = sg.Simulator(
        robot, DT, np.tile([0, 0, 0.05, 0, 0, 0, 1.0], (3, 1)), contacts=contacts, parameters=given, payload="body"
    )
    simulator.step(steps=400)
    np.testing.assert_allclose(simulator.forces[:, :, 2].sum(axis=1), [0.5 * G, 3.0 * G, 30.0 * 1.6], rtol=1e-6)


def test_masses_friction_and_ground_of_each_motion():
    count = 8
    rng = np.random.default_rng(0)
    masses, friction = rng.uniform(3.0, 9.0, (count, 1)), rng.uniform(0.2, 1.0, count)
    ground = sg.HeightMap(rng.uniform(-0.02, 0.02, (count, 20, 20)), (-1.0, -1.0), 0.1)
    runs = sg.rollout(
        ROBOT,
        standing(ROBOT, 0.4),
        time=0.15,
        dt=DT,
        contacts=feet(friction=friction),
        ground=ground,
        parameters={"body.mass": masses},
        every=150,
    )
    assert runs.residual.max() < 1e-5
    for i in (0, 5):
        one = sg.Simulator(
            at_values(**{"body.mass": masses[i]}),
            DT,
            standing(ROBOT, 0.4),
            contacts=feet(friction=float(friction[i])),
            ground=sg.HeightMap(ground.heights[i], (-1.0, -1.0), 0.1),
        )
        one.step(steps=150)
        np.testing.assert_allclose(runs.q[i, -1], one.q, atol=1e-7)


@pytest.mark.parametrize("stops", [False, True])
def test_friction_and_springs_of_joints_of_each_motion(stops):
    levels, springs = np.array([[4.0], [0.0], [0.3]]), np.array([[30.0, 0.5], [0.0, 0.0], [200.0, 0.9]])
    options: dict[str, Any] = {"time": 0.2, "dt": DT, "contacts": feet(), "stops": stops}
    given = {"a_knee.friction": levels, "b_hip.friction": levels, "c_hip.stiffness": springs}
    runs = sg.rollout(ROBOT, np.tile(standing(ROBOT), (3, 1)), parameters=given, **options)
    for i, (level, spring) in enumerate(zip(levels[:, 0], springs, strict=True)):
        rubs = {"a_knee": level, "b_hip": level}
        robot = replace(ROBOT, joints=tuple(replace(j, friction=rubs.get(j.name, 0.0)) for j in ROBOT.joints))
        own = {"c_hip": tuple(spring)} if spring.any() else None
        alone = sg.rollout(robot, standing(ROBOT), friction=True, springs=own, **options)
        np.testing.assert_allclose(runs.q[i], alone.q[0], atol=1e-9)
    assert np.abs(runs.q[0] - runs.q[1]).max() > 1e-3


def test_friction_and_springs_change_between_steps():
    """A spring that is five times as stiff and dry friction that holds a knee."""
    robot, start = quadruped(), standing(quadruped(), 1.0)
    given = {"a_knee.friction": 0.0, "b_knee.stiffness": [0.01, 0.0]}
    flies = sg.Simulator(robot, DT, start, contacts=feet(), parameters=given)
    flies.step(steps=10)
    slow = flies.qd[robot.v_slices["b_knee"]]
    assert abs(flies.qd[robot.v_slices["a_knee"]]) > 0.0
    flies.set_parameters({"a_knee.friction": 100.0, "b_knee.stiffness": [0.05, 0.0]})
    flies.reset(start)
    flies.step(steps=10)
    assert abs(flies.qd[robot.v_slices["a_knee"]]) < 1e-9
    np.testing.assert_allclose(flies.qd[robot.v_slices["b_knee"]], 5.0 * slow, rtol=0.05)


def test_what_cannot_be_an_input():
    with pytest.raises(InputError, match="with contacts"):
        sg.Simulator(ROBOT, DT, contacts=feet(), parameters=["a_hip.origin"])
    twice: dict[str, Any] = {"springs": {"a_hip": 1.0}, "parameters": ["a_hip.stiffness"]}
    with pytest.raises(InputError, match="is given by springs= and by parameters"):
        sg.Simulator(ROBOT, DT, contacts=feet(), **twice)
