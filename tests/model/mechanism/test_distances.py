"""Distances between the points of a body, by the numbers of these."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from screwgraph.model.mechanism.read_bodies import list_distances
from screwgraph.model.mechanism.read_spatial_bodies import _measure


@pytest.mark.parametrize(("count", "dimension"), [(2, 2), (4, 2), (3, 3), (4, 3)])
def test_they_are_those_of_all_pairs(count, dimension):
    shape = np.random.default_rng(0).normal(size=(count, dimension))
    found = list_distances(shape.tolist())
    names = [f"length{i}{j}" for i in range(1, count + 1) for j in range(i + 1, count + 1)]
    assert list(found) == names
    np.testing.assert_allclose(list(found.values()), pdist(shape), rtol=1e-14)


@pytest.mark.parametrize("kind", ["on a line", "in a plane", "in space"])
def test_lines_in_the_frame_of_a_body_keep_their_lengths_and_angles(kind):
    """The first is along x, the next one beside it is on the side of y."""
    rng = np.random.default_rng(1)
    directions = rng.normal(size=({"on a line": 1, "in a plane": 2, "in space": 3}[kind], 3))
    drawn = rng.normal(size=(5, len(directions))) @ directions
    found = np.array(_measure([tuple(way) for way in drawn.tolist()]))
    np.testing.assert_allclose(found @ found.T, drawn @ drawn.T, atol=1e-12)
    np.testing.assert_allclose(found[0], [np.linalg.norm(drawn[0]), 0.0, 0.0], atol=1e-12)
    assert kind == "on a line" or found[1, 1] > 0.0
    assert np.abs(found[:, len(directions) :]).max(initial=0.0) <= 1e-12
