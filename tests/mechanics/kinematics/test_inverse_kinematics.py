"""Positions that inverse kinematics finds, seen by Pinocchio; and what it says of targets that cannot be met."""

from __future__ import annotations

import importlib
import pickle
from functools import cache

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.mechanics.kinematics.targets import CenterOfMass, Direction, Orientation, Point, Pose, Posture
from screwgraph.model.mechanism.assembled_positions import find_assembled_states
from screwgraph.model.robot import constraint_residual, regular_states
from tests.oracle import oracle, to_pin_q

TIP = {"panda": "panda_hand_tcp", "puma560": "link6"}
CLOSE = 2e-8
"""What the tolerance, 1e-8, leaves of angles and lengths."""


@cache
def arm(name):
    """Return a robot, and inverse kinematics of its tip."""
    robot = sg.load(name)
    return robot, sg.inverse_kinematics(robot, TIP[name])


def pose_of(robot, q, frame):
    """Return the pose of a frame as Pinocchio sees it."""
    own = robot.frame(frame)
    return oracle(robot).pose(q, own.link) @ own.T_lf


def bounds_of(robot):
    limits = [joint.limits for joint in robot.joints if joint.type.nq == 1]
    lower = np.array([-np.inf if x.lower is None else x.lower for x in limits])
    return lower, np.array([np.inf if x.upper is None else x.upper for x in limits])


@pytest.mark.parametrize("name", TIP)
@pytest.mark.sampled(2)
def test_random_reachable_poses_are_reached_within_limits(name):
    robot, ik = arm(name)
    T = sg.forward_kinematics(robot, TIP[name])(sg.random(robot, (2000,), seed=0))
    found = ik(T)
    assert found.reached.mean() >= 0.999
    lower, upper = bounds_of(robot)
    assert np.all((found.q >= lower) & (found.q <= upper))
    assert found.errors[found.reached].max() <= 1e-8
    for q, wanted in list(zip(found.q, T, strict=True))[:20]:
        np.testing.assert_allclose(pose_of(robot, q, TIP[name]), wanted, atol=CLOSE)


def test_one_pose_and_batches_are_solved_alike():
    robot, ik = arm("panda")
    q = sg.random(robot, (3, 2), seed=1)
    T = sg.forward_kinematics(robot, TIP["panda"])(q)
    many = ik(T)
    assert many.q.shape == (3, 2, 7)
    assert many.reached.shape == (3, 2)
    for i, j in np.ndindex(3, 2):
        one = ik(T[i, j])
        assert one.reached is True
        np.testing.assert_array_equal(one.q, many.q[i, j])
        np.testing.assert_array_equal(ik(np.asfortranarray(T[i, j])).q, one.q)
    assert ik(T[0, 0], start=sg.random(robot, (4,), seed=2)).q.shape == (4, 7)
    again = pickle.loads(pickle.dumps((ik, many)))
    np.testing.assert_array_equal(again[0](T).q, again[1].q)


def test_from_a_start_that_reaches_the_target_nothing_moves():
    robot, ik = arm("panda")
    q = sg.random(robot, seed=3)
    T = sg.forward_kinematics(robot, TIP["panda"])(q)
    found = ik(T, start=q)
    assert (found.attempts, found.steps) == (1, 1)
    np.testing.assert_array_equal(found.q, q)


@pytest.mark.parametrize("steps", [1, 2])
def test_a_search_that_has_no_more_steps_has_not_reached_its_target(steps, monkeypatch):
    module = importlib.import_module("screwgraph.mechanics.kinematics.inverse.inverse_kinematics")
    monkeypatch.setattr(module, "STEPS", steps)
    robot = sg.load("rr")
    ik = sg.inverse_kinematics(robot, [Point("tool", axes="xy")], attempts=3)
    found = ik(sg.forward_kinematics(robot, "tool")([0.4, 1.1])[:2, 3], start=[-0.9, 0.3])
    assert not found.reached
    assert (found.attempts, found.steps) == (3, 3 * steps)
    assert np.abs(found.errors).max() > 1e-8


def test_points_orientations_and_held_joints():
    robot = sg.load("panda")
    wanted, start = sg.random(robot, (2,), seed=4)
    T = sg.forward_kinematics(robot, "panda_link7")(wanted)
    offset = (0.1, -0.05, 0.2)
    ik = sg.inverse_kinematics(
        robot, [Point("panda_link7", offset=offset, axes="xz"), Orientation("panda_link7")], held=["panda_joint2"]
    )
    start[1] = wanted[1]
    found = ik((T @ [*offset, 1.0])[[0, 2]], T[:3, :3], start=start)
    assert found.reached
    assert found.q[1] == wanted[1]
    seen = pose_of(robot, found.q, "panda_link7")
    np.testing.assert_allclose((seen @ [*offset, 1.0])[[0, 2]], (T @ [*offset, 1.0])[[0, 2]], atol=CLOSE)
    np.testing.assert_allclose(seen[:3, :3], T[:3, :3], atol=CLOSE)


def test_a_floating_base_moves_its_centre_of_mass_over_standing_feet():
    import pinocchio as pin

    robot = sg.load("a1", base="floating")
    stand = sg.neutral(robot)
    stand[7:] = [0.0, 0.8, -1.6] * 4
    feet = ["FR_foot", "FL_foot", "RR_foot", "RL_foot"]
    where = [sg.forward_kinematics(robot, foot)(stand)[:3, 3] for foot in feet]
    wanted = sg.center_of_mass(robot)(stand) + np.array([0.02, 0.03, -0.05])
    ik = sg.inverse_kinematics(robot, [*(Point(f, at=p) for f, p in zip(feet, where, strict=True)), CenterOfMass()])
    found = ik(wanted, start=stand)
    assert found.reached
    for foot, p in zip(feet, where, strict=True):
        np.testing.assert_allclose(pose_of(robot, found.q, foot)[:3, 3], p, atol=CLOSE)
    peer = oracle(robot)
    np.testing.assert_allclose(pin.centerOfMass(peer.model, peer.data, to_pin_q(robot, found.q)), wanted, atol=CLOSE)
    (reason,) = ik(wanted + np.array([1.0, 0.0, 0.0]), start=stand).reasons
    assert "contradict each other" in reason
    assert "centre of mass" in reason


def test_of_redundant_arms_a_posture_chooses_the_nearest_position():
    robot = sg.load("panda")
    rest, q = np.array([0.0, -0.3, 0.0, -2.0, 0.0, 1.8, 0.7]), sg.random(robot, seed=5)
    T = sg.forward_kinematics(robot, "panda_link7")(0.5 * (q + rest))
    found = sg.inverse_kinematics(robot, ["panda_link7", Posture(at=rest)])(T, start=rest)
    assert found.reached
    np.testing.assert_allclose(pose_of(robot, found.q, "panda_link7"), T, atol=CLOSE)
    motion = np.linalg.svd(sg.frame_jacobian(robot, "panda_link7")(found.q))[2][6]  # that leaves the link where it is
    # The optimum but for the square of the weight, 1e-4, relative to what the link's motion costs there.
    assert abs(motion @ (found.q - rest)) < 5e-3
    other = sg.inverse_kinematics(robot, "panda_link7")(T, start=q)
    assert np.linalg.norm(found.q - rest) < np.linalg.norm(other.q - rest)


SUITE = pytest.mark.suite


@pytest.mark.parametrize("name", [pytest.param("stewart_gough", marks=SUITE), "five_bar", "belt_leg"])
def test_loops_close(name):
    robot = sg.load(name)
    states = regular_states(robot, 5)
    frame = robot.links[-1].name
    T = np.array([sg.forward_kinematics(robot, frame)(q) for q in states])
    found = sg.inverse_kinematics(robot, frame, limits=False)(T)
    assert np.all(found.reached)
    for q, wanted in zip(found.q, T, strict=True):
        np.testing.assert_allclose(constraint_residual(robot, q), 0.0, atol=CLOSE)
        np.testing.assert_allclose(pose_of(sg.robot.without_loops(robot), q, frame), wanted, atol=CLOSE)


@pytest.mark.parametrize(
    ("name", "point"),
    [pytest.param("parallel_robot", "6", marks=SUITE), ("gear_train", "rim3"), ("slider_crank", "piston")],
)
def test_points_of_mechanisms(name, point):
    mechanism = sg.load_mechanism(name)
    at = mechanism.position(find_assembled_states(mechanism, 20), point)
    found = sg.inverse_kinematics(mechanism, point)(at)
    assert np.all(found.reached)
    np.testing.assert_allclose(mechanism.position(found.q, point), at, atol=CLOSE)
    closing = mechanism.closing_program.interpreter
    residual, J = closing(found.q)
    np.testing.assert_allclose(residual, 0.0, atol=1e-7)
    for slot, row in mechanism.defining_rows:
        assert np.all(J[:, row, slot] < 0.0)  # no angle is half a turn off
    (reason,) = sg.inverse_kinematics(mechanism, point)(at[0] + 10.0).reasons
    assert "out of reach" in reason


@pytest.mark.parametrize("held", [["shoulder"], ["x:elbow", "y:elbow"]])
def test_held_coordinates_of_mechanisms_stay_where_a_start_has_them(held):
    """The tip of a double pendulum: with its first rod held, on a circle about that rod's end."""
    mechanism = sg.load_mechanism("double_pendulum")
    names, start = ("elbow", "tip"), mechanism.home
    pivot, tip = (mechanism.position(start, name) for name in names)
    way = tip - pivot
    wanted = pivot + np.array([[np.cos(0.8), -np.sin(0.8)], [np.sin(0.8), np.cos(0.8)]]) @ way
    ik = sg.inverse_kinematics(mechanism, names[1], held=held)
    found = ik(wanted, start=start)
    assert found.reached
    np.testing.assert_allclose(mechanism.position(found.q, names[0]), pivot, atol=CLOSE)
    np.testing.assert_allclose(mechanism.position(found.q, names[1]), wanted, atol=CLOSE)
    assert not ik(pivot + 0.5 * way, start=start).reached
    with pytest.raises(sg.InputError, match="held coordinates name 'shoulder' twice"):
        sg.inverse_kinematics(mechanism, names[1], held=["shoulder", "shoulder"])


def test_reasons():
    robot, ik = arm("panda")
    T = np.eye(4)
    T[:3, :3] = np.diag([1.0, -1.0, -1.0])
    T[:3, 3] = [1.5, 0.0, 0.3]
    found = ik(T)
    assert found.reached is False
    assert "it is 1.5 m from joint 'panda_joint1'" in found.reasons[0]
    T[:3, 3] = [0.0, 0.0, 0.15]
    assert "without joint limits ('panda_joint4' at its lower limit" in ik(T).reasons[0]
    T[:3, :3], T[:3, 3] = np.diag([-1.0, 1.0, -1.0]), [0.85, 0.0, 0.2]
    assert "its position can be reached, but not in this orientation" in ik(T).reasons[0]
    both = sg.inverse_kinematics(robot, [Point("panda_link7"), Point("panda_link5")])
    (reason,) = both([0.4, 0.0, 0.6], [-0.3, 0.0, 0.4]).reasons
    assert reason.startswith("position of 'panda_link7' and position of 'panda_link5' contradict each other")
    many = ik(np.array([T, sg.forward_kinematics(robot, TIP["panda"])(sg.random(robot, seed=1))])).reasons
    assert [len(reasons) for reasons in many] == [1, 0]


def test_a_loop_is_named():
    robot = sg.load("five_bar")
    frame = robot.links[-1].name
    q = regular_states(robot, 1)[0]
    T = sg.forward_kinematics(robot, frame)(q)
    tree = sg.forward_kinematics(robot, frame)(q + np.array([0.0, 0.4, 0.0, -0.4]))
    assert not np.allclose(T, tree)
    found = sg.inverse_kinematics(robot, frame, limits=False)(tree)
    assert found.reached or "loops open" in found.reasons[0]


@pytest.mark.parametrize(("name", "axis"), [("panda", (0.0, 0.0, 2.0)), ("puma560", (1.0, -1.0, 0.5))])
def test_directions_leave_turns_about_the_axis_free(name, axis):
    robot, tip = sg.load(name), TIP[name]
    ik, rng = sg.inverse_kinematics(robot, [Point(tip), Direction(tip, axis=axis)]), np.random.default_rng(3)
    turns = []
    for _ in range(10):
        q = np.array([rng.uniform(j.limits.lower, j.limits.upper) for j in robot.joints if j.type.nq])
        T = sg.forward_kinematics(robot, tip)(q)
        found = ik(T[:3, 3], 0.3 * T[:3, :3] @ axis, start=q + rng.uniform(-0.3, 0.3, len(q)))
        assert found.reached
        seen = pose_of(robot, found.q, tip)
        np.testing.assert_allclose(seen[:3, 3], T[:3, 3], atol=CLOSE)
        np.testing.assert_allclose((seen - T)[:3, :3] @ axis, 0.0, atol=CLOSE * float(np.linalg.norm(axis)))
        turns.append(np.abs(seen[:3, :3] - T[:3, :3]).max())
    assert min(turns) > 1e-3
    opposite = ik(T[:3, 3], -T[:3, :3] @ axis, start=q)
    assert opposite.reached, opposite.reasons
    with pytest.raises(sg.InputError, match="no direction, by 1: its length is not zero"):
        ik(T[:3, 3], np.zeros(3))


def test_what_makes_no_sense_is_refused():
    robot, ik = arm("panda")
    with pytest.raises(sg.InputError, match="no rigid motion"):
        ik(2.0 * np.eye(4))
    with pytest.raises(sg.InputError, match="no rigid motion"):
        ik(np.diag([1.0, 1.0, -1.0, 1.0]))
    with pytest.raises(sg.InputError, match="not finite"):
        ik(np.full((4, 4), np.nan))
    with pytest.raises(sg.InputError, match=r"three numbers were given .*Point\(frame\)"):
        ik([0.3, 0.2, 0.5])
    with pytest.raises(sg.InputError, match="has the shape"):
        ik(np.eye(3))
    with pytest.raises(sg.InputError, match="2 values were given"):
        ik(np.eye(4), np.eye(4))
    with pytest.raises(sg.InputError, match="no frame is called"):
        sg.inverse_kinematics(robot, "hand")
    with pytest.raises(sg.InputError, match="no target"):
        sg.inverse_kinematics(robot, [])
    with pytest.raises(sg.InputError, match="axes"):
        sg.inverse_kinematics(robot, Point("panda_link7", axes="q"))
    with pytest.raises(sg.InputError, match="a mechanism has points, and no frames"):
        sg.inverse_kinematics(sg.load_mechanism("four_bar"), Pose("P1"))
    with pytest.raises(sg.InputError, match="points of this mechanism have x, y"):
        sg.inverse_kinematics(sg.load_mechanism("four_bar"), Point("P1", axes="z"))
    floating = sg.load("a1", base="floating")
    with pytest.raises(sg.InputError, match="quaternion"):
        sg.inverse_kinematics(floating, "trunk")(np.eye(4), start=np.zeros(floating.nq))
