"""Polynomials of steps in Bernstein's basis: their coefficients bound them, and they are what they should be."""

from __future__ import annotations

import numpy as np
import pytest

from screwgraph.motion.planning.collocation import COLLOCATIONS
from screwgraph.motion.planning.limits.bernstein import UNTIED, evaluate_bernstein, make_piece
from screwgraph.spatial.manifolds import Vector

H = 0.3
"""Length of the step (s)."""


@pytest.mark.parametrize("kind", ["q", "qd"])
def test_steps_without_dynamics_are_cubics_through_positions_and_velocities(kind):
    cubic = np.polynomial.Polynomial(np.random.default_rng(0).standard_normal(4))
    motion = {"q": cubic, "qd": cubic.deriv()}
    piece = make_piece(UNTIED, kind)
    ends = zip(piece.arguments, piece.powers, strict=True)
    values = [motion[family](node * H) * H**power for (family, node), power in ends]
    coefficients = np.array(piece.weights) @ values
    s = np.linspace(0.0, 1.0, 7)
    found = evaluate_bernstein(len(coefficients) - 1, s) @ coefficients
    np.testing.assert_allclose(found, motion[kind](s * H), rtol=1e-12, atol=1e-12)
    assert coefficients.min() - 1e-12 <= found.min()
    assert found.max() <= coefficients.max() + 1e-12


@pytest.mark.parametrize("name", sorted(COLLOCATIONS.keys() - {"none"}))
def test_steps_of_rules_go_through_the_points_that_obey_these(name):
    rule, rng = COLLOCATIONS[name], np.random.default_rng(1)
    a, nodes = rng.normal(size=len(rule.nodes)), np.array(rule.nodes)
    v = np.array(rule.velocities(0.3, a, H))
    q = 0.4 + np.array([0.0, *rule.steps(Vector(1), v, a, H)])
    values = {"q": q, "qd": v, "qdd": a}
    for kind, at in (("q", range(len(nodes))), ("qd", range(len(nodes))), ("qdd", rule.accelerated)):
        piece = make_piece(rule, kind)
        ends = zip(piece.arguments, piece.powers, strict=True)
        given = [values[family][node] * H**power for (family, node), power in ends]
        found = evaluate_bernstein(piece.degree, nodes[list(at)]) @ (np.array(piece.weights) @ given)
        np.testing.assert_allclose(found, values[kind][list(at)], atol=1e-11, err_msg=kind)
