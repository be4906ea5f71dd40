"""Integration rules: their order, quadrature, and the forms in which factors have them."""

import numpy as np
import pytest

from screwgraph.motion.integration_rules import (
    HERMITE_SIMPSON,
    RADAU,
    RULES,
    TRAPEZOIDAL,
    ExplicitDefect,
    RateDefect,
    Rule,
    SimpsonVelocities,
    interpolate_step,
    simpson_positions,
    take_step,
)
from screwgraph.optimize import Vector
from screwgraph.spatial.exponential import exp3
from screwgraph.spatial.manifolds.so3 import SO3

SPACE = Vector(2)
W = np.array([1.0, 1.7])
COLLOCATIONS = [rule for rule in RULES.values() if list(rule.nodes) == sorted(set(rule.nodes))]


def motion(t):
    """Two oscillators, v' = -w^2 q, at times (N,)."""
    at = np.multiply.outer(t, W)
    return np.cos(at), -W * np.sin(at), -(W**2) * np.cos(at)


def points(rule, h, start=0.3):
    return list(zip(*motion(start + h * np.array(rule.nodes)), strict=True))


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_quadrature_weights_integrate_polynomials_below_the_order(rule):
    """Conditions of order: sum(b) = 1, sum(b c) = 1/2, ... Hairer, Norsett & Wanner (1993), (II.1.11)."""
    nodes = np.array(rule.nodes[: len(rule.weights)])
    for k in range(rule.order):
        assert np.dot(rule.weights, nodes**k) == pytest.approx(1.0 / (k + 1), abs=1e-15)


@pytest.mark.parametrize("name", ["trapezoidal", "radau", "radau_5", "hermite_simpson"])
def test_rows_of_all_points_integrate_polynomials_through_the_samples(name):
    """Conditions C(s) of s samples: sum_j a_ij c_j^(k-1) = c_i^k / k. Hairer & Wanner (1996), section IV.5."""
    rule, nodes = RULES[name], np.array(RULES[name].nodes)
    for k in range(1, len(rule.accelerated) + 1):
        powers = np.where(nodes > 0.0, nodes, k == 1) ** (k - 1)
        np.testing.assert_allclose(np.array(rule.velocity) @ powers, nodes[1:] ** k / k, atol=1e-15)


@pytest.mark.parametrize("rule", COLLOCATIONS, ids=lambda rule: rule.name)
def test_defects_of_a_motion_shrink_with_the_order_plus_one(rule):
    """At the end of the step; points inside may be of a lower order."""
    sizes = [np.abs(rule.defects(SPACE, points(rule, h), h)[-4:]).max() for h in (0.2, 0.1)]
    shrinking = np.log2(sizes[0] / sizes[1])
    assert shrinking > rule.order + 0.8


@pytest.mark.parametrize("rule", [r for r in RULES.values() if r.is_explicit], ids=lambda rule: rule.name)
def test_explicit_steps_err_by_the_order_plus_one(rule):
    errors = []
    for h in (0.1, 0.05):
        q, v, _ = motion(np.array([0.3, 0.3 + h]))
        found = take_step(rule, SPACE, lambda part, q, v: -(W**2) * q, h, q[0], v[0])
        errors.append(np.abs(np.array(found) - [q[1], v[1]]).max())
        r = ExplicitDefect(rule, SPACE, lambda q, v, force: -(W**2) * q)(q[0], found[0], v[0], found[1], dt=h)
        np.testing.assert_allclose(r, 0.0, atol=1e-15)
        later = ExplicitDefect(rule, SPACE, lambda q, v, force: -(W**2) * q)(
            q[0], found[0] + 0.1, v[0], found[1] + 0.2, dt=h
        )
        np.testing.assert_allclose(later, [0.1, 0.1, 0.2, 0.2], atol=1e-15)
    assert np.log2(errors[0] / errors[1]) > rule.order + 0.7


def test_only_explicit_rules_name_their_points_one_after_the_other():
    assert {name for name, rule in RULES.items() if rule.is_explicit} == {"euler", "semi_implicit", "rk4"}
    ahead = Rule("ahead", 1, (0.0, 0.5, 1.0), ((0.5, 0.0, 0.0), (1.0, 0.0, 0.0)), ((0.25, 0.0, 0.25), (1.0, 0.0, 0.0)))
    assert not ahead.is_explicit  # the second point moves by the velocity of the third


def test_compressed_hermite_simpson_is_the_rule_with_its_middle_eliminated():
    h = 0.1
    q, v, a = motion(np.array([0.3, 0.3 + h]))
    ends = (q[0], q[1], v[0], v[1], a[0], a[1])
    q_mid = (q[0] + q[1]) / 2 + h / 8 * (v[0] - v[1])
    v_mid = (v[0] + v[1]) / 2 + h / 8 * (a[0] - a[1])
    whole = HERMITE_SIMPSON.defects(SPACE, [(q[0], v[0], a[0]), (q_mid, v_mid, -(W**2) * q_mid), (q[1], v[1], a[1])], h)
    np.testing.assert_allclose(simpson_positions(*ends, dt=h), whole[4:6], atol=1e-16)
    velocities = SimpsonVelocities(lambda q, v, force: force - W**2 * q)
    np.testing.assert_allclose(velocities(*ends, dt=h), whole[6:], atol=1e-16)
    np.testing.assert_allclose(velocities(*ends, dt=h, force=1.0), whole[6:] - h * 4 / 6, atol=1e-15)


def test_compressed_hermite_simpson_on_rotations_about_one_axis_is_that_of_angles():
    """A pendulum's angle, as a number and as a rotation matrix."""
    h, angle, v, v1, a, a1 = 0.2, 0.4, 0.7, -0.3, -0.5, 0.9
    later = angle + h / 6 * (v + v1 + 4 * ((v + v1) / 2 + h / 8 * (a - a1)))
    of_angle = SimpsonVelocities(lambda q, v, force: -np.sin(q) - 0.1 * v)
    middle = later / 2 + angle / 2 + h / 8 * (v - v1)
    assert middle == pytest.approx(angle + h * (5 * v + 8 * ((v + v1) / 2 + h / 8 * (a - a1)) - v1) / 24)
    of_rotation = SimpsonVelocities(lambda R, v, force: np.array([0.0, 0.0, -R[1, 0]]) - 0.1 * v, SO3())
    axis = np.array([0.0, 0.0, 1.0])
    found = of_rotation(*(exp3(x * axis) for x in (angle, later)), *(x * axis for x in (v, v1, a, a1)), dt=h)
    expected = of_angle(*(np.array([x]) for x in (angle, later, v, v1, a, a1)), dt=h)
    np.testing.assert_allclose(found, expected * axis, atol=1e-14)


def test_the_trapezoidal_rule_of_one_vector():
    x = np.array([1.0, 2.0])
    assert RateDefect(TRAPEZOIDAL)(x, x + 1.0, 2.0, 4.0, dt=0.5) == pytest.approx(-0.5)


@pytest.mark.parametrize(("rule", "limit"), [(TRAPEZOIDAL, -1.0), (RADAU, 0.0), (HERMITE_SIMPSON, 1.0)])
def test_what_rules_do_to_stiff_motions(rule, limit):
    """Growth of v over a step of v' = z v / h as z goes to minus infinity: 0 is L-stable."""
    z = -1e9
    A = np.array(rule.velocity)
    inside = np.linalg.solve(np.eye(len(A)) - z * A[:, 1:], 1.0 + z * A[:, 0])
    assert inside[-1] == pytest.approx(limit, abs=1e-6)


@pytest.mark.parametrize("rule", COLLOCATIONS, ids=lambda rule: rule.name)
def test_motions_between_points_meet_them(rule):
    h = np.full((1, 1), 0.1)
    at = [tuple(x[None] for x in point) for point in points(rule, 0.1)]
    for i in (0, len(at) - 1):
        step, velocity = interpolate_step(rule, at, h, np.array([[rule.nodes[i]]]))
        expected = rule.steps(SPACE, *list(zip(*at, strict=True))[1:], 0.1)[-1] if i else 0.0
        exact = 1e-14 if not rule.curvature else 10.0 * 0.1 ** (rule.order + 1)  # integrals of accelerations
        np.testing.assert_allclose(step, expected, atol=exact)
        np.testing.assert_allclose(velocity, at[i][1], atol=exact)
