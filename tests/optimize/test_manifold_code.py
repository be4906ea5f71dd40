import numpy as np
import pytest

from screwgraph.optimize.manifold_code import moved
from screwgraph.spatial.manifolds import MANIFOLDS


@pytest.mark.parametrize("name", MANIFOLDS)
def test_many_values_move_as_single_ones_do(name):
    kind, rng = MANIFOLDS[name], np.random.default_rng(1)
    x, d = np.array([kind.random(rng) for _ in range(4)]), rng.normal(size=(4, kind.dim))
    np.testing.assert_allclose(
        moved(kind, x, d), [kind.retract(*pair) for pair in zip(x, d, strict=True)], rtol=0, atol=1e-14
    )
