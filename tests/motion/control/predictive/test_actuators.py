"""Horizons of robots that actuators drive: the same robot with other gears, limits, MuJoCo as plant.

Optima beside IPOPT stand in `test_random_scenes.py`.
"""

from dataclasses import replace
from itertools import pairwise

import mujoco
import numpy as np
import pytest
from tests.api.deployment.tools import WARNINGS, done, found
from tests.mechanics.dynamics.test_actuators import DIFFERENTIAL, TENDONS, geared, sine
from tests.motion.control.predictive.actuated_plants import PLANTS, load_plant
from tests.motion.control.predictive.test_closed_legs import ClosedLeg, foot, leg
from tests.motion.control.predictive.test_floating_bases import hopper

import screwgraph as sg
from screwgraph.api.interop import mujoco_states
from screwgraph.motion.control import (
    HorizonLimits,
    converge,
    solve_riccati,
    stack_references,
    stack_schedule,
    stack_weights,
)
from screwgraph.motion.control.models import as_controlled
from screwgraph.motion.control.predictive.motors import choose_motors

# The same robot with other gears: commands and gains are those of its joints, by the lever arms.


def test_gears_scale_commands_and_gains():
    """A joint's motor of gear g has 1 / g of its effort where the cost of that is g^2 times as much."""
    bare, g = sg.load("rrr"), np.array([9.0, -3.0, 0.5])
    robot = replace(bare, actuators=tuple(geared(f"m{i}", **{f"joint{i + 1}": float(x)}) for i, x in enumerate(g)))
    q, goal, price = [0.3, -0.4, 0.2], [0.6, 0.1, -0.2], np.array([1e-3, 2e-3, 5e-3])
    results = list[tuple[np.ndarray, np.ndarray]]()
    for own, effort in ((bare, price), (robot, price * g**2)):
        control = sg.mpc(own, 0.02, 10, limits=HorizonLimits(effort=np.inf))
        weights = stack_weights(own, position=10.0, effort=effort)
        found = converge(control, q, np.zeros(3), stack_references(control, goal), weights)
        results.append((found.tau, found.gain))
    (tau, gain), (u, own_gain) = results
    np.testing.assert_allclose(u * g, tau, rtol=1e-6)
    np.testing.assert_allclose(own_gain * g[:, None], gain, rtol=1e-6, atol=1e-6 * np.abs(gain).max())


def test_the_order_is_that_of_controllers():
    names = ["m3", "m1", "m2"]
    weights = stack_weights(DIFFERENTIAL, effort={"m1": 1.0, "m2": 2.0, "m3": 3.0}, actuated=names)
    np.testing.assert_array_equal(weights[6:], [3.0, 1.0, 2.0])
    state, goal, found = (np.zeros(3), np.zeros(3)), [0.3, 0.2, -0.1], dict[bool, np.ndarray]()
    for is_turned, own in ((False, None), (True, names)):
        control = sg.mpc(DIFFERENTIAL, 0.02, 6, actuated=own)
        weights = stack_weights(DIFFERENTIAL, position=10.0, actuated=own)
        found[is_turned] = converge(control, *state, stack_references(control, goal), weights).tau
    np.testing.assert_allclose(found[True], found[False][[2, 0, 1]], rtol=1e-7)
    driven = as_controlled(as_controlled(DIFFERENTIAL).with_motors(names))
    assert tuple(driven.motors.names) == tuple(choose_motors(DIFFERENTIAL, names).names) == tuple(names)


def test_joints_in_the_place_of_actuators():
    """As if there were none, and together with some."""
    q, goal, given = np.zeros(3), [0.3, 0.2, -0.1], list[np.ndarray]()
    for robot in (DIFFERENTIAL, replace(DIFFERENTIAL, actuators=())):
        control = sg.mpc(robot, 0.02, 6, actuated=["joint1", "joint2", "joint3"])
        weights = stack_weights(robot, position=10.0, actuated=["joint1", "joint2", "joint3"])
        given.append(converge(control, q, q, stack_references(control, goal), weights).tau)
    np.testing.assert_array_equal(given[1], given[0])
    mixed = sg.mpc(DIFFERENTIAL, 0.02, 6, actuated=["m1", "joint2", "joint3"])
    weights = stack_weights(
        DIFFERENTIAL, position=10.0, effort=[0.081, 1e-3, 1e-3], actuated=["m1", "joint2", "joint3"]
    )
    tau = converge(mixed, q, q, stack_references(mixed, goal), weights).tau
    np.testing.assert_allclose(tau * [9.0, 1.0, 1.0], given[0], rtol=1e-6)


def test_feet_have_the_same_forces_with_any_gears():
    """Costs are of forces and accelerations: efforts are those of joints, B u = tau, and gains B du + dB u = dtau."""
    bare, on = hopper(), np.array([[1], [1], [0], [1]])
    joints = bare.joint_names[1:]
    motors = [geared(f"m{i}", **{a: 5.0, b: -1.5}) for i, (a, b) in enumerate(pairwise(joints))]
    motors.append(sine(joints[1], "rod", **{joints[3]: 4.0}))
    robot, contact = (
        replace(bare, actuators=tuple(motors[::-1])),
        sg.Contact("shank", at=(0.0, 0.0, -0.2), friction=5.0),
    )
    q, v = bare.neutral(), 0.1 * np.sin(np.arange(bare.nv))
    q[7:9] = 0.1, 0.6
    q[9] = -0.9
    q[2], results = 0.4, []
    for own in (bare, robot):
        control = sg.mpc(own, 0.02, 4, contacts=[contact], limits=HorizonLimits(effort=np.inf))
        weights = stack_weights(own, position=10.0, force=1e-4, acceleration=1e-4)
        schedule = stack_schedule(control, [contact], on)
        results.append(converge(control, q, v, stack_references(control, q), weights, contacts=schedule))
    B = robot.actuation_matrix(q)[6:]
    np.testing.assert_allclose(results[1].forces, results[0].forces, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(B @ results[1].tau, results[0].tau, rtol=1e-6, atol=1e-6)
    steps = 1e-6 * np.eye(4, bare.nv, 6)
    moved = [
        [robot.actuation_torques(sg.integrate(robot)(q, sign * step), results[1].tau)[6:] for step in steps]
        for sign in (1.0, -1.0)
    ]
    expected = results[0].gain.copy()
    expected[:, 6:10] -= (np.array(moved[0]) - np.array(moved[1])).T / 2e-6
    assert np.abs(expected - results[0].gain).max() > 0.1
    np.testing.assert_allclose(B @ results[1].gain, expected, rtol=1e-6, atol=1e-4)


def test_closed_legs_have_the_same_forces_with_motors_on_rotors_and_rods():
    """Of joints that follow others, too: B is G'B, G of all velocities by independent ones."""
    bare, motors = leg(), (geared("lift", lift=2.0), geared("roll", motor=1.0), geared("knee", knee=0.5, swing=1.0))
    robot, contact, on = replace(bare, actuators=motors), foot(), np.array([[1], [0], [0], [1]])
    y, results = np.array([0.0, 0.0, 0.4, 0.0, 0.0, 0.0, 1.0, 0.1, 0.2, 0.1]), []
    for own in (bare, robot):
        control = sg.mpc(own, 0.02, 4, contacts=[contact], limits=HorizonLimits(effort=np.inf))
        weights = stack_weights(own, position=10.0, force=1e-4, acceleration=1e-4)
        schedule = stack_schedule(control, [contact], on)
        results.append(converge(control, y, np.zeros(9), stack_references(control, y), weights, contacts=schedule))
    closed = ClosedLeg(robot)
    q = closed.close(y)
    B = np.array([closed.complete(q, row) for row in np.eye(9)]) @ robot.actuation_matrix(q)
    np.testing.assert_allclose(results[1].forces, results[0].forces, atol=1e-9)
    np.testing.assert_allclose(B[6:] @ results[1].tau, results[0].tau, atol=1e-9)
    np.testing.assert_allclose(B[6:] @ results[1].gain, results[0].gain, atol=1e-7)


# Limits, laws of force, terminal costs.


def test_limits_are_those_of_actuators():
    pull = replace(TENDONS, actuators=tuple(replace(a, bounds=(0.0, 50.0)) for a in TENDONS.actuators))
    weights, q, none = stack_weights(pull, position=10.0, effort=1e-4), np.array([0.1, 0.2, -0.3]), np.zeros(3)
    control = sg.mpc(pull, 0.02, 8)
    free = converge(control, q, none, stack_references(control, [1.1, 0.5, -0.1]), weights).efforts
    k = int(np.argmax(free.max(axis=0)))
    name, most = pull.actuators[k].name, 0.5 * float(free[:, k].max())
    limits = HorizonLimits(effort={name: most})
    control = sg.mpc(pull, 0.02, 8, limits=limits)
    own = converge(control, q, none, stack_references(control, [1.1, 0.5, -0.1]), weights)
    assert own.solution[0] == 0.0
    assert own.efforts.min() >= 0.0
    assert own.efforts[:, k].max() == pytest.approx(most, rel=1e-6)
    assert own.efforts.max() <= 50.0
    wrong = control(q, np.full(3, np.nan), stack_references(control, q), weights, 0.0, np.zeros_like(own.next))
    assert wrong[-1][0] == 3.0
    assert not wrong[0].any()
    for effort, match in [
        ({"joint1": 2.0}, "no actuator is called 'joint1'"),
        ([1.0, 2.0], "expected a number, 4 numbers, or numbers by the names of actuators"),
        (-1.0, "effort of the limits of 't1': -1"),
    ]:
        with pytest.raises(sg.InputError, match=match):
            sg.mpc(pull, 0.02, 8, limits=HorizonLimits(effort=effort))
    taut = replace(pull, actuators=tuple(replace(a, bounds=(5.0, 50.0)) for a in pull.actuators))
    with pytest.raises(sg.InputError, match="efforts of 't1' have the bounds 5 and 2"):
        sg.mpc(taut, 0.02, 8, limits=HorizonLimits(effort={"t1": 2.0}))


MUSCLE = """
bodies: [{link: arm, joint: elbow, axis: y, mass: 1, com: [0, 0, -0.2], inertia: [0.01, 0.01, 0.001]}]
actuators:
  - {actuator: pneumatic, terms: {elbow: 0.03}, force: 40*u*u + 5*u - 200*l, bounds: [0, 3]}
  - {actuator: spring, terms: {elbow: -0.02}, force: 30*u - 100*l, bounds: [0, 3]}
"""


def test_laws_of_force_may_be_any():
    """The motion that is expected is that of the dynamics of actuators, which share nothing with the horizon's."""
    robot = sg.load(MUSCLE)
    control = sg.mpc(robot, 0.02, 10)
    weights = stack_weights(robot, position=10.0, effort=1e-3)
    own = converge(control, [0.1], [0.0], stack_references(control, [0.5]), weights)
    assert own.solution[0] == 0.0
    assert own.efforts.max() > 1.0
    move = sg.forward_dynamics(robot, actuators=True)
    for k, u in enumerate(own.efforts):
        (q, v), (_, later) = own.states[k], own.states[k + 1]
        assert later == pytest.approx(v + 0.02 * move([q], [v], u)[0], abs=1e-7)


def test_riccati_costs_are_those_of_joints():
    bare = sg.load("cart_pole")
    robot, upright = replace(bare, actuators=(geared("belt", x=20.0),)), [0.0, np.pi]
    weights = stack_weights(bare, position=10.0, effort=0.01, actuated=["x"])
    own = stack_weights(robot, position=10.0, effort=0.01 * 400.0)
    P = solve_riccati(bare, upright, weights, 0.02, actuated=["x"])
    np.testing.assert_allclose(solve_riccati(robot, upright, own, 0.02), P, rtol=1e-7)
    short = sg.mpc(robot, 0.02, 3, terminal="riccati")
    tau, *_ = short(
        upright, [0.0, 0.0], stack_references(short, upright), own, P, 0.0, np.zeros(short.arguments[-1].shape)
    )
    assert abs(tau[0]) < 1e-9


def test_motors_that_feet_do_not_go_with():
    robot, contact = hopper(), sg.Contact("shank", at=(0.0, 0.0, -0.2))
    names = robot.joint_names[1:]
    few = tuple(geared(f"m{i}", **{a: 5.0, b: 1.0}) for i, (a, b) in enumerate(pairwise(names)))
    with pytest.raises(sg.InputError, match="its motors, 3, do not determine the torques of 4 joints"):
        sg.mpc(replace(robot, actuators=few), 0.02, 4, contacts=[contact])


# MuJoCo as plant: its own actuators of MJCF files, of which `u` are the controls.


@pytest.mark.parametrize("name", PLANTS)
def test_loops_of_mujoco_with_its_own_actuators(name, tmp_path):
    """Controls are efforts of the horizon; goals are reached, bounds kept."""
    robot, model = load_plant(name, tmp_path)
    *_, start, goal, given = PLANTS[name]
    data, states, dt = mujoco.MjData(model), mujoco_states(robot, model), 0.01
    q, rest = np.array(start), np.zeros(robot.nv)
    u = np.random.default_rng(0).uniform(0.2, 0.4, len(robot.actuators))
    data.qpos[:], data.ctrl[:] = states.q_out(q), np.minimum(u, model.actuator_ctrlrange[:, 1])
    mujoco.mj_forward(model, data)
    caused = states.tau_out(q, robot.actuation_matrix(q) @ data.ctrl)
    np.testing.assert_allclose(caused, data.qfrc_actuator, atol=1e-9)
    weights, end = stack_weights(robot, **given), "riccati" if name == "acrobot" else "weights"
    control = sg.mpc(robot, dt, 25 if name == "finger with tendons" else 50, terminal=end)
    more = (solve_riccati(robot, goal, weights, dt),) if end == "riccati" else ()
    hover = np.linalg.lstsq(robot.actuation_matrix(goal), sg.bias_forces(robot)(goal, rest), rcond=None)[0]
    references = stack_references(control, goal, effort=hover if name != "finger with tendons" else 0.0)
    previous, status = np.zeros(control.arguments[-1].shape), list[float]()
    for k in range(400):
        q = states.q_back(data.qpos)
        tau, *_, previous, solution = control(
            q, states.qd_back(q, data.qvel), references, weights, *more, float(k > 0), previous
        )
        status.append(solution[0])
        data.ctrl[:] = tau
        for _ in range(10):
            mujoco.mj_step(model, data)
        assert np.all(tau >= model.actuator_ctrlrange[:, 0])
        assert np.all(tau <= model.actuator_ctrlrange[:, 1])
    missed = np.abs(sg.difference(robot)(goal, states.q_back(data.qpos))).max()
    assert max(status) <= 1.0
    assert missed < 0.02


def test_c(tmp_path):
    """Cables, whose lever arms depend on the position, and what they are bounded by."""
    compiler = found("gcc", "clang", "cc")
    robot, _ = load_plant("finger with tendons", tmp_path)
    sg.export_library({"mpc": sg.mpc(robot, 0.02, 6)}, tmp_path, prefix="finger")
    tests = map(str, (tmp_path / "test").glob("*.c"))
    done(compiler, "-std=c99", *WARNINGS, "-O1", "-I.", "finger.c", *tests, "-o", "t", "-lm", cwd=tmp_path)
    assert "0 numbers differ" in done("./t", cwd=tmp_path)
