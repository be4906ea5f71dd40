"""Mechanisms in space: against screws, against Newton's and Euler's equations, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.mechanics.mechanism import position_problem, velocity_problem
from tests.mechanics.mechanism.rigid_bodies import RigidBodies

RSSR_OF_SCREWS = """
name: rssr_of_screws
gravity: [0, 0, -9.81]
bodies:
  - {link: crank, joint: theta, axis: z, mass: 1, com: [0.2, 0, 0], inertia: [0.01, 0.02, 0.02]}
  - {link: coupler, parent: crank, joint: ball, type: universal, axis: z, axis2: y, at: [0.4, 0, 0], mass: 1.5,
     com: [0.75, 0, 0], inertia: [0, 0.28125, 0.28125]}
  - {link: rocker, parent: base, joint: phi, axis: x, at: [1, 0.8, 0], mass: 2, com: [0, 0, 0.45],
     inertia: [0.195, 0.195, 0.02]}
loops:
  - {loop: tip, type: spherical, predecessor: {link: coupler, at: [1.5, 0, 0]},
     successor: {link: rocker, at: [0, 0, 0.9]}}
independent: [theta]
"""
"""The inertias of the crank and the rocker about their centres: y of both bodies of the file is along their axes."""
RATE, TORQUE = 1.3, 2.0


def rssr_states(count=6):
    """Positions and velocities of the built-in linkage over a turn of its crank."""
    mechanism, found = sg.load_mechanism("rssr"), []
    q = mechanism.home
    for theta in np.linspace(0.1, 6.2, count):
        q = position_problem(mechanism, {"theta": theta}, q)
        found.append((q, velocity_problem(mechanism, q, {"theta": RATE})))
    return mechanism, [np.array(x) for x in zip(*found, strict=True)]


def screw_coordinates(q, qd):
    """Joint positions and velocities of the same state: the universal joint turns x to (c1 c2, s1 c2, -s2)."""
    found = []
    for x, v in zip(q, qd, strict=True):
        theta, (c, s) = x[12], (np.cos(x[12]), np.sin(x[12]))
        R, rod = np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]]), x[3:6] - x[:3]
        d = R @ rod / 1.5
        rate = R @ (v[3:6] - v[:3] - np.cross([0.0, 0.0, v[12]], rod)) / 1.5
        first, second = np.arctan2(d[1], d[0]), -np.arcsin(d[2])
        second_rate = -rate[2] / np.cos(second)
        first_rate = (rate[1] * np.cos(first) - rate[0] * np.sin(first)) / np.cos(second)
        found.append(([theta, first, second, x[13]], [v[12], first_rate, second_rate, v[13]]))
    return [np.array(x) for x in zip(*found, strict=True)]


def test_an_rssr_moves_as_the_closed_chain_of_screws():
    mechanism, (q, qd) = rssr_states()
    robot, (p, v) = sg.load(RSSR_OF_SCREWS), screw_coordinates(q, qd)
    qdd = sg.forward_dynamics(mechanism)(q, qd, np.full((len(q), 1), TORQUE))
    second = sg.forward_dynamics(robot)(p, v, np.tile([TORQUE, 0.0, 0.0, 0.0], (len(q), 1)))
    np.testing.assert_allclose(qdd[:, 12:], second[:, [0, 3]], atol=1e-10)
    np.testing.assert_allclose(sg.inverse_dynamics(mechanism)(q, qd, qdd), TORQUE, atol=1e-10)
    ours, theirs = (q, qd, qdd), (p, v, second)
    queries = {
        sg.center_of_mass: 1,
        sg.center_of_mass_acceleration: 3,
        sg.centroidal_momentum: 2,
        sg.centroidal_momentum_rate: 3,
        sg.kinetic_energy: 2,
        sg.potential_energy: 1,
    }
    for query, count in queries.items():
        np.testing.assert_allclose(query(mechanism)(*ours[:count]), query(robot)(*theirs[:count]), atol=1e-10)
    spin = sg.frame_velocity(mechanism, "crank")(q, qd)
    np.testing.assert_allclose(spin[:, :3], np.outer(np.full(len(q), RATE), [0.0, 1.0, 0.0]), atol=1e-12)


def test_an_rssr_obeys_newton_and_euler():
    mechanism, (q, qd) = rssr_states()
    qdd = sg.forward_dynamics(mechanism)(q, qd, np.full((len(q), 1), TORQUE))
    for x, v, a in zip(q, qd, qdd, strict=True):
        expected = RigidBodies(mechanism, x, v).accelerations([(0, len(mechanism.points), TORQUE)])
        np.testing.assert_allclose(a[:6], expected[1:3].ravel(), atol=1e-10)


def test_the_angles_of_an_rssr_obey_its_input_output_equation():
    """(1 - a cos)^2 + (e - a sin)^2 + b^2 - 2 (e - a sin) b sin(phi) = L^2, with axes at right angles."""
    _, (q, _) = rssr_states(12)
    a, b, L, e, theta, phi = 0.4, 0.9, 1.5, 0.8, q[:, 12], q[:, 13]
    across = e - a * np.sin(theta)
    left = (1.0 - a * np.cos(theta)) ** 2 + across**2 + b**2 - 2.0 * across * b * np.sin(phi)
    np.testing.assert_allclose(left, L**2, atol=1e-11)


@pytest.mark.parametrize(("method", "drift"), [("rk4", 1e-6), ("dop853", 1e-7)])
def test_an_rssr_keeps_its_energy(method, drift):
    run = sg.simulate(sg.load_mechanism("rssr"), time=1.0, dt=1e-3, method=method)
    assert run.energy_drift < drift
    assert run.violation.max() < 1e-11
