"""SDF: names, poses, versions, joint types, worlds, includes."""

import numpy as np
import pytest

from screwgraph.model.formats import load
from screwgraph.model.robot import Limits, constraint_residual
from screwgraph.model.robot.joints import Helical, Prismatic, Revolute, Spherical, Universal
from screwgraph.spatial import from_xyz_rpy, inverse
from tests.model.formats.helpers import close
from tests.model.formats.sdf_helpers import INERTIAL, file_poses, joint, link, model, sdf, sdf_loaded

PLACES = {
    "model frame": (link("b", "1 2 3 0 0 0.5"), from_xyz_rpy([1, 2, 3], [0, 0, 0.5])),
    "another link": (
        link("b", "0 1 0 0 0 0", "a"),
        from_xyz_rpy([0.5, 0, 0], [0, 0, np.pi / 2]) @ from_xyz_rpy([0, 1, 0], [0, 0, 0]),
    ),
    "a frame": (
        link("b", "1 0 0 0 0 0", "mark"),
        from_xyz_rpy([0.5, 0, 2], [0, 0, np.pi / 2]) @ from_xyz_rpy([1, 0, 0], [0, 0, 0]),
    ),
    "itself by name": (link("b", "1 0 0 0 0 0", "__model__"), from_xyz_rpy([1, 0, 0], [0, 0, 0])),
    "a joint": (
        link("b", "1 0 0 0 0 0", "stay"),
        from_xyz_rpy([0.5, 0, 7], [0, 0, np.pi / 2]) @ from_xyz_rpy([1, 0, 0], [0, 0, 0]),
    ),
    "nothing": (link("b"), np.eye(4)),
}


@pytest.mark.parametrize(("part", "expected"), PLACES.values(), ids=PLACES)
def test_poses_are_relative_to_what_they_name(part, expected, tmp_path):
    text = model(
        link("a", f"0.5 0 0 0 0 {np.pi / 2}"),
        '<frame name="mark" attached_to="a"><pose>0 0 2 0 0 0</pose></frame>',
        link("c", "0 0 5 0 0 0", "a"),
        '<joint name="stay" type="fixed"><parent>a</parent><child>c</child><pose>0 0 2 0 0 0</pose></joint>',
        part,
        joint("j", "a", "b"),
    )
    robot = sdf_loaded(text, tmp_path)
    T_wa = from_xyz_rpy([0.5, 0, 0], [0, 0, np.pi / 2])
    close(file_poses(robot)["b"], inverse(T_wa) @ expected)
    close(file_poses(robot)["mark"], from_xyz_rpy([0, 0, 2], [0, 0, 0]))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<pose>1 2 3 0.1 0.2 0.3</pose>", from_xyz_rpy([1, 2, 3], [0.1, 0.2, 0.3])),
        ('<pose degrees="true">1 2 3 90 0 0</pose>', from_xyz_rpy([1, 2, 3], [np.pi / 2, 0, 0])),
        ('<pose rotation_format="quat_xyzw">1 2 3 0 0 0.5 0.5</pose>', from_xyz_rpy([1, 2, 3], [0, 0, np.pi / 2])),
        ("<pose></pose>", np.eye(4)),
    ],
)
def test_rotations_are_angles_or_a_quaternion(text, expected, tmp_path):
    robot = sdf_loaded(model(link("a"), f'<link name="b">{text}{INERTIAL}</link>', joint("j", "a", "b")), tmp_path)
    close(file_poses(robot)["b"], expected, 1e-15)


AXES = {
    "1.6, in the joint's frame": ("1.6", "<xyz>0 1 0</xyz>", (0, 1, 0)),
    "1.6, in the model's frame": (
        "1.6",
        "<xyz>0 1 0</xyz><use_parent_model_frame>1</use_parent_model_frame>",
        (1, 0, 0),
    ),
    "1.9, in the joint's frame": ("1.9", "<xyz>0 1 0</xyz>", (0, 1, 0)),
    "1.9, in the model's frame": ("1.9", '<xyz expressed_in="__model__">0 1 0</xyz>', (1, 0, 0)),
    "1.9, in a link's frame": ("1.9", '<xyz expressed_in="a">0 1 0</xyz>', (0, 0, 1)),
    "1.9, in the world's frame": ("1.9", '<xyz expressed_in="world">0 1 0</xyz>', (-1, 0, 0)),
    "1.9, the old flag counts no more": (
        "1.9",
        "<xyz>0 1 0</xyz><use_parent_model_frame>1</use_parent_model_frame>",
        (0, 1, 0),
    ),
    "by default z": ("1.9", "", (0, 0, 1)),
}


@pytest.mark.parametrize(("version", "axis", "expected"), AXES.values(), ids=AXES)
def test_axes_are_expressed_in_the_frame_that_the_version_means(version, axis, expected, tmp_path):
    """The model has made half a turn about z in the world, link b a quarter in the model, link a one about x."""
    hinge = f'<joint name="j" type="revolute"><parent>a</parent><child>b</child><axis>{axis}</axis></joint>'
    quarter = np.pi / 2
    parts = (
        f"<pose>0 0 0 0 0 {2.0 * quarter}</pose>",
        link("a", f"0 0 0 {quarter} 0 0"),
        link("b", f"0 0 0 0 0 {quarter}"),
    )
    text = model(*parts, hinge, version=version)
    assert sdf_loaded(text, tmp_path).joint("j").type == Revolute(expected)


def test_the_frame_attribute_of_1_6_is_what_relative_to_is_today(tmp_path):
    moved = '<link name="b"><pose frame="a">1 0 0 0 0 0</pose></link>'
    robot = sdf_loaded(model(link("a", "0 0 1 0 0 0"), moved, joint("j", "a", "b"), version="1.6"), tmp_path)
    close(file_poses(robot)["b"], from_xyz_rpy([1, 0, 0], [0, 0, 0]))


KINDS = {
    "revolute": (Revolute((0.0, 1.0, 0.0)), ""),
    "continuous": (Revolute((0.0, 1.0, 0.0)), ""),
    "prismatic": (Prismatic((0.0, 1.0, 0.0)), ""),
    "ball": (Spherical(), ""),
    "universal": (Universal((0.0, 1.0, 0.0), (1.0, 0.0, 0.0)), "<axis2><xyz>1 0 0</xyz></axis2>"),
    "revolute2": (Universal((0.0, 1.0, 0.0), (1.0, 0.0, 0.0)), "<axis2><xyz>1 0 0</xyz></axis2>"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_joint_types_are_those_of_the_file(kind, tmp_path):
    expected, more = KINDS[kind]
    robot = sdf_loaded(model(link("a"), link("b"), joint("j", "a", "b", kind, "0 1 0", more)), tmp_path)
    assert robot.joint("j").type == expected


@pytest.mark.parametrize(
    ("text", "pitch"),
    [
        ("<screw_thread_pitch>0.01</screw_thread_pitch>", 0.01 / (2 * np.pi)),
        ("<thread_pitch>-500</thread_pitch>", 1 / 500),
        ("<thread_pitch>9</thread_pitch><screw_thread_pitch>0.01</screw_thread_pitch>", 0.01 / (2 * np.pi)),
    ],
)
def test_the_pitch_of_a_screw_is_a_length_a_turn_or_the_older_angle_a_length(text, pitch, tmp_path):
    robot = sdf_loaded(model(link("a"), link("b"), joint("j", "a", "b", "screw", more=text)), tmp_path)
    kind = robot.joint("j").type
    assert isinstance(kind, Helical)
    assert kind.pitch == pytest.approx(pitch)


def test_limits_and_losses_are_read_and_huge_or_negative_ones_are_none(tmp_path):
    limit = "<limit><lower>-1e16</lower><upper>2</upper><effort>-1</effort><velocity>3</velocity></limit>"
    losses = (
        "<dynamics><damping>0.5</damping><friction>0.25</friction><spring_stiffness>7</spring_stiffness></dynamics>"
    )
    hinge = f'<joint name="j" type="revolute"><parent>a</parent><child>b</child><axis>{limit}{losses}</axis></joint>'
    robot = sdf_loaded(model(link("a"), link("b"), hinge), tmp_path)
    (found,) = robot.joints
    assert found.limits == Limits(None, 2.0, 3.0, None)
    assert (found.damping, found.friction) == (0.5, 0.25)
    assert any("m.sdf:5: joint 'm::j': its spring is not modelled" in line for line in robot.warnings)


def test_inertias_are_in_the_frame_of_their_pose(tmp_path):
    inertial = """<inertial><pose>0.1 0.2 0.3 0 0 1.5707963267948966</pose><mass>3</mass>
      <inertia><ixx>1</ixx><iyy>2</iyy><izz>2.5</izz></inertia></inertial>"""
    robot = sdf_loaded(model(link("a"), link("b", more=inertial), joint("j", "a", "b")), tmp_path)
    inertia = robot.link("b").inertia
    assert inertia.mass == 3.0
    close(inertia.com, [0.1, 0.2, 0.3])
    close(inertia.about_com, np.diag([2.0, 1.0, 2.5]))


def test_a_link_without_inertia_has_that_of_the_specification(tmp_path):
    robot = sdf_loaded(model(link("a"), link("b", more=""), joint("j", "a", "b")), tmp_path)
    close(robot.link("b").inertia.matrix(), np.eye(6))
    assert any("link 'm::b' has no <inertial>" in line for line in robot.warnings)


def test_a_joint_off_its_link_moves_the_link_s_frame_onto_it(tmp_path):
    hinge = joint("j", "a", "b", axis="0 1 0", more="<pose>0 0 1 0 0 0</pose>")
    robot = sdf_loaded(
        model(link("a"), link("b", "1 0 0 0 0 0"), hinge, joint("k", "b", "c"), link("c", "2 0 0 0 0 0")), tmp_path
    )
    poses = file_poses(robot, np.array([np.pi / 2, 0.0]))
    close(robot.link("b").inertia.com, [0, 0, -1])
    close(poses["b"], from_xyz_rpy([0, 0, 1], [0, np.pi / 2, 0]))
    close(file_poses(robot)["c"], from_xyz_rpy([2, 0, 0], [0, 0, 0]))
    close(poses["c"][:3, 3], [0, 0, 0], 1e-15)


def test_a_joint_that_gives_a_second_parent_closes_a_loop(tmp_path):
    text = model(
        link("a"),
        link("b", "1 0 0 0 0 0"),
        link("c", "0 1 0 0 0 0"),
        joint("j", "a", "b"),
        joint("k", "a", "c"),
        joint("l", "b", "c", "ball", more='<pose relative_to="a">0.5 0.5 0 0 0 0</pose>'),
    )
    robot = sdf_loaded(text, tmp_path)
    assert robot.joint_names == ("j", "k")
    (loop,) = robot.loops
    assert (loop.name, loop.type, loop.predecessor, loop.successor) == ("l", Spherical(), "b", "c")
    close(loop.T_pf[:3, 3], [-0.5, 0.5, 0])
    close(loop.T_sf[:3, 3], [0.5, -0.5, 0])
    close(constraint_residual(robot, robot.neutral()), np.zeros(3))


def test_a_joint_may_lead_from_the_far_end_back(tmp_path):
    """Link c is a parent only; it hangs on b all the same, by the same motion seen the other way."""
    text = model(
        link("a"),
        link("b", "1 0 0 0 0 0"),
        link("c", "2 0 0 0 0 0"),
        joint("j", "a", "b"),
        joint("k", "c", "b", axis="0 1 0"),
    )
    robot = sdf_loaded(text, tmp_path)
    assert [(j.parent, j.child) for j in robot.joints] == [("a", "b"), ("b", "c")]
    assert robot.joint("k").type == Revolute((0.0, -1.0, 0.0))
    close(file_poses(robot)["c"], from_xyz_rpy([2, 0, 0], [0, 0, 0]))
    T = file_poses(robot, np.array([0.0, 0.3]))
    close(inverse(T["c"]) @ T["b"], from_xyz_rpy([-1, 0, 0], [0, 0.3, 0]))


def test_a_joint_to_the_world_makes_the_world_the_base(tmp_path):
    robot = sdf_loaded(model(link("a", "0 0 1 0 0 0"), joint("slide", "world", "a", "prismatic")), tmp_path)
    assert (robot.links[0].name, robot.joint_names) == ("world", ("slide",))
    close(robot.joint("slide").origin[:3, 3], [0, 0, 1])


def test_gravity_is_turned_into_the_frame_of_the_base(tmp_path):
    text = sdf(
        '<world name="w"><gravity>0 0 -3</gravity>',
        '<model name="m">',
        link("a", f"0 0 0 {np.pi / 2} 0 0"),
        link("b"),
        joint("j", "a", "b"),
        "</model></world>",
    )
    close(sdf_loaded(text, tmp_path).gravity, [0, -3, 0], 1e-15)


def test_a_mimic_follows_from_a_reference(tmp_path):
    factors = "<multiplier>2</multiplier><offset>1</offset><reference>0.25</reference>"
    follow = f'<axis><xyz>0 0 1</xyz><mimic joint="j">{factors}</mimic></axis>'
    second = f'<joint name="k" type="revolute"><parent>b</parent><child>c</child>{follow}</joint>'
    robot = sdf_loaded(model(link("a"), link("b"), link("c"), joint("j", "a", "b"), second, version="1.11"), tmp_path)
    (coupling,) = robot.couplings
    close(coupling(np.array([1.0 + 2 * (0.7 - 0.25), 0.7])), 0.0)


def test_a_gearbox_ties_the_angles_against_its_reference(tmp_path):
    box = """<joint name="box" type="gearbox"><parent>rotor</parent><child>arm</child>
      <gearbox_reference_body>a</gearbox_reference_body><gearbox_ratio>0.1</gearbox_ratio>
      <axis><xyz>0 0 -1</xyz></axis><axis2><xyz>0 0 1</xyz></axis2></joint>"""
    text = model(link("a"), link("rotor"), link("arm"), joint("r", "a", "rotor"), joint("q", "a", "arm"), box)
    (coupling,) = sdf_loaded(text, tmp_path).couplings
    assert coupling.terms == {"q": 1.0, "r": -0.1}


NESTED = model(
    link("base"),
    '<model name="arm"><pose>0 0 1 0 0 0</pose>',
    link("shoulder"),
    link("elbow", "1 0 0 0 0 0"),
    joint("j", "shoulder", "elbow"),
    '<frame name="hand" attached_to="elbow"><pose>1 0 0 0 0 0</pose></frame>',
    "</model>",
    joint("mount", "base", "arm::shoulder", "fixed"),
    '<frame name="eye" attached_to="arm::hand"/>',
)


def test_nested_models_have_their_names_before_those_of_their_parts(tmp_path):
    robot = sdf_loaded(NESTED, tmp_path)
    assert robot.name == "m"
    assert robot.joint_names == ("arm::j",)
    assert robot.links[1].name == "arm::elbow"
    poses = file_poses(robot)
    close(poses["arm::hand"][:3, 3], [2, 0, 1])
    close(poses["eye"][:3, 3], [2, 0, 1])


@pytest.mark.parametrize("uri", ["parts/arm.sdf", "file://parts/arm.sdf", "parts/arm"])
def test_an_included_model_is_one_that_stands_there(uri, tmp_path):
    arm = model(link("shoulder"), link("elbow", "1 0 0 0 0 0"), joint("j", "shoulder", "elbow"), name="arm")
    (tmp_path / "parts" / "arm").mkdir(parents=True)
    (tmp_path / "parts" / "arm.sdf").write_text(arm)
    (tmp_path / "parts" / "arm" / "model.sdf").write_text(arm)
    include = f"<include><uri>{uri}</uri><name>left</name><pose>0 0 1 0 0 0</pose></include>"
    robot = sdf_loaded(model(link("base"), include, joint("mount", "base", "left::shoulder", "fixed")), tmp_path)
    assert robot.joint_names == ("left::j",)
    close(file_poses(robot)["left::elbow"][:3, 3], [1, 0, 1])


def test_a_merged_include_has_no_name_of_its_own(tmp_path):
    arm = model(
        link("shoulder"), link("elbow", "1 0 0 0 0 0", "__model__"), joint("j", "shoulder", "elbow"), name="arm"
    )
    (tmp_path / "arm.sdf").write_text(arm)
    include = '<include merge="true"><uri>arm.sdf</uri><pose>0 0 1 0 0 0</pose></include>'
    robot = sdf_loaded(model(link("base"), include, joint("mount", "base", "shoulder", "fixed")), tmp_path)
    assert robot.joint_names == ("j",)
    close(file_poses(robot)["elbow"][:3, 3], [1, 0, 1])


def test_the_placement_frame_lies_at_the_pose(tmp_path):
    text = sdf(
        '<world name="w">',
        '<model name="m" placement_frame="foot"><pose>5 0 0 0 0 0</pose>',
        link("a", "0 0 2 0 0 0"),
        link("b"),
        '<frame name="foot"><pose>0 0 -1 0 0 0</pose></frame>',
        joint("j", "world", "a"),
        joint("k", "a", "b"),
        "</model></world>",
    )
    close(file_poses(sdf_loaded(text, tmp_path))["a"][:3, 3], [5, 0, 3])


WORLD = sdf(
    '<world name="w">',
    '<model name="ground"><static>true</static>',
    link("plane"),
    "</model>",
    '<model name="one"><pose>1 0 0 0 0 0</pose>',
    link("a"),
    link("b"),
    joint("j", "a", "b"),
    "</model>",
    '<model name="two"><pose>2 0 0 0 0 0</pose>',
    link("a"),
    link("b"),
    joint("j", "a", "b"),
    "</model>",
    "{}",
    "</world>",
)


def test_a_world_of_one_robot_and_static_models_is_that_robot(tmp_path):
    alone = WORLD[: WORLD.index('<model name="two">')] + "</world></sdf>"
    robot = sdf_loaded(alone, tmp_path, "w.world")
    assert (robot.name, [part.name for part in robot.links]) == ("one", ["a", "b"])


def test_of_several_robots_one_is_chosen(tmp_path):
    robot = sdf_loaded(WORLD.format(""), tmp_path, model="two")
    assert (robot.name, robot.joint_names) == ("two", ("j",))


def test_models_that_joints_connect_are_one_robot(tmp_path):
    bolted = joint("bolt", "one::b", "two::a")
    robot = sdf_loaded(WORLD.format(bolted), tmp_path)
    assert (robot.name, robot.joint_names) == ("w", ("one::j", "bolt", "two::j"))
    close(file_poses(robot)["two::b"][:3, 3], [1, 0, 0])


def test_a_joint_to_a_static_model_is_one_to_the_world(tmp_path):
    robot = sdf_loaded(WORLD.format(joint("bolt", "ground::plane", "one::a")), tmp_path, model="one")
    assert [part.name for part in robot.links] == ["world", "a", "b"]
    close(file_poses(robot)["a"][:3, 3], [1, 0, 0])


def test_sdf_may_be_called_xml(tmp_path):
    path = tmp_path / "robot.xml"
    path.write_text(model(link("a"), link("b"), joint("j", "a", "b")))
    assert load(path).joint_names == ("j",)
