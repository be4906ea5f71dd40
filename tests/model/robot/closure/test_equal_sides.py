"""Linkages of equal sides, drawn flat: on each of their branches other joints move, and no choice fits all."""

from __future__ import annotations

import re

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot import Link, Loop, Robot, constraint_jacobian, tree
from screwgraph.model.robot.joints import Revolute
from screwgraph.model.robot.parts import Joint
from screwgraph.spatial import SpatialInertia, from_xyz_rpy
from tests.closed_oracle import projected

GRAVITY = 9.81
PIN = Revolute((0.0, 0.0, 1.0))


def bar(length: float) -> SpatialInertia:
    """Return the inertia of a slender bar of 1 kg along x."""
    return SpatialInertia.of_body(1.0, np.array([length / 2, 0.0, 0.0]), np.diag([1e-3, 1.0, 1.0]) * length**2 / 12)


def at(x: float) -> np.ndarray:
    return from_xyz_rpy(np.array([x, 0.0, 0.0]), np.zeros(3))


def linkage(first: list[float], second: list[float], ground: float) -> Robot:
    """Return two chains of bars from two points of the ground, at a distance, to a pin in which they end."""
    links, joints = [Link("ground")], []
    for chain, lengths, begin in (("a", first, 0.0), ("b", second, ground)):
        parent, origin = "ground", begin
        for number, length in enumerate(lengths):
            name = f"{chain}{number}"
            links.append(Link(name, bar(length)))
            joints.append(Joint(f"j{name}", PIN, parent, name, at(origin)))
            parent, origin = name, length
    ends = (f"a{len(first) - 1}", f"b{len(second) - 1}")
    loop = Loop("pin", PIN, *ends, at(first[-1]), at(second[-1]))
    return tree("linkage", links, joints, gravity=(0.0, -GRAVITY, 0.0), loops=[loop])


RHOMBUS = linkage([1.0, 1.0], [1.0], 1.0)
LINKAGES = {
    "rhombus": RHOMBUS,
    "parallelogram": linkage([0.5, 1.0], [0.5], 1.0),
    "kite": linkage([1.0, 2.0], [2.0], 1.0),
    "isosceles": linkage([1.0, 1.0], [2.0], 2.0),
    "equal five-bar": linkage([0.15, 0.15], [0.15, 0.15], 0.15),
    "coaxial five-bar": linkage([0.15, 0.15], [0.15, 0.15], 0.0),
    "coaxial rhombus": linkage([1.0, 1.0], [1.0, 1.0], 0.0),
    "equal hexagon": linkage([1.0, 1.0, 1.0], [1.0, 1.0], 1.0),
    "change point": linkage([0.3, 0.7], [0.5], 0.5),
    "collinear": linkage([1.0, 0.5], [0.5], 1.0),
}


@pytest.mark.parametrize("chosen", [None, "ja0", "ja1", "jb0"])
def test_a_rhombus_swings_as_a_pendulum_whatever_joint_is_independent(chosen):
    """The sides that swing have 1/3 kg m^2 each about their pins, the coupler moves along a circle: 5/3 in all."""
    robot = RHOMBUS if chosen is None else RHOMBUS.with_independent_joints([chosen])
    q = np.array([1.0, -1.0, 1.0])
    expected = -2.0 * GRAVITY * np.cos(1.0) / (5.0 / 3.0)
    qdd = sg.forward_dynamics(robot)(q, np.zeros(3), np.zeros(3))
    np.testing.assert_allclose(qdd, expected * np.array([1.0, -1.0, 1.0]), rtol=1e-12)


def test_a_folded_rhombus_swings_about_either_pin():
    """Two bars on each other swing about one end, with 2/3 kg m^2; the third hangs from a joint that stands still."""
    forward, zero = sg.forward_dynamics(RHOMBUS), np.zeros(3)
    for q, moving in (([0.7, np.pi, np.pi], [1.0, 0.0, 0.0]), ([0.0, 0.7, 0.7], [0.0, 1.0, 1.0])):
        expected = -GRAVITY * np.cos(0.7) / (2.0 / 3.0)
        np.testing.assert_allclose(forward(np.array(q), zero, zero), expected * np.array(moving), atol=1e-11)


@pytest.mark.parametrize("shape", LINKAGES)
def test_accelerations_are_those_of_the_projection_method_on_every_branch(shape):
    robot, rng = LINKAGES[shape], np.random.default_rng(1)
    forward, exact, tried = sg.forward_dynamics(robot), projected(robot), 0
    for q in robot.mobility.states:
        _, sizes, directions = np.linalg.svd(constraint_jacobian(robot, robot.close_loops(q)))
        if sizes[robot.mobility.rank - 1] < 1e-3 * sizes[0]:
            continue
        closed = robot.close_loops(q)
        qd = directions[robot.mobility.rank :].T @ rng.standard_normal(robot.mobility.freedom)
        tau = rng.standard_normal(robot.nv)
        expected = exact(closed, qd, tau)
        np.testing.assert_allclose(forward(closed, qd, tau), expected, atol=1e-8 * np.abs(expected).max())
        tried += 1
    assert tried


def test_advice_on_independent_joints_can_be_followed():
    """On the branch on which joint ja0 stands still, the message names joints that move."""
    robot, folded = RHOMBUS.with_independent_joints(["ja0"]), np.array([0.0, 0.7, 0.7])
    with pytest.raises(sg.InputError, match="with_independent_joints") as refused:
        robot.complete_velocity(folded, [1.0])
    names = re.findall(r"'(\w+)'", str(refused.value))
    found = robot.with_independent_joints(names).complete_velocity(folded, [1.0])
    np.testing.assert_allclose(found, [0.0, 1.0, 1.0], atol=1e-12)
