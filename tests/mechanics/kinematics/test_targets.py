"""Conformance of targets of inverse kinematics: residuals, their derivatives, and errors in units."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.mechanics.kinematics.inverse.models import MechanismModel, RobotModel
from screwgraph.mechanics.kinematics.inverse.problem import InverseProblem
from screwgraph.mechanics.kinematics.targets import CenterOfMass, Direction, Orientation, Point, Pose, Posture
from screwgraph.spatial import SpatialInertia
from screwgraph.spatial.so3 import from_rpy
from screwgraph.tape import Tape, program
from tests.mechanics.kinematics.states import robot_of

R = from_rpy(np.array([0.4, -0.9, 2.0]))
T = np.block([[R, np.array([[0.3], [-0.2], [0.5]])], [np.zeros((1, 3)), np.ones((1, 1))]])
TIP = "revolute_link"
TARGETS = {
    Pose(TIP): T,
    Orientation(TIP): R,
    Direction(TIP, axis=(1.0, -2.0, 0.5)): 3.0 * R[:, 1],
    Point(TIP, offset=(0.1, 0.2, -0.3)): T[:3, 3],
    Point(TIP, axes="zx"): T[:2, 3],
    CenterOfMass(axes="xy"): T[:2, 3],
    Posture(): None,
    Posture(joints="spherical"): None,
}


def check_derivatives(model, targets, values, q):
    """Compare the derivatives of all residuals with central differences along the manifold."""
    tape, nv, h = Tape("form"), model.manifold.dim, 1e-6
    at = np.array(tape.inputs("q", (len(q),)), dtype=object)
    rows = InverseProblem(model, targets).rows(at, [np.array(value, dtype=object) for value in values])
    residuals = [x for own in rows for x in own.values]
    code = program(tape, [*residuals, *(x for own in rows for x in own.jacobian.ravel())])
    moved = [model.manifold.retract(q, s * h * e) for e in np.eye(nv) for s in (1, -1)]
    columns = np.array([q, *moved]).T
    found = np.array([np.broadcast_to(x, 1 + 2 * nv) for x in code.evaluate(list(columns))], dtype=float)
    r, J = found[: len(residuals), 1:], found[len(residuals) :, 0].reshape(-1, nv)
    np.testing.assert_allclose(J, (r[:, ::2] - r[:, 1::2]) / (2.0 * h), atol=1e-8 * max(1.0, np.abs(J).max()))


@pytest.mark.parametrize("target", TARGETS, ids=lambda t: t.label)
def test_derivatives_of_residuals_are_central_differences(target):
    robot = robot_of("twisted")
    rng = np.random.default_rng(1)
    q, other = robot.random(rng), robot.random(rng)
    value = other if TARGETS[target] is None else TARGETS[target]
    check_derivatives(RobotModel(robot), (target,), (value,), q)


def test_derivatives_of_open_loops_and_constraints():
    robot = sg.load("five_bar")
    q = robot.mobility.states[0] + 0.1 * np.arange(4)
    check_derivatives(RobotModel(robot), (Point(robot.links[-1].name),), (np.zeros(3),), q)
    mechanism = MechanismModel(sg.load_mechanism("slider_crank"))
    own = mechanism.own(Point("piston"))
    check_derivatives(mechanism, (own,), (np.zeros(2),), mechanism.subject.home + 0.1)


@pytest.mark.parametrize("turn", [1e-9, 1e-3, 1.0, 3.0])
def test_errors_are_angles_and_distances(turn):
    robot = sg.load("rr")
    frame, q = robot.links[-1].name, np.array([0.3, 0.4])
    wanted = sg.forward_kinematics(robot, frame)(q)
    axis = np.array([2.0, -1.0, 2.0]) / 3.0
    wanted = wanted.copy()
    wanted[:3, :3] = sg.spatial.exp3(turn * axis) @ wanted[:3, :3]
    wanted[:3, 3] += [0.3, 0.0, -0.4]
    found = sg.inverse_kinematics(robot, frame, held=robot.joint_names)(wanted, start=q)
    np.testing.assert_allclose(found.errors, [turn, 0.5], rtol=1e-6)


def test_without_mass_there_is_no_centre_of_mass():
    robot = sg.load("rr")
    bare = replace(robot, links=tuple(replace(link, inertia=SpatialInertia()) for link in robot.links))
    with pytest.raises(sg.InputError, match="has no centre of mass"):
        sg.inverse_kinematics(bare, CenterOfMass())


@pytest.mark.parametrize("target", [t for t in TARGETS if TARGETS[t] is not None], ids=lambda t: t.label)
def test_rows_of_lengths_are_those_that_move_with_the_place(target):
    """The others, angles, move where the wanted frame turns about its origin."""
    robot = robot_of("twisted")
    q, value = robot.random(np.random.default_rng(1)), np.array(TARGETS[target])

    def rows_of(wanted):
        tape = Tape("form")
        at = np.array(tape.inputs("q", (len(q),)), dtype=object)
        (rows,) = InverseProblem(RobotModel(robot), (target,)).rows(at, [np.array(wanted, dtype=object)])
        return np.array(program(tape, list(rows.values)).evaluate(list(q)), dtype=float), rows.lengths

    here, lengths = rows_of(value)
    shifted, turned = value.copy(), value.copy()
    if value.shape == (4, 4):
        shifted[:3, 3] += 0.1
        turned[:3, :3] = value[:3, :3] @ from_rpy(np.array([0.1, 0.2, 0.3]))
    elif value.shape == (3, 3):
        turned = value @ from_rpy(np.array([0.1, 0.2, 0.3]))
    elif target.units == ("rad",):
        turned = from_rpy(np.array([0.1, 0.2, 0.3])) @ value
    else:
        shifted += 0.1
    assert (np.abs(rows_of(shifted)[0] - here) > 1e-6).tolist() == list(lengths)
    if "rad" in target.units:
        assert (np.abs(rows_of(turned)[0] - here) > 1e-6).tolist() == [not is_length for is_length in lengths]
