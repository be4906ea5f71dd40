"""Closing loops, completing positions and velocities: against reference values, closed forms and finite differences."""

from dataclasses import replace

import numpy as np
import pytest

from screwgraph.base.errors import InputError
from screwgraph.model.formats import load
from screwgraph.model.robot import closed_states, constraint_jacobian, constraint_residual, with_floating_base
from screwgraph.model.robot.joints import Fixed, Spherical
from screwgraph.spatial import from_xyz_rpy
from tests.model.formats.helpers import close, mass_matrix
from tests.model.robot.closed_instances import geared_pair, planar_four_bar, two_arms
from tests.reference import reference
from tests.robots import closed_chains, robot_file, robot_files

CLOSED_CHAINS = [*closed_chains(), *robot_files(".sdf")]


def gap(robot, q):
    return np.abs(constraint_residual(robot, q)).max(initial=0.0)


def test_the_four_bar_of_the_reference_closes_where_it_says():
    expected = reference("general_four_bar")
    robot = planar_four_bar()
    q = robot.close_loops([0.9, -0.5, 0.8], independent=["joint1"])
    np.testing.assert_allclose(q, expected["q"], atol=1e-11)
    np.testing.assert_allclose(robot.complete([0.9], branch=[0.5, -0.5, 1.0]), expected["q"], atol=1e-11)
    qd = robot.complete_velocity(q, [expected["q1d"]])
    np.testing.assert_allclose(qd, expected["q1d"] * np.array(expected["G"]), rtol=1e-10)


def test_any_loop_joint_that_keeps_the_plane_gives_the_same_positions():
    tilt = from_xyz_rpy([1.0, 2.0, 3.0], [0.4, 0.5, 0.6])
    q = planar_four_bar().complete([0.9], [0.5, -0.5, 1.0])
    for robot in (planar_four_bar(tilt=tilt), planar_four_bar(loop=Spherical(), tilt=tilt)):
        np.testing.assert_allclose(robot.complete([0.9], [0.5, -0.5, 1.0]), q, atol=1e-11)


def test_the_planar_leg_has_the_reduced_inertia_of_the_reference():
    expected = reference("planar_leg_linkage")
    robot = load(robot_file("planar_leg_linkage.urdf"))
    found = [robot.complete(expected["y"], branch) for branch in ([0, 0.8, 0.8, 0.1], [0, 0.8, 0.8, -0.5])]
    reduced = []
    for q in found:
        G = np.stack([robot.complete_velocity(q, e) for e in np.eye(2)], axis=1)
        reduced.append(G.T @ mass_matrix(robot, q) @ G)
    best = min(reduced, key=lambda H: np.abs(H - expected["H"]).max())
    np.testing.assert_allclose(best, expected["H"], rtol=1e-9)


def test_rotors_follow_by_the_ratio_of_their_gear():
    robot = load(robot_file("geared_leg.urdf"))
    q = dict(zip(robot.joint_names, robot.complete([0.3, -0.8]), strict=True))
    assert q["pitch_motor"] == pytest.approx(6.0 * 0.3, rel=1e-12)
    assert q["knee_motor"] == pytest.approx(9.0 * (0.3 - 0.8), rel=1e-12)


def test_rotors_of_a_chain_follow_by_their_ratio():
    expected = reference("rotor_chain")
    robot = load(robot_file("revolute_rotor_chain.urdf"))
    q = robot.complete(expected["y"])
    for number in (1, 2, 3):
        link, rotor = (q[robot.q_slices[f"joint{number}{end}"]] for end in ("", "r"))
        np.testing.assert_allclose(rotor, 6.0 * link, rtol=1e-12)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("path", CLOSED_CHAINS, ids=lambda path: path.stem)
def test_real_robots_close_at_zero_and_elsewhere(path):
    robot = load(path)
    if path.stem != "six_bar":  # its two arms are of different length at zero
        assert gap(robot, robot.neutral()) < 1e-12
    (q,) = closed_states(robot, 1, seed=2)
    assert gap(robot, q) < 1e-6
    if robot.is_closed:
        qd = robot.complete_velocity(q, np.ones(robot.mobility.freedom))
        beside = robot.manifold.retract(q, 1e-6 * qd)
        assert gap(robot, beside) < 1e-6


def test_completing_is_the_inverse_of_reading_off():
    robot = load("stewart_gough")
    for q in closed_states(robot, 3):
        legs = np.concatenate([q[robot.q_slices[name]] for name in robot.independent_joints])
        np.testing.assert_allclose(robot.complete(legs, q), q, atol=1e-9)


def test_the_way_along_a_branch_does_not_change_sides():
    robot = planar_four_bar((0.5, 1.1, 0.7, 1.0))
    up, down = [0.9, -0.5, 1.0], [0.9, -1.0, -0.9]
    for start, sign in ((up, 1.0), (down, -1.0)):
        q = robot.complete([0.9], start)
        for angle in (1.5, 0.3):
            end = robot.complete([angle], q)
            assert gap(robot, end) < 1e-12
            elbow = np.sin(end[2] - end[0] - end[1])  # between coupler and rocker: its sign tells the branch
            assert np.sign(elbow) == np.sign(np.sin(q[2] - q[0] - q[1])) == sign


def test_velocities_are_the_derivative_of_completed_positions():
    robot = load("five_bar")
    q, h = robot.complete([0.2, -0.1]), 1e-6
    yd = np.array([0.7, -1.3])
    ahead, behind = (robot.complete(np.array([0.2, -0.1]) + s * h * yd, q) for s in (1, -1))
    np.testing.assert_allclose(robot.complete_velocity(q, yd), (ahead - behind) / (2 * h), atol=1e-8)


def test_a_floating_base_keeps_its_place_among_the_independent():
    robot = with_floating_base(load("four_bar_linkage"))
    assert robot.independent_joints == ("floating_base", "joint1")
    rng = np.random.default_rng(0)
    base = robot.random(rng)[:7]
    q = robot.complete([*base, 0.3])
    close(q[:7], base)
    close(q[7:], load("four_bar_linkage").complete([0.3]), 1e-11)


def test_every_kind_of_coordinate_may_move_to_close_a_loop():
    robot = two_arms(Fixed())
    rng = np.random.default_rng(4)
    q = robot.close_loops(robot.manifold.retract(robot.neutral(), rng.normal(scale=0.3, size=robot.nv)))
    assert gap(robot, q) < 1e-11
    turning = [joint.name for joint in robot.joints if joint.type.nq > joint.type.nv]
    assert turning == ["left_joint", "right_joint"]
    for name in turning:
        assert np.linalg.norm(q[robot.q_slices[name]][-4:]) == pytest.approx(1.0, abs=1e-12)


def test_a_tree_is_closed_as_it_is():
    robot = load("iiwa14")
    q = robot.random(np.random.default_rng(0))
    np.testing.assert_array_equal(robot.close_loops(q), q)
    np.testing.assert_array_equal(robot.complete(q), q)
    np.testing.assert_array_equal(robot.complete_velocity(q, np.arange(7.0)), np.arange(7.0))


def folded():
    """A position of the five-bar where its elbows meet and both distal rods lie on one another, pointing up."""
    elbow, rise, theta = 2 * np.pi / 3, np.arctan2(0.6, 0.45), np.arccos(0.2 / 0.5)
    left, right = theta + rise - elbow, np.pi - theta + elbow - rise
    return np.array([theta - elbow, elbow - theta, np.pi / 2 - left, np.pi / 2 - right])


def test_joints_that_are_advised_at_a_folded_position_determine_the_velocities():
    robot = load("five_bar").with_independent_joints(["joint1", "joint3"])
    qd = robot.complete_velocity(folded(), [1.0, -1.0])
    np.testing.assert_allclose(qd[[0, 2]], [1.0, -1.0], rtol=1e-12)
    assert np.abs(constraint_jacobian(robot, folded()) @ qd).max() < 1e-12


COMPLAINTS = {
    "rods that do not reach": (
        lambda: planar_four_bar((0.1, 0.2, 0.1, 2.0)).close_loops([0.1, 0.2, 0.3]),
        r"loop 'pin' has a loop-closure error of 1\.(59|6) \(translation x\)",
    ),
    "a crank that does not turn so far": (
        lambda: planar_four_bar((1.0, 1.1, 0.7, 1.0)).complete([3.0], [0.5, -0.5, 1.0]),
        "loop 'pin' has a loop-closure error of",
    ),
    "independent positions that contradict": (
        lambda: planar_four_bar().close_loops([0.9, 0.3, 0.1], independent=["joint1", "joint2"]),
        "loop 'pin' has a loop-closure error of",
    ),
    "too few positions": (lambda: planar_four_bar().close_loops([0.9]), "q_guess is not 3 finite numbers"),
    "NaN": (lambda: planar_four_bar().close_loops([0.9, np.nan, 0.0]), "q_guess is not 3 finite numbers"),
    "text": (lambda: planar_four_bar().close_loops("up"), "q_guess is not 3 finite numbers"),
    "too many independent positions": (
        lambda: load("five_bar").complete([1.0, 2.0, 3.0]),
        "y is not 2 finite numbers: it takes the positions of joint1, joint2",
    ),
    "a zero quaternion": (
        lambda: two_arms(Fixed()).close_loops(np.zeros(15)),
        "joint 'left_joint': the quaternion is zero",
    ),
    "velocities at an open position": (
        lambda: load("five_bar").complete_velocity([0.5, 0.0, 0.0, 0.0], [1.0, 0.0]),
        "loop 'joint5' has a loop-closure error of .* velocities are defined at closed positions only",
    ),
    "velocities at a singular position": (
        lambda: load("five_bar").complete_velocity(folded(), [1.0, -1.0]),
        r"the velocities of joint1, joint2 do not determine .*with_independent_joints\(\['joint1', 'joint3'\]",
    ),
    "an unknown joint": (
        lambda: planar_four_bar().close_loops([0.9, 0.3, 0.1], independent=["jiont1"]),
        "no joint is called 'jiont1'",
    ),
}


@pytest.mark.parametrize(("call", "complaint"), COMPLAINTS.values(), ids=COMPLAINTS)
def test_what_cannot_be_done_is_said_in_one_line(call, complaint):
    with pytest.raises(InputError, match=complaint) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_couplings_close_exactly():
    robot = geared_pair(6.0)
    assert gap(robot, robot.close_loops([0.3, 0.1])) < 1e-12
    np.testing.assert_allclose(robot.close_loops([0.3, 0.1], independent="joint"), [0.3, 1.8], rtol=1e-14)


def scaled(robot, size):
    """Return a robot all of whose lengths are so many times longer."""

    def place(T):
        return np.block([[T[:3, :3], size * T[:3, 3:]], [T[3:]]])

    joints = tuple(replace(joint, origin=place(joint.origin)) for joint in robot.joints)
    loops = tuple(replace(loop, T_pf=place(loop.T_pf), T_sf=place(loop.T_sf)) for loop in robot.loops)
    return replace(robot, joints=joints, loops=loops)


def test_a_platform_on_legs_that_slide_closes_in_millimetres_as_in_metres():
    """Slides of legs and turns of the platform weigh alike."""
    metres = load("stewart_gough")
    home, step = metres.mobility.states[0], 0.2 * np.random.default_rng(2).normal(size=metres.nv)
    lengths = np.array([column.unit.startswith("m") for column in metres.columns["qd"]])
    places = np.array([column.unit == "m" for column in metres.columns["q"]])
    size = 1e3
    millimetres = scaled(metres, size)
    q = millimetres.close_loops(
        millimetres.manifold.retract(np.where(places, size, 1.0) * home, np.where(lengths, size, 1.0) * step)
    )
    assert gap(millimetres, q) < 1e-11 * size


@pytest.mark.parametrize("size", [1e-5, 1e-3, 1.0, 1e3])
def test_robots_of_any_size_close(size):
    """From some .5 rad away, to 1e-9 of their size."""
    robot, rng = planar_four_bar((0.5 * size, 1.1 * size, 0.7 * size, 1.0 * size)), np.random.default_rng(0)
    for _ in range(10):
        q = robot.close_loops(np.array([0.9, -0.5, 0.8]) + rng.normal(scale=0.3, size=3))
        assert gap(robot, q) < 1e-9 * size
