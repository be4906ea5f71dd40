"""Dynamics against Pinocchio, on every robot file and every built-in robot."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from screwgraph.base.errors import EliminationError
from screwgraph.mechanics.dynamics import bias_forces, forward_dynamics, inverse_dynamics, mass_matrix
from screwgraph.model.formats import load, zoo_names
from screwgraph.model.robot import Robot, with_floating_base, without_loops
from tests.agreement import (
    answers,
    assert_agree,
    assert_dynamics_agree,
    forward_by,
    interpreted,
    inverse_by,
    machine_code,
    random_inertia,
    random_states,
)
from tests.oracle import file_oracle, oracle
from tests.robots import robot_file, urdfs

COUNT = 100
BUILT_IN = [*((name, "fixed") for name in zoo_names()), ("a1", "floating")]

ORDERS = {"fixed": ("auto", "auto"), "floating": ("rnea", "aba")}
"""Orders for inverse and forward dynamics: to name them spares the time of choosing."""

LARGE = 30
"""Velocities of robots on a floating base from which on code is interpreted: machine code is made of the fixed one."""


@pytest.mark.sampled(36)
@pytest.mark.parametrize("base", ["fixed", "floating"])
@pytest.mark.parametrize("path", urdfs())
def test_dynamics_of_a_file_agree_with_pinocchio(path, base):
    """Where massless links make M singular, forward dynamics is refused. Both are machine code."""
    robot = without_loops(load(path, base=base, damping=False))
    if not robot.joints:
        assert inverse_dynamics(robot)(*[np.zeros(0)] * 3).shape == (0,)
        return
    states = random_states(robot, COUNT)
    expected = answers(file_oracle(robot, path, base == "floating"), states)
    evaluate = interpreted if base == "floating" and robot.nv >= LARGE else machine_code
    inverse_order, forward_order = ORDERS[base]
    assert_agree(evaluate(inverse_dynamics(robot, ordering=inverse_order), *states), expected.inverse)
    assert_agree(interpreted(mass_matrix(robot), states.q), expected.mass)
    assert_agree(interpreted(bias_forces(robot, ordering="rnea"), states.q, states.qd), expected.bias)
    idle = joints_of_null_motion(robot, expected.mass[0])
    if not idle:
        found = evaluate(forward_dynamics(robot, ordering=forward_order), *states)
        assert_agree(found, expected.forward(states.u), expected.forward_tolerance())
    else:
        assert_forward_dynamics_are_refused(robot, idle)


def joints_of_null_motion(robot: Robot, mass: np.ndarray) -> tuple[str, ...]:
    """Name the joints that the null vectors of a mass matrix move."""
    values, vectors = np.linalg.eigh(mass)
    moved = np.abs(vectors[:, values < 1e-14 * values[-1]]).max(axis=1, initial=0.0) > 1e-6
    return tuple(name for name in robot.joint_names if moved[robot.v_slices[name]].any())


def assert_forward_dynamics_are_refused(robot: Robot, joints: tuple[str, ...]) -> None:
    with pytest.raises(EliminationError) as caught:
        forward_dynamics(robot)
    listed = ", ".join(repr(name) for name in joints)
    assert str(caught.value).startswith(f"the acceleration of joint {listed} is not determined: ")


@pytest.mark.sampled(12)
@pytest.mark.parametrize(("name", "base"), BUILT_IN)
def test_dynamics_of_a_built_in_robot_agree_with_pinocchio(name, base):
    robot = without_loops(load(name, base=base))
    assert_dynamics_agree(robot, oracle(robot), random_states(robot, COUNT))


@pytest.mark.sampled(6)
@pytest.mark.parametrize(("name", "base"), [("puma560", "fixed"), ("a1", "floating")])
@pytest.mark.parametrize("gravity", [(3.0, -2.0, 5.0), (0.0, 0.0, 0.0), (0.0, 9.81, 0.0)])
def test_gravity_may_point_anywhere(name, base, gravity):
    robot = load(name, base=base, gravity=gravity)
    states = random_states(robot, 10)
    expected = answers(oracle(robot), states)
    assert_agree(inverse_dynamics(robot)(*states), expected.inverse)
    assert_agree(forward_dynamics(robot)(*states), expected.forward(states.u))
    assert_agree(mass_matrix(robot)(states.q), expected.mass)


@pytest.mark.parametrize("base", ["fixed", "floating"])
def test_damping_of_a_file_enters_as_a_torque_against_the_velocity(base):
    path = robot_file("panda.urdf")
    damped, free = (without_loops(load(path, base=base, damping=damping)) for damping in (True, False))
    d = per_coordinate(damped, "damping")
    assert d.any()
    states = random_states(damped, 10)
    assert_agree(inverse_dynamics(damped)(*states), inverse_dynamics(free)(*states) + d * states.qd)
    assert_agree(bias_forces(damped)(*states[:2]), bias_forces(free)(*states[:2]) + d * states.qd)
    held = states._replace(u=states.u - d * states.qd)
    assert_agree(forward_dynamics(damped)(*states), forward_dynamics(free)(*held))


def test_rotor_inertia_enters_as_a_torque_along_the_acceleration():
    bare = load("iiwa14", damping=False)
    rng = np.random.default_rng(0)
    joints = tuple(replace(j, armature=float(rng.uniform(0.1, 1.0))) for j in bare.joints)
    robot = replace(bare, joints=joints)
    J = per_coordinate(robot, "armature")
    states = random_states(robot, 10)
    M, h = mass_matrix(bare)(states.q), bias_forces(bare)(*states[:2])
    assert_agree(inverse_dynamics(robot)(*states), inverse_dynamics(bare)(*states) + J * states.u)
    assert_agree(mass_matrix(robot)(states.q), M + np.diag(J))
    expected = np.linalg.solve(M + np.diag(J), (states.u - h)[..., None])[..., 0]
    assert_agree(forward_dynamics(robot)(*states), expected)


def per_coordinate(robot: Robot, what: str) -> np.ndarray:
    return np.concatenate([np.full(joint.type.nv, getattr(joint, what)) for joint in robot.joints])


@pytest.mark.sampled(6)
@pytest.mark.parametrize("base", ["fixed", "floating"])
@pytest.mark.parametrize(
    ("file", "locked"),
    [
        ("panda.urdf", {"panda_finger_joint1": 0.03, "panda_finger_joint2": 0.01, "panda_joint4": -1.2}),
        ("a1.urdf", {"FL_hip_joint": 0.4, "RR_calf_joint": -1.0, "RL_thigh_joint": 0.7}),
        ("ur5_robot.urdf", ("shoulder_pan_joint", "wrist_3_joint")),
    ],
)
def test_locked_joints_weld_their_links(file, locked, base):
    """Against Pinocchio's reduced model."""
    path = robot_file(file)
    robot = load(path, base=base, lock=locked, damping=False)
    assert not set(locked) & set(robot.joint_names)
    assert_dynamics_agree(robot, file_oracle(robot, path, base == "floating", lock=locked), random_states(robot, 10))


@pytest.mark.parametrize(
    ("file", "base", "where"),
    [
        ("a1.urdf", "floating", ("trunk", "FL_calf", "RR_foot")),
        ("panda.urdf", "fixed", ("panda_hand", "panda_link4")),
        ("ur5_robot.urdf", "floating", ("tool0",)),
    ],
)
@pytest.mark.sampled(3)
def test_wrenches_on_links_and_frames_act_in_their_axes(file, base, where):
    """Against Pinocchio's external forces; welded links are frames of ours."""
    path = robot_file(file)
    robot = without_loops(load(path, base=base, damping=False))
    states, rng = random_states(robot, 10), np.random.default_rng(1)
    wrenches = rng.normal(size=(len(where), 6))
    named = {name: (wrench[:3], wrench[3:]) for name, wrench in zip(where, wrenches, strict=True)}
    pinocchio = file_oracle(robot, path, base == "floating")
    inverse = inverse_dynamics(robot, external_wrenches=where)(*states, wrenches)
    forward = forward_dynamics(robot, external_wrenches=where)(*states, wrenches)
    assert_agree(inverse, inverse_by(pinocchio, states, named))
    assert_agree(forward, forward_by(pinocchio, states, named))
    assert_agree(
        bias_forces(robot, external_wrenches=where)(*states[:2], wrenches),
        inverse_by(pinocchio, states._replace(u=np.zeros_like(states.u)), named),
    )


def test_the_base_row_of_tau_is_a_wrench_on_a_floating_base():
    robot = load("a1", base="floating")
    base = robot.joints[0].child
    states, wrench = random_states(robot, 10), np.arange(6.0)
    pushed = states.u.copy()
    pushed[:, :6] += wrench
    external = forward_dynamics(robot, external_wrenches=(base,))(*states, wrench[None])
    assert_agree(external, forward_dynamics(robot)(states.q, states.qd, pushed))


def test_a_floating_rock_falls():
    """Newton and Euler for one body, with no joint but its base."""
    robot = with_floating_base(load("rr", lock=("joint1", "joint2")))
    rng = np.random.default_rng(2)
    rock = replace(robot, links=(robot.links[0], replace(robot.links[1], inertia=random_inertia(rng))))
    q = rock.random(rng)
    qdd = forward_dynamics(rock)(q, np.zeros(6), np.zeros(6))
    assert_agree(mass_matrix(rock)(q)[None], rock.links[1].inertia.matrix()[None])
    turn = rock.joints[0].type.transform(q)[:3, :3]
    np.testing.assert_allclose(qdd, [0, 0, 0, *(turn.T @ np.array(rock.gravity))], atol=1e-12)
