"""Types of Eigen's that arrays have in C++."""

from __future__ import annotations

import pytest

from screwgraph.compiler.backends.cpp import eigen_type
from screwgraph.compiler.signature import Result


@pytest.mark.parametrize(
    ("shape", "expected"),
    [((), "Vector<1>"), ((7,), "Vector<7>"), ((4, 6), "Matrix<4, 6>"), ((3, 4, 5), "Matrix<12, 5>")],
)
def test_all_axes_but_the_last_are_rows(shape, expected):
    assert eigen_type(Result("x", shape)) == expected
