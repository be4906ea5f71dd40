"""Regressor and base parameters of planar mechanisms: torques of files with other numbers, a pendulum's closed form."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.mechanics.dynamics.mechanism_regressor import draw_motions, list_parameters
from screwgraph.model.mechanism.equations import constraint_derivatives

MOTORS = ("four_bar_angle", "slider_crank", "gear_train", "parallel_robot")
DAMPED = """
points: [{name: O, x: 0, y: 0, fixed: true}, {name: A, x: 1, y: 0}]
bodies: [{name: arm, points: [O, A], mass: 2, I0: 0.9, cog: [0.4, 0.1]}]
angles: [{angle: theta, of: [O, A]}]
dampers: [{damper: d, angle: theta, damping: 0.3}]
springs: [{spring: s, angle: theta, stiffness: 5, rest: 0.2}]
motors: [theta]
"""


def inertial_values(mechanism):
    return np.array([x for b in mechanism.bodies for x in (b.mass, b.mass * b.com[0], b.mass * b.com[1], b.inertia)])


def with_inertias(mechanism, pi):
    """Return the mechanism with other masses, centres of mass and moments of inertia."""
    bodies = []
    for body, (m, mx, my, inertia) in zip(mechanism.bodies, np.reshape(pi, (-1, 4)).tolist(), strict=True):
        bodies.append(replace(body, mass=m, com=(mx / m, my / m), inertia=inertia))
    return replace(mechanism, bodies=tuple(bodies), source=None)


@pytest.mark.parametrize("name", MOTORS)
def test_random_motions_keep_constraints(name):
    mechanism = sg.load(name)
    for q, qd, qdd in zip(*draw_motions(mechanism, 5, np.random.default_rng(0)), strict=True):
        rows = constraint_derivatives(mechanism, q, qd, qdd)
        size = 1.0 + np.abs(qd).max() ** 2 + np.abs(qdd).max()
        assert max(abs(float(x)) for row in rows for x in (row.value, row.first, row.second)) < 1e-8 * size


@pytest.mark.parametrize("name", MOTORS)
def test_torques_of_other_inertias_are_the_regressor_times_these(name):
    mechanism = sg.load(name)
    motion = draw_motions(mechanism, 8, np.random.default_rng(1))
    scale = np.random.default_rng(2).uniform(0.5, 2.0, (len(mechanism.bodies), 1)) * [1.0, 0.9, 0.8, 1.1]
    pi = inertial_values(mechanism) * scale.ravel()
    tau = sg.inverse_dynamics(with_inertias(mechanism, pi))(*motion)
    np.testing.assert_allclose(sg.regressor(mechanism)(*motion) @ pi, tau, rtol=1e-8, atol=1e-8 * np.abs(tau).max())


@pytest.mark.parametrize("name", MOTORS)
def test_what_base_parameters_do_not_show_changes_no_torque(name):
    mechanism = sg.load(name)
    base = sg.base_parameters(mechanism)
    assert 0 < base.rank < len(base.labels)
    pi = inertial_values(mechanism)
    _, _, rows = np.linalg.svd(base.map)
    hidden = rows[base.rank :].T @ np.random.default_rng(3).standard_normal(len(pi) - base.rank)
    other = pi + 0.1 * hidden / np.abs(hidden / np.maximum(pi, 1e-3)).max()
    np.testing.assert_allclose(base.map @ other, base.map @ pi, atol=1e-7 * np.abs(pi).max())
    motion = draw_motions(mechanism, 8, np.random.default_rng(4))
    tau, same = (sg.inverse_dynamics(with_inertias(mechanism, x))(*motion) for x in (pi, other))
    np.testing.assert_allclose(same, tau, atol=1e-6 * np.abs(tau).max())
    shown = pi.copy()
    shown[base.independent[-1]] += 0.1 * np.abs(pi).max()
    changed = sg.inverse_dynamics(with_inertias(mechanism, shown))(*motion)
    assert np.abs(changed - tau).max() > 1e-4 * np.abs(tau).max()


def test_a_pendulum_with_a_spring_in_closed_form():
    mechanism = sg.load(DAMPED)
    assert list(list_parameters(mechanism, None)) == [
        *("arm.m", "arm.mx", "arm.my", "arm.I0"),
        *("stiffness:s", "damping:d"),
    ]
    theta, w, a = np.random.default_rng(5).standard_normal((3, 7))
    c, s = np.cos(theta), np.sin(theta)
    q, qd = np.stack([c, s, theta], 1), np.stack([-s * w, c * w, w], 1)
    qdd = np.stack([-s * a - c * w**2, c * a - s * w**2, a], 1)
    zero = np.zeros(7)
    expected = np.stack([zero, 9.81 * c, -9.81 * s, a, theta - 0.2, w], 1)[:, None]
    np.testing.assert_allclose(sg.regressor(mechanism)(q, qd, qdd), expected, atol=1e-12)
    assert sg.base_parameters(mechanism).expressions == ("arm.mx", "arm.my", "arm.I0", "stiffness:s", "damping:d")
    some = sg.regressor(mechanism, parameters=["damping:d", "arm"])(q, qd, qdd)
    np.testing.assert_allclose(some, expected[..., [5, 0, 1, 2, 3]], atol=1e-12)


def test_live_numbers_may_be_zero_in_the_file():
    """A centre of mass beside the line has entries of the mass matrix that are zero for the file's numbers."""
    mechanism = sg.load("four_bar_angle")
    names = [f"{kind}:{body.name}" for body in mechanism.bodies for kind in ("mass", "cog_x", "cog_y", "I0")]
    f = sg.inverse_dynamics(mechanism, parameters=names)
    motion = draw_motions(mechanism, 4, np.random.default_rng(6))
    known = dict(mechanism.source.values)
    for change in (0.0, 0.3):
        values = [known[name] + change for name in names]
        own = sg.load_mechanism("four_bar_angle")
        bodies = [
            replace(body, mass=m, com=(x, y), inertia=i)
            for body, (m, x, y, i) in zip(own.bodies, np.reshape(values, (-1, 4)).tolist(), strict=True)
        ]
        expected = sg.inverse_dynamics(replace(own, bodies=tuple(bodies), source=None))(*motion)
        np.testing.assert_allclose(f(*motion, values), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (
            lambda: sg.regressor(sg.load("four_bar_angle"), parameters=["arm"]),
            "no body, damping, friction or stiffness",
        ),
        (lambda: sg.regressor(sg.load("four_bar")), "has no motors"),
        (lambda: sg.regressor(sg.load("four_bar_angle"), payload="crank"), "payload"),
        (lambda: sg.base_parameters(sg.load("four_bar_angle"), lengths=["crank"]), "no formulas of lengths"),
        (lambda: sg.regressor(replace(sg.load("four_bar_angle"), source=None)), "was not read from a file"),
    ],
)
def test_refusals_are_one_line(ask, message):
    with pytest.raises(sg.InputError, match=message) as caught:
        ask()
    assert "\n" not in str(caught.value)
