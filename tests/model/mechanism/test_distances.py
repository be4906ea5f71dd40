"""Distances between the points of a body, by the numbers of these."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from screwgraph.model.mechanism.read_bodies import list_distances


@pytest.mark.parametrize(("count", "dimension"), [(2, 2), (4, 2), (3, 3), (4, 3)])
def test_they_are_those_of_all_pairs(count, dimension):
    shape = np.random.default_rng(0).normal(size=(count, dimension))
    found = list_distances(shape.tolist())
    names = [f"length{i}{j}" for i in range(1, count + 1) for j in range(i + 1, count + 1)]
    assert list(found) == names
    np.testing.assert_allclose(list(found.values()), pdist(shape), rtol=1e-14)
