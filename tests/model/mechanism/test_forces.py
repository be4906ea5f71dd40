"""Forces of all influences against complex steps of their energies and powers."""

import numpy as np
import pytest

from screwgraph.base.errors import ModelError
from screwgraph.model.mechanism.equations import energies, forces, mass_matrix
from screwgraph.model.mechanism.read import read_mechanism

TEXT = b"""
gravity: [0.3, -9.81]
points:
  - {name: O, x: 0, y: 0, fixed: true}
  - {name: A, x: 0.5, y: 0.1}
  - {name: B, x: 1.1, y: 0.4}
bodies:
  - {name: one, points: [O, A], mass: 2, I0: 0.3, cog: [0.2, 0.1]}
  - {name: two, points: [A, B], mass: 1, I0: 0.2, cog: [0.3, -0.05]}
angles: [{angle: a, of: [O, A]}, {angle: b, of: [A, B], from: [O, A]}]
springs:
  - {spring: s, between: [O, B], stiffness: 30, rest: 0.8}
  - {spring: t, between: [A, B], stiffness: 5, rest: 0}
  - {spring: u, angle: b, stiffness: 3, rest: 0.1}
dampers: [{damper: d, between: [O, B], damping: 2}, {damper: e, angle: a, damping: 0.4}]
forces: [{force: F, at: B, value: [1, -2]}]
torques: [{torque: T, angle: b, value: 0.7}, {torque: U, body: two, value: -0.6}]
"""
STEP = 1e-30


@pytest.fixture(scope="module")
def state():
    model = read_mechanism(TEXT, "m.yaml")
    rng = np.random.default_rng(1)
    return model, model.home + 0.1 * rng.standard_normal(model.n), rng.standard_normal(model.n)


def test_forces_are_the_derivatives_of_energies_and_powers(state):
    model, q, qd = state
    steps = 1j * STEP * np.eye(model.n)
    pull = [energies(model, q + e, qd)[1].imag / STEP for e in steps]
    undamped = read_mechanism(
        TEXT.replace(b"damping: 2", b"damping: 0").replace(b"damping: 0.4", b"damping: 0"), "m.yaml"
    )
    push = [energies(undamped, q, qd + e)[2].imag / STEP for e in steps]
    both = [energies(model, q, qd + e)[2].imag / STEP for e in steps]
    drag = 0.5 * (np.array(push) - np.array(both))  # power is linear in qd, dissipation quadratic
    np.testing.assert_allclose(forces(model, q, qd), np.array(push) - drag - np.array(pull), rtol=1e-13, atol=1e-12)


def test_the_mass_matrix_is_the_second_derivative_of_the_kinetic_energy(state):
    model, q, qd = state
    momentum = [energies(model, q, qd + 1j * STEP * e)[0].imag / STEP for e in np.eye(model.n)]
    np.testing.assert_allclose(mass_matrix(model) @ qd, momentum, rtol=1e-13, atol=1e-14)


def test_friction_of_dampers_opposes_the_rate_of_an_angle_or_a_distance(state):
    """Virtual work: the force F tanh(rate / 0.01) along the rate; its power is not positive."""
    _, q, qd = state
    text = TEXT.replace(b"damping: 2}", b"damping: 2, friction: 0.9}").replace(b"g: 0.4}", b"g: 0.4, friction: 0.3}")
    rough, smooth = read_mechanism(text, "m.yaml"), read_mechanism(TEXT, "m.yaml")
    for rates in (qd, 5e-3 * qd):
        v, way, turn = rates[2:4], q[2:4] / np.linalg.norm(q[2:4]), rates[rough.index("a")]
        expected, opening = np.zeros(rough.n), way @ v
        expected[2:4] = -0.9 * np.tanh(opening / 0.01) * way
        expected[rough.index("a")] = -0.3 * np.tanh(turn / 0.01)
        found = np.array(forces(rough, q, rates)) - np.array(forces(smooth, q, rates))
        np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-12)
        power = energies(rough, q, rates)[2] - energies(smooth, q, rates)[2]
        assert power == pytest.approx(expected @ rates, rel=1e-10)
        assert power < 0.0


def test_negative_friction_is_refused_where_it_stands():
    with pytest.raises(ModelError, match=r"m\.yaml:15: the friction of damper 'e' is -1"):
        read_mechanism(TEXT.replace(b"damping: 0.4", b"damping: 0.4, friction: -1"), "m.yaml")
