"""Each thing that can be wrong with a URDF file has one clear line that says where."""

import pytest

from tests.model.formats.helpers import complaint, joint, link, loaded, urdf

LOOP = '<loop name="l" type="{0}"><predecessor link="{1}"/><successor link="{2}"/></loop>'
APART = '<loop name="l" type="spherical"><predecessor link="a"/>'
APART += '<successor link="b"><origin xyz="0 0 0.5"/></successor></loop>'
COUPLING = '<coupling name="l"><predecessor link="{0}"/><successor link="{1}"/><ratio value="2"/></coupling>'


def inertial(mass='<mass value="1"/>', inertia='<inertia ixx="1" iyy="1" izz="1"/>'):
    return f'<link name="foot"><inertial>\n{mass}\n{inertia}\n</inertial></link>'


CASES = {
    "a negative mass": (
        urdf(inertial(mass='<mass value="-0.5"/>')),
        "leg.urdf:3: link 'foot': its mass is -0.5 kg: a mass is not negative",
    ),
    "a mass that is no number": (
        urdf(inertial(mass='<mass value="heavy"/>')),
        "leg.urdf:3: link 'foot': 'value' of <mass> is 'heavy': it must be a finite decimal number",
    ),
    "a mass with a decimal comma": (urdf(inertial(mass='<mass value="1,5"/>')), "leg.urdf:3: link 'foot'"),
    "a mass of NaN": (
        urdf(inertial(mass='<mass value="nan"/>')),
        "leg.urdf:3: link 'foot': 'value' of <mass> is 'nan'",
    ),
    "an infinite mass": (urdf(inertial(mass='<mass value="inf"/>')), "'inf': it must be a finite decimal number"),
    "an overflowing mass": (urdf(inertial(mass='<mass value="1e999"/>')), "'1e999': no parameter of a robot exceeds"),
    "a mass without value": (urdf(inertial(mass="<mass/>")), "leg.urdf:3: link 'foot': <mass> has no 'value'"),
    "no mass": (urdf(inertial(mass="")), "leg.urdf:2: link 'foot': <inertial> has no <mass>"),
    "no inertia": (urdf(inertial(inertia="")), "leg.urdf:2: link 'foot': <inertial> has no <inertia>"),
    "an inertia with a hole": (urdf(inertial(inertia='<inertia ixx="1" iyy="1"/>')), "<inertia> has no 'izz'"),
    "xacro arithmetic": (urdf(inertial(mass='<mass value="${m}"/>')), "call xacro files .xacro, and they are expanded"),
    "a link without name": (urdf("<link/>"), "leg.urdf:2: a link: <link> has no 'name' attribute"),
    "a joint without name": (urdf(link("a"), '<joint type="fixed"/>'), "leg.urdf:3: a joint: <joint> has no 'name'"),
    "a joint without type": (urdf(link("a"), '<joint name="j"/>'), "leg.urdf:3: joint 'j': <joint> has no 'type'"),
    "an unknown joint type": (
        urdf(link("a"), link("b"), joint("j", "a", "b", "revolut")),
        "leg.urdf:4: joint 'j': there is no joint type 'revolut': the types are revolute, continuous, "
        "prismatic, helical, spherical, planar, universal, floating, fixed (did you mean 'revolute'?)",
    ),
    "no parent": (urdf(link("a"), '<joint name="j" type="fixed"/>'), "leg.urdf:3: joint 'j': <joint> has no <parent>"),
    "a parent that is no link": (
        urdf(link("a"), link("b"), joint("j", "nowhere", "b")),
        "leg.urdf:4: joint 'j' has the parent 'nowhere', and no link has that name",
    ),
    "a child that is no link": (urdf(link("a"), joint("j", "a", "b")), "leg.urdf:3: joint 'j' has the child 'b'"),
    "two parents": (
        urdf(*map(link, "abc"), joint("left", "a", "c"), joint("right", "b", "c")),
        "leg.urdf:6: link 'c' has two parents, 'a' and 'b': a tree gives each link one parent",
    ),
    "a cycle beside the tree": (
        urdf(*map(link, "abcd"), joint("i", "a", "b"), joint("j", "c", "d"), joint("k", "d", "c")),
        "leg.urdf:4: link 'c' is not connected to the base 'a'",
    ),
    "a disconnected link": (
        urdf(link("stray"), link("a"), link("b"), joint("j", "a", "b")),
        "leg.urdf:2: link 'stray' is not connected to the base 'a'",
    ),
    "a joint from a link to itself": (
        urdf(link("a"), link("b"), joint("j", "b", "b")),
        "leg.urdf:4: joint 'j' joins link 'b' to itself",
    ),
    "no link": (urdf(), "leg.urdf:1: the robot has no link"),
    "two links of one name": (urdf(link("a"), link("a")), "leg.urdf:3: two links are called 'a'"),
    "two joints of one name": (
        urdf(*map(link, "abc"), joint("j", "a", "b"), joint("j", "b", "c")),
        "leg.urdf:6: two joints are called 'j'",
    ),
    "two numbers for three": (
        urdf(link("a"), link("b"), joint("j", "a", "b", more='<origin xyz="1 2"/>')),
        "leg.urdf:4: joint 'j': 'xyz' of <origin> is '1 2': it must be 3 numbers, not 2",
    ),
    "an axis of zeros": (
        urdf(link("a"), link("b"), joint("j", "a", "b", more='\n<axis xyz="0 0 0"/>')),
        "leg.urdf:5: joint 'j': axis (0.0, 0.0, 0.0) is not a direction",
    ),
    "parallel axes": (
        urdf(link("a"), link("b"), joint("j", "a", "b", "universal", '<axis xyz="0 1 0"/>')),
        "leg.urdf:4: joint 'j': the two axes of a universal joint are parallel",
    ),
    "a limit that is no number": (
        urdf(link("a"), link("b"), joint("j", "a", "b", more='<limit lower="low"/>')),
        "leg.urdf:4: joint 'j': 'lower' of <limit> is 'low'",
    ),
    "a mimic of an unknown joint": (
        urdf(link("a"), link("b"), joint("j", "a", "b", more='<mimic joint="i"/>')),
        "leg.urdf:4: joint 'j' mimics 'i', and no joint has that name",
    ),
    "a mimic of itself": (
        urdf(link("a"), link("b"), joint("j", "a", "b", more='<mimic joint="j"/>')),
        "leg.urdf:4: joint 'j' mimics 'j', which follows it",
    ),
    "a mimic of a joint with many coordinates": (
        urdf(*map(link, "abc"), joint("i", "a", "b", "ball"), joint("j", "b", "c", more='<mimic joint="i"/>')),
        "leg.urdf:6: joint 'j' mimics 'i': a joint with several coordinates cannot",
    ),
    "a loop without type": (
        urdf(link("a"), '<loop name="l"/>'),
        "leg.urdf:3: loop 'l': <loop> has no 'type' attribute",
    ),
    "a loop without ends": (
        urdf(link("a"), '<loop name="l" type="revolute"/>'),
        "leg.urdf:3: loop 'l': <loop> has no <predecessor>",
    ),
    "a loop to nowhere": (
        urdf(link("a"), LOOP.format("revolute", "a", "z")),
        "leg.urdf:3: loop 'l' has the successor 'z', and no link has that name",
    ),
    "a loop on one link": (
        urdf(link("a"), LOOP.format("revolute", "a", "a")),
        "leg.urdf:3: loop 'l' joins link 'a' to itself: its ends cannot move against each other (remove the loop",
    ),
    "a loop on one rigid body": (
        urdf(link("a"), link("b"), joint("j", "a", "b", "fixed"), APART),
        "leg.urdf: loop 'l' is open by 0.5 (rad, m)",
    ),
    "a loop that closes nothing": (
        urdf(link("a"), link("b"), joint("j", "a", "b"), LOOP.format("floating", "a", "b")),
        "leg.urdf:5: loop 'l' lets its ends move freely: so it has no effect",
    ),
    "two loops of one name": (
        urdf(link("a"), link("b"), joint("j", "a", "b"), *2 * [LOOP.format("ball", "a", "b")]),
        "leg.urdf:6: two loops or couplings are called 'l'",
    ),
    "a coupling without ratio": (
        urdf(link("a"), '<coupling name="l"><predecessor link="a"/><successor link="a"/></coupling>'),
        "leg.urdf:3: coupling 'l': <coupling> has no <ratio>",
    ),
    "a coupling of one link": (
        urdf(link("a"), COUPLING.format("a", "a")),
        "leg.urdf:3: coupling 'l' couples no joint",
    ),
    "a coupling of unknown links": (
        urdf(link("a"), COUPLING.format("a", "z")),
        "leg.urdf:3: coupling 'l' ties the links 'a' and 'z': no joints lead from one to the other",
    ),
    "a coupling over a ball joint": (
        urdf(link("a"), link("b"), joint("j", "a", "b", "ball"), COUPLING.format("a", "b")),
        "leg.urdf:5: coupling 'l' runs over joint 'j': a joint with several coordinates cannot be coupled",
    ),
    "an odd mark": (
        urdf(link("a"), link("b"), joint("j", "a", "b").replace("name=", 'independent="maybe" name=')),
        "leg.urdf:4: joint 'j': 'independent' is 'maybe': it must be true or false",
    ),
    "another root element": ("<sdf/>", "leg.urdf:1: the outermost element is '<sdf>': URDF has <robot> there"),
    "unexpanded xacro": (
        '<robot xmlns:xacro="http://www.ros.org/wiki/xacro">\n<xacro:macro name="leg"/></robot>',
        "leg.urdf:2: <xacro:macro> stands in the file"
        ": xacro is a language for writing URDF, not URDF (call the file .xacro, and it is expanded",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_it_says_what_is_wrong_and_where(case, tmp_path):
    text, expected = CASES[case]
    message = complaint(text, tmp_path)
    assert expected in message
    assert message.startswith("leg.urdf:")


IMPOSSIBLE = {
    "triangle": (
        '<inertia ixx="1" iyy="1" izz="9"/>',
        "its principal moments violate the triangle inequality, 1 + 1 < 9",
    ),
    "negative": ('<inertia ixx="-1" iyy="1" izz="1"/>', "its rotational inertia is not positive semidefinite"),
    "indefinite": ('<inertia ixx="1" iyy="1" izz="1" ixy="3"/>', "least principal moment -2 < 0"),
}


@pytest.mark.parametrize("case", IMPOSSIBLE)
def test_an_impossible_inertia_is_a_warning_and_with_strict_an_error(case, tmp_path):
    inertia, expected = IMPOSSIBLE[case]
    text = urdf(inertial(inertia=inertia))
    (warning,) = loaded(text, tmp_path).warnings
    assert "leg.urdf:2: link 'foot': " in warning
    assert expected in warning
    assert complaint(text, tmp_path, strict=True).startswith("leg.urdf:2: link 'foot': ")
    assert expected in complaint(text, tmp_path, strict=True)


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        (
            '<dynamics friction="1"/>',
            "leg.urdf: Coulomb friction of 1 joint (j) is in simulations with friction=True only",
        ),
        ('<dynamics damping="-1"/>', "leg.urdf:4: joint 'j': its damping -1 is negative"),
        ('<limit lower="2" upper="1"/>', "leg.urdf:4: joint 'j': its lower limit 2 exceeds its upper limit 1"),
    ],
)
def test_every_warning_is_an_error_with_strict(more, expected, tmp_path):
    text = urdf(link("a"), link("b"), joint("j", "a", "b", more=more))
    assert len(loaded(text, tmp_path).warnings) == 1
    assert expected in complaint(text, tmp_path, strict=True)


def test_what_is_locked_is_no_reason_for_a_strict_error(tmp_path):
    more = '<mimic joint="i"/><dynamics friction="1"/>'
    text = urdf(*map(link, "abc"), joint("i", "a", "b"), joint("j", "b", "c", more=more))
    assert loaded(text, tmp_path, strict=True, lock=("i", "j")).nv == 0
    assert "joint 'j' is locked at 0: coupling 'j_mimic' leaves it" in complaint(text, tmp_path, strict=True, lock="i")
