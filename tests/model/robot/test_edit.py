"""Each function that changes a robot changes what it says and nothing else."""

from dataclasses import replace

import numpy as np
import pytest

from screwgraph.base.errors import InputError
from screwgraph.model.robot import (
    Coupling,
    Frame,
    Joint,
    Limits,
    Link,
    lock,
    merge_fixed,
    snap_rotations,
    sort_robot,
    tree,
    with_floating_base,
    with_gravity,
    without_damping,
)
from screwgraph.model.robot.joints import Fixed, Floating, Revolute, Spherical
from screwgraph.spatial import SpatialInertia, from_xyz_rpy


def body(seed):
    """A random rigid body, made of points so that it could exist."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(6, 3))
    about_com = np.sum([p @ p * np.eye(3) - np.outer(p, p) for p in points], axis=0)
    return SpatialInertia.of_body(6.0, rng.normal(size=3), about_com)


def pose(seed):
    rng = np.random.default_rng(100 + seed)
    return from_xyz_rpy(rng.normal(size=3), rng.normal(size=3))


def chain(*types, frames=()):
    """A serial robot with random bodies and places; joint i is called ji and moves link li."""
    links = [Link(f"l{i}", body(i)) for i in range(len(types) + 1)]
    joints = [
        Joint(f"j{i + 1}", kind, f"l{i}", f"l{i + 1}", pose(i), Limits(-1, 1), damping=0.5)
        for i, kind in enumerate(types)
    ]
    return tree("chain", links, joints, frames=frames)


def kinetic_energy(robot, q, qd):
    """Sum over the links of half V' G V, by the recursion of twists."""
    twist, energy = {robot.links[0].name: np.zeros(6)}, 0.0
    for joint in robot.joints:
        q_j, qd_j = q[robot.q_slices[joint.name]], qd[robot.v_slices[joint.name]]
        T = joint.T_child_parent(q_j)
        R, p = T[:3, :3], T[:3, 3]
        w, v = twist[joint.parent][:3], twist[joint.parent][3:]
        V = np.concatenate([R @ w, np.cross(p, R @ w) + R @ v]) + joint.type.screw_axes(q_j) @ qd_j
        energy += 0.5 * V @ robot.link(joint.child).inertia.matrix() @ V
        twist[joint.child] = V
    return energy


def place(robot, q, frame):
    """Pose of a frame in the base's frame."""
    found = robot.frame(frame)
    at = {robot.links[0].name: np.eye(4)}
    for joint in robot.joints:
        at[joint.child] = at[joint.parent] @ joint.T_parent_child(q[robot.q_slices[joint.name]])
    return at[found.link] @ found.T_lf


def test_merging_fixed_joints_keeps_energy_and_every_frame():
    robot = chain(Fixed(), Revolute(), Fixed(), Fixed(), Revolute((0.6, 0.0, 0.8)), Fixed())
    robot = replace(robot, frames=(Frame("tool", "l6", pose(50)), Frame("camera", "l0", pose(51))))
    merged = merge_fixed(robot)
    assert merged.joint_names == ("j2", "j5")
    assert merged.mass == pytest.approx(robot.mass)
    rng = np.random.default_rng(1)
    for _ in range(5):
        q, qd = rng.normal(size=2), rng.normal(size=2)
        assert kinetic_energy(merged, q, qd) == pytest.approx(kinetic_energy(robot, q, qd), rel=1e-12)
        for name in ("l0", "l1", "l2", "l3", "l4", "l5", "l6", "tool", "camera"):
            np.testing.assert_allclose(place(merged, q, name), place(robot, q, name), atol=1e-12)


def test_merging_twice_is_merging_once():
    merged = merge_fixed(chain(Fixed(), Revolute(), Fixed()))
    again = merge_fixed(merged)
    assert [frame.name for frame in again.frames] == [frame.name for frame in merged.frames]
    assert again.joints[0].origin is merged.joints[0].origin


def test_siblings_of_a_merged_link_keep_their_order():
    links = [Link(name) for name in ("base", "torso", "left", "right")]
    joints = [
        Joint("weld", Fixed(), "base", "torso", pose(0)),
        Joint("l", Revolute(), "torso", "left"),
        Joint("r", Revolute(), "base", "right"),
    ]
    merged = merge_fixed(tree("r", links, joints))
    assert [link.name for link in merged.links] == ["base", "left", "right"]
    assert [joint.parent for joint in merged.joints] == ["base", "base"]


@pytest.mark.parametrize("position", [None, 0.7])
def test_locking_a_joint_is_holding_it_still(position):
    robot = chain(Revolute(), Revolute((0.0, 1.0, 0.0)), Revolute((1.0, 0.0, 0.0)))
    locked = lock(robot, ("j2",) if position is None else {"j2": position})
    assert locked.joint_names == ("j1", "j3")
    rng = np.random.default_rng(2)
    q, qd = rng.normal(size=2), rng.normal(size=2)
    q_all, qd_all = np.array([q[0], position or 0.0, q[1]]), np.array([qd[0], 0.0, qd[1]])
    assert kinetic_energy(locked, q, qd) == pytest.approx(kinetic_energy(robot, q_all, qd_all), rel=1e-12)
    for name in ("l1", "l2", "l3"):
        np.testing.assert_allclose(place(locked, q, name), place(robot, q_all, name), atol=1e-12)


def test_locking_takes_one_name_and_joints_of_any_type():
    robot = chain(Revolute(), Spherical(), Floating())
    assert lock(robot, "j1").joint_names == ("j2", "j3")
    assert lock(robot, ["j1", "j2", "j3"]).joints == ()
    assert lock(robot, ()).joint_names == robot.joint_names


@pytest.mark.parametrize(
    ("joints", "complaint"),
    [
        ("j9", "no joint is called 'j9'"),
        ({"j2": 0.5}, "joint 'j2' cannot be locked at 0.5"),
        ({"j1": float("inf")}, "joint 'j1' cannot be locked at inf"),
        ({"j1": "half"}, "joint 'j1' cannot be locked at 'half'"),
        (7, "7 does not name joints"),
        ([None], "None is not the name of a joint"),
    ],
)
def test_a_wrong_lock_is_refused(joints, complaint):
    with pytest.raises(InputError, match=complaint):
        lock(chain(Revolute(), Spherical()), joints)


def test_who_follows_a_locked_joint_is_locked_too_and_reported():
    robot = replace(chain(Revolute(), Revolute(), Revolute()), couplings=(Coupling("gear", {"j2": 1, "j1": -2}, 0.5),))
    locked = lock(robot, {"j1": 0.3})
    assert locked.joint_names == ("j3",)
    assert locked.warnings == ("joint 'j2' is locked at 1.1: coupling 'gear' leaves it no motion",)
    same = lock(robot, {"j1": 0.3, "j2": 1.1})
    assert (same.warnings, same.couplings) == ((), ())
    np.testing.assert_allclose(locked.joint("j3").origin, same.joint("j3").origin, atol=1e-15)
    assert lock(robot, "j3").couplings[0].terms == {"j2": 1, "j1": -2}
    off = lock(robot, ["j1", "j2"])
    assert off.couplings == ()
    assert off.warnings == ("coupling 'gear' is off by -0.5 with its joints locked there: it is left out",)


def test_a_floating_base_comes_first_and_only_once():
    robot = chain(Revolute(), Revolute())
    floating = with_floating_base(robot)
    assert floating.joint_names == ("floating_base", "j1", "j2")
    assert (floating.nq, floating.nv) == (9, 8)
    assert floating.links[0].inertia.is_zero
    assert with_floating_base(floating) is floating


def test_a_floating_joint_under_a_heavy_base_or_beside_another_is_no_floating_base():
    assert with_floating_base(chain(Floating())).nv == 12
    links = [Link("world"), Link("a"), Link("b")]
    swarm = tree("swarm", links, [Joint("a", Floating(), "world", "a"), Joint("b", Floating(), "world", "b")])
    assert with_floating_base(swarm).nv == 18


def test_new_names_avoid_those_that_are_taken():
    links = [Link("world", body(0)), Link("l1", body(1))]
    robot = tree("r", links, [Joint("floating_base", Revolute(), "world", "l1")])
    floating = with_floating_base(replace(robot, frames=(Frame("world_", "l1", np.eye(4)),)))
    assert floating.links[0].name == "world__"
    assert floating.joint_names == ("floating_base_", "floating_base")


def test_gravity_and_damping_change_alone():
    robot = chain(Revolute(), Revolute())
    assert with_gravity(robot, np.array([1, 2, 3])).gravity == (1.0, 2.0, 3.0)
    assert [joint.damping for joint in without_damping(robot).joints] == [0.0, 0.0]
    assert without_damping(robot).joints[0].limits == Limits(-1, 1)


@pytest.mark.parametrize("gravity", [(), (0, 0), (0, 0, float("nan")), (0, 0, 0, 0), 9.81, "down", None, [[0, 0, 1]]])
def test_what_is_no_gravity_is_refused(gravity):
    with pytest.raises(InputError, match="is not three finite numbers"):
        with_gravity(chain(Revolute()), gravity)


def test_snapping_makes_near_quarter_turns_exact_and_reports_them():
    robot = chain(Revolute(), Revolute())
    joints = (replace(robot.joints[0], origin=from_xyz_rpy([1, 2, 3], [1.5708, 0.0, -3.14159])), robot.joints[1])
    result = snap_rotations(replace(robot, joints=joints), 1e-4)
    R = result.joints[0].origin[:3, :3]
    assert set(np.abs(R).ravel()) == {0.0, 1.0}
    assert np.linalg.det(R) == 1.0
    assert result.joints[1].origin is robot.joints[1].origin
    assert len(result.warnings) == 1
    assert "joint 'j1': rotation snapped" in result.warnings[0]


def test_snapping_one_entry_leaves_a_rotation():
    robot = chain(Revolute())
    origin = from_xyz_rpy([0, 0, 0], [1e-5, 0.3, 0.0])
    (joint,) = snap_rotations(replace(robot, joints=(replace(robot.joints[0], origin=origin),)), 1e-4).joints
    R = joint.origin[:3, :3]
    np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-15)
    assert R[1, 1] == 1.0
    np.testing.assert_allclose(R, origin[:3, :3], atol=1e-4)


@pytest.mark.parametrize("tolerance", [-1e-9, 0.1, float("nan"), "tiny", None])
def test_a_wrong_tolerance_is_refused(tolerance):
    with pytest.raises(InputError, match="is not a tolerance"):
        snap_rotations(chain(Revolute()), tolerance)


def test_no_edit_changes_the_original():
    robot = chain(Revolute(), Fixed(), Revolute())
    before = [(joint.name, joint.parent, joint.damping, joint.origin.copy()) for joint in robot.joints]
    for edit in (
        merge_fixed,
        without_damping,
        with_floating_base,
        lambda r: lock(r, "j1"),
        lambda r: snap_rotations(r, 0.01),
    ):
        edit(robot)
    for (name, parent, damping, origin), joint in zip(before, robot.joints, strict=True):
        assert (name, parent, damping) == (joint.name, joint.parent, joint.damping)
        assert (origin == joint.origin).all()


def test_a_robot_put_together_by_hand_is_checked_and_sorted():
    robot = chain(Revolute(), Revolute())
    shuffled = replace(robot, links=robot.links[::-1], joints=robot.joints[::-1])
    assert sort_robot(shuffled).joint_names == ("j1", "j2")
