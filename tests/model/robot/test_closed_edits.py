"""Functions that change a robot carry its loops and couplings along; `tree` refuses what closes nothing."""

from dataclasses import replace

import numpy as np
import pytest

from screwgraph.base.errors import InputError, ModelError
from screwgraph.model.formats import load
from screwgraph.model.robot import (
    Coupling,
    Joint,
    Link,
    Loop,
    closed_states,
    constraint_residual,
    lock,
    merge_fixed,
    snap_rotations,
    sort_robot,
    tree,
    with_floating_base,
    without_damping,
    without_loops,
)
from screwgraph.model.robot.joints import Fixed, Floating, Revolute, Spherical
from screwgraph.spatial import from_xyz_rpy
from tests.model.robot.closed_instances import geared_pair, planar_four_bar, random_pose, two_arms


def with_brackets(robot):
    """Hang the ends of the loop on brackets that are fixed to their links."""
    rng = np.random.default_rng(8)
    loop = robot.loops[0]
    origins = [random_pose(rng), random_pose(rng)]
    ends = (loop.predecessor, loop.successor)
    joints = [Joint(f"weld{i}", Fixed(), ends[i], f"bracket{i}", origins[i]) for i in range(2)]
    poses = [np.linalg.inv(T) @ T_lf for T, T_lf in zip(origins, (loop.T_pf, loop.T_sf), strict=True)]
    moved = Loop(loop.name, loop.type, "bracket0", "bracket1", *poses)
    links = (*robot.links, Link("bracket0"), Link("bracket1"))
    return replace(robot, links=links, joints=(*robot.joints, *joints), loops=(moved,))


def test_loops_on_merged_links_move_to_the_links_that_stay():
    robot = two_arms(Revolute((1.0, 2.0, 3.0)))
    merged = merge_fixed(with_brackets(robot))
    assert (merged.loops[0].predecessor, merged.loops[0].successor) == ("left", "right")
    q = robot.random(np.random.default_rng(0))
    np.testing.assert_allclose(constraint_residual(merged, q), constraint_residual(robot, q), atol=1e-13)


@pytest.mark.parametrize("edit", [without_damping, sort_robot, lambda r: snap_rotations(r, 1e-12)])
def test_edits_of_other_things_keep_loops_couplings_and_choice(edit):
    robot = replace(load("belt_leg"), loops=())
    for before in (load("stewart_gough"), robot):
        after = edit(before)
        assert [loop.name for loop in after.loops] == [loop.name for loop in before.loops]
        assert after.couplings == before.couplings
        assert after.independent == before.independent


def test_a_floating_base_does_not_open_a_loop():
    robot = two_arms(Spherical())
    floating = with_floating_base(robot)
    (q,) = closed_states(robot, 1)
    away = np.concatenate([[1, 2, 3, 0.5, 0.5, 0.5, 0.5], q])
    np.testing.assert_allclose(constraint_residual(floating, away), 0.0, atol=1e-11)


def test_opening_leaves_the_tree():
    opened = without_loops(load("stewart_gough"))
    assert (opened.loops, opened.couplings, opened.independent) == ((), (), None)
    assert opened.nv == 24


def test_snapping_snaps_the_frames_of_loops():
    robot = planar_four_bar()
    crooked = replace(robot.loops[0], T_pf=robot.loops[0].T_pf + 1e-10 * np.eye(4, k=1))
    loop = snap_rotations(replace(robot, loops=(crooked,)), 1e-9).loops[0]
    np.testing.assert_array_equal(loop.T_pf[:3, :3], np.eye(3))


def test_locking_an_independent_joint_keeps_the_others_independent():
    leg = lock(load("belt_leg"), {"knee": 0.5})
    assert leg.independent == ("hip", "ankle")
    assert leg.joint_names == ("hip", "hip_motor", "ankle", "ankle_motor")
    assert leg.warnings == ("joint 'knee_motor' is locked at 4.5: coupling 'knee_gear' leaves it no motion",)
    q = leg.complete([0.1, 0.2])
    assert q[leg.q_slices["ankle_motor"]] == pytest.approx(9 * 0.7)


def test_locking_a_dependent_joint_leaves_the_choice_open():
    assert lock(load("five_bar"), {"joint3": 0.1}).independent is None
    assert lock(load("five_bar"), {"joint3": 0.1}).mobility.freedom == 1


def test_locking_a_whole_loop_where_it_is_closed_takes_it_out():
    robot = load("four_bar_linkage")
    assert lock(robot, robot.joint_names).loops == ()
    q = robot.complete([0.4])
    assert lock(robot, dict(zip(robot.joint_names, q, strict=True))).loops == ()
    with pytest.raises(
        InputError, match=r"loop 'joint4' has a loop-closure error of 0\.\d+ with its joints locked there \(lock fewer"
    ):
        lock(robot, {"joint1": 0.4, "joint2": 0.0, "joint3": 0.0})


def test_a_joint_follows_an_equation_with_what_is_locked():
    from screwgraph.model.robot import Operation, Position

    slot = Coupling("slot", {"motor": 1.0}, 0.0, Operation("sin", (Position("joint"),)))
    robot = lock(replace(geared_pair(), couplings=(slot,)), {"joint": 0.3})
    assert robot.joints == ()
    assert "joint 'motor' is locked at -0.29552" in robot.warnings[0]


LINKS = [Link("a"), Link("b"), Link("c")]
JOINTS = [Joint("j", Revolute(), "a", "b"), Joint("k", Spherical(), "b", "c")]
REFUSED = {
    "unknown link": ({"loops": [Loop("l", Revolute(), "a", "z")]}, "loop 'l' has the successor 'z', and no link has"),
    "one link": ({"loops": [Loop("l", Revolute(), "a", "a")]}, "loop 'l' joins link 'a' to itself"),
    "no constraint": ({"loops": [Loop("l", Floating(), "a", "c")]}, "loop 'l' lets its ends move freely"),
    "one name twice": (
        {"loops": [Loop("l", Revolute(), "a", "c")], "couplings": [Coupling("l", {"j": 1.0})]},
        "two loops or couplings are called 'l'",
    ),
    "unknown joint": ({"couplings": [Coupling("c", {"z": 1.0})]}, "coupling 'c' ties 'z', and no joint has that name"),
    "a ball": ({"couplings": [Coupling("c", {"k": 1.0})]}, "coupling 'c' ties 'k': a joint with several coordinates"),
    "no joint": ({"couplings": [Coupling("c", {"j": 0.0})]}, "coupling 'c' couples no joint"),
    "infinity": (
        {"couplings": [Coupling("c", {"j": 1.0}, np.inf)]},
        "coupling 'c' has a coefficient that is not a finite",
    ),
    "unknown choice": ({"independent": ["z"]}, "the independent joint 'z' does not exist"),
}


@pytest.mark.parametrize(("parts", "complaint"), REFUSED.values(), ids=REFUSED)
def test_what_closes_nothing_is_refused(parts, complaint):
    with pytest.raises(ModelError, match=complaint):
        tree("r", LINKS, JOINTS, **parts)


@pytest.mark.parametrize("kind", [Fixed(), Spherical(), Revolute()])
def test_a_loop_within_one_rigid_body_is_left_out_or_refused_where_it_is_open(kind):
    joints = [Joint("j", Fixed(), "a", "b"), Joint("k", Spherical(), "b", "c")]
    merged = merge_fixed(tree("r", LINKS, joints, loops=[Loop("l", kind, "a", "b")]))
    assert merged.loops == ()
    assert merged.warnings == ("loop 'l' joins two links of one rigid body: it is left out",)
    apart = Loop("l", kind, "a", "b", T_pf=from_xyz_rpy([0.0, 0.2, 0.0], [0.0, 0.0, 0.0]))
    with pytest.raises(ModelError, match=r"loop 'l' is open by 0\.2 \(rad, m\), and its ends cannot move"):
        merge_fixed(tree("r", LINKS, joints, loops=[apart]))
