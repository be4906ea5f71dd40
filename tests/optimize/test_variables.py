"""Selections of unknowns."""

from __future__ import annotations

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.optimize import Variables, Vector


@pytest.mark.parametrize("indices", [[], [4], [2, 3, 4], [0, 3, 6], [1, 8], [6, 3, 0], [2, 2], [0, 1, 3]])
def test_a_selection_reads_what_it_names(indices):
    x = Variables("x", Vector(2), 9)
    values = np.arange(18.0).reshape(9, 2)
    where = x[np.array(indices, dtype=int)].of_array
    np.testing.assert_array_equal(values[where], values[indices] if indices else np.zeros((0, 2)))
    steps = np.diff(indices)
    assert isinstance(where, slice) == (len(indices) > 0 and bool((steps > 0).all()) and len(set(steps.tolist())) < 2)


@pytest.mark.parametrize("count", [0, -1, 2.0, "3", None])
def test_a_family_has_a_positive_count(count):
    with pytest.raises(sg.InputError, match=r"x: a family of .* unknowns"):
        Variables("x", Vector(2), count)


def test_a_family_has_a_name_and_a_manifold():
    with pytest.raises(sg.InputError, match="the name of variables"):
        Variables("", Vector(2))
    with pytest.raises(sg.InputError, match="x: expected a manifold"):
        Variables("x", Vector)  # pyright: ignore[reportArgumentType]
