"""Newton's and Euler's equations of one body against their form in twists."""

from __future__ import annotations

import numpy as np
import pytest

from screwgraph.graph.linear_rows import Affine
from screwgraph.graph.newton_euler import momentum_rate
from screwgraph.graph.variable import Key
from screwgraph.spatial import SpatialInertia, skew


@pytest.mark.parametrize("products", [0.0, 1.0])
@pytest.mark.parametrize("is_affine", [False, True])
def test_wrenches_are_those_of_lynch_and_park(products, is_affine):
    """G dV/dt - [ad_V]' G V, equation (8.40), of numbers, and of accelerations that are unknown."""
    rng = np.random.default_rng(4)
    J = np.diag([0.9, 1.1, 1.6]) + products * np.array([[0.0, 0.1, -0.2], [0.1, 0.0, 0.15], [-0.2, 0.15, 0.0]])
    G = SpatialInertia.of_body(1.7, rng.normal(size=3) if products else np.zeros(3), J).matrix()
    V, rate = np.array([*rng.normal(size=3), 0.0, 0.0, 0.0]), rng.normal(size=6)
    ad = np.block([[skew(V[:3]), np.zeros((3, 3))], [skew(V[3:]), skew(V[:3])]]).astype(float)
    expected = G @ rate - ad.T @ G @ V
    if not is_affine:
        np.testing.assert_allclose(momentum_rate(G, V[:3], rate), expected, atol=1e-12)
        return
    columns = [(Key("acceleration", "body"), i) for i in range(6)]
    found = momentum_rate(G, V[:3], np.array([Affine({column: 1.0}, 0.0) for column in columns], dtype=object))
    values = [
        x.constant + sum(c * rate[columns.index(column)] for column, c in x.terms.items()) for x in found.tolist()
    ]
    np.testing.assert_allclose(values, expected, atol=1e-12)
