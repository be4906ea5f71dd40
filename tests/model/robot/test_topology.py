"""Loose links and joints become a tree, parents first, or a complaint that names them."""

import numpy as np
import pytest

from screwgraph.base.errors import ModelError
from screwgraph.model.robot import Frame, Joint, Link, tree
from screwgraph.model.robot.joints import Revolute


def joints(text):
    """Make joints from `name:parent>child` words."""
    split = [(name, *ends.split(">")) for name, ends in (word.split(":") for word in text.split())]
    return [Joint(name, Revolute(), parent, child) for name, parent, child in split]


def links(names):
    return [Link(name) for name in names.split()]


def test_the_base_comes_first_wherever_the_file_lists_it():
    robot = tree("r", links("tip base mid"), joints("a:base>mid b:mid>tip"))
    assert [link.name for link in robot.links] == ["base", "mid", "tip"]


def test_joints_stay_as_listed_where_parents_come_first():
    listed = "l1:o>a r1:o>b l2:a>c r2:b>d"
    assert tree("r", links("o a b c d"), joints(listed)).joint_names == ("l1", "r1", "l2", "r2")


def test_joints_are_sorted_depth_first_where_a_child_is_listed_before_its_parent():
    listed = "l2:a>c r1:o>b l1:o>a r2:b>d"
    assert tree("r", links("o a b c d"), joints(listed)).joint_names == ("r1", "r2", "l1", "l2")


def test_every_joint_moves_the_link_after_it():
    robot = tree("r", links("e d c b a o"), joints("5:d>e 4:b>d 3:b>c 2:a>b 1:o>a"))
    assert [joint.child for joint in robot.joints] == [link.name for link in robot.links[1:]]
    assert all(robot.link_index(joint.parent) < robot.link_index(joint.child) for joint in robot.joints)


def test_a_long_chain_is_no_problem():
    names = [f"l{i}" for i in range(3000)]
    chain = [Joint(f"j{i}", Revolute(), names[i], names[i + 1]) for i in range(2999)]
    assert tree("r", [Link(name) for name in names], chain[::-1]).joint_names[0] == "j0"


@pytest.mark.parametrize(
    ("names", "listed", "complaint", "at"),
    [
        ("a b c", "j:a>c k:b>c", "link 'c' has two parents, 'a' and 'b'", "k"),
        ("a b", "j:a>b k:b>a", "the joints form a cycle: a -> b -> a", "k"),
        ("a b c", "j:b>c k:c>b", "link 'b' is not connected to the base 'a'", "b"),
        ("stray a b", "j:a>b", "link 'stray' is not connected to the base 'a'", "stray"),
        ("a b", "j:a>a", "joint 'j' joins link 'a' to itself", "j"),
        ("a b", "j:a>c", "joint 'j' has the child 'c', and no link has that name", "j"),
        ("a b", "j:c>b", "joint 'j' has the parent 'c', and no link has that name", "j"),
        ("a b b", "j:a>b", "two links are called 'b'", "b"),
        ("a b c", "j:a>b j:b>c", "two joints are called 'j'", "j"),
        ("", "", "the robot has no link", None),
    ],
)
def test_what_is_no_tree_is_refused_by_name_and_place(names, listed, complaint, at):
    with pytest.raises(ModelError) as caught:
        tree("r", links(names), joints(listed), where=lambda part: f"line of {part.name if part else None}")
    assert f"line of {at}: {complaint}" in str(caught.value)


def test_places_are_asked_for_the_part_itself_not_its_name():
    """A joint may be called like a link, and of two links of one name the second is at fault."""
    parts = links("a b b")
    with pytest.raises(ModelError) as caught:
        tree("r", parts, joints("b:a>b"), where=lambda part: "here" if part is parts[2] else "elsewhere")
    assert str(caught.value).startswith("here: two links")


@pytest.mark.parametrize(
    ("name", "link", "complaint"),
    [
        ("tool", "hand", "frame 'tool' is on the link 'hand', and no link"),
        ("b", "a", "a second frame or link is called 'b'"),
    ],
)
def test_a_frame_needs_its_own_name_and_a_link(name, link, complaint):
    with pytest.raises(ModelError, match=complaint):
        tree("r", links("a b"), joints("j:a>b"), frames=[Frame(name, link, np.eye(4))])
