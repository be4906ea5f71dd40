import numpy as np
import pytest

from screwgraph.optimize.manifold_code import difference_values, displacement_rates, retract_values
from screwgraph.spatial.manifolds import MANIFOLDS


@pytest.mark.parametrize("name", MANIFOLDS)
def test_many_values_move_as_single_ones_do(name):
    kind, rng = MANIFOLDS[name], np.random.default_rng(1)
    x, d = np.array([kind.random(rng) for _ in range(4)]), rng.normal(size=(4, kind.dim))
    np.testing.assert_allclose(
        retract_values(kind, x, d), [kind.retract(*pair) for pair in zip(x, d, strict=True)], rtol=0, atol=1e-14
    )


@pytest.mark.parametrize("name", MANIFOLDS)
def test_rates_and_differences_of_many_values_are_those_of_single_ones(name):
    kind, rng = MANIFOLDS[name], np.random.default_rng(2)
    x, d, v = np.array([kind.random(rng) for _ in range(4)]), *0.3 * rng.normal(size=(2, 4, kind.dim))
    expected = [kind.step_rate(*pair) for pair in zip(d, v, strict=True)]
    np.testing.assert_allclose(displacement_rates(kind, d, v), expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(difference_values(kind, x, retract_values(kind, x, d)), d, rtol=0, atol=1e-12)
