"""Kernels are the same in Python and as machine code."""

from __future__ import annotations

import ctypes
from math import sqrt
from typing import Any

import numpy as np
import pytest
from numpy import maximum, minimum

from screwgraph.compiler.backends.llvm.gufunc import compile_gufunc
from screwgraph.compiler.kernels import (
    Bundle,
    Ints,
    Reals,
    Record,
    Table,
    as_python,
    call_loop,
    compile_kernels,
    entries,
    loop_address,
    new_table,
    offset_of,
    tail,
)
from screwgraph.optimize.fronts.front_cholesky import DENSE, factor_front
from screwgraph.tape import Tape, program

STEP = 3


def collatz(n: int, room: Ints) -> int:
    """Count the steps to one, and keep the odd numbers on the way."""
    count = 0
    kept = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            room[kept] = n
            kept = kept + 1
            n = STEP * n + 1
        count += 1
        if count > 1000 or n < 1:
            break
    return count


def norm(x: Reals, n: int) -> float:
    """Return the length of a vector, of which negative numbers do not count."""
    total = 0.0
    for i in range(n - 1, -1, -1):
        if not x[i] >= 0.0:
            continue
        total = total + x[i] * x[i]
    return sqrt(total) + float(n) - abs(-float(n))


def inner(x: Reals, n: int) -> float:
    """Return the length of a vector without its first entry."""
    return norm(tail(x, 1), n - 1)


def wrong(n: int) -> int:
    """Mix kinds."""
    return n + 1.0  # pyright: ignore[reportReturnType]


def test_loops_and_branches():
    f = compile_kernels((collatz, norm, inner)).functions
    rng = np.random.default_rng(0)
    here, there = np.zeros((2, 100), dtype=np.int64)
    for n in (1, 7, 27):
        assert f["collatz"](n, here.ctypes.data) == collatz(n, there)
        assert (here == there).all()
    x = rng.standard_normal(50)
    assert f["inner"](x.ctypes.data, 50) == pytest.approx(inner(x, 50), rel=1e-14)


class Cell(Record):
    """A number of a list."""

    next: int
    weight: float
    powers: Reals = entries(3)


class Chain(Record):
    """A list and what is free."""

    first: int
    free: int
    counts: Ints = entries(2)


class Lists(Bundle):
    """Cells and the list that they are in."""

    cells: Table[Cell]
    chain: Chain
    sums: Reals


def push(cells: Table[Cell], chain: Chain, weight: float) -> int:
    """Put a number before the others; return where it stands."""
    c = chain.free
    chain.free += 1
    cell = cells[c]
    cell.next = chain.first
    cell.weight = weight
    powers = cell.powers
    powers[0] = 1.0
    powers[1] = weight
    cell.powers[2] = weight * weight
    chain.first = c
    if weight > 0.0:
        chain.counts[1] = chain.counts[1] + 1
    else:
        chain.counts[0] = chain.counts[0] + 1
    return c


def total(lists: Lists, k: int) -> float:
    """Return the sum of powers of all numbers of the list."""
    c = lists.chain.first
    found = 0.0
    while c >= 0:
        found += lists.cells[c].powers[k]
        c = lists.cells[c].next
    return found


def fill(lists: Lists, numbers: Reals, n: int) -> int:
    """Put numbers into the list, and sums of their powers beside; return where the last one stands."""
    last = -1
    for i in range(n):
        last = push(lists.cells, lists.chain, numbers[i])
    for k in range(3):
        lists.sums[k] = total(lists, k)
    return last


def test_records_tables_and_bundles():
    numbers = np.array([0.5, -2.0, 3.0, 0.25])
    code = compile_kernels((push, total, fill)).functions
    found = []
    for compiled in (False, True):
        lists: Any = Lists(cells=new_table(Cell, 6), chain=new_table(Chain, 1), sums=np.zeros(3))
        lists.chain["first"] = -1
        if compiled:
            assert code["fill"](*lists.addresses, numbers.ctypes.data, 4) == 3
        else:
            rows = Lists(cells=as_python(lists.cells), chain=as_python(lists.chain)[0], sums=lists.sums)
            assert fill(rows, numbers, 4) == 3
        found.append(lists)
    python, machine = found
    assert (python.cells == machine.cells).all()
    assert (python.chain == machine.chain).all()
    assert machine.chain["counts"].tolist() == [[1, 3]]
    assert machine.cells["next"][:4].tolist() == [-1, 0, 1, 2]
    for sums in (python.sums, machine.sums):
        assert sums == pytest.approx([(numbers**k).sum() for k in range(3)], rel=1e-15)


def test_fields_stand_one_after_the_other():
    assert [offset_of(Cell, name) for name in ("next", "weight", "powers")] == [0, 1, 2]
    assert Cell.dtype.itemsize == 5 * 8


def no_field(cell: Cell) -> int:
    """Name what a record does not have."""
    return cell.weights  # pyright: ignore[reportAttributeAccessIssue]


def no_array(lists: Lists) -> None:
    """Assign to an array as a whole."""
    lists.sums = lists.sums


def real_into_integer(cell: Cell) -> None:
    """Assign a double to an integer."""
    cell.next = cell.weight  # pyright: ignore[reportAttributeAccessIssue]


def no_kind(cells: list[int]) -> int:
    """Take what kernels do not know."""
    return cells[0]


def untold(x) -> int:
    """Do not tell the kind of an argument."""
    return x


@pytest.mark.parametrize(
    ("kernel", "why"),
    [
        (no_field, r"no_field: cell\.weights is no entry of an array, nor a field"),
        (no_array, r"no_array: .* does not fit|no entry of an array"),
        (real_into_integer, r"double does not fit cell\.next"),
        (no_kind, r"no_kind: list\[int\] is no kind of argument"),
        (untold, "untold: an argument without annotation is no kind of argument"),
    ],
)
def test_what_kernels_may_not_say(kernel, why):
    with pytest.raises(SyntaxError, match=why):
        compile_kernels((kernel,))


def test_a_field_may_not_hide_an_attribute_of_arrays():
    with pytest.raises(TypeError, match=r"Hidden\.data"):
        type("Hidden", (Record,), {"__annotations__": {"data": "int"}})


def test_kinds_are_not_mixed():
    with pytest.raises(SyntaxError, match="i64 and double"):
        compile_kernels((wrong,))


@pytest.mark.parametrize(("f", "M"), [(3, 3), (4, 9), (7, 12), (1, 2), (9, 9)])
def test_fronts_are_factored(f, M):
    rng = np.random.default_rng(M)
    A = rng.standard_normal((M, M))
    H, g = A @ A.T + np.eye(M), rng.standard_normal(M)
    front = np.vstack([H, g]).T.copy().ravel()
    plain = front.copy()
    code = compile_kernels(DENSE).functions["factor_front"]
    assert code(front.ctypes.data, f, M, 1e-15) == factor_front(plain, f, M, 1e-15) == -1
    assert np.abs(front - plain).max() < 1e-12
    L = np.linalg.cholesky(H)
    columns = front.reshape(M, M + 1)
    assert np.abs(np.tril(columns[:f, :M].T) - L[:, :f]).max() < 1e-12
    rest = H[f:, f:] - L[f:, :f] @ L[f:, :f].T
    assert np.abs(np.tril(columns[f:, f:M].T - rest)).max(initial=0.0) < 1e-12


def through(loop: Ints, operands: Ints, counts: Ints, steps: Ints) -> None:
    """Call the loop of a gufunc."""
    call_loop(loop, operands, counts, steps)


def test_the_loop_of_a_gufunc_is_called_on_operands_by_their_addresses():
    tape = Tape(merge="form")
    x = tape.inputs("x", (2,))
    kernel = compile_gufunc("products", program(tape, [x[0] * x[1], x[0] + x[1]]), [((2,), ("x[0]", "x[1]"))], [(2,)])
    cell = loop_address(kernel)
    given = np.array([3.0, 5.0])
    address = np.ctypeslib.as_array((ctypes.c_int64 * 1).from_address(ctypes.addressof(cell)))
    for call in (through, compile_kernels((through,)).functions["through"]):
        found = np.zeros(2)
        numbers = ([given.ctypes.data, found.ctypes.data], [1], [0, 0, 8, 8])
        arrays = [address, *(np.array(n, dtype=np.int64) for n in numbers)]
        call(*(arrays if call is through else [a.ctypes.data for a in arrays]))
        assert (found == [15.0, 8.0]).all()


def test_bundles_without_one_of_their_arrays_are_refused():
    class Pair(Bundle):
        first: Reals
        second: Reals

    with pytest.raises(TypeError, match="Pair has first, second"):
        Pair(first=np.zeros(1))


def count_passes(n: int) -> int:
    """Leave the outer loops after the inner ones: each `break` and `continue` is of the loop around it."""
    total = 0
    while total < 1000:
        k = 0
        while k < 5:
            k += 1
            if k == 3:
                break
        total += k
        for i in range(n):
            if i == 2:
                break
            total = total + 10
        if total > 100:
            break
        if total > 50:
            continue
        total = total + 1
    return total


def span(x: Reals, n: int) -> float:
    """Return the largest number less the least one."""
    most = x[0]
    least = x[0]
    for i in range(n):
        most = maximum(most, x[i])
        least = minimum(least, x[i])
    return most - least


@pytest.mark.parametrize("size", [1, 7, 50])
def test_extremes_are_those_of_numpy_and_no_number_where_one_is_none(size):
    f = compile_kernels((span,)).functions["span"]
    x = np.random.default_rng(3).standard_normal(size)
    assert f(x.ctypes.data, size) == span(x, size) == x.max() - x.min()
    x[size // 2] = np.nan
    assert np.isnan(f(x.ctypes.data, size))
    assert np.isnan(span(x, size))


def test_loops_in_loops():
    f = compile_kernels((count_passes,)).functions["count_passes"]
    for n in range(5):
        assert f(n) == count_passes(n)
