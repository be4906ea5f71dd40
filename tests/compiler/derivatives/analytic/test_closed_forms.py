"""Derivatives in closed form are those that CasADi's sweeps through the code of the problem itself find."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.compiler import Function
from screwgraph.compiler.derivatives.tape_derivatives import differentiate_program
from screwgraph.model.robot import Joint, Link, Robot, tree
from screwgraph.model.robot.joints import Floating, Helical, Prismatic, Revolute, Spherical
from screwgraph.spatial import SpatialInertia, from_xyz_rpy


def branching(*types: object) -> Robot:
    """Return a robot whose joints have these types, two limbs on the base and one that branches, all bodies generic."""
    rng = np.random.default_rng(5)
    links, joints = [Link("base")], []
    for i, kind in enumerate(types):
        S = rng.standard_normal((3, 3))
        inertia = SpatialInertia.of_body(1.0 + rng.random(), rng.standard_normal(3), S @ S.T + np.eye(3))
        links.append(Link(f"body{i}", inertia))
        parent = "base" if i in (0, len(types) - 2) else f"body{max(i - 2, 0)}"
        origin = from_xyz_rpy(rng.standard_normal(3), rng.standard_normal(3))
        joints.append(Joint(f"joint{i}", kind, parent, f"body{i}", origin, damping=0.3 * i, armature=0.1 * i))
    return tree("branching", links, joints)


@pytest.fixture(scope="module")
def robot() -> Robot:
    turns = (Revolute((0.0, 0.6, 0.8)), Prismatic((0.6, 0.0, 0.8)), Spherical(), Helical((0.0, 0.0, 1.0), 0.2))
    return branching(Floating(), *turns, Revolute((1.0, 0.0, 0.0)), Prismatic((0.0, 1.0, 0.0)), Revolute())


def inputs_of(function: Function, robot: Robot) -> list[float]:
    rng = np.random.default_rng(1)
    values = [robot.random(rng) if a.name == "q" else rng.standard_normal(len(a.names)) for a in function.arguments]
    return [float(x) for value in values for x in value]


def assert_both_ways_agree(function: Function, robot: Robot, *by: str) -> None:
    analytic = function.origin.analytic
    assert analytic is not None
    assert analytic.covers(by)
    closed = analytic.jacobian(function.program, function.arguments, by)
    swept = differentiate_program(function.program, function.arguments, by, None)
    state = inputs_of(function, robot)
    found, expected = (np.array(code.evaluate(state), dtype=float) for code in (closed, swept))
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10 * np.abs(expected).max())


def test_of_inverse_dynamics(robot):
    assert_both_ways_agree(sg.inverse_dynamics(robot), robot, "q", "qd", "qdd")


def test_of_inverse_dynamics_under_external_wrenches(robot):
    f = sg.inverse_dynamics(robot, external_wrenches=("body3", "body7"))
    assert_both_ways_agree(f, robot, "q", "qd")
    assert not f.origin.analytic.covers(("q", "external_wrenches"))


def test_of_bias_forces(robot):
    assert_both_ways_agree(sg.bias_forces(robot), robot, "q", "qd")


@pytest.mark.suite
def test_of_forward_dynamics(robot):
    assert_both_ways_agree(sg.forward_dynamics(robot), robot, "q", "qd", "tau")


@pytest.mark.parametrize("driven", [("joint0",), ("joint2", "joint3", "joint6")])
def test_of_hybrid_dynamics(robot, driven):
    assert_both_ways_agree(sg.hybrid_dynamics(robot, driven), robot, "q", "qd", "given")


def test_screw_axes_that_move_are_left_to_casadi():
    moving = sg.load("rr")
    joints = (replace(moving.joints[0], type=sg.robot.joints.Planar()), *moving.joints[1:])
    f = sg.inverse_dynamics(replace(moving, joints=joints))
    assert not f.origin.analytic.covers(("q",))
    assert f.jacobian("q").result_shape == (4, 4)


@pytest.mark.suite
def test_one_function_for_several_derivatives_returns_what_single_ones_return():
    robot = sg.load("puma560")
    rng = np.random.default_rng(2)
    state = robot.random(rng), *rng.standard_normal((2, 3, robot.nv))
    for f, last in ((sg.inverse_dynamics(robot), "qdd"), (sg.forward_dynamics(robot), "tau")):
        by_last, by_q = f.jacobian(last, "q")(*state)
        np.testing.assert_allclose(by_last, f.jacobian(last)(*state), rtol=1e-11, atol=1e-11)
        np.testing.assert_allclose(by_q, f.jacobian("q")(*state), rtol=1e-11, atol=1e-11 * np.abs(by_q).max())
        assert by_last.shape == (3, 6, 6)


def test_an_argument_that_is_named_twice_or_not_at_all_is_refused():
    f = sg.inverse_dynamics(sg.load("rr"))
    with pytest.raises(sg.InputError, match="named twice"):
        f.jacobian("q", "qd", "q")
    with pytest.raises(sg.InputError, match="no argument"):
        f.jacobian()
