"""What a URDF file says is what the robot has."""

import numpy as np
import pytest

from screwgraph.model.robot.joints import Floating, Helical, Planar, Prismatic, Revolute, Spherical, Universal
from screwgraph.model.robot.parts import Limits
from screwgraph.spatial import so3
from tests.model.formats.helpers import close, joint, link, loaded, urdf


def one_joint(tmp_path, kind, more=""):
    return loaded(urdf(link("a"), link("b"), joint("j", "a", "b", kind, more)), tmp_path).joints[0]


@pytest.mark.parametrize(
    ("kind", "more", "expected"),
    [
        ("revolute", '<axis xyz="0 0 2"/>', Revolute((0.0, 0.0, 1.0))),
        ("continuous", '<axis xyz="0 1 0"/>', Revolute((0.0, 1.0, 0.0))),
        ("prismatic", '<axis xyz="0 -1 0"/>', Prismatic((0.0, -1.0, 0.0))),
        ("revolute", "", Revolute((1.0, 0.0, 0.0))),
        ("planar", "", Planar((1.0, 0.0, 0.0))),
        ("floating", "", Floating()),
        ("spherical", "", Spherical()),
        ("ball", "", Spherical()),
        ("helical", '<axis xyz="0 0 1" pitch="0.02"/>', Helical((0.0, 0.0, 1.0), 0.02)),
        ("screw", '<axis xyz="0 1 0" pitch="-1"/>', Helical((0.0, 1.0, 0.0), -1.0)),
        ("universal", '<axis xyz="0 0 1"/><axis2 xyz="1 0 0"/>', Universal((0.0, 0.0, 1.0), (1.0, 0.0, 0.0))),
        ("universal", "", Universal((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))),
    ],
)
def test_each_joint_type_is_read_with_its_axes(tmp_path, kind, more, expected):
    assert one_joint(tmp_path, kind, more).type == expected


def test_the_origin_is_roll_pitch_yaw_about_fixed_axes(tmp_path):
    read = one_joint(tmp_path, "revolute", '<origin xyz="1 2 3" rpy="0.1 0.2 0.3"/>')
    x, y, z = np.eye(3)
    R = so3.about_axis(z, 0.3) @ so3.about_axis(y, 0.2) @ so3.about_axis(x, 0.1)
    close(read.origin[:3, :3], R)
    close(read.origin[:, 3], [1, 2, 3, 1])


def test_a_quarter_turn_is_exact(tmp_path):
    read = one_joint(tmp_path, "revolute", '<origin rpy="1.5707963267948966 0 -1.5707963267948966"/>')
    assert (read.origin[:3, :3] == [[0, 0, -1], [-1, 0, 0], [0, 1, 0]]).all()


def test_the_rotational_inertia_is_turned_and_moved_to_the_link_frame(tmp_path):
    text = """<link name="a"><inertial><origin xyz="0 0 2" rpy="0 0 1.5707963267948966"/><mass value="3"/>
      <inertia ixx="1" iyy="2" izz="3" ixy="0.1" ixz="0" iyz="0"/></inertial></link>"""
    inertia = loaded(urdf(text), tmp_path).links[0].inertia
    assert inertia.mass == 3.0
    close(inertia.com, [0, 0, 2])
    close(inertia.about_com, [[2, -0.1, 0], [-0.1, 1, 0], [0, 0, 3]])
    close(inertia.about_origin, [[2 + 12, -0.1, 0], [-0.1, 1 + 12, 0], [0, 0, 3]])


def test_a_link_without_inertial_is_massless(tmp_path):
    robot = loaded(urdf(link("a"), '<link name="b"><visual/></link>', joint("j", "a", "b")), tmp_path)
    assert robot.link("b").inertia.is_zero
    assert ["no joint moves a mass or inertia" in line for line in robot.warnings] == [True]


def test_limits_and_dynamics_are_kept_and_a_mimic_is_a_coupling(tmp_path):
    more = """<limit lower="-1" upper="2" velocity="3" effort="4"/>
      <dynamics damping="0.5" friction="0.25" armature="0.1"/>
      <calibration rising="0"/><safety_controller k_velocity="10"/>"""
    follow = '<mimic joint="j" multiplier="-2" offset="0.5"/>'
    robot = loaded(
        urdf(*map(link, "abc"), joint("j", "a", "b", more=more), joint("k", "b", "c", more=follow)), tmp_path
    )
    first = robot.joints[0]
    assert first.limits == Limits(-1.0, 2.0, 3.0, 4.0)
    assert (first.damping, first.friction, first.armature) == (0.5, 0.25, 0.1)
    (coupling,) = robot.couplings
    assert (coupling.name, dict(coupling.terms), coupling.offset) == ("k_mimic", {"k": 1.0, "j": 2.0}, 0.5)


def test_friction_is_reported_once_as_not_modelled(tmp_path):
    rub, more = '<dynamics friction="1"/>', '<dynamics friction="2"/>'
    robot = loaded(urdf(*map(link, "abc"), joint("j", "a", "b", more=rub), joint("k", "b", "c", more=more)), tmp_path)
    assert len(robot.warnings) == 1
    assert "Coulomb friction of 2 joints (j, k) is in simulations with friction=True only" in robot.warnings[0]


@pytest.mark.parametrize("bound", ["inf", "+Infinity", "1.79769e+308"])
def test_an_infinite_limit_is_none(tmp_path, bound):
    more = f'<limit lower="-{bound.lstrip("+")}" upper="{bound}" effort="{bound}" velocity="1"/>'
    assert one_joint(tmp_path, "revolute", more).limits == Limits(velocity=1.0)


def test_a_continuous_joint_has_no_position_limits(tmp_path):
    more = '<limit lower="0" upper="0" effort="1" velocity="2"/>'
    assert one_joint(tmp_path, "continuous", more).limits == Limits(effort=1.0, velocity=2.0)


def test_elements_of_other_programs_are_passed_over(tmp_path):
    text = urdf(
        "<?order 66?><!-- a comment with a <link> in it -->",
        link("a"),
        '<material name="red"><color rgba="1 0 0 1"/></material>',
        '<link name="b"><visual><geometry><mesh filename="package://nowhere/b.dae"/></geometry></visual></link>',
        joint("j", "a", "b"),
        '<transmission name="t"><joint name="j"/><actuator name="m"/></transmission>',
        '<gazebo reference="a"><link name="ghost"/><joint name="ghost" type="odd"/><mass value="x"/></gazebo>',
        '<sensor name="s"><parent link="a"/><origin xyz="oops"/></sensor>',
        '<drake:collision_filter_group xmlns:drake="http://drake.mit.edu" name="odd"/>',
        '<xacro:leftover xmlns:xacro="http://ros.org/wiki/xacro" name="odd"/>',
    )
    robot = loaded(text, tmp_path)
    assert robot.joint_names == ("j",)
    assert [part.name for part in robot.links] == ["a", "b"]


def test_a_default_namespace_changes_nothing(tmp_path):
    text = urdf(link("a"), link("b"), joint("j", "a", "b")).replace("<robot", '<robot xmlns="http://drake.mit.edu"')
    assert loaded(text, tmp_path).nv == 1


def test_a_link_and_a_joint_may_share_a_name(tmp_path):
    assert loaded(urdf(link("a"), link("b"), joint("b", "a", "b")), tmp_path).joint_names == ("b",)


def test_joints_keep_the_order_of_the_file_where_parents_come_first(tmp_path):
    joints = [joint("l1", "a", "b"), joint("r1", "a", "c"), joint("l2", "b", "d"), joint("r2", "c", "e")]
    assert loaded(urdf(*map(link, "abcde"), *joints), tmp_path).joint_names == ("l1", "r1", "l2", "r2")
    reordered = loaded(urdf(*map(link, "edcba"), *reversed(joints)), tmp_path)
    assert sorted(reordered.joint_names) == ["l1", "l2", "r1", "r2"]
    assert all(reordered.link_index(j.parent) < reordered.link_index(j.child) for j in reordered.joints)


def test_a_fixed_joint_merges_its_links_and_the_frame_stays(tmp_path):
    more = '<origin xyz="0 0 2"/>'
    robot = loaded(urdf(*map(link, "abc"), joint("j", "a", "b"), joint("weld", "b", "c", "fixed", more)), tmp_path)
    assert robot.joint_names == ("j",)
    assert robot.link("b").inertia.mass == 2.0
    close(robot.link("b").inertia.com, [0, 0, 1])
    close(robot.link("b").inertia.about_com, np.diag([4.0, 4.0, 2.0]))
    assert robot.frame("c").link == "b"
    close(robot.frame("c").T_lf[:3, 3], [0, 0, 2])


def test_a_double_element_is_reported_and_the_first_counts(tmp_path):
    robot = loaded(
        urdf(link("a"), link("b"), joint("j", "a", "b", more='<axis xyz="0 0 1"/>\n<axis xyz="0 1 0"/>')), tmp_path
    )
    assert robot.joints[0].type == Revolute((0.0, 0.0, 1.0))
    assert "leg.urdf:5: <joint name='j'> has 2 <axis> elements: only the first counts" in robot.warnings[0]


def test_who_mimics_a_joint_that_does_not_move_is_locked_and_reported(tmp_path):
    joints = [joint("j", "a", "b", "fixed"), joint("k", "b", "c", more='<mimic joint="j" offset="0.5"/>')]
    robot = loaded(urdf(*map(link, "abc"), *joints), tmp_path)
    assert robot.joints == robot.couplings == ()
    assert "joint 'k' is locked at 0.5: coupling 'k_mimic' leaves it no motion" in robot.warnings[0]


def test_a_fixed_joint_follows_nothing(tmp_path):
    joints = [joint("j", "a", "b"), joint("k", "b", "c", "fixed", more='<mimic joint="j"/>')]
    robot = loaded(urdf(*map(link, "abc"), *joints), tmp_path)
    assert (robot.joint_names, robot.couplings) == (("j",), ())
    assert "leg.urdf:6: joint 'k' mimics 'j': it is fixed" in robot.warnings[0]


def test_our_gravity_element_is_read(tmp_path):
    assert loaded(urdf('<gravity xyz="0 0 -1.62"/>', link("a")), tmp_path).gravity == (0.0, 0.0, -1.62)
    assert loaded(urdf(link("a")), tmp_path).gravity == (0.0, 0.0, -9.81)
