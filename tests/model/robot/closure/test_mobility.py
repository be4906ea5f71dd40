"""Rank, redundant rows, and which joints drive a closed chain."""

from dataclasses import replace

import numpy as np
import pytest

from screwgraph.base.errors import InputError
from screwgraph.model.formats import load
from screwgraph.model.robot import (
    Coupling,
    Joint,
    Limits,
    Link,
    Loop,
    closed_states,
    constraint_jacobian,
    constraint_residual,
    independent_coordinates,
    symmetric_states,
    tree,
    with_floating_base,
)
from screwgraph.model.robot.joints import Prismatic, Revolute, Spherical, Universal
from screwgraph.spatial import from_xyz_rpy
from tests.model.robot.closed_instances import geared_pair, planar_four_bar, two_arms
from tests.robots import robot_file


def test_a_planar_loop_has_three_rows_too_many():
    """Gruebler's count of a four-bar in space is 6 (4 - 1 - 4) + 4 = -2; in its plane it is 1."""
    found = planar_four_bar().mobility
    assert (found.freedom, found.gruebler, found.rank) == (1, -2, 2)
    assert [row.component for row in found.redundant] == ["rotation x", "rotation y", "translation z"]


def test_the_redundant_rows_of_a_tilted_loop_are_found_too():
    found = planar_four_bar(tilt=from_xyz_rpy([1, 2, 3], [0.4, 0.5, 0.6])).mobility
    assert (found.freedom, len(found.redundant)) == (1, 3)


@pytest.mark.parametrize(
    "loop", [Revolute(), Spherical(), Universal((0, 0, 1), (0, 1, 0))], ids=["revolute", "spherical", "universal"]
)
def test_kept_rows_have_the_rank_of_all(loop):
    robot = planar_four_bar(loop=loop)
    found = robot.mobility
    for q in closed_states(robot, 4, seed=7):
        K = constraint_jacobian(robot, q)
        assert np.linalg.matrix_rank(K, 1e-7) == np.linalg.matrix_rank(K[list(found.kept)], 1e-9) == found.rank


@pytest.mark.parametrize(
    ("name", "freedom", "gruebler"),
    [
        ("four_bar", 1, -2),
        ("crank_rocker", 1, -2),
        ("geared_leg", 2, 2),
        ("six_bar", 3, 0),
        ("planar_leg_linkage", 2, -1),
        ("revolute_rotor_chain", 3, 3),
        ("mit_humanoid_leg", 5, 5),
        ("mini_cheetah", 18, 18),
        ("mit_humanoid", 24, 24),
    ],
)
@pytest.mark.sampled(3)
def test_real_robots_have_the_freedoms_that_their_files_mark(name, freedom, gruebler):
    robot = load(robot_file(f"{name}.urdf"))
    assert (robot.mobility.freedom, robot.mobility.gruebler) == (freedom, gruebler)
    assert len(independent_coordinates(robot)) == freedom
    assert robot.with_independent_joints(None).independent_joints == robot.independent_joints


def test_a_spatial_mechanism_without_redundancy_has_gruebler_s_freedoms():
    robot = two_arms(Revolute((1.0, 2.0, 3.0)))
    assert robot.mobility.freedom == robot.mobility.gruebler == robot.nv - 5
    assert robot.mobility.redundant == ()


def test_a_bennett_linkage_moves_although_gruebler_says_it_cannot():
    """Bennett (1903): alternate twists and lengths equal, a / sin(alpha) = b / sin(beta)."""
    a, alpha, beta = 1.0, 0.6, 1.1
    b = a * np.sin(beta) / np.sin(alpha)
    T_a, T_b = from_xyz_rpy([a, 0, 0], [alpha, 0, 0]), from_xyz_rpy([b, 0, 0], [beta, 0, 0])
    links = [Link("ground"), Link("one"), Link("two"), Link("three")]
    joints = [
        Joint("j1", Revolute(), "ground", "one"),
        Joint("j2", Revolute(), "one", "two", T_a),
        Joint("j3", Revolute(), "two", "three", T_b),
    ]
    loop = Loop("j4", Revolute(), "three", "ground", T_a, np.linalg.inv(T_b))
    robot = tree("bennett", links, joints, loops=[loop])
    assert robot.mobility.gruebler == -2
    assert robot.mobility.freedom == 1


def test_a_tree_has_all_its_freedoms():
    robot = load("iiwa14")
    assert (robot.mobility.freedom, robot.mobility.gruebler, robot.mobility.redundant) == (7, 7, ())
    assert robot.independent_joints == robot.joint_names


def test_a_locked_mechanism_has_no_freedom_and_no_independent_joint():
    """Three rods form a triangle."""
    joints = [
        Joint("j1", Revolute(), "ground", "one"),
        Joint("j2", Revolute(), "ground", "two", from_xyz_rpy([1, 0, 0], [0, 0, 0])),
    ]
    reach = from_xyz_rpy([0.8, 0, 0], [0, 0, 0])
    triangle = tree(
        "triangle",
        [Link("ground"), Link("one"), Link("two")],
        joints,
        loops=[Loop("tip", Revolute(), "one", "two", reach, reach)],
    )
    assert (triangle.mobility.freedom, triangle.independent_joints) == (0, ())
    q = triangle.close_loops([0.8, 2.0])
    np.testing.assert_allclose(0.8 * np.cos(q), [0.5, -0.5], atol=1e-12)


def test_rods_that_never_reach_are_named_with_the_gap():
    with pytest.raises(
        InputError, match=r"no position closes 'pin': 30 random ones .* loop-closure error of at least 1\.\d+ \(tran"
    ):
        _ = planar_four_bar((0.1, 0.2, 0.1, 2.0)).mobility


def test_driven_joints_are_preferred_as_independent():
    robot = planar_four_bar()
    for driven in robot.joint_names:
        joints = [replace(j, limits=Limits(effort=1.0 if j.name == driven else None)) for j in robot.joints]
        assert replace(robot, joints=tuple(joints)).independent_joints == (driven,)


def test_the_follower_of_a_coupling_is_dependent():
    robot = geared_pair()
    assert robot.independent_joints == ("joint",)
    turned = replace(robot, couplings=(Coupling("gear", {"joint": 1.0, "motor": -1 / 6}),))
    assert turned.independent_joints == ("motor",)


def test_independent_joints_can_be_chosen():
    robot = planar_four_bar().with_independent_joints(["joint3"])
    assert robot.independent_joints == ("joint3",)
    q = robot.complete([0.9], [0.5, -0.5, 1.0])
    assert q[2] == 0.9
    assert np.abs(constraint_residual(robot, q)).max() < 1e-12
    assert robot.with_independent_joints(None).independent_joints == ("joint1",)
    assert with_floating_base(robot).independent_joints == ("floating_base", "joint3")


def test_one_coordinate_of_a_joint_can_be_independent():
    """A rod between two balls may spin about itself, whatever else it does."""
    links = [Link("base"), Link("slider"), Link("rod")]
    joints = [
        Joint("slide", Prismatic((1.0, 0.0, 0.0)), "base", "slider"),
        Joint("ball", Spherical(), "slider", "rod"),
    ]
    loop = Loop(
        "eye", Spherical(), "rod", "base", from_xyz_rpy([0, 0, 1], [0, 0, 0]), from_xyz_rpy([0.3, 0, 0.9], [0, 0, 0])
    )
    robot = tree("rod", links, joints, loops=[loop])
    assert robot.mobility.freedom == 1
    assert len(robot.independent_joints) == 1
    named = robot.with_independent_joints(["ball[2]"])
    assert named.independent_joints == ("ball[2]",)
    assert independent_coordinates(named) == [3]
    q = named.close_loops(named.neutral())
    qd = named.complete_velocity(q, [1.0])
    assert qd[3] == 1.0
    assert abs(qd[0]) < 1e-9


REFUSED = {
    "too many": (["joint1", "joint2"], "the independent joints joint1, joint2 have 2 of the robot's 1 degrees"),
    "none": ([], r"the independent joints \(none\) have 0 of the robot's 1 degrees"),
    "unknown": (["jiont1"], "no joint is called 'jiont1'"),
    "no name": ([3], "expected names"),
    "no such coordinate": (["joint1[1]"], "joint 'joint1' has no coordinate 1"),
}


@pytest.mark.parametrize(("names", "complaint"), REFUSED.values(), ids=REFUSED)
def test_a_wrong_choice_is_refused(names, complaint):
    with pytest.raises(InputError, match=complaint):
        planar_four_bar().with_independent_joints(names)


def test_a_choice_that_determines_nothing_is_refused_by_name():
    robot = load("belt_leg")
    with pytest.raises(InputError, match="the joints hip, hip_motor, knee do not determine the motion of the others"):
        robot.with_independent_joints(["hip", "hip_motor", "knee"])


def test_a_wrong_mark_in_a_file_is_refused_when_it_matters():
    robot = replace(planar_four_bar(), independent=("joint1", "joint2"))
    with pytest.raises(InputError, match="have 2 of the robot"):
        _ = robot.independent_joints


@pytest.mark.suite
def test_loops_that_are_planar_but_for_the_digits_of_a_file_lock_nothing():
    """cassie.sdf prints so few digits that the axes of its shin loops are parallel to 1e-6: the springs still move."""
    robot = load(str(robot_file("cassie.sdf")))
    found = robot.mobility
    assert (found.rank, found.freedom) == (26, 12)
    assert 1e-6 < found.neglected < 5e-6
    kept = constraint_jacobian(robot, found.states[0])[list(found.kept)]
    assert np.linalg.svd(kept, compute_uv=False).min() > 1e-4


def test_symmetric_states_are_closed_and_regular():
    robot = load("five_bar")
    states = symmetric_states(robot)
    assert states
    for q in states:
        assert np.abs(constraint_residual(robot, q)).max() < 1e-10
        K = constraint_jacobian(robot, q)
        assert np.linalg.matrix_rank(K, tol=1e-6 * np.linalg.norm(K)) == robot.mobility.rank


def test_states_at_which_a_chain_is_stretched_are_no_symmetric_ones():
    """A parallelogram at zero may go on as one that crosses itself: the rank of K is one less."""
    robot = planar_four_bar((0.5, 1.0, 0.5, 1.0))
    K = constraint_jacobian(robot, robot.neutral())
    assert np.abs(constraint_residual(robot, robot.neutral())).max() < 1e-12
    assert np.linalg.matrix_rank(K, tol=1e-6 * np.linalg.norm(K)) < robot.mobility.rank
    assert all(np.abs(q).max() > 1e-3 for q in symmetric_states(robot))
