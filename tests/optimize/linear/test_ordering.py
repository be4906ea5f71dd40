"""Orders of blocks of sparse matrices: bandwidths of graphs of which the least one is known."""

import numpy as np
import pytest
from scipy import sparse

from screwgraph.optimize.linear.ordering import list_orders


def make_graph(pairs, rng):
    """Return a symmetric pattern whose nodes have random numbers."""
    pairs = np.array(pairs)
    size = pairs.max() + 1
    number = rng.permutation(size)
    i, j = number[pairs].T
    ones = np.ones(len(pairs))
    return sparse.csr_array((np.tile(ones, 2), (np.append(i, j), np.append(j, i))), shape=(size, size))


def bandwidth(graph, order):
    place = np.argsort(order)
    i, j = graph.nonzero()
    return int(np.abs(place[i] - place[j]).max())


CHAIN = [(i, i + 1) for i in range(29)]
COMB = [*CHAIN, *((i, 30 + i) for i in range(30))]
"""A chain, each of whose nodes carries another one."""
LADDER = [*((2 * i + k, 2 * i + k + 2) for i in range(29) for k in (0, 1)), *((2 * i, 2 * i + 1) for i in range(30))]


@pytest.mark.parametrize(("pairs", "most"), [(CHAIN, 1), (COMB, 3), (LADDER, 3)], ids=["chain", "comb", "ladder"])
def test_blocks_between_two_ends_are_near_their_neighbours(pairs, most):
    """The least bandwidths are 1, 2 and 2."""
    for seed in range(5):
        graph = make_graph(pairs, np.random.default_rng(seed))
        orders = dict(list_orders(graph))
        assert all(sorted(order) == list(range(np.max(pairs) + 1)) for order in orders.values())
        assert bandwidth(graph, orders["distance from both ends"]) <= most


def test_parts_that_are_apart_stay_apart():
    graph = make_graph([*CHAIN, *((i + 30, j + 30) for i, j in COMB)], np.random.default_rng(0))
    order = dict(list_orders(graph))["distance from both ends"]
    labels = sparse.csgraph.connected_components(graph, directed=False)[1][order]
    assert np.abs(np.diff(labels)).sum() == 1
    assert bandwidth(graph, order) <= 3
