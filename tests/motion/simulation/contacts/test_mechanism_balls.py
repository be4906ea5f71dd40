"""Balls about points of mechanisms, which turn with their bodies, and parameters that are inputs of steps."""

import numpy as np
import pytest

import screwgraph as sg

G, R, MASS, INERTIA = 9.81, 0.1, 2.0, 0.01
DISC = """
points: [{name: C, x: 0, y: 0.1}, {name: rim, x: 0.1, y: 0.1}]
bodies: [{name: disc, points: [C, rim], length: 0.1, mass: 2, cog: [0, 0], I0: 0.01}]
angles: [{angle: a, of: [C, rim]}]
contacts: [{contact: rim, at: C, radius: 0.1, friction: 0.3}]
"""
SLIDING = [1.0, 0.0, 1.0, 0.0, 0.0]


def velocity_of_rolling(disc: sg.Mechanism, dt: float) -> float:
    simulator = sg.Simulator(disc, dt, qd0=SLIDING, contacts="collisions")
    simulator.step(steps=round(0.5 / dt))
    x, turn = simulator.qd[0], simulator.qd[-1]
    assert x + turn * R == pytest.approx(0.0, abs=1e-4), "it rolls"
    np.testing.assert_allclose(simulator.forces, [[0.0, MASS * G, 0.0]], atol=MASS * G * (turn * dt) ** 2)
    return x


def test_a_disc_that_slides_comes_to_roll_at_two_thirds():
    """v = v0 / (1 + I / (m r^2)); chords of the rim differ from arcs by (turn of a step)^2 / 24, and so does v."""
    disc = sg.load_mechanism(DISC)
    errors = [abs(velocity_of_rolling(disc, dt) - 2 / 3) for dt in (4e-3, 2e-3)]
    assert errors[1] < 2 / 3 * (2 / 3 / R * 2e-3) ** 2
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.05)


def test_a_disc_rolls_down_a_slope():
    angle = np.arctan(0.3)
    up, down = np.array([np.sin(angle), np.cos(angle)]), np.array([np.cos(angle), -np.sin(angle)])
    start = R * np.array([*up, *up, 0.0]) + [0.0, 0.0, R, 0.0, 0.0]
    ground = sg.Plane((0.3, 1.0, 0.0))
    simulator = sg.Simulator(sg.load_mechanism(DISC), 1e-3, start, contacts="collisions", ground=ground)
    simulator.step(steps=500)
    speed = 0.5 * G * np.sin(angle) / 1.5
    turned = (speed / R * 1e-3) ** 2
    np.testing.assert_allclose(simulator.qd[:2], speed * down, atol=speed * turned)
    np.testing.assert_allclose(simulator.forces[0] @ [*up, 0.0], MASS * G * np.cos(angle), rtol=turned)


def test_a_wheel_that_is_driven_takes_the_torque_of_inertia_and_traction():
    """It accelerates by alpha r, and takes I alpha + m alpha r^2."""
    wheel, alpha = sg.load_mechanism(f"{DISC}driven: {{a: -2*t^2}}\n"), 4.0
    run = sg.simulate(wheel, time=0.5, dt=1e-3, contacts="collisions")
    assert run.qd[-1, 0] == pytest.approx(alpha * R * 0.5, rel=1e-8)
    expected = -(INERTIA + MASS * R * R) * alpha
    np.testing.assert_allclose(run.tau[5:-1, 0], expected, rtol=1e-3)
    wrench = run.external_wrenches["C"][-2]
    np.testing.assert_allclose(wrench[[2, 3, 4]], [MASS * alpha * R * R, MASS * alpha * R, MASS * G], rtol=1e-3)
    simulator = sg.Simulator(wheel, 1e-3, contacts="collisions")
    simulator.step(steps=100)
    assert simulator.driving_efforts[0] == pytest.approx(expected, rel=1e-3)


def test_masses_and_lengths_are_inputs():
    """Each motion of a batch is that of a file with its numbers; set_parameters goes on with others."""
    rod = """
parameters: {l: 1}
points: [{name: P, x: 0, y: 0.01}, {name: Q, x: 1, y: 0.02}]
bodies: [{name: rod, points: [P, Q], length: l, mass: 2, cog: [l/2, 0], I0: 2/3}]
contacts: [{contact: a, at: P, friction: 0.3}, {contact: b, at: Q, friction: 0.3, radius: 0.005}]
"""
    names, values = ("mass:rod", "l"), np.array([[2.0, 1.0], [2.2, 0.9]])
    start = sg.load_mechanism(rod)
    given = {name: column[:, None] for name, column in zip(names, values.T, strict=True)}
    runs = sg.rollout(start, time=0.2, dt=1e-3, contacts="collisions", parameters=given)
    for k, (mass, length) in enumerate(values):
        other = rod.replace("{l: 1}", f"{{l: {length}}}").replace("mass: 2", f"mass: {mass}")
        alone = sg.simulate(sg.load_mechanism(other), q0=runs.q[k, 0], time=0.2, dt=1e-3, contacts="collisions")
        np.testing.assert_allclose(runs.q[k, -1], alone.q[-1], atol=1e-9)
        assert np.linalg.norm(runs.q[k, -1, 2:] - runs.q[k, -1, :2]) == pytest.approx(length, abs=1e-9)
        assert runs.forces[k, 100:].any()
    simulator = sg.Simulator(start, 1e-3, contacts="collisions", parameters=["mass:rod"])
    simulator.step(steps=200)
    simulator.set_parameters({"mass:rod": 2.5})
    simulator.step(steps=200)
    np.testing.assert_allclose(simulator.forces[:, 1].sum(), 2.5 * G, rtol=1e-6)


def test_a_ball_has_one_body():
    pair = """
points: [{name: P, x: 0, y: 1}, {name: Q, x: 1, y: 1}, {name: S, x: 2, y: 1}]
bodies: [{name: left, points: [P, Q], length: 1, mass: 1, cog: [0.5, 0], I0: 1},
  {name: right, points: [Q, S], length: 1, mass: 1, cog: [0.5, 0], I0: 1}]
"""
    with pytest.raises(sg.InputError, match="'Q' turns with left or right"):
        sg.Simulator(sg.load_mechanism(pair), contacts=[sg.Contact("Q", 0.1)])
    with pytest.raises(sg.ModelError, match="radius of the contact of 'C'"):
        sg.Simulator(sg.load_mechanism(DISC.replace("radius: 0.1", "radius: -0.1")), contacts="collisions")
