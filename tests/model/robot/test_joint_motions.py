"""What joint types may say of themselves beyond the protocol, beside their poses; and nobody asks for their class."""

import ast
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.api.interop import pinocchio_states
from screwgraph.model.robot import JOINT_TYPES, Joint, Link, tree
from screwgraph.model.robot.coordinate_units import label_coordinate
from screwgraph.model.robot.edit import with_floating_base
from screwgraph.model.robot.parts import DirectedMotion, SeenWrenches, ShiftedZero
from screwgraph.spatial import SpatialInertia, rotation, so3, transform
from tests.model.robot.joint_instances import instances
from tests.model.robot.new_joint_types import NEW, AnglesAndPlace

SOURCES = Path(sg.__file__).parent
JOINTS = instances() | NEW
DIRECTED = {name: kind for name, kind in JOINTS.items() if isinstance(kind, DirectedMotion)}
SEEN = {name: kind for name, kind in JOINTS.items() if isinstance(kind, SeenWrenches)}
H = 1e-30


def position(kind):
    return kind.manifold.random(np.random.default_rng(5))


def turn():
    return so3.about_axis(np.array([0.6, 0.0, 0.8]), 0.7) @ so3.about_axis(np.array([0.0, 1.0, 0.0]), -1.1)


@pytest.mark.parametrize("kind", DIRECTED.values(), ids=DIRECTED)
def test_motions_in_turned_frames_are_the_same_motions(kind):
    """A pose of the turned type, at some position, is that of this type seen from turned frames: conjugation."""
    q, C = position(kind), transform(turn(), np.zeros(3))
    turned, there = kind.rotate(turn()), C @ kind.transform(q) @ np.linalg.inv(C)
    np.testing.assert_allclose(turned.transform(turned.nearest(there)), there, atol=1e-14)


@pytest.mark.parametrize("kind", DIRECTED.values(), ids=DIRECTED)
def test_motions_of_the_parent_are_inverse_poses(kind):
    q = position(kind)
    parent, there = kind.reverse(), np.linalg.inv(kind.transform(q))
    np.testing.assert_allclose(parent.transform(parent.nearest(there)), there, atol=1e-14)
    if kind.nv == 1:
        np.testing.assert_allclose(parent.transform(q), there, atol=1e-14)


@pytest.mark.parametrize("kind", [k for k in JOINTS.values() if isinstance(k, ShiftedZero)])
def test_positions_are_measured_from_the_zero_that_was_moved(kind):
    q = position(kind)
    np.testing.assert_allclose(kind.shift_zero(0.3).transform(q), kind.transform(q + 0.3), atol=1e-15)


@pytest.mark.parametrize("kind", SEEN.values(), ids=SEEN)
def test_wrenches_follow_from_how_frames_are_turned(kind):
    """The rate by a complex step along the twist of the child: R of the joint's frame as the child sees it is T'."""
    rng, q = np.random.default_rng(6), position(kind)
    R, V = rotation(kind.transform(q)).T, rng.standard_normal(6)
    np.testing.assert_allclose(kind.wrenches_seen(R), kind.constraint_wrenches(q), atol=1e-14)
    later = (np.eye(3) - 1j * H * so3.skew(V[:3])) @ R
    rate = np.asarray(kind.wrenches_seen(later), dtype=complex).imag / H
    np.testing.assert_allclose(kind.rate_of_wrenches(R, V), rate.T @ V, atol=1e-13)


@pytest.mark.parametrize("kind", JOINTS.values(), ids=JOINTS)
def test_an_axis_is_one_about_or_along_which_poses_move(kind):
    joint, zero = Joint("joint", kind, "base", "body"), kind.nearest(np.eye(4))
    for axis in (joint.turning_axis, joint.sliding_axis):
        if axis is None:
            continue
        there = kind.transform(zero + 0.4)
        about = so3.about_axis(axis, 0.4) if axis is joint.turning_axis else np.eye(3)
        place = np.zeros(3) if axis is joint.turning_axis else 0.4 * axis
        np.testing.assert_allclose(there, transform(about, place), atol=1e-15)
    assert joint.is_fixed == (kind.nv == 0)


def test_a_base_with_other_coordinates_floats_already():
    """Three angles and a place move a base as a pose does: it gets no second one, and no names of a pose."""
    body = SpatialInertia.of_body(1.0, np.array([0.1, 0.0, 0.2]), 0.02 * np.eye(3))
    robot = tree("ship", [Link("world"), Link("hull", body)], [Joint("sea", AnglesAndPlace(), "world", "hull")])
    assert with_floating_base(robot) is robot
    assert label_coordinate(robot.joints[0], "q", 3, 6) == "sea[3]"
    falls = sg.forward_dynamics(robot)(np.array([1.0, 2.0, 3.0, 0.4, -0.2, 0.7]), np.zeros(6), np.zeros(6))
    np.testing.assert_allclose(falls, [0.0, 0.0, -9.81, 0.0, 0.0, 0.0], atol=1e-12)


def test_coordinates_that_pinocchio_does_not_have_are_refused():
    pinocchio = pytest.importorskip("pinocchio")
    model = pinocchio.Model()
    model.addJoint(0, pinocchio.JointModelFreeFlyer(), pinocchio.SE3.Identity(), "sea")
    body = SpatialInertia.of_body(1.0, np.zeros(3), 0.02 * np.eye(3))
    robot = tree("ship", [Link("world"), Link("hull", body)], [Joint("sea", AnglesAndPlace(), "world", "hull")])
    with pytest.raises(sg.InputError, match="'sea' has other coordinates here than Pinocchio's JointModelFreeFlyer"):
        pinocchio_states(robot, model)


def test_nobody_asks_for_the_class_of_a_joint_type():
    """Neither by isinstance, nor by match, nor by type(...): new types would be passed over."""
    names, found = {kind.__name__ for kind in JOINT_TYPES.values()}, []
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(SOURCES.rglob("*.py"))}
    named = {path: text for path, text in texts.items() if any(name in text for name in names)}
    for path, text in named.items():
        for node in ast.walk(ast.parse(text)):
            asked: Sequence[ast.AST] = ()
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("isinstance", "issubclass"):
                asked = node.args[1:]
            elif isinstance(node, ast.MatchClass):
                asked = [node.cls]
            elif isinstance(node, ast.Compare) and "type" in {getattr(c.func, "id", "") for c in calls(node)}:
                asked = [node]
            if names & {name.id for each in asked for name in ast.walk(each) if isinstance(name, ast.Name)}:
                found.append(f"{path.relative_to(SOURCES)}:{getattr(node, 'lineno', 0)}")
    assert not found


def calls(node: ast.AST) -> list[ast.Call]:
    return [each for each in ast.walk(node) if isinstance(each, ast.Call)]
