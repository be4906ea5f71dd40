"""Closed chains whose frame offsets are inputs: a robot of those lengths, closed, answers alike."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot import closed_states, constraint_residual
from screwgraph.model.robot.parameters import parameters_of, with_values
from tests.closed_oracle import motion
from tests.pinocchio_loops import ConstrainedOracle

RNG = np.random.default_rng(3)
LINKAGES = [
    "four_bar_linkage",
    pytest.param("five_bar", marks=pytest.mark.suite),
    pytest.param("stewart_gough", marks=pytest.mark.suite),
]
IN_PLANE = [0, 1, 6, 7]
"""Numbers of two origins that leave planar linkages in their plane."""


def lengthened(name: str) -> tuple[sg.Robot, list[str], np.ndarray, sg.Robot]:
    """Return a robot, names of parameters, other values, and the robot whose file has these.

    Planar linkages stay in their plane.
    """
    robot = sg.load(name)
    names = [f"{robot.joint_names[i]}.origin" for i in (1, 2)]
    live, values = parameters_of(robot, names), []
    for parameter in live:
        change = 0.1 * RNG.uniform(-1.0, 1.0, 6)
        values.append(parameter.nominal(robot) + (change if name == "stewart_gough" else change * [1, 1, 0, 0, 0, 0]))
    return robot, names, np.concatenate(values), with_values(robot, dict(zip(live, values, strict=True)))


@pytest.mark.parametrize("name", LINKAGES)
def test_accelerations_are_pinocchios_for_the_other_lengths(name):
    robot, names, p, other = lengthened(name)
    run, peer = motion(other, 4), ConstrainedOracle(other)
    f = sg.forward_dynamics(robot, parameters=names)
    found, size = f(run.q, run.qd, run.tau, p), np.abs(run.qdd).max()
    expected = [peer.forward_dynamics(*state) for state in zip(run.q, run.qd, run.tau, strict=True)]
    np.testing.assert_allclose(found, expected, atol=1e-7 * size)
    np.testing.assert_allclose(found, run.qdd, atol=1e-9 * size)
    np.testing.assert_allclose(f.with_parameters(p)(run.q, run.qd, run.tau), found, atol=1e-12 * size)


@pytest.mark.suite
@pytest.mark.parametrize("name", ["four_bar_linkage", "five_bar"])
def test_siblings_are_those_of_the_robot_with_other_lengths(name):
    robot, names, p, other = lengthened(name)
    run, independent = motion(other, 4), {"coordinates": "independent"}
    y = [robot.v_slices[joint].start for joint in robot.independent_joints]
    (free,) = robot.independent_joints[:1]
    qdd, tau = run.qdd[:, y], run.tau[:, y]
    queries: tuple[tuple[Any, dict[str, Any], tuple[np.ndarray, ...]], ...] = (
        (sg.inverse_dynamics, independent, (run.q, run.qd[:, y], qdd)),
        (sg.forward_dynamics, {"ordering": "ancestor", **independent}, (run.q, run.qd[:, y], tau)),
        (sg.bias_forces, {"ordering": "ancestor", **independent}, (run.q, run.qd[:, y])),
        (sg.mass_matrix, independent, (run.q,)),
        (sg.mass_matrix, {}, (run.q,)),
        (sg.coriolis_matrix, {}, (run.q, run.qd)),
        (sg.kinetic_energy, {}, (run.q, run.qd)),
        (sg.potential_energy, {}, (run.q,)),
        (sg.center_of_mass, {}, (run.q,)),
    )
    for query, options, arguments in queries:
        found, expected = query(robot, parameters=names, **options)(*arguments, p), query(other, **options)(*arguments)
        np.testing.assert_allclose(found, expected, atol=1e-9 * np.abs(expected).max(), err_msg=query.__name__)
    if len(y) > 1:
        options: Any = {"coordinates": "independent", "ordering": "ancestor"}
        hybrid = sg.hybrid_dynamics(robot, [free], parameters=names, **options)
        expected = sg.hybrid_dynamics(other, [free], **options)(run.q, run.qd[:, y], tau)
        np.testing.assert_allclose(hybrid(run.q, run.qd[:, y], tau, p), expected, atol=1e-9 * np.abs(expected).max())


def test_derivatives_by_lengths():
    robot, names, p, other = lengthened("four_bar_linkage")
    run = motion(other, 2)
    f = sg.forward_dynamics(robot, parameters=names, ordering="ancestor")
    state, h = (run.q, run.qd, run.tau), 1e-6
    J = f.jacobian("parameters")(*state, p)
    expected = np.stack([(f(*state, p + h * e) - f(*state, p - h * e)) / (2 * h) for e in np.eye(len(p))], -1)
    np.testing.assert_allclose(J, expected, atol=1e-6 * np.abs(expected).max())


@pytest.mark.suite
def test_positions_of_independent_joints_close_the_other_robot():
    robot, names, p, other = lengthened("four_bar_linkage")
    options = {"coordinates": "independent", "positions": "independent", "parameters": names}
    (q, *_), y = closed_states(other, 1), [robot.q_slices[joint].start for joint in robot.independent_joints]
    guess = q + 0.02
    closed = sg.closed_positions(robot, parameters=names)
    np.testing.assert_allclose(closed(q[y], p, guess), q, atol=1e-10)
    M = sg.mass_matrix(robot, **options)
    expected = sg.mass_matrix(other, coordinates="independent")(q)
    np.testing.assert_allclose(M(q[y], p, guess), expected, atol=1e-9)
    for f in (closed, M):
        J, h = f.jacobian("parameters")(q[y], p, guess), 1e-6
        near = [(f(q[y], p + h * e, guess) - f(q[y], p - h * e, guess)) / (2 * h) for e in np.eye(len(p))[IN_PLANE]]
        np.testing.assert_allclose(J[..., IN_PLANE], np.stack(near, -1), atol=1e-7 * max(1.0, np.abs(J).max()))
    at, by = closed.jacobian("q", "parameters")(q[y], p, guess)
    np.testing.assert_allclose(by, closed.jacobian("parameters")(q[y], p, guess), atol=1e-12 * np.abs(by).max())
    np.testing.assert_allclose(at, closed.jacobian("q")(q[y], p, guess), atol=1e-12 * np.abs(at).max())


def test_lengths_that_do_not_close_give_no_number():
    robot, names, p, _ = lengthened("four_bar_linkage")
    (q, *_), y = closed_states(robot, 1), [robot.q_slices[joint].start for joint in robot.independent_joints]
    closed = sg.closed_positions(robot, parameters=names)
    for far in (p + 0.3 * np.eye(12)[3], p + np.array([50.0, *np.zeros(11)])):  # out of the plane, too long
        with pytest.warns(RuntimeWarning, match="no closed position was found"):
            assert np.isnan(closed(q[y], far, q)).any()


def test_closed_positions_depend_on_no_mass_and_no_frame():
    robot = sg.load("four_bar_linkage")
    link = robot.links[1].name
    with pytest.raises(sg.InputError, match="closed_positions does not depend on"):
        sg.closed_positions(robot, parameters=[f"{link}.mass"])


def test_frames_that_close_a_loop():
    robot = sg.load("four_bar_linkage")
    names = [f"{robot.loops[0].name}.{end}" for end in ("predecessor", "successor")]
    live = parameters_of(robot, names)
    values = [p.nominal(robot) + change for p, change in zip(live, 0.06 * np.eye(6)[:2], strict=True)]
    other, p = with_values(robot, dict(zip(live, values, strict=True))), np.concatenate(values)
    run, f = motion(other, 3), sg.forward_dynamics(robot, parameters=names, ordering="ancestor")
    size = np.abs(run.qdd).max()
    np.testing.assert_allclose(f(run.q, run.qd, run.tau, p), run.qdd, atol=1e-9 * size)
    y = [robot.q_slices[joint].start for joint in robot.independent_joints]
    found = sg.closed_positions(robot, parameters=names)(run.q[:, y], p, run.q + 0.01)
    np.testing.assert_allclose(found, run.q, atol=1e-10)
    start = sg.rollout(robot, time=0.01, parameters=dict(zip(names, values, strict=True)))
    assert np.abs(constraint_residual(other, start.q[0, -1])).max() < 1e-9
    for query in (sg.bias_forces, sg.mass_matrix, sg.center_of_mass):
        with pytest.raises(sg.InputError, match="not depend on"):
            query(robot, parameters=names)


def test_code_in_c_takes_lengths():
    robot, names, p, other = lengthened("four_bar_linkage")
    run, f = motion(other, 1), sg.forward_dynamics(robot, parameters=names)
    assert f"const {f.name}_parameters *parameters" in f.c_source()
    found = f.casadi(run.q[0], run.qd[0], run.tau[0], p)
    np.testing.assert_allclose(np.array(found).ravel(), run.qdd[0], atol=1e-9 * np.abs(run.qdd).max())
