"""Ranks and null spaces are relative to the largest singular value."""

from __future__ import annotations

import numpy as np
import pytest

from screwgraph.spatial import has_independent_rows, null_space


@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])
def test_what_is_small_beside_the_largest_counts_as_zero(scale):
    A = scale * np.diag([1.0, 1e-3, 1e-9])
    free = null_space(A, least=1e-6)
    np.testing.assert_allclose(np.abs(free), [[0.0], [0.0], [1.0]], atol=1e-15)
    assert null_space(A, rank=1).shape == (3, 2)
    assert has_independent_rows(A[:2], 1e-6)
    assert not has_independent_rows(A, 1e-6)


def test_matrices_without_rows_leave_everything_free():
    np.testing.assert_array_equal(null_space(np.zeros((0, 3))), np.eye(3))
    assert null_space(np.zeros((2, 3))).shape == (3, 3)
    assert has_independent_rows(np.zeros((0, 3)), 1e-6)
    assert not has_independent_rows(np.ones((2, 1)), 1e-6), "there are more rows than columns"
