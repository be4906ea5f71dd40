"""Polynomials of steps in Bernstein's basis: their coefficients bound them, and they are what they should be."""

from __future__ import annotations

import numpy as np
import pytest

from screwgraph.motion.planning.limits.bernstein import UNTIED, evaluate_bernstein, make_piece

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
