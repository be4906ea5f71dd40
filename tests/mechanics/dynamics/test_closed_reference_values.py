"""Closed chains of `reference_values.json`: values from closed forms and other programs."""

from __future__ import annotations

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot import Joint, Link, Loop, Robot, tree
from screwgraph.model.robot.joints import Revolute
from screwgraph.spatial import SpatialInertia, from_xyz_rpy
from tests.reference import reference
from tests.robots import shared_file

Z = Revolute((0.0, 0.0, 1.0))


def rod(mass: float, centre: tuple[float, float], inertia: float) -> SpatialInertia:
    """A flat body; `inertia` is about its centre."""
    return SpatialInertia.of_body(mass, np.array([*centre, 0.0]), np.diag([0.0, 0.0, inertia]))


def at(x: float, y: float = 0.0) -> np.ndarray:
    return from_xyz_rpy(np.array([x, y, 0.0]), np.zeros(3))


def four_bar(bodies: list[SpatialInertia], lengths: tuple[float, float, float], ground: float, gravity: float) -> Robot:
    """A planar chain of three rods whose x axes run along them; its end is pinned to the ground at (ground, 0)."""
    crank, coupler, rocker = lengths
    links = [Link("ground"), *(Link(name, body) for name, body in zip("abc", bodies, strict=True))]
    joints = [Joint("q1", Z, "ground", "a"), Joint("q2", Z, "a", "b", at(crank)), Joint("q3", Z, "b", "c", at(coupler))]
    pin = Loop("pin", Z, "c", "ground", at(rocker), at(ground))
    return tree("four_bar", links, joints, gravity=(0.0, -gravity, 0.0), loops=[pin], independent=("q1",))


def test_a_square_four_bar_turns_as_its_closed_form_says():
    value = reference("parallelogram_four_bar")
    robot = four_bar([rod(1.0, (1.0, 0.0), 1.0)] * 3, (2.0, 2.0, 2.0), 2.0, 0.0)
    q = np.pi / 2 * np.array([1.0, -1.0, -1.0])
    assert np.abs(robot.close_loops(q) - q).max() < 1e-12
    qdd = sg.forward_dynamics(robot, ordering="embedding")(q, np.zeros(3), value["tau"][:3])
    np.testing.assert_allclose(qdd, value["qdd"][:3], rtol=value["tol"])
    assert -qdd.sum() == pytest.approx(value["qdd"][3], rel=value["tol"])  # the angle at the pin closes the sum


def test_a_general_four_bar_moves_as_two_programs_say():
    value = reference("general_four_bar")
    centres = ((0.2, 0.01), (0.55, -0.02), (0.7 - 0.3, 0.0))  # the rocker's is counted from the ground
    bodies = [rod(3.3, centre, 0.042673) for centre in centres]
    robot = four_bar(bodies, (0.5, 1.1, 0.7), 1.0, 9.81)
    crank, coupler, rocker = value["q"]
    q = robot.close_loops([crank, coupler, rocker + np.pi - crank - coupler])
    absolute = [q[0], q[1], q.sum() - np.pi]
    np.testing.assert_allclose(absolute, value["q"], rtol=value["tol"])
    tied = {"coordinates": "independent"}
    qdd = sg.forward_dynamics(robot, ordering="embedding", **tied)(q, [value["q1d"]], [value["tau1"]])
    np.testing.assert_allclose(qdd, value["qdd"][:1], rtol=value["tol"])
    np.testing.assert_allclose(sg.mass_matrix(robot, **tied)(q), [[value["H"]]], rtol=value["tol"])
    np.testing.assert_allclose(
        sg.bias_forces(robot, ordering="embedding", **tied)(q, [value["q1d"]]), [value["C"]], rtol=value["tol"]
    )
    inverse = value["inverse"]
    tau = sg.inverse_dynamics(robot, ordering="embedding", **tied)(q, [value["q1d"]], [inverse["q1dd"]])
    np.testing.assert_allclose(tau, [inverse["tau1"]], rtol=value["tol"])
    velocity = robot.complete_velocity(q, [value["q1d"]])
    spanning = sg.forward_dynamics(robot, ordering="embedding")(q, velocity, [value["tau1"], 0.0, 0.0])
    np.testing.assert_allclose([*spanning[:2], spanning.sum()], value["qdd"], rtol=value["tol"])


def swinging_four_bar() -> Robot:
    """A crank from (0, 0), a coupler and a rocker to (4, 0), of 1, 2 and 4 kg."""
    lengths = (1.0, 2.0, float(np.hypot(3.0, 2.0)))
    bodies = [rod(m, (L / 2, 0.0), m * L**2 / 12) for m, L in zip((1.0, 2.0, 4.0), lengths, strict=True)]
    return four_bar(bodies, lengths, 4.0, 9.81)


def start_of(robot: Robot) -> np.ndarray:
    """Return the position with the crank along x and the coupler upwards."""
    return robot.close_loops([0.0, np.pi / 2, np.arctan2(-2.0, 3.0) - np.pi / 2])


def test_a_four_bar_falls_as_its_minimal_equation_says():
    value = reference("four_bar_free_motion")
    robot = swinging_four_bar()
    q = start_of(robot)
    qdd = sg.forward_dynamics(robot, coordinates="independent", ordering="embedding")(q, [0.0], [0.0])
    assert qdd[0] == pytest.approx(value["initial_theta_ddot"], rel=1e-11)
    run = sg.simulate(robot, q, time=5.0, dt=1e-3)
    assert run.energy[0] == pytest.approx(value["energy"], rel=1e-12)
    for t, theta, rate, x1, y1, x2, y2 in value["rows"]:
        state, velocity = run.q[round(t * 1000)], run.qd[round(t * 1000)]
        first, second = state[0], state[0] + state[1]
        p1 = np.array([np.cos(first), np.sin(first)])
        p2 = p1 + 2.0 * np.array([np.cos(second), np.sin(second)])
        expected = [theta, rate, x1, y1, x2, y2]
        np.testing.assert_allclose([first, velocity[0], *p1, *p2], expected, rtol=value["tol"], atol=value["tol"])


def test_a_driven_four_bar_needs_the_torque_of_the_analytic_solution():
    value = reference("four_bar_inverse_dynamics")
    robot = swinging_four_bar()
    f = sg.inverse_dynamics(robot, coordinates="independent", ordering="embedding")
    for t, torque in value["rows"]:
        theta, rate, acceleration = 1.2 * (1 - np.cos(2 * t)), 2.4 * np.sin(2 * t), 4.8 * np.cos(2 * t)
        q = robot.complete([theta], branch=start_of(robot))
        assert f(q, [rate], [acceleration])[0] == pytest.approx(torque, rel=value["tol"])


@pytest.mark.parametrize("name", ["rotor_chain", "planar_leg_linkage"])
def test_files_move_as_two_programs_say(name):
    value = reference(name)
    robot = sg.load(str(shared_file(*value["model"].split("/"))), gravity=tuple(value["gravity"]))
    q = robot.complete(value["y"])
    ydd = sg.forward_dynamics(robot, coordinates="independent", ordering="embedding")(q, value["yd"], value["tau"])
    np.testing.assert_allclose(ydd, value["ydd"], rtol=value["tol"])
    other = value.get("inverse", value)
    tau = sg.inverse_dynamics(robot, coordinates="independent", ordering="embedding")(q, value["yd"], other["ydd"])
    np.testing.assert_allclose(tau, other["tau"], rtol=value["tol"])
    M = sg.mass_matrix(robot, coordinates="independent")(q)
    np.testing.assert_allclose(M, value.get("H", M), rtol=value["tol"])
