"""Horizons of robots that float, hop and have ball joints: optima of dense equations of motion in NumPy."""

from functools import cache

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.compiler.derivatives.derivative_code import batch_code
from screwgraph.mechanics.kinematics.reference_frames import ALIGNED
from screwgraph.model.robot import Joint, Link, Robot, tree
from screwgraph.model.robot.joints import Floating, Revolute, Spherical
from screwgraph.motion.control import HorizonLimits, converge, stack_references, stack_schedule, stack_weights
from screwgraph.motion.control.predictive.predictive_controller import make_model
from screwgraph.spatial import SpatialInertia, from_xyz_rpy
from screwgraph.tape.verifier import list_faults

DT, DRAG, STAGES, NU = 0.02, 10.0, 5, 4
ON = np.array([[1], [1], [0], [0], [1]])


def link(name, mass, size):
    return Link(name, SpatialInertia.of_body(mass, (0.01, -0.02, 0.03), mass * size**2 * np.diag([0.2, 0.3, 0.4])))


@cache
def hopper() -> Robot:
    """A body on a leg of three joints, with a wheel on top."""
    links = [Link("world"), link("body", 4.0, 0.3), link("hip", 0.5, 0.1), link("thigh", 0.6, 0.2)]
    links += [link("shank", 0.3, 0.2), link("wheel", 0.5, 0.3)]
    joints = [
        Joint("base", Floating(), "world", "body"),
        Joint("roll", Revolute((1.0, 0.0, 0.0)), "body", "hip", from_xyz_rpy([0.0, 0.05, 0.0], np.zeros(3))),
        Joint("swing", Revolute((0.0, 1.0, 0.0)), "hip", "thigh", from_xyz_rpy([0.0, 0.03, 0.0], np.zeros(3))),
        Joint("knee", Revolute((0.0, 1.0, 0.0)), "thigh", "shank", from_xyz_rpy([0.0, 0.0, -0.2], np.zeros(3))),
        Joint("spin", Revolute((0.3, 1.0, 0.0)), "body", "wheel", from_xyz_rpy([0.0, 0.0, 0.1], np.zeros(3))),
    ]
    return tree("hopper", links, joints)


def start():
    q = np.concatenate([[0.0, 0.0, 0.35], [0.05, -0.03, 0.1, 1.0], [0.1, 0.6, -1.2, 0.0]])
    q[3:7] /= np.linalg.norm(q[3:7])
    return q, 0.3 * np.sin(np.arange(10.0))


def foot():
    return sg.Contact("shank", at=(0.0, 0.0, -0.2), friction=5.0)


def point_motion(robot, q, v):
    """Return the Jacobian and the acceleration without qdd of the foot, whose lowest point is the foot itself."""
    J6 = sg.frame_jacobian(robot, "shank", reference=ALIGNED)(q)
    drift = sg.frame_acceleration(robot, "shank", reference=ALIGNED)(q, v, np.zeros(robot.nv))
    arm = sg.forward_kinematics(robot, "shank")(q)[:3, :3] @ [0.0, 0.0, -0.2]
    spin = J6[:3] @ v
    J = J6[3:] + np.cross(J6[:3].T, arm).T
    return J, drift[3:] + np.cross(drift[:3], arm) + np.cross(spin, np.cross(spin, arm))


def accelerate(robot, q, v, u, on):
    """Return qdd and efforts; forces are (normal, x, y), and the leg's joints are those of coordinates 6 to 8."""
    n = robot.nv
    M, h = sg.mass_matrix(robot)(q), sg.bias_forces(robot)(q, v)
    J, drift = point_motion(robot, q, v)
    f = np.roll(u[:3], -1) if on else np.zeros(3)
    rows, right = np.zeros((n, n)), np.zeros(n)
    rows[:6], right[:6] = M[:6], (J.T @ f - h)[:6]
    if on:
        rows[6:9], right[6:9] = J, -drift - DRAG * (J @ v)
    else:
        rows[6:9, 6:9], right[6:9] = np.eye(3), u[:3]
    rows[9, 9], right[9] = 1.0, u[3]
    qdd = np.linalg.solve(rows, right)
    return qdd, (M @ qdd + h - J.T @ f)[6:]


@cache
def hop():
    robot = hopper()
    control = sg.mpc(robot, DT, STAGES, contacts=[foot()], drag=DRAG, barrier_steps=2)
    weights = stack_weights(robot, position=20.0, velocity=0.5, force=1e-3, acceleration=1e-3)
    return control, weights


def hop_cost(u, reference, weights) -> float:
    """Return the cost of inputs (N, 4)."""
    robot, (q, v), n = hopper(), start(), 10
    weight, total = robot.mass * 9.81, 0.0
    for k in range(STAGES + 1):
        errors = np.concatenate([sg.difference(robot)(reference[:11], q), v])
        total += DT * weights[: 2 * n] @ errors**2
        if k == STAGES:
            return total
        on = bool(ON[k, 0])
        wanted = np.array([weight * on, 0.0, 0.0, 0.0])
        w = np.where([on, on, on, False], weights[20:24], weights[24:])
        total += DT * w @ (u[k] - wanted) ** 2
        v = v + DT * accelerate(robot, q, v, u[k], on)[0]
        q = sg.integrate(robot)(q, DT * v)
    return total


def test_a_hopper_jumps_as_is_best():
    """No limit is active: the slope of the cost along each input is zero, which dense equations say."""
    control, weights = hop()
    q, v = start()
    reference = np.concatenate([[0.02, 0.0, 0.37, 0.0, 0.0, 0.0, 1.0, 0.0, 0.6, -1.2, 0.2], np.zeros(14)])
    references = np.tile(reference, (STAGES + 1, 1))
    schedule = stack_schedule(control, [foot()], ON)
    found = converge(control, q, v, references, weights, contacts=schedule)
    assert found.solution[0] == 0.0
    assert max(found.solution[2:5]) < 1e-8
    forces = found.forces
    assert forces is not None
    assert forces[ON[:, 0] == 0].max() == 0.0
    # swing stages' inputs are accelerations, which follow from the states
    accelerations = np.diff(found.states[:, 11:], axis=0) / DT
    u = np.array(
        [np.append(f if on else a[6:9], a[9]) for f, a, on in zip(forces, accelerations, ON[:, 0], strict=True)]
    )
    best = hop_cost(u, reference, weights)
    assert abs(found.solution[1] / best - 1.0) < 1e-9
    rng, size = np.random.default_rng(0), np.abs(u).max()
    for _ in range(6):
        way = rng.standard_normal(u.shape)
        h = 1e-4 * size
        ends = [hop_cost(u + s * h * way, reference, weights) for s in (1.0, -1.0)]
        curvature = (sum(ends) - 2.0 * best) / h**2
        assert curvature > 0.0
        assert abs(ends[0] - ends[1]) / (2.0 * h) < 1e-5 * curvature * size  # its zero is 1e-5 of the inputs away
    qdd, tau = accelerate(hopper(), q, v, u[0], True)
    np.testing.assert_allclose(accelerations[0], qdd, atol=1e-6 * np.abs(qdd).max())
    np.testing.assert_allclose(found.tau, tau, atol=1e-6 * np.abs(tau).max())
    np.testing.assert_allclose(found.efforts[0], tau, atol=1e-6 * np.abs(tau).max())


def test_code_is_sound():
    assert list_faults(batch_code(hop()[0].body)) == []


def test_forces_stay_in_their_pyramid_and_what_changes_needs_no_new_code():
    """The same function, with friction that is less: the foot pushes along an edge of the pyramid."""
    control, weights = hop()
    q, v = start()
    v[3:6] += [1.5, 0.0, 0.0]
    references = stack_references(control, np.concatenate([[0.0, 0.0, 0.35, 0.0, 0.0, 0.0, 1.0], q[7:]]))
    schedule = stack_schedule(control, [foot()])
    schedule[..., 1] = 0.3
    found = converge(control, q, v, references, weights, contacts=schedule)
    assert max(found.solution[3:5]) < 1e-7
    assert found.forces is not None
    normal, *tangents = found.forces.T
    share = np.abs(tangents).max(axis=0) / normal
    assert share.max() < 0.3 / np.sqrt(2.0) + 1e-7
    assert share[0] > 0.3 / np.sqrt(2.0) - 1e-4


def test_the_gain_is_how_the_command_follows_the_state():
    """By efforts of the first stage at states beside the one that was solved for, inputs as the gain has them."""
    control, weights = hop()
    robot, (q, v), n = hopper(), start(), 10
    references = stack_references(control, q)
    schedule = stack_schedule(control, [foot()])
    found = converge(control, q, 0.0 * v, references, weights, contacts=schedule)
    h, slopes = 1e-5, []
    for unit in np.eye(2 * n):
        ends = []
        for s in (1.0, -1.0):
            at = sg.integrate(robot)(q, s * h * unit[:n]), s * h * unit[n:]
            ends.append(converge(control, *at, references, weights, contacts=schedule, previous=found.next).tau)
        slopes.append((ends[0] - ends[1]) / (2.0 * h))
    size = np.abs(slopes).max()
    # at rest where it shall be: second derivatives of the dynamics act on small multipliers only
    np.testing.assert_allclose(found.gain, np.transpose(slopes), atol=0.05 * size)


@cache
def arm() -> Robot:
    """A free body with a ball joint on it."""
    links = [Link("world"), link("body", 2.0, 0.3), link("bob", 0.7, 0.3)]
    joints = [
        Joint("base", Floating(), "world", "body"),
        Joint("ball", Spherical(), "body", "bob", from_xyz_rpy([0.1, 0.0, -0.2], np.zeros(3)), damping=0.02),
    ]
    return tree("free_arm", links, joints)


def arm_cost(u, q, v, reference, weights):
    robot, n, total = arm(), 9, 0.0
    for k in range(STAGES + 1):
        total += DT * weights[: 2 * n] @ np.concatenate([sg.difference(robot)(reference[:11], q), v]) ** 2
        if k == STAGES:
            return total
        total += DT * weights[2 * n :] @ u[k] ** 2
        v = v + DT * sg.forward_dynamics(robot)(q, v, u[k])
        q = sg.integrate(robot)(q, DT * v)
    return total


def test_bodies_turn_and_ball_joints_swing_as_is_best():
    robot, rng = arm(), np.random.default_rng(3)
    control = sg.mpc(robot, DT, STAGES, actuated=["base", "ball"], barrier_steps=1)
    weights = stack_weights(robot, position=30.0, velocity=0.3, effort=1e-4, actuated=["base", "ball"])
    q, v, goal = robot.random(rng), rng.standard_normal(9), robot.random(rng)
    found = converge(control, q, v, stack_references(control, goal), weights)
    best = arm_cost(found.efforts, q, v, goal, weights)
    assert abs(found.solution[1] / best - 1.0) < 1e-9
    size = np.abs(found.efforts).max()
    for _ in range(6):
        way = rng.standard_normal(found.efforts.shape)
        h = 1e-4 * size
        ends = [arm_cost(found.efforts + s * h * way, q, v, goal, weights) for s in (1.0, -1.0)]
        curvature = (sum(ends) - 2.0 * best) / h**2
        assert abs(ends[0] - ends[1]) / (2.0 * h) < 1e-5 * abs(curvature) * size


def test_references_whose_quaternion_is_none():
    control, _ = hop()
    for length in (2.0, 0.0):
        q = np.array([0.0, 0.0, 0.35, 0.0, 0.0, 0.0, length, 0.0, 0.5, -1.0, 0.0])
        with pytest.raises(sg.InputError, match=rf"'position' has the length {length:g}"):
            stack_references(control, q)


@pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf, 0.5, 1e9])
def test_numbers_without_sense_have_no_effort(bad):
    control, weights = hop()
    q, v = start()
    nothing = np.zeros(control.arguments[-1].shape)
    sound = {"references": stack_references(control, q), "contacts": stack_schedule(control, [foot()])}
    sound["previous"] = control(q, v, sound["references"], weights, sound["contacts"], 0.0, nothing)[-2]

    def tick(**given):
        with np.errstate(all="ignore"):
            *results, _, solution = control(q, v, weights=weights, advance=0.3, **{**sound, **given})
        if solution[0] == 3.0:
            assert not any(x.any() for x in results), "states, forces and gains are zero as efforts are"
        return np.abs(results[0]).max(), solution[0]

    assert tick()[0] > 1.0
    assert tick()[1] < 2.0
    for k in range(STAGES):
        wrong = {name: value.copy() for name, value in sound.items()}
        wrong["contacts"][k, 0, 0] = bad  # whether the foot is on
        wrong["references"][k, 3:7] *= bad
        stages = wrong["previous"][2:].reshape(STAGES, -1)
        stages[k, NU + 3 : NU + 7] *= bad  # a quaternion of a state
        for name, value in wrong.items():
            if name == "contacts" or abs(bad) != 1.0:
                assert tick(**{name: value}) == (0.0, 3.0), name
        if not bad > 0.0 or np.isinf(bad):
            wrong["contacts"][k, 0] = [1.0, bad]  # friction
            assert tick(contacts=wrong["contacts"]) == (0.0, 3.0)


def test_what_feet_cannot_be():
    robot = hopper()
    for given, match in [
        ({"contacts": [foot(), foot()]}, "0 joint coordinates of its own"),
        ({"contacts": [foot()], "actuated": ["knee"]}, "its motors, 1, do not determine the torques of 4 joints"),
        ({"ground": sg.Plane()}, "ground without contacts"),
        ({"drag": 1.0}, "drag without contacts"),
        ({"limits": HorizonLimits(force=10.0)}, "force of the limits without contacts"),
        ({"contacts": [foot()], "drag": -1.0}, "drag is -1.0"),
        ({"contacts": [foot()], "limits": HorizonLimits(force=0.0)}, "force of the limits is 0.0"),
        ({"limits": HorizonLimits(upper={"base": 1.0})}, "positions of 'base' have bounds"),
    ]:
        with pytest.raises(sg.InputError, match=match):
            sg.mpc(robot, DT, STAGES, **given)
    control, weights = hop()
    q, v = start()
    with pytest.raises(sg.InputError, match=r"on of the shape \(3,\)"):
        stack_schedule(control, [foot()], [1, 1, 0])
    with pytest.raises(sg.InputError, match="2 contacts"):
        stack_schedule(control, [foot(), foot()])
    with pytest.raises(sg.InputError, match="other numbers than 0 and 1"):
        stack_schedule(control, [foot()], [0.5])
    with pytest.raises(sg.InputError, match="mpc takes contacts"):
        converge(control, q, v, stack_references(control, q), weights)
    with pytest.raises(sg.InputError, match="weights of efforts and of forces"):
        stack_weights(robot, effort=1.0, force=1.0)
    with pytest.raises(sg.InputError, match="a force has the weight 0"):
        stack_weights(robot, force=0.0)


def test_a_landing_that_comes_into_sight_costs_few_calls():
    """The last stage swings in one call and stands in the next, on ice: its slacks are of other bounds."""
    control, weights = hop()
    q, v = start()
    references, schedules = stack_references(control, q), []
    for on in ([1, 1, 0, 0, 0], [1, 0, 0, 0, 1]):
        schedules.append(stack_schedule(control, [foot()], np.array(on)[:, None]))
        schedules[-1][..., 1] = 0.3
    found = converge(control, q, 0.1 * v, references, weights, contacts=schedules[0])
    q, v = found.states[1, :11], found.states[1, 11:]
    best, previous = converge(control, q, v, references, weights, contacts=schedules[1]), found.next
    for advance in (1.0, 0.0, 0.0, 0.0):
        *_, forces, _, previous, solution = control(q, v, references, weights, schedules[1], advance, previous)
    assert abs(solution[1] / best.solution[1] - 1.0) < 1e-3  # 0.16 with the slacks of a swing: the foot slips
    normal, *tangents = forces[-1]
    assert np.abs(tangents).max() < 0.3 / np.sqrt(2.0) * normal + 1e-3


def test_feet_neither_pull_nor_push_beyond_the_largest_force():
    """On ice, too, where pyramids let normal forces have any sign."""
    model = make_model(hopper(), DT, None, [foot()], None, HorizonLimits(force=90.0), DRAG)
    most = [1e3] * 4
    lower, upper = model.limit_inputs(most, [1.0, 0.0])
    np.testing.assert_array_equal(np.array([lower, upper])[:, :3], [[0.0, -90.0, -90.0], [90.0, 90.0, 90.0]])
    lower, upper = model.limit_inputs(most, [0.0, 0.0])  # a leg that swings accelerates freely
    assert np.max(lower[:3]) < -1e5
    assert np.min(upper[:3]) > 1e5


def test_inputs_of_a_leg_are_no_mean_of_forces_and_accelerations():
    """Between two stages of the last solution, of which one stood and the other swung, the one that fits is taken."""
    robot = hopper()
    model = make_model(robot, DT, None, [foot()], None, HorizonLimits(), DRAG)
    force, acceleration, rest = np.array([40.0, 1.0, 2.0, 3.0]), np.array([5.0, 6.0, 7.0, 4.0]), [1e3, 1e3, 1e3, 0.0]
    for now, later, then, on, wanted in (
        (force, acceleration, (1.0, 0.0), 1.0, force),
        (force, acceleration, (1.0, 0.0), 0.0, acceleration),
        (acceleration, force, (0.0, 1.0), 1.0, force),
        (force, force, (1.0, 1.0), 1.0, force),
        (force, force, (1.0, 1.0), 0.0, rest),
        (acceleration, acceleration, (0.0, 0.0), 1.0, rest),
    ):
        last = [then[0], 0.8, then[1], 0.8]
        found = model.keep_input(now, later, 0.5, [on, 0.8], last, rest)
        np.testing.assert_array_equal(found[:3], wanted[:3])
        assert found[3] == 0.5 * (now[3] + later[3])
