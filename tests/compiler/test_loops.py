"""Functions on arrays are the same in Python and as machine code."""

import ctypes
from math import sqrt

import numpy as np
import pytest

from screwgraph.compiler.backends.llvm.gufunc import gufunc, loop_of
from screwgraph.compiler.backends.llvm.loops import Ints, Reals, behind, called, compiled_loops
from screwgraph.optimize.incremental.dense import DENSE, factored_front
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
    return norm(behind(x, 1), n - 1)


def wrong(n: int) -> int:
    """Mix kinds."""
    return n + 1.0  # pyright: ignore[reportReturnType]


def test_loops_and_branches():
    f = compiled_loops((collatz, norm, inner)).functions
    rng = np.random.default_rng(0)
    here, there = np.zeros((2, 100), dtype=np.int64)
    for n in (1, 7, 27):
        assert f["collatz"](n, here.ctypes.data) == collatz(n, there)
        assert (here == there).all()
    x = rng.standard_normal(50)
    assert f["inner"](x.ctypes.data, 50) == pytest.approx(inner(x, 50), rel=1e-14)


def test_kinds_are_not_mixed():
    with pytest.raises(SyntaxError, match="i64 and double"):
        compiled_loops((wrong,))


@pytest.mark.parametrize(("f", "M"), [(3, 3), (4, 9), (7, 12), (1, 2), (9, 9)])
def test_fronts_are_factored(f, M):
    rng = np.random.default_rng(M)
    A = rng.standard_normal((M, M))
    H, g = A @ A.T + np.eye(M), rng.standard_normal(M)
    front = np.vstack([H, g]).T.copy().ravel()
    plain = front.copy()
    code = compiled_loops(DENSE).functions["factored_front"]
    assert code(front.ctypes.data, f, M, 1e-15) == factored_front(plain, f, M, 1e-15) == -1
    assert np.abs(front - plain).max() < 1e-12
    L = np.linalg.cholesky(H)
    columns = front.reshape(M, M + 1)
    assert np.abs(np.tril(columns[:f, :M].T) - L[:, :f]).max() < 1e-12
    rest = H[f:, f:] - L[f:, :f] @ L[f:, :f].T
    assert np.abs(np.tril(columns[f:, f:M].T - rest)).max(initial=0.0) < 1e-12


def through(loop: Ints, operands: Ints, counts: Ints, steps: Ints) -> None:
    """Call the loop of a gufunc."""
    called(loop, operands, counts, steps)


def test_the_loop_of_a_gufunc_is_called_on_operands_by_their_addresses():
    tape = Tape(merge="form")
    x = tape.inputs("x", (2,))
    kernel = gufunc("products", program(tape, [x[0] * x[1], x[0] + x[1]]), [((2,), ("x[0]", "x[1]"))], [(2,)])
    cell = loop_of(kernel)
    given = np.array([3.0, 5.0])
    address = np.ctypeslib.as_array((ctypes.c_int64 * 1).from_address(ctypes.addressof(cell)))
    for call in (through, compiled_loops((through,)).functions["through"]):
        found = np.zeros(2)
        numbers = ([given.ctypes.data, found.ctypes.data], [1], [0, 0, 8, 8])
        arrays = [address, *(np.array(n, dtype=np.int64) for n in numbers)]
        call(*(arrays if call is through else [a.ctypes.data for a in arrays]))
        assert (found == [15.0, 8.0]).all()
