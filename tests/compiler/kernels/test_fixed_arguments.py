"""Kernels whose last arguments are fixed, against the kernels themselves."""

import numpy as np
import pytest

from screwgraph.compiler.kernels import Ints, Reals, address_of, compile_kernels, fix_arguments


def weigh(k: int, a: float, x: Reals, b: float, n: int) -> float:
    """Return a number that tells all arguments apart."""
    total = a
    for i in range(n):
        total = total * b + x[i] * float(k)
    return total


def count_down(to: Ints, first: int, n: int) -> None:
    """Write numbers in falling order."""
    for i in range(n):
        to[i] = first - i


def double(k: int) -> int:
    """Return twice a number."""
    return 2 * k


FUNCTIONS = compile_kernels((weigh, count_down, double)).functions


@pytest.mark.parametrize("fixed", range(6))
def test_results_are_those_of_all_arguments(fixed):
    x = np.array([0.5, -2.0, 3.0])
    given = (-3, 0.7, address_of(x), 1.3, 3)
    call = fix_arguments(FUNCTIONS["weigh"], *given[5 - fixed :])
    assert call(*given[: 5 - fixed]) == FUNCTIONS["weigh"](*given)
    assert FUNCTIONS["weigh"](*given) == pytest.approx(weigh(-3, 0.7, x, 1.3, 3))


def test_other_first_arguments_are_taken_at_each_call():
    to = np.zeros((2, 4), dtype=np.int64)
    call = fix_arguments(FUNCTIONS["count_down"], 4)
    assert call(address_of(to[0]), -5) is None
    call(address_of(to[1]), 9)
    assert to.tolist() == [[-5, -6, -7, -8], [9, 8, 7, 6]]


def test_large_negative_numbers_are_results():
    assert fix_arguments(FUNCTIONS["double"])(-(2**61)) == -(2**62)
