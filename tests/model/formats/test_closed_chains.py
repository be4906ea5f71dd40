"""Loops and couplings in URDF and in our YAML: read, written, and refused with a line."""

import numpy as np
import pytest

from screwgraph.base.errors import ModelError
from screwgraph.model.formats import load
from screwgraph.model.robot import Coupling, Operation, Position, Robot, constraint_residual, tree
from screwgraph.model.robot.joints import Helical, Planar, Prismatic, Revolute, Universal
from screwgraph.model.save import save
from tests.model.formats.helpers import assert_same, close, complaint, joint, link, loaded, rich_robot, urdf
from tests.model.robot.closed_instances import two_arms
from tests.model.robot.joint_instances import instances
from tests.robots import closed_chains, robot_files

CLOSED = closed_chains()
BELT = '<coupling name="belt"><predecessor link="{}"/><successor link="{}"/><ratio value="{}"/></coupling>'
LOOP = """<loop name="l" type="{}"><predecessor link="b"><origin xyz="1 0 0" rpy="0 0 0.5"/></predecessor>
<successor link="c"><origin xyz="0 1 0"/></successor>{}</loop>"""


def resaved(robot: Robot, folder, suffix: str) -> Robot:
    path = folder / f"saved{suffix}"
    save(robot, path)
    return load(path)


@pytest.mark.parametrize("suffix", [".urdf", ".yaml"])
@pytest.mark.parametrize("path", CLOSED, ids=lambda path: path.stem)
@pytest.mark.sampled(3)
def test_closed_chains_come_back_in_either_format(path, suffix, tmp_path):
    robot = load(path)
    assert robot.is_closed
    assert robot.independent
    assert_same(resaved(robot, tmp_path, suffix), robot)


@pytest.mark.parametrize("suffix", [".urdf", ".yaml"])
@pytest.mark.parametrize("path", [*robot_files(".sdf"), *robot_files(".xml")], ids=lambda path: path.stem)
@pytest.mark.sampled(6)
def test_robots_of_other_formats_can_be_saved(path, suffix, tmp_path):
    robot = load(path)
    assert_same(resaved(robot, tmp_path, suffix), robot, 1e-11)


@pytest.mark.parametrize("suffix", [".urdf", ".yaml"])
@pytest.mark.parametrize(
    "kind", [kind for kind in instances().values() if kind.nv < 6], ids=lambda kind: str(kind)[:20]
)
def test_a_loop_of_any_type_comes_back(kind, suffix, tmp_path):
    robot = two_arms(kind)
    assert_same(resaved(robot, tmp_path, suffix), robot)


def test_a_loop_has_its_type_axis_and_frames(tmp_path):
    parts = [*map(link, "abc"), joint("j", "a", "b"), joint("k", "a", "c")]
    for kind, axes, expected in (
        ("revolute", '<axis xyz="0 2 0"/>', Revolute((0, 1, 0))),
        ("prismatic", "", Prismatic((1, 0, 0))),
        ("screw", '<axis xyz="0 0 1" pitch="0.5"/>', Helical((0, 0, 1), 0.5)),
        ("universal", '<axis xyz="1 0 0"/><axis2 xyz="0 0 1"/>', Universal((1, 0, 0), (0, 0, 1))),
        ("planar", '<axis xyz="0 0 1"/>', Planar()),
    ):
        (loop,) = loaded(urdf(*parts, LOOP.format(kind, axes)), tmp_path).loops
        assert loop.type == expected
        close(loop.T_pf[:3, 3], [1, 0, 0])
        close(loop.T_sf[:3, 3], [0, 1, 0])
        close(loop.T_pf[:2, 0], [np.cos(0.5), np.sin(0.5)])


def test_a_belt_sums_the_joints_from_the_nearest_common_ancestor(tmp_path):
    parts = [
        *map(link, "abcdef"), joint("j", "a", "b"), joint("k", "b", "c"), joint("stay", "c", "d", "fixed"),
        joint("l", "d", "e"), joint("r", "b", "f"), BELT.format("e", "f", 6),
    ]  # fmt: skip
    (coupling,) = loaded(urdf(*parts), tmp_path).couplings
    assert coupling.terms == {"r": 1.0, "k": -6.0, "l": -6.0}
    assert coupling.joints[0] == "r", "the successor follows"


def test_marked_joints_are_independent_but_for_followers(tmp_path):
    def marked(text, value):
        return text.replace("name=", f'independent="{value}" name=', 1)

    parts = [*map(link, "abcd"), marked(joint("j", "a", "b"), "true"), joint("k", "b", "c")]
    follower = joint("l", "c", "d", more='<mimic joint="j"/>')
    assert loaded(urdf(*parts, follower), tmp_path).independent == ("j", "k")
    assert loaded(urdf(*parts, marked(follower, "false")), tmp_path).independent == ("j", "k")
    plain = [*map(link, "abcd"), joint("j", "a", "b"), joint("k", "b", "c"), follower]
    assert loaded(urdf(*plain), tmp_path).independent is None


def test_linear_couplings_of_any_kind_are_written_as_urdf(tmp_path):
    base = rich_robot()
    couplings = [
        Coupling("knee_mimic", {"knee": 1.0, "slide": 2.0}, 0.5),
        Coupling("sum", {"knee": 1.0, "slide": 2.0, "wheel": -3.0}, 0.25),
        Coupling("two", {"wheel": 2.0, "screw": -3.0}, 1.0),
    ]
    robot = tree("rich", base.links, base.joints, frames=base.frames, gravity=base.gravity, couplings=couplings)
    back = resaved(robot, tmp_path, ".urdf")
    for ours in couplings:
        theirs = next(c for c in back.couplings if c.name == ours.name)
        assert set(ours.joints) == set(theirs.joints)
        for joint_name, c in ours.terms.items():
            assert theirs.terms[joint_name] * ours.terms["wheel" if "wheel" in ours.terms else "knee"] == pytest.approx(
                c * theirs.terms["wheel" if "wheel" in theirs.terms else "knee"]
            )
    assert "<mimic" in (tmp_path / "saved.urdf").read_text()


def test_an_equation_cannot_be_written_as_urdf(tmp_path):
    base = rich_robot()
    slot = Coupling("slot", {"slide": 1.0}, 0.0, Operation("sin", (Position("knee"),)))
    robot = tree("rich", base.links, base.joints, frames=base.frames, couplings=[slot])
    assert_same(resaved(robot, tmp_path, ".yaml"), robot)
    with pytest.raises(ModelError, match=r"coupling 'slot' says slide \+ sin\(knee\) = 0: URDF cannot express this"):
        save(robot, tmp_path / "r.urdf")


BODIES = """\
name: arm
parameters: {L: 0.5}
bodies:
  - {link: a, joint: q1}
  - {link: b, joint: q-2, parent: base, type: prismatic}
  - {link: c, joint: q3}
"""


def test_yaml_has_loops_couplings_and_a_choice(tmp_path):
    text = (
        BODIES
        + """\
loops:
  - {loop: pin, axis: y, predecessor: {link: a, at: [L, 0, 0], rpy: [0, pi/2, 0]}, successor: c}
  - {loop: ball, type: spherical, predecessor: a, successor: {link: b, at: [0, 2*L, 0]}}
couplings:
  - {coupling: belt, terms: {q1: 1, q-2: -2*L}, offset: L}
  - {coupling: slot, equation: x = L*sin(q1)**2 - q3/2, joints: {x: q-2}}
  - {coupling: linear, equation: 2*(q1 - q3) = 1 + L}
independent: [q1]
"""
    )
    robot = loaded(text, tmp_path, "arm.yaml")
    pin, ball = robot.loops
    assert (pin.type, pin.predecessor, pin.successor) == (Revolute((0, 1, 0)), "a", "c")
    close(pin.T_pf[:3], [[0, 0, 1, 0.5], [0, 1, 0, 0], [-1, 0, 0, 0]])
    close(ball.T_sf[:3, 3], [0, 1, 0])
    belt, slot, linear = robot.couplings
    assert (belt.terms, belt.offset) == ({"q1": 1.0, "q-2": -1.0}, 0.5)
    assert (linear.terms, linear.offset, linear.is_linear) == ({"q1": 2.0, "q3": -2.0}, 1.5, True)
    q = {"q1": 0.3, "q-2": 0.7, "q3": -0.2}
    close(slot(np.array([q[name] for name in slot.joints])), 0.7 - 0.5 * np.sin(0.3) ** 2 - 0.1)
    assert robot.independent == ("q1",)
    assert constraint_residual(robot, np.zeros(3)).shape == (5 + 3 + 3,)
    assert_same(resaved(robot, tmp_path, ".yaml"), robot)


EQUATIONS = {
    "tan(q1) - q3": lambda a, b: np.tan(a) - b,
    "-q1 + +q3": lambda a, b: -a + b,
    "q1**-2 * q3": lambda a, b: b / a**2,
    "q1**0 + q3**3": lambda a, b: 1 + b**3,
    "sqrt(2)*q1 - atan2(1, 2)*cos(q3 - 1)": lambda a, b: np.sqrt(2) * a - np.arctan2(1, 2) * np.cos(b - 1),
    "q1*q3 = L/(2 + sin(q1))": lambda a, b: a * b - 0.5 / (2 + np.sin(a)),
    "q1 - (q3 - (q1 - 2*q3))/4": lambda a, b: a - (b - (a - 2 * b)) / 4,
}


@pytest.mark.parametrize("equation", EQUATIONS)
def test_equations_mean_what_they_say_and_come_back(equation, tmp_path):
    robot = loaded(BODIES + f'couplings: [{{coupling: c, equation: "{equation}"}}]\n', tmp_path, "arm.yaml")
    for coupling in (*robot.couplings, *resaved(robot, tmp_path, ".yaml").couplings):
        q = {"q1": 0.7, "q3": -0.4}
        close(float(coupling(np.array([q[name] for name in coupling.joints]))), EQUATIONS[equation](0.7, -0.4))


WRONG = {
    "no arithmetic": ("q1 +", "arm.yaml:7: coupling 'c': equation is 'q1 +': it is neither a number nor arithmetic"),
    "an unknown word": ("q1 - q4", "why: neither a joint nor a parameter is called 'q4' (known are"),
    "another function": ("floor(q1)", "neither a joint nor a parameter is called 'floor'"),
    "no function": ("q1.real", "only joints, numbers, parameters, + - * / ** and functions are allowed there"),
    "a call": ("__import__('os')", "neither a joint nor a parameter is called '__import__'"),
    "a huge power": ("q1**1000", "exponents of positions are at most 16"),
    "a huge number": ("q1*9**9**9", "Numerical result out of range"),
    "a division by zero": ("q1/0", "it divides by zero"),
    "no joint": ("1 + L", "coupling 'c' couples no joint"),
    "nothing but a sign": ("q1 - q1", "coupling 'c' couples no joint"),
    "two equals signs": ("q1 = q3 = 2", "it is neither a number nor arithmetic"),
    "depth": ("(" * 70 + "q1" + "+q3)" * 70, "more than 60 operations lie within one another"),
    "length": ("q1" + "+q3" * 2000, "is longer than 2000 characters"),
}


def test_equations_are_written_in_the_names_of_joints_that_are_words_of_their_own(tmp_path):
    text = BODIES.replace("q-2", "lambda").replace("q3", "pi")
    coupling = "couplings: [{coupling: c, equation: q1*y = z**2, joints: {y: lambda, z: pi}}]\n"
    robot = loaded(text + coupling, tmp_path, "arm.yaml")
    again = resaved(robot, tmp_path, ".yaml")
    written = next(path for path in tmp_path.iterdir() if path.name != "arm.yaml").read_text()
    assert "q1" in written.partition("equation:")[2].partition("joints:")[0], "a name that is a word"
    assert again.couplings[0].joints == ("q1", "lambda", "pi")
    close(float(again.couplings[0](np.array([0.7, -0.4, 0.3]))), 0.7 * -0.4 - 0.09)


@pytest.mark.parametrize(("equation", "expected"), WRONG.values(), ids=WRONG)
def test_wrong_equations_are_refused_with_their_line(equation, expected, tmp_path):
    line = complaint(BODIES + f'couplings: [{{coupling: c, equation: "{equation}"}}]\n', tmp_path, "arm.yaml")
    assert line.startswith("arm.yaml:7: coupling 'c'")
    assert expected.removeprefix("why: ") in line


BAD_YAML = {
    "no list": ("loops: {a: b}", "arm.yaml:7: the robot: loops is a mapping: it must be a list"),
    "no name": ("loops: [{predecessor: a, successor: b}]", "arm.yaml:7: a loop has no name (add loop: and its name)"),
    "no end": ("loops: [{loop: l, successor: b}]", "arm.yaml:7: loop 'l' has no predecessor (add predecessor: {link:"),
    "no link": ("loops: [{loop: l, predecessor: {at: [0, 0, 0]}, successor: b}]", "loop 'l': predecessor has no link"),
    "an unknown link": ("loops: [{loop: l, predecessor: z, successor: b}]", "arm.yaml:7: loop 'l' has the predecessor"),
    "an unknown type": ("loops: [{loop: l, type: pin, predecessor: a, successor: b}]", "loop 'l': there is no joint"),
    "a foreign setting": ("loops: [{loop: l, pitch: 1, predecessor: a, successor: b}]", "a revolute joint has no"),
    "neither": ("couplings: [{coupling: c}]", "arm.yaml:7: coupling 'c' has neither terms and an equation"),
    "both": ("couplings: [{coupling: c, terms: {q1: 1}, equation: q1}]", "coupling 'c' has both terms and an equation"),
    "an unknown joint": ("couplings: [{coupling: c, terms: {q9: 1}}]", "arm.yaml:7: coupling 'c' ties 'q9', and"),
    "a word that is taken": (
        "couplings: [{coupling: c, equation: L*x, joints: {L: q1}}]",
        "'L' cannot stand for a joint: it must be a word that means nothing else",
    ),
    "an offset beside an equation": ("couplings: [{coupling: c, equation: q1, offset: 1}]", "an equation contains its"),
    "an unknown choice": ("independent: [q7]", "arm.yaml:1: the independent joint 'q7' does not exist"),
    "a joint and a parameter": ("couplings: [{coupling: c, equation: L*q1}]\nframes: []", ""),
}  # fmt: skip


@pytest.mark.parametrize(("part", "expected"), BAD_YAML.values(), ids=BAD_YAML)
def test_wrong_closed_chains_are_refused_with_their_line(part, expected, tmp_path):
    if not expected:
        assert "'L' is a joint and a parameter" in complaint(
            BODIES.replace("joint: q3", "joint: L") + part, tmp_path, "arm.yaml"
        )
    else:
        assert expected in complaint(f"{BODIES}{part}\n", tmp_path, "arm.yaml")


def test_all_joints_of_a_tree_are_independent_whatever_the_file_says():
    """The program of Chignoli et al. (2023) leaves the mark where it takes loops out of files."""
    inertial = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
    limit = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'
    ends = '<parent link="base"/><child link="{0}"/><axis xyz="0 0 1"/>'
    joint = f'<joint independent="{{1}}" name="{{0}} joint" type="revolute">{ends}{limit}</joint>'
    parts = [
        f'<link name="{n}">{inertial}</link>{joint.format(n, mark)}' for n, mark in (("a", "True"), ("b", "false"))
    ]
    robot = load(f'<robot name="two"><link name="base"/>{"".join(parts)}</robot>')
    assert robot.independent_joints == robot.joint_names
