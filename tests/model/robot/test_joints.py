"""What every joint type of the registry must do; a new type is tested by being in the registry."""

from dataclasses import replace

import numpy as np
import pytest

from screwgraph.base.errors import InputError
from screwgraph.compiler import casadi_of
from screwgraph.mechanics.dynamics import forward_dynamics, mass_matrix
from screwgraph.model.robot import JOINT_TYPES, merge_fixed
from screwgraph.model.robot.joints import Helical, Planar, Prismatic, Revolute, Universal
from screwgraph.spatial import so3
from tests.agreement import assert_dynamics_agree, random_states
from tests.model.robot.joint_instances import alone, in_a_tree, instances
from tests.oracle import KNOWN, oracle

STEP = 1e-30
ROUNDING = 1e-12
JOINTS = instances()
MOVING = {name: joint for name, joint in JOINTS.items() if joint.nv}
BY_KIND = ("kind", "case"), [(type(joint), joint) for joint in MOVING.values()]
"""Of long tests: each type, and one of its instances at least."""


def some_states(joint, count=5):
    rng = np.random.default_rng(3)
    return [(joint.manifold.random(rng), rng.normal(size=joint.nv)) for _ in range(count)]


def along_motion(joint, q, qd):
    """The position a moment later, as a complex step."""
    return q + 1j * STEP * np.asarray(joint.manifold.rate(q, qd))


def body_twist(T, Tdot):
    """Read the twist off [V] = T^-1 T'. Lynch & Park (3.75)."""
    V = np.linalg.inv(T) @ Tdot
    return np.array([V[2, 1], V[0, 2], V[1, 0], *V[:3, 3]])


def test_every_type_of_the_registry_has_instances():
    assert {type(joint) for joint in JOINTS.values()} == set(JOINT_TYPES.values())


@pytest.mark.parametrize("joint", JOINTS.values(), ids=JOINTS)
def test_the_pose_at_the_zero_position_is_the_identity(joint):
    zero = joint.nearest(np.eye(4)) if getattr(joint, "offset", 0.0) else joint.manifold.identity()
    np.testing.assert_allclose(joint.transform(zero), np.eye(4), atol=1e-15)


@pytest.mark.parametrize("joint", JOINTS.values(), ids=JOINTS)
def test_positions_and_velocities_are_those_of_the_manifold(joint):
    assert ((joint.nq,), joint.nv) == (joint.manifold.shape, joint.manifold.dim)


@pytest.mark.parametrize("joint", JOINTS.values(), ids=JOINTS)
def test_sizes_are_those_of_the_arrays(joint):
    for q, qd in [(joint.manifold.identity(), np.zeros(joint.nv)), *some_states(joint)]:
        assert q.shape == np.shape(joint.manifold.rate(q, qd)) == (joint.nq,)
        assert joint.screw_axes(q).shape == (6, joint.nv)
        assert joint.axes_rate_times(q, qd).shape == (6,)


@pytest.mark.parametrize("joint", JOINTS.values(), ids=JOINTS)
def test_the_pose_is_rigid(joint):
    for q, _ in some_states(joint):
        T = joint.transform(q)
        np.testing.assert_allclose(T[:3, :3] @ T[:3, :3].T, np.eye(3), atol=1e-14)
        assert np.linalg.det(T[:3, :3]) == pytest.approx(1.0)
        np.testing.assert_array_equal(T[3], [0.0, 0.0, 0.0, 1.0])


@pytest.mark.parametrize("joint", JOINTS.values(), ids=JOINTS)
def test_the_twist_is_the_derivative_of_the_pose(joint):
    for q, qd in some_states(joint):
        Tdot = joint.transform(along_motion(joint, q, qd)).imag / STEP
        np.testing.assert_allclose(joint.screw_axes(q) @ qd, body_twist(joint.transform(q), Tdot), atol=1e-13)


@pytest.mark.parametrize("joint", JOINTS.values(), ids=JOINTS)
def test_the_rate_of_the_axes_is_their_derivative(joint):
    for q, qd in some_states(joint):
        rate = (joint.screw_axes(along_motion(joint, q, qd)) @ qd).imag / STEP
        np.testing.assert_allclose(joint.axes_rate_times(q, qd), rate, atol=1e-13)


@pytest.mark.parametrize("joint", JOINTS.values(), ids=JOINTS)
def test_axes_are_constant_exactly_where_the_type_says_so(joint):
    first, *others = (joint.screw_axes(q) for q, _ in some_states(joint))
    assert joint.constant_axes == all((other == first).all() for other in others)


@pytest.mark.parametrize("joint", MOVING.values(), ids=MOVING)
def test_the_axes_are_independent(joint):
    for q, _ in some_states(joint):
        assert np.linalg.matrix_rank(joint.screw_axes(q)) == joint.nv


@pytest.mark.parametrize("joint", JOINTS.values(), ids=JOINTS)
def test_casadi_and_numpy_agree(joint):
    methods = {
        "transform": lambda q, qd: joint.transform(q),
        "screw_axes": lambda q, qd: joint.screw_axes(q),
        "axes_rate_times": joint.axes_rate_times,
        "nearest": lambda q, qd: joint.nearest(joint.transform(q)),
    }
    symbolic = {name: casadi_of(method, (joint.nq,), (joint.nv,)) for name, method in methods.items()}
    for state, rate in some_states(joint):
        for method, function in symbolic.items():
            actual = function(state, rate)
            given = {"axes_rate_times": (state, rate), "nearest": (joint.transform(state),)}
            arguments = given.get(method, (state,))
            expected = np.asarray(getattr(joint, method)(*arguments))
            np.testing.assert_allclose(np.array(actual).reshape(expected.shape), expected, atol=1e-14)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(*BY_KIND, ids=MOVING)
def test_dynamics_of_one_joint_agree_with_pinocchio(kind, case):
    if not issubclass(kind, KNOWN):
        pytest.skip("Pinocchio has no such joint")
    robot = alone(case)
    assert_dynamics_agree(robot, oracle(robot), random_states(robot, 20))


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("kind", "case"), [(type(joint), joint) for joint in JOINTS.values()], ids=JOINTS)
def test_dynamics_in_a_tree_agree_with_pinocchio(kind, case):
    if not issubclass(kind, KNOWN):
        pytest.skip("Pinocchio has no such joint")
    robot = in_a_tree(case, losses=1.0)
    if robot.joint("joint").has_turning_axes:  # there, Pinocchio's rotors are not those of MuJoCo, which act here
        joints = [replace(j, armature=0.0) if j.name == "joint" else j for j in robot.joints]
        robot = replace(robot, joints=tuple(joints))
    states = random_states(robot, 20)
    assert_dynamics_agree(merge_fixed(robot), oracle(robot), states)


def position_rate(robot, q, qd):
    rates = [j.type.manifold.rate(q[robot.q_slices[j.name]], qd[robot.v_slices[j.name]]) for j in robot.joints]
    return np.concatenate(rates)


def potential_energy(robot, q):
    """Sum -m g' p over the links' centres of mass; poses are products down the tree."""
    poses, energy = {robot.links[0].name: np.eye(4)}, 0.0
    for joint in robot.joints:
        T = poses[joint.child] = poses[joint.parent] @ joint.T_parent_child(q[robot.q_slices[joint.name]])
        inertia = robot.link(joint.child).inertia
        energy -= np.array(robot.gravity) @ (T[:3, :3] @ inertia.first_moment + inertia.mass * T[:3, 3])
    return energy


def energy_drifts(robot, *numbers_of_steps, duration=0.4):
    """Integrate free motion by the classical Runge-Kutta method; return the largest relative changes of energy."""
    acceleration, inertia, passive = forward_dynamics(robot), mass_matrix(robot), np.zeros(robot.nv)
    nq, (q, qd, _) = robot.nq, random_states(robot, 1, seed=4)

    def rate(x):
        q, qd = x[:nq], x[nq:]
        return np.concatenate([position_rate(robot, q, qd), acceleration(q, qd, passive)])

    def energies(x):
        q, qd = x[:nq], x[nq:]
        return 0.5 * qd @ inertia(q) @ qd, potential_energy(robot, q)

    drifts = []
    for steps in numbers_of_steps:
        path = runge_kutta(rate, np.concatenate([q[0], qd[0]]), duration / steps, steps)
        kinetic, potential = np.array([energies(x) for x in path]).T
        total = kinetic + potential
        drifts.append(np.abs(total - total[0]).max() / max(kinetic.max(), np.ptp(potential)))
    return drifts


def runge_kutta(rate, x, h, steps):
    path = [x]
    for _ in range(steps):
        k1 = rate(x)
        k2 = rate(x + h / 2 * k1)
        k3 = rate(x + h / 2 * k2)
        k4 = rate(x + h * k3)
        x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        path.append(x)
    return path


@pytest.mark.sampled(12)
@pytest.mark.parametrize("make_robot", [alone, in_a_tree], ids=["alone", "in_a_tree"])
@pytest.mark.parametrize(*BY_KIND, ids=MOVING)
def test_energy_is_conserved_to_the_fourth_order_of_the_step(kind, case, make_robot):
    coarse, fine = energy_drifts(make_robot(case), 10, 20)
    assert coarse < 1e-3
    assert fine < coarse / 12 or fine < ROUNDING


def test_a_screw_advances_by_its_pitch():
    T = Helical((0.0, 0.0, 2.0), pitch=0.1).transform(np.array([np.pi]))
    np.testing.assert_allclose(T[:3, 3], [0.0, 0.0, 0.1 * np.pi])
    np.testing.assert_allclose(T[:3, :3], np.diag([-1.0, -1.0, 1.0]), atol=1e-15)


def test_a_universal_joint_turns_about_its_first_axis_first():
    first, second = np.array([1.0, 0.0, 0.0]), np.array([0.6, 0.8, 0.0])
    expected = so3.about_axis(first, 0.4) @ so3.about_axis(second, -0.7)
    T = Universal(tuple(first), tuple(second)).transform(np.array([0.4, -0.7]))
    np.testing.assert_allclose(T[:3, :3], expected, atol=1e-15)


@pytest.mark.parametrize(("normal", "u", "v"), [("z", "x", "y"), ("x", "y", "z"), ("y", "z", "x")])
def test_a_planar_joint_slides_along_the_coordinate_axes_in_cyclic_order(normal, u, v):
    axis = dict(zip("xyz", np.eye(3), strict=True))
    T = Planar(tuple(axis[normal])).transform(np.array([2.0, 3.0, 0.0]))
    np.testing.assert_array_equal(T[:3, 3], 2.0 * axis[u] + 3.0 * axis[v])


@pytest.mark.parametrize("kind", [Revolute, Prismatic, Helical, Planar, Universal])
def test_axes_are_normalised(kind):
    assert np.linalg.norm(kind((3.0, 0.0, -4.0)).axis) == pytest.approx(1.0, abs=1e-15)
    assert np.linalg.norm(kind((3e-200, 0.0, -4e-200)).axis) == pytest.approx(1.0, abs=1e-15)


@pytest.mark.parametrize("kind", [Revolute, Prismatic, Helical, Planar])
def test_axes_are_vertical_where_none_are_given(kind):
    assert kind() == kind((0.0, 0.0, 1.0))


@pytest.mark.parametrize("axis", [(0, 0, 0), (np.nan, 0, 0), (np.inf, 0, 0), (1, 0)])
@pytest.mark.parametrize("kind", [Revolute, Prismatic, Helical, Planar, Universal])
def test_an_axis_that_is_no_direction_is_refused(kind, axis):
    with pytest.raises(InputError, match="is not a direction: a direction is three finite numbers, not all zero"):
        kind(axis)


def test_parallel_axes_of_a_universal_joint_are_refused():
    with pytest.raises(InputError, match="parallel"):
        Universal((1.0, 1.0, 0.0), (-2.0, -2.0, 0.0))


@pytest.mark.parametrize("pitch", [np.nan, np.inf])
def test_a_pitch_that_is_no_number_is_refused(pitch):
    with pytest.raises(InputError, match="pitch"):
        Helical(pitch=pitch)
