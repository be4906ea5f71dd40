"""Joints that move nothing with inertia are warned of when a file is loaded."""

import pytest

import screwgraph as sg
from screwgraph.model.robot import massless_joints
from tests.model.formats.helpers import joint, link, loaded, urdf

EMPTY = '<link name="{0}"/>'
LOOP = """<loop name="l" type="spherical"><predecessor link="b"/><successor link="d"/></loop>"""
COUPLED = '<coupling name="c"><term joint="k" coefficient="1"/><term joint="i" coefficient="-1"/></coupling>'
CASES = {
    "nothing behind": ([link("a"), link("b"), EMPTY.format("c")], ["i", "k"], "", ("k",)),
    "a mass at the end": ([link("a"), EMPTY.format("b"), link("c")], ["i", "k"], "", ()),
    "nothing at all": ([EMPTY.format(n) for n in "abc"], ["i", "k"], "", ("i", "k")),
    "coupled with what has": ([link("a"), link("b"), EMPTY.format("c")], ["i", "k"], COUPLED, ()),
}


@pytest.mark.parametrize("case", CASES)
def test_joints_that_move_no_inertia_are_named(case, tmp_path):
    links, names, more, expected = CASES[case]
    joints = [joint(n, p, c, "continuous") for n, p, c in zip(names, "ab", "bc", strict=True)]
    robot = loaded(urdf(*links, *joints, more), tmp_path)
    assert massless_joints(robot) == expected
    lines = [line for line in robot.warnings if "mass or inertia" in line]
    assert len(lines) == bool(expected)
    if expected and len(expected) < len(names):
        assert "1 joint (k) moves no mass or inertia" in lines[0]


def test_an_armature_or_a_loop_is_enough(tmp_path):
    armature = joint("k", "b", "c", "continuous", '<dynamics armature="0.1"/>')
    robot = loaded(
        urdf(link("a"), link("b"), EMPTY.format("c"), joint("i", "a", "b", "continuous"), armature), tmp_path
    )
    assert massless_joints(robot) == ()
    tree = [joint(n, p, c, "continuous") for n, p, c in zip("ijk", "aac", "bcd", strict=True)]
    robot = loaded(urdf(link("a"), link("b"), EMPTY.format("c"), EMPTY.format("d"), *tree, LOOP), tmp_path)
    assert massless_joints(robot) == ()


def test_built_in_robots_have_inertia():
    for name in sg.zoo_names():
        assert not [line for line in sg.load(name).warnings if "mass or inertia" in line], name
