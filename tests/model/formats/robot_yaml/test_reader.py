"""The robot YAML format: what a file says is what the robot has, and what is wrong with it has a clear line."""

import time

import numpy as np
import pytest

from screwgraph.model.robot.joints import Fixed, Floating, Helical, Planar, Prismatic, Revolute, Spherical, Universal
from screwgraph.model.robot.parts import Limits
from screwgraph.spatial import from_xyz_rpy
from tests.model.formats.helpers import close, complaint, loaded

FULL = """\
name: rr
source: where the figures come from
parameters: {L: 1.0, m: 2*L}
gravity: [0, -9.81, 0]
base: {link: ground, mass: 10, com: [0, 0, 0.5]}
bodies:
  - link: upper
    joint: shoulder
    axis: -y
    at: [0, 0, L]
    rpy: [pi/2, 0, 0]
    mass: m
    com: [L/2, 0, 0]
    inertia: [0.1, 0.2, 0.25]
    limits: {lower: -pi, upper: pi, velocity: 2, effort: 10}
    damping: 0.1
    armature: 0.01
  - link: fore
    type: prismatic
    axis: [1, 0, 1]
    mass: 1
    inertia: [0.1, 0.2, 0.25, 0.01, 0.02, 0.03]
    mimic: {joint: shoulder, multiplier: -0.5}
frames:
  - {frame: tool, link: fore, at: [L, 0, 0]}
"""


def yaml(text, folder, **options):
    return loaded(text, folder, "arm.yaml", **options)


def refused(text, folder, **options):
    message = complaint(text, folder, "arm.yaml", **options)
    assert message.startswith("arm.yaml")
    return message


def test_a_full_file_is_read(tmp_path):
    robot = yaml(FULL, tmp_path)
    assert (robot.name, robot.gravity, robot.joint_names) == ("rr", (0.0, -9.81, 0.0), ("shoulder", "fore_joint"))
    assert [part.name for part in robot.links] == ["ground", "upper", "fore"]
    ground, upper, fore = (part.inertia for part in robot.links)
    assert (ground.mass, upper.mass, fore.mass) == (10.0, 2.0, 1.0)
    close(ground.com, [0, 0, 0.5])
    close(upper.com, [0.5, 0, 0])
    close(upper.about_com, np.diag([0.1, 0.2, 0.25]))
    close(fore.about_com, [[0.1, 0.01, 0.02], [0.01, 0.2, 0.03], [0.02, 0.03, 0.25]])
    shoulder, slide = robot.joints
    assert shoulder.type == Revolute((0.0, -1.0, 0.0))
    assert slide.type == Prismatic((1.0, 0.0, 1.0))
    assert (shoulder.origin == [[1, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 1], [0, 0, 0, 1]]).all()
    assert shoulder.limits == Limits(-np.pi, np.pi, 2.0, 10.0)
    assert (shoulder.damping, shoulder.armature) == (0.1, 0.01)
    (follows,) = robot.couplings
    assert (dict(follows.terms), follows.offset) == ({slide.name: 1.0, "shoulder": 0.5}, 0.0)
    assert robot.frame("tool").link == "fore"
    close(robot.frame("tool").T_lf, from_xyz_rpy([1, 0, 0], [0, 0, 0]))


def test_the_shortest_robot_is_two_lines(tmp_path):
    robot = yaml("bodies:\n  - {link: pendulum, mass: 1, com: [0, 0, -1]}", tmp_path)
    assert (robot.name, robot.joint_names, robot.links[0].name) == ("arm", ("pendulum_joint",), "base")
    assert robot.joints[0].type == Revolute((0.0, 0.0, 1.0))
    close(robot.links[1].inertia.about_origin, np.diag([1, 1, 0]))


def test_a_body_hangs_on_the_one_before_unless_it_says_so(tmp_path):
    robot = yaml("bodies: [{link: a}, {link: b}, {link: c, parent: a}, {link: d}]", tmp_path)
    assert [joint.parent for joint in robot.joints] == ["base", "a", "a", "c"]


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ("type: revolute, axis: x", Revolute((1.0, 0.0, 0.0))),
        ("type: continuous", Revolute((0.0, 0.0, 1.0))),
        ("type: prismatic, axis: '-z'", Prismatic((0.0, 0.0, -1.0))),
        ("type: helical, axis: y, pitch: 0.02/2", Helical((0.0, 1.0, 0.0), 0.01)),
        ("type: spherical", Spherical()),
        ("type: planar", Planar((0.0, 0.0, 1.0))),
        ("type: universal", Universal((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))),
        ("type: universal, axis: z, axis2: [1, 0, 0]", Universal((0.0, 0.0, 1.0), (1.0, 0.0, 0.0))),
        ("type: floating", Floating()),
    ],
)
def test_each_joint_type_can_be_written(entry, expected, tmp_path):
    assert yaml(f"bodies: [{{link: a, {entry}}}]", tmp_path).joints[0].type == expected


def test_a_fixed_body_is_merged(tmp_path):
    robot = yaml("bodies: [{link: a, mass: 1}, {link: b, type: fixed, at: [0, 0, 1], mass: 1}]", tmp_path)
    assert len(robot.joints) == 1
    close(robot.link("a").inertia.com, [0, 0, 0.5])
    assert not any(isinstance(joint.type, Fixed) for joint in robot.joints)


def test_words_stay_words_whatever_yaml_thinks_of_them(tmp_path):
    robot = yaml("name: 1.0\nbase: yes\nbodies: [{link: no, joint: 2024-01-01}, {link: 'null'}]", tmp_path)
    assert [part.name for part in robot.links] == ["yes", "no", "null"]
    assert robot.name == "1.0"
    assert robot.joint_names[0] == "2024-01-01"


def test_ten_inertial_parameters_may_be_anything(tmp_path):
    robot = yaml("bodies: [{link: a, inertial: [-1, 1, 2, 3, 4, 5, 6, 0.1, 0.2, 0.3]}]", tmp_path)
    inertia = robot.link("a").inertia
    assert inertia.mass == -1.0
    close(inertia.first_moment, [1, 2, 3])
    close(inertia.about_origin, [[4, 0.1, 0.2], [0.1, 5, 0.3], [0.2, 0.3, 6]])
    assert "arm.yaml:1: link 'a': its mass -1 kg is negative" in robot.warnings[0]


def test_aliases_may_save_writing(tmp_path):
    first, second = (
        "{link: a, inertia: &I [1, 1, 1], limits: &range {lower: -1}}",
        "{link: b, inertia: *I, limits: *range}",
    )
    text = f"bodies:\n  - {first}\n  - {second}"
    assert yaml(text, tmp_path).joints[1].limits == Limits(lower=-1.0)


BODY = "bodies:\n  - link: foot\n    {}\n"
BAD = {
    "no bodies": ("name: arm", "arm.yaml:1: the robot has no bodies"),
    "no mapping": ("- 1\n- 2", "arm.yaml:1: the robot is a list of 2: it must be a mapping"),
    "just text": ("hello", "arm.yaml:1: the robot is 'hello': it must be a mapping"),
    "only a comment": ("# nothing", "arm.yaml: the file is empty"),
    "broken YAML": ("bodies:\n  - {link: a", "arm.yaml:2: the YAML is broken"),
    "tabs": ("bodies:\n\t- link: a", "arm.yaml:2: a tab indents a line: YAML has spaces there (use spaces)"),
    "two documents": ("bodies: []\n---\nbodies: []", "arm.yaml:2: the YAML is broken"),
    "an undefined alias": ("bodies: *b", "arm.yaml:1: the YAML is broken"),
    "a bad escape": ('name: "\\UFFFFFFFF"', "arm.yaml"),
    "bytes": (b"name: \xff\xfe\nbodies: []", "arm.yaml:1: this is not UTF-8 text"),
    "a Python object": ("bodies: !!python/object/apply:os.system [ls]", "arm.yaml:1"),
    "a Python tag": (
        "name: !!python/name:os.system ''\nbodies: []",
        "unexpected tag 'tag:yaml.org,2002:python/name:os",
    ),
    "a double key": (BODY.format("mass: 1\n    mass: 2"), "arm.yaml:4: the key 'mass' appears twice"),
    "a key that is no word": ("? [1, 2]\n: 3", "arm.yaml:1: a key is a list of 2: it must be a word"),
    "an unknown key": (
        BODY.format("mas: 1"),
        "arm.yaml:3: body 'foot': there is no key 'mas' (did you mean 'mass'?)",
    ),
    "an unknown key of the robot": (
        "bodys: []",
        "arm.yaml:1: the robot: there is no key 'bodys' (did you mean 'bodies'?)",
    ),
    "an unknown limit": (
        BODY.format("limits: {low: 1}"),
        "arm.yaml:3: body 'foot': limits: there is no key 'low' (did you mean 'lower'?)",
    ),
    "a body without link": ("bodies:\n  - mass: 1", "arm.yaml:2: a body has no link"),
    "a body that is no mapping": ("bodies:\n  - foot", "arm.yaml:2: a body is 'foot': it must be a mapping"),
    "bodies that are no list": ("bodies: {link: a}", "arm.yaml:1: the robot: bodies is a mapping: it must be a list"),
    "an empty link": ("bodies:\n  - link:", "arm.yaml:2: link is left empty: it must be a text"),
    "a negative mass": (BODY.format("mass: -1"), "arm.yaml:3: body 'foot': its mass is -1 kg: a mass is not negative"),
    "a mass that is no number": (
        BODY.format("mass: heavy"),
        "arm.yaml:3: body 'foot': mass is 'heavy': 'heavy' is no number (write one,",
    ),
    "a mass of NaN": (BODY.format("mass: .nan"), "arm.yaml:3: body 'foot': mass is '.nan'"),
    "an infinite mass": (BODY.format("mass: .inf"), "arm.yaml:3: body 'foot': mass is '.inf'"),
    "a mass left empty": (BODY.format("mass:"), "arm.yaml:3: body 'foot': mass is left empty: it must be a number"),
    "a mass that is a list": (
        BODY.format("mass: [1]"),
        "arm.yaml:3: body 'foot': mass is a list of 1: it must be a number",
    ),
    "a base of negative mass": ("base: {mass: -1}\nbodies: []", "arm.yaml:1: the base: its mass is -1 kg"),
    "a centre without mass": (
        BODY.format("com: [1, 0, 0]"),
        "arm.yaml:3: body 'foot' has a centre of mass: it has no mass",
    ),
    "two inertias": (
        BODY.format("mass: 1\n    inertial: [1,0,0,0,0,0,0,0,0,0]"),
        "arm.yaml:4: body 'foot' has 'inertial'",
    ),
    "two numbers for three": (
        BODY.format("at: [1, 2]"),
        "arm.yaml:3: body 'foot': at is a list of 2: it must be 3 numbers, not 2",
    ),
    "four moments": (
        BODY.format("inertia: [1, 2, 3, 4]"),
        "arm.yaml:3: body 'foot': inertia is a list of 4: it must be 3 or 6",
    ),
    "a list in a list": (
        BODY.format("at: [1, [2], 3]"),
        "arm.yaml:3: body 'foot': at is a list of 1: it must be a number",
    ),
    "an unknown joint type": (
        BODY.format("type: revolt"),
        "arm.yaml:3: body 'foot': there is no joint type 'revolt'",
    ),
    "a pitch of a revolute joint": (
        BODY.format("pitch: 1"),
        "arm.yaml:3: body 'foot': a revolute joint has no 'pitch': only helical joints have one",
    ),
    "an axis of a spherical joint": (
        BODY.format("type: spherical\n    axis: z"),
        "arm.yaml:4: body 'foot': a spherical joint has no 'axis'",
    ),
    "a second axis of a prismatic joint": (
        BODY.format("type: prismatic\n    axis2: z"),
        "has no 'axis2': only universal",
    ),
    "an unknown axis": (
        BODY.format("axis: w"),
        "arm.yaml:3: body 'foot': axis is 'w': an axis is one of x, y, z, -x, -y, -z",
    ),
    "an axis of zeros": (
        BODY.format("axis: [0, 0, 0]"),
        "arm.yaml:3: body 'foot': axis (0.0, 0.0, 0.0) is not a direction",
    ),
    "parallel axes": (
        BODY.format("type: universal\n    axis: y"),
        "arm.yaml:4: body 'foot': the two axes of a universal",
    ),
    "an unknown parent": (
        BODY.format("parent: leg"),
        "arm.yaml:2: joint 'foot_joint' has the parent 'leg', and no link",
    ),
    "an unknown mimicked joint": (
        BODY.format("mimic: {joint: hip}"),
        "arm.yaml:2: joint 'foot_joint' mimics 'hip', and no",
    ),
    "a mimic of nothing": (
        BODY.format("mimic: {offset: 1}"),
        "arm.yaml:3: body 'foot': mimic is a mapping: it must name",
    ),
    "two links of one name": ("bodies:\n  - link: a\n  - link: a", "arm.yaml:3: two links are called 'a'"),
    "a link like the base": ("base: a\nbodies:\n  - link: a", "arm.yaml:3: two links are called 'a'"),
    "two joints of one name": (
        "bodies:\n  - {link: a, joint: j}\n  - {link: b, joint: j}",
        "arm.yaml:3: two joints are called 'j'",
    ),
    "a cycle": (
        "bodies:\n  - {link: a, parent: b}\n  - {link: b, parent: a}",
        "arm.yaml:2: link 'a' is not connected to the base 'base'",
    ),
    "a frame on no link": (
        "bodies: []\nframes:\n  - {frame: f, link: x}",
        "arm.yaml:3: frame 'f' is on the link 'x', and no",
    ),
    "a frame without link": ("bodies: []\nframes:\n  - {frame: f}", "arm.yaml:3: a frame has no link"),
    "a frame named like a link": (
        "bodies: [link: a]\nframes: [{frame: a, link: a}]",
        "arm.yaml:2: a second frame or link",
    ),
    "two numbers for gravity": (
        "gravity: [0, 0]\nbodies: []",
        "arm.yaml:1: the robot: gravity is a list of 2: it must be 3",
    ),
    "a parameter that is a list": (
        "parameters:\n  a: [1]\nbodies: []",
        "arm.yaml:2: parameter 'a' is a list of 1: it must",
    ),
    "parameters in a circle": ("parameters: {a: b, b: a}\nbodies: []", "depends on itself"),
    "an unknown parameter": (
        "parameters: {length: 1}\nbodies:\n  - {link: a, at: [lenght, 0, 0]}",
        "arm.yaml:3: body 'a': at is 'lenght': no parameter is called 'lenght' (did you mean 'length'?)",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_it_says_what_is_wrong_and_where(case, tmp_path):
    text, expected = BAD[case]
    assert expected in refused(text, tmp_path)


def test_an_impossible_inertia_is_a_warning_and_with_strict_an_error(tmp_path):
    text = BODY.format("inertia: [1, 1, 9]")
    (warning,) = yaml(text, tmp_path).warnings
    expected = "arm.yaml:2: link 'foot': its principal moments violate the triangle inequality, 1 + 1 < 9"
    assert warning.endswith(expected)
    assert expected in refused(text, tmp_path, strict=True)


@pytest.mark.parametrize(
    "text",
    [
        "a: &a [x,x,x,x,x,x,x,x,x]\n"
        + "\n".join(
            f"{b}: &{b} [{','.join(f'*{a}' for _ in range(9))}]" for a, b in zip("abcdefghi", "bcdefghij", strict=True)
        ),
        "bodies: &b [*b]",
        "bodies: " + "[" * 100_000,
        "bodies: " + "[" * 50 + "]" * 50,
        "? " * 3000,
        "bodies: [" + "1," * 60_000 + "]",
    ],
    ids=["billion laughs", "recursion", "brackets", "deep", "keys", "long"],
)
def test_yaml_bombs_are_refused_quickly(text, tmp_path):
    start = time.perf_counter()
    refused(text, tmp_path)
    assert time.perf_counter() - start < 20.0


def test_a_very_large_yaml_file_is_refused(tmp_path):
    assert "more than 1 MB are refused" in refused("#" * 1_100_000 + "\nbodies: []", tmp_path)


def test_a_base_has_its_shapes_and_inertia(tmp_path):
    base = "{link: stand, mass: 2, com: [0, 0, 0.1], shapes: [{sphere: 0.2}]}"
    robot = yaml(f"base: {base}\nbodies:\n  - {{link: arm, mass: 1, com: [0, 0, -1]}}", tmp_path)
    stand = robot.links[0]
    assert (stand.name, stand.inertia.mass) == ("stand", 2.0)
    assert len(stand.visuals) == len(stand.collisions) == 1
