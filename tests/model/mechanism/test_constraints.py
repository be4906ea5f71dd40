"""Constraint templates: their derivatives against complex steps and against the closed forms that Blanco-Claraco et al.
(2021) prints.
"""

import casadi as ca
import numpy as np
import pytest

from screwgraph.model.mechanism.constraints import TEMPLATES, Constraint

RNG = np.random.default_rng(3)
CONSTANTS = {
    "constant_distance": {"length": 1.3},
    "body_point": {"along": 0.4, "across": -0.7},
    "fixed_slider": {"xa": 0.1, "ya": -0.2, "xb": 1.4, "yb": 0.9},
    "cosine_equation": {"length": 1.3},
    "sine_equation": {"length": 1.3},
    "gear": {"ratio": -2.5, "offset": 0.3},
    "scalar_product": {"product": 0.2},
    "body_line": {"along": 0.4, "beside": -0.7, "across": 0.3},
    "spatial_slider": {"length": 1.3},
    "angle_about": {"length": 1.3},
}
SIZES = {
    "constant_distance": 4,
    "body_point": 6,
    "fixed_slider": 2,
    "mobile_slider": 6,
    "absolute_angle": 5,
    "cosine_equation": 5,
    "sine_equation": 5,
    "relative_angle": 9,
    "gear": 2,
    "scalar_product": 12,
    "body_line": 18,
    "spatial_slider": 13,
    "angle_about": 19,
}


def value(name, q):
    return np.array(TEMPLATES[name](*q, **CONSTANTS.get(name, {})))


def derived(name):
    """Phi_q, its rate, Phi_qq qdd and (rate of Phi_q)_q qd, as CasADi derives them."""
    n = SIZES[name]
    q, qd, qdd = (ca.SX.sym(s, n) for s in ("q", "qd", "qdd"))
    phi = ca.vertcat(*TEMPLATES[name](*ca.vertsplit(q), **CONSTANTS.get(name, {})))
    J = ca.jacobian(phi, q)
    rate = ca.jacobian(J @ qd, q)
    second = ca.jacobian(J @ qdd, q)
    third = ca.jacobian(rate @ qd, q)
    f = ca.Function("f", [q, qd, qdd], [J, rate, second, third])
    return lambda *values: [np.array(x) for x in f(*values)]


@pytest.mark.parametrize("name", TEMPLATES)
def test_the_jacobian_of_every_template_is_its_complex_step(name):
    q, n = RNG.standard_normal(SIZES[name]), SIZES[name]
    J = derived(name)(q, np.zeros(n), np.zeros(n))[0]
    steps = [value(name, q + 1e-30j * e).imag / 1e-30 for e in np.eye(n)]
    np.testing.assert_allclose(J, np.stack(steps, axis=1), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("name", TEMPLATES)
def test_the_rate_of_every_jacobian_is_its_derivative_along_the_motion(name):
    n = SIZES[name]
    q, qd = RNG.standard_normal(n), RNG.standard_normal(n)
    f, h = derived(name), 1e-5
    ahead, behind = (f(q + s * h * qd, qd, qd)[0] for s in (1, -1))
    np.testing.assert_allclose(f(q, qd, qd)[1], (ahead - behind) / (2 * h), atol=1e-8)


def printed(name, q, qd, qdd):
    """Phi_q, its rate, Phi_qq qdd, (rate of Phi_q)_q qd as printed in appendix III of Blanco-Claraco et al. (2021)."""
    if name == "constant_distance":  # (41b), (41c), (41f), (41e)

        def row(v):
            xi, yi, xj, yj = v
            return [2 * (xi - xj), 2 * (yi - yj), 2 * (xj - xi), 2 * (yj - yi)]

        return row(q), row(qd), row(qdd), np.zeros(4)
    if name == "fixed_slider":  # (42b), (42c), (42d)
        c = CONSTANTS[name]
        return [-(c["yb"] - c["ya"]), c["xb"] - c["xa"]], np.zeros(2), np.zeros(2), np.zeros(2)
    if name == "mobile_slider":  # (43b), (43c), (43f), (43e); the fourth entry with x - x_j, as (43f) has it

        def row(v):
            x, y, xi, yi, xj, yj = v
            return [yi - yj, xj - xi, yj - y, x - xj, y - yi, xi - x]

        return row(q), row(qd), row(qdd), np.zeros(6)
    theta, rate, second, L = q[4], qd[4], qdd[4], CONSTANTS[name]["length"]
    s, c = L * np.sin(theta), L * np.cos(theta)
    if name == "cosine_equation":  # (44b), (44c), (44f), (44g)
        return [-1, 0, 1, 0, s], [0, 0, 0, 0, rate * c], [0, 0, 0, 0, second * c], [0, 0, 0, 0, -(rate**2) * s]
    return [0, -1, 0, 1, -c], [0, 0, 0, 0, rate * s], [0, 0, 0, 0, second * s], [0, 0, 0, 0, rate**2 * c]  # (45)


@pytest.mark.parametrize(
    "name", ["constant_distance", "fixed_slider", "mobile_slider", "cosine_equation", "sine_equation"]
)
def test_derivatives_are_those_that_the_paper_prints(name):
    q, qd, qdd = RNG.standard_normal((3, SIZES[name]))
    for ours, theirs in zip(derived(name)(q, qd, qdd), printed(name, q, qd, qdd), strict=True):
        np.testing.assert_allclose(ours[0], theirs, atol=1e-14)


def test_the_angle_never_degenerates_and_combines_the_equations_that_the_paper_switches_between():
    for theta in np.linspace(-4.0, 4.0, 17):
        L = 1.3
        q = np.array([0.2, -0.1, 0.2 + L * np.cos(theta), -0.1 + L * np.sin(theta), theta])
        J = derived("absolute_angle")(q, np.zeros(5), np.zeros(5))[0]
        assert value("absolute_angle", q) == pytest.approx(0.0, abs=1e-15)
        assert J[0, 4] == pytest.approx(-L)
        beside = q + 0.1 * RNG.standard_normal(5)
        both = np.cos(beside[4]) * value("sine_equation", beside) - np.sin(beside[4]) * value("cosine_equation", beside)
        np.testing.assert_allclose(value("absolute_angle", beside), both, atol=1e-15)


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_constraint_knows_its_derivatives_along_any_motion(name):
    n = SIZES[name]
    constraint = Constraint(TEMPLATES[name], name, tuple(range(n)), CONSTANTS.get(name, {}))
    q, qd, qdd = RNG.standard_normal((3, n))
    J, rate, *_ = derived(name)(q, qd, qdd)
    np.testing.assert_allclose(constraint.gradient(q), J, atol=1e-14)
    moving = constraint.derivatives_along(q, qd, qdd)
    assert len(moving) == constraint.rows
    np.testing.assert_allclose([x.value for x in moving], value(name, q), atol=1e-14)
    np.testing.assert_allclose([x.first for x in moving], J @ qd, atol=1e-13)
    np.testing.assert_allclose([x.second for x in moving], J @ qdd + rate @ qd, atol=1e-13)
