"""Painleve's rod, whose friction has no answer for accelerations; a table on four feet, forces of which are many."""

import numpy as np
import pytest

import screwgraph as sg
from tests.motion.simulation.contacts.bodies import free_body
from tests.suites import in_suites

DT, G, HALF, MASS = 1e-3, 9.81, 0.5, 1.0
INERTIA = MASS * HALF * HALF / 3.0


@pytest.mark.parametrize(("friction", "jams"), [(0.3, False), (2.5, True)])
def test_a_rod_that_slides_into_the_ground(friction, jams):
    """At 60 degrees, mu > 4 / 3 times what geometry asks, no rigid motion keeps sliding: an impulse stops the tip.

    G_nn + mu G_tn < 0 then (Painleve, 1895); steps of impulses have an answer, which loses energy.
    """
    angle = np.radians(60.0)
    arm = HALF * np.array([np.cos(angle), 0.0, -np.sin(angle)])
    G_nn = 1.0 / MASS + arm[0] ** 2 / INERTIA
    G_tn = arm[0] * arm[2] / INERTIA
    assert (G_nn + friction * G_tn < 0.0) == jams
    tip = sg.Contact("body", at=tuple(arm), friction=friction, stiffness=np.inf)
    simulator = sg.Simulator(
        free_body(MASS, INERTIA), DT, [0, 0, -arm[2], 0, 0, 0, 1], [0, 0, 0, 2.0, 0, 0], contacts=[tip]
    )
    place = sg.forward_kinematics(simulator.model, "body")

    def tip_now() -> np.ndarray:
        return (np.asarray(place(simulator.q)) @ [*arm, 1.0])[:3]

    energy, before = np.inf, tip_now()
    for k in range(100):
        simulator.step()
        assert simulator.residual < 1e-9
        now, qd = tip_now(), simulator.qd
        kinetic = 0.5 * (MASS * qd[3:] @ qd[3:] + INERTIA * qd[:3] @ qd[:3]) + MASS * G * simulator.q[2]
        assert kinetic < energy + 1e-4
        assert now[2] > -1e-3
        speed, energy, before = (now[0] - before[0]) / DT, kinetic, now
        if k == 1:
            assert (abs(speed) < 1e-2) == jams


def planar_impulses(G: np.ndarray, b: np.ndarray, friction: float) -> list[np.ndarray]:
    """Return all impulses (normal, tangent) that obey the laws, of each mode: open, stick, slide either way."""
    found = [np.zeros(2)] if b[0] >= 0.0 else []
    x = -np.linalg.solve(G, b)
    if x[0] >= 0.0 and abs(x[1]) <= friction * x[0]:
        found.append(x)
    for way in (1.0, -1.0):
        cone = np.array([1.0, -way * friction])
        normal = -b[0] / (G[0] @ cone)
        if normal >= 0.0 and way * (normal * G[1] @ cone + b[1]) >= 0.0:
            found.append(normal * cone)
    return found


@pytest.mark.parametrize("friction", [0.3, 1.0, 2.5])
@pytest.mark.parametrize("degrees", [60, 50, 35])
def test_a_rod_has_the_impulses_that_trying_all_modes_has(degrees, friction):
    """In the plane, by hand: w = G x + b at the tip, in mid-step. With a friction of 2.5, all three jam."""
    arm = HALF * np.array([np.cos(np.radians(degrees)), 0.0, -np.sin(np.radians(degrees))])
    tip = sg.Contact("body", at=tuple(arm), friction=friction, stiffness=np.inf)
    simulator = sg.Simulator(
        free_body(MASS, INERTIA), DT, [0, 0, -arm[2], 0, 0, 0, 1], [0, 0, 0, 2.0, 0, 0], contacts=[tip]
    )
    for _ in range(60):
        (*_, z, _, y, _, w), omega = simulator.q, simulator.qd[1]
        angle = 2.0 * np.arctan2(y, w)
        c, s = np.cos(angle), np.sin(angle)
        vx, vz = c * simulator.qd[3] + s * simulator.qd[5], c * simulator.qd[5] - s * simulator.qd[3]
        rx, rz = c * arm[0] + s * arm[2], c * arm[2] - s * arm[0]
        J, gap = np.array([[0.0, 1.0, -rx], [1.0, 0.0, rz]]), z + rz
        b = J @ [vx, vz - DT * G, omega] - 0.5 * DT * omega**2 * np.array([rz, rx])
        b[0] += max(gap / DT, -0.5)
        wanted = planar_impulses(J @ np.diag([1.0 / MASS, 1.0 / MASS, 1.0 / INERTIA]) @ J.T, b, friction)
        simulator.step()
        impulse = DT * simulator.forces[0, [2, 0]]
        assert len(wanted) == 1
        np.testing.assert_allclose(impulse, wanted[0], atol=1e-11)


@pytest.mark.parametrize("copies", [1, in_suites(2)])
@pytest.mark.parametrize("stiffness", [1e6, np.inf])
def test_a_table_stands_on_four_feet(stiffness, copies):
    """Springs share its weight equally; rigid feet as it comes, in sum and in moments alike, and nothing moves."""
    feet = [sg.Contact("body", at=(x, y, -0.4), stiffness=stiffness) for x in (-0.3, 0.3) for y in (-0.2, 0.2)]
    contacts = copies * feet
    simulator = sg.Simulator(free_body(8.0, 0.4), DT, [0, 0, 0.4, 0, 0, 0, 1], contacts=contacts)
    simulator.step(steps=1000)
    assert np.abs(simulator.qd).max() < 1e-9
    forces = simulator.forces
    np.testing.assert_allclose(forces.sum(axis=0), [0.0, 0.0, 8.0 * G], atol=1e-6)
    places = np.array([contact.at for contact in contacts])
    np.testing.assert_allclose(np.cross(places, forces).sum(axis=0), 0.0, atol=1e-6)
    if stiffness < np.inf:
        np.testing.assert_allclose(forces[:, 2], 8.0 * G / len(contacts), rtol=1e-6)
