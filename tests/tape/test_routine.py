"""Code with loops does with numbers, without loops, and in machine code, of one state and of many, what NumPy does."""

import numpy as np
import pytest

from screwgraph.compiler.backends.llvm.gufunc import compile_gufunc
from screwgraph.compiler.cache import pack_code, unpack_code
from screwgraph.tape import Block, Loop, Program, Routine, StageLoop, When
from screwgraph.tape.parts import SIX, Copies, Fill, Products, Recursion, Span, find_spans, work_size

N = 11
PARENTS = (-1, 0, 1, 1, 3, 4, 2, 6, 7, 5, -1)
"""A tree with branches, and a second one."""


def carriers(i):
    """The coordinates between one and the base."""
    return [] if PARENTS[i] < 0 else [*carriers(PARENTS[i]), PARENTS[i]]


def routine(inputs, parts, count, scratch):
    """Return code with results first in memory, then inputs, then scratch."""
    given = range(count, count + len(inputs))
    return Routine(inputs, given, range(count), given.stop + scratch, parts)


def products():
    """Pairs of a row and the columns that carry it, the others zero."""
    own = tuple(span for i in range(N) for span in find_spans(i, [*carriers(i), i]))
    inputs = tuple(f"x{i}" for i in range(2 * SIX * N))
    start = N * N
    return routine(inputs, (Fill(0, N * N), Products(SIX, start, start + SIX * N, N, 0, N, own)), N * N, 0)


def recursion(columns, negative):
    """The recursion on S, U / D, 1 / D, and right-hand sides, all inputs."""
    count, size = N * columns, N * (2 * SIX + 1) + N * columns
    inputs = tuple(f"x{i}" for i in range(size))
    right = count + N * (2 * SIX + 1)
    copies = Copies(tuple(range(right, right + count)), tuple(range(count)))
    places = (count, count + SIX * N, count + 2 * SIX * N)
    work = count + size
    return routine(inputs, (copies, Recursion(N, PARENTS, *places, 0, columns, work, negative)), count, work_size(N))


def articulated(rng):
    """Random bodies on screw axes, all seen from one point: M, S, U / D, 1 / D."""
    S = rng.normal(size=(N, SIX))
    own = np.array([A @ A.T + np.eye(SIX) for A in rng.normal(size=(N, SIX, SIX))])
    J = [np.array([S[j] * (j == i or j in carriers(i)) for j in range(N)]) for i in range(N)]
    M = sum(J[i] @ own[i] @ J[i].T for i in range(N))
    inertias, W, pivots = own.copy(), np.zeros((N, SIX)), np.zeros(N)
    for i in reversed(range(N)):
        U = inertias[i] @ S[i]
        pivots[i] = 1.0 / (S[i] @ U)
        W[i] = U * pivots[i]
        if PARENTS[i] >= 0:
            inertias[PARENTS[i]] += inertias[i] - np.outer(W[i], U)
    return M, S, W, pivots


def machine_code(code, dtype="float64"):
    """The code as a gufunc of one vector."""
    size = len(code.input_names)
    return compile_gufunc("code", code, [((size,), code.input_names)], [(len(code.outputs),)], dtype)


def same_everywhere(code, x, expected, tolerance):
    """Compare numbers, code without loops, and machine code of one and of many states."""
    f = machine_code(code)
    many = np.array([x, 2.0 * x, *rng_states(len(x))])
    found = [
        code.evaluate(list(x)),
        code.unrolled.evaluate(list(x)),
        f(x),
        f(many)[0],
        f(many[:, ::-1].copy()[:, ::-1])[0],
    ]
    for answer in found:
        np.testing.assert_allclose(answer, expected, rtol=tolerance, atol=tolerance)
    for row, state in zip(f(many), many, strict=True):
        np.testing.assert_allclose(row, f(state), rtol=1e-9, atol=1e-9)


def rng_states(size):
    return np.random.default_rng(1).uniform(0.5, 1.0, (7, size))


def test_products_are_those_of_pairs_that_meet():
    x = np.random.default_rng(0).normal(size=2 * SIX * N)
    left, right = x.reshape(2, SIX, N)
    meets = np.array([[j == i or j in carriers(i) for j in range(N)] for i in range(N)])
    same_everywhere(products(), x, np.where(meets, left.T @ right, 0.0).ravel(), 1e-13)


@pytest.mark.parametrize(("columns", "negative"), [(1, False), (3, True), (N, False), (40, False)])
def test_recursions_solve_with_the_mass_matrix(columns, negative):
    M, S, W, pivots = articulated(np.random.default_rng(2))
    B = np.random.default_rng(3).normal(size=(N, columns))
    x = np.concatenate([S.T.ravel(), W.T.ravel(), pivots, B.ravel()])
    expected = np.linalg.solve(M, -B if negative else B)
    same_everywhere(recursion(columns, negative), x, expected.ravel(), 1e-9)


def test_single_precision():
    x = np.random.default_rng(0).normal(size=2 * SIX * N)
    np.testing.assert_allclose(
        machine_code(products(), "float32")(x.astype("f")), products().evaluate(list(x)), atol=1e-4
    )


def test_operations_are_counted_as_often_as_they_are_done():
    code = products()
    pairs = sum(len(carriers(i)) + 1 for i in range(N))
    assert (code.operations["*"], code.operations["+"]) == (6 * pairs, 5 * pairs)
    assert recursion(3, negative=False).operations["*"] == (4 * SIX + 1) * 3 * N


def test_what_numbers_decide_counts_once_in_loops_over_stages():
    product = Program(("a", "b"), (("input", 0), ("input", 1), ("mul", 0, 1)), (2,))
    always = Block("product", product, (0, 1), (2,))
    stages = StageLoop(5, (always, When(3, (always, StageLoop(7, (always,), ()))), Loop(3, (always,))), ())
    assert stages.operations["*"] == 5 * 2 + 1 + 7  # a loop's first passage is always done
    assert StageLoop(2, (stages,), ()).operations["*"] == 2 * (5 * 2) + 1 + 7
    assert stages.optional["*"] == 1 + 7
    assert not always.optional.total


def test_code_comes_back_from_bytes():
    product = Program(("a", "b"), (("input", 0), ("input", 1), ("mul", 0, 1)), (2, 1.5))
    straight = Block("product", product, range(2, 4), range(4, 6))
    code = routine(("x", "y"), (straight, Copies((4, 5), (0, 1))), 2, 2)
    assert unpack_code(pack_code(code)) == code
    assert unpack_code(pack_code(recursion(2, negative=True))) == recursion(2, negative=True)
    assert code.evaluate([3.0, 4.0]) == [12.0, 1.5]


def test_stretches_are_neighbours():
    assert find_spans(4, [7, 2, 3, 9, 8]) == [Span(4, 2, 2), Span(4, 7, 3)]
    assert list(Span(4, 7, 3).columns) == [7, 8, 9]
