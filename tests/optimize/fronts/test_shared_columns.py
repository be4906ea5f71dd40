"""Columns that four rows begin with, against those that sets of them say."""

import numpy as np

from screwgraph.optimize.fronts.shared_columns import count_shared_columns


def test_first_columns_are_counted_in_four_rows():
    rows = [[1, 2, 3, 4, 5], [1, 2, 3, 4, 6], [1, 2, 3, 4], [1, 2, 3, 4, 5, 7], [1, 2, 3, 9, 9], [8]]
    ends = np.cumsum([len(r) for r in rows])
    assert count_shared_columns(np.concatenate(rows), np.append(0, ends)[:-1], ends).tolist() == [4, 0, 0, 0, 0, 0]


def test_few_rows_share_nothing():
    for count in range(4):
        ends = 9 * np.arange(1, count + 1)
        assert not count_shared_columns(np.tile(np.arange(9), count), ends - 9, ends).any()
