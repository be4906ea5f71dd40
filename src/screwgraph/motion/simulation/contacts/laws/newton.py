"""Newton's method for impulses that sweeps do not find: semi-smooth, with a proximal term, as code of loops.

A passage goes from x to x - S y, where y makes |A y - F|^2 + p |y|^2 least, A = F' S with columns of length 1
(Levenberg and Marquardt), F the velocities that are zero where laws hold (`ImpulseLaw.residual`). It is kept where |F|
falls, and p becomes less, else more. Qi & Sun (1993), "A nonsmooth version of Newton's method".

Rotations of rows (Givens) solve for y: A'A would have the square of A's condition, and impulses that jam two points of
links which hardly move against one another would be lost in its rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from screwgraph.motion.simulation.contacts.laws.laws import Numbers
from screwgraph.motion.simulation.contacts.laws.sweeps import ImpulseProblem, choose_vector, largest
from screwgraph.spatial import choose, maximum, sqrt
from screwgraph.tape import Memory, Number, Part, SettlingLoop, StageLoop, Window

MOST = 30
"""Passages at most."""
NEAR, LEAST, SMALL, LARGE = 1e-10, 1e-20, 1e-8, 1e4
"""The proximal term: at first, at least, at least where a passage was not kept, and where none is tried any more."""
LESS, MORE = 0.01, 100.0
"""Its factors."""
UNSOLVED = 100.0
"""How many times as large as the change that ends sweeps a residual is that is not left."""
FORCED = (1e-12, 1e-10, 1e-14, 1e-18)
"""Proximal terms of rounds whose first passage is kept whatever |F| is.

Where impulses hardly move the bodies, as of feet that press against one another, |F| grows before it falls.
"""
TERMS = (NEAR, *FORCED)
"""Proximal terms with which rounds begin."""
FAR = 1e30
"""More than any |F|^2."""
TINY = 1e-30
"""Square of the length of a column that has none."""
SIZES = ("slopes", "triangle", "lengths")
"""Vectors of the least squares of a step: rows of A beside F, the triangle that they are rotated into, S's diagonal."""
STATE = 5
"""Numbers of the state: whether to go on, passages, the proximal term, |F|^2, the largest of F (m/s) that is left."""

Problem = Callable[..., ImpulseProblem]


def begin_newton(
    square: Number, worst: Number, sweeps: Numbers, goes: Number, done: Number, terms: Sequence[float] = TERMS
) -> list[Number]:
    """Return the state with which passages begin after so many rounds, with |F|^2 and the largest of F (m/s).

    They go on where `goes` is not zero, and sweeps, of whose state this is, came to no end, or to a large residual.
    `terms` are the proximal ones of all rounds.
    """
    (_, _, smallest, _, change, _), proximal, is_forced = sweeps, terms[0], done > 0.5
    goes = choose(maximum(worst, UNSOLVED * change) > UNSOLVED * smallest, goes, 0.0)
    for round_, own in enumerate(terms[1:], start=1):
        proximal = choose(done > round_ - 0.5, own, proximal)
    return [goes, 0.0, proximal, choose(is_forced, FAR, square), choose(is_forced, FAR, worst)]


def add_newton(memory: Memory, names: Sequence[str], problem: Problem, rows: int) -> Part:
    """Return the loop; `names` are the problem's vectors, "x" and "newton" the impulses and the state of `STATE`."""
    for name, size in zip(SIZES, (rows * (rows + 1), rows * (rows + 1), rows), strict=True):
        memory.add(name, size)
    memory.alias("slope", memory.places(SIZES[0])[: rows + 1])

    def linearise(*vectors: Any) -> list[Number]:
        *own, x, state = vectors
        return linearise_residuals(problem(*own), list(x), state[2])

    def go(*vectors: Any) -> list[Number]:
        *own, triangle, lengths, sweeps, x, state = vectors
        return take_step(problem(*own), list(x), scale_step(triangle, lengths), list(state), sweeps[2])

    parts = (
        memory.block("linearise", [*names, "x", "newton"], SIZES, linearise),
        add_rotation(memory, rows),
        memory.block("go", [*names, "triangle", "lengths", "state", "x", "newton"], ["x", "newton"], go),
    )
    return SettlingLoop(memory.places("newton").start, parts)


def add_rotation(memory: Memory, rows: int) -> StageLoop:
    """Return the loop by which the rows in "slopes" are rotated into "triangle"."""
    row = memory.places("slope")
    rotate = memory.block("rotate", ["slope", "triangle"], ["triangle"], lambda a, T: rotate_row(_split(T, rows), a))
    return StageLoop(rows, (rotate,), (Window(row.start, len(row), len(row)),))


def scale_step(triangle: Any, lengths: Any) -> list[Number]:
    """Return the step S y of a triangle that is full, with the diagonal of S."""
    return [y * length for y, length in zip(substitute_back(_split(triangle, len(lengths))), lengths, strict=True)]


def _split(triangle: Any, rows: int) -> list[Any]:
    width = rows + 1
    return [triangle[i : i + width] for i in range(0, rows * width, width)]


def linearise_residuals(problem: ImpulseProblem, x: Numbers, proximal: Number) -> list[Number]:
    """Return rows of A beside F, then p^(1/2) 1 beside zeros, with which they are rotated, then the diagonal of S."""
    m = len(x)
    J, F = problem.slopes(x), problem.residuals(x)
    lengths = [1.0 / sqrt(maximum(sum(row.get(j, 0.0) * row.get(j, 0.0) for row in J), TINY)) for j in range(m)]
    A = [y for row, f in zip(J, F, strict=True) for y in (*(row.get(j, 0.0) * lengths[j] for j in range(m)), f)]
    share = sqrt(proximal)
    return [*A, *(share if i == j else 0.0 for i in range(m) for j in range(m + 1)), *lengths]


def rotate_row(triangle: Sequence[Sequence[Number]], row: Sequence[Number]) -> list[Number]:
    """Return an upper triangle (m, m + 1) with a right side after a row is rotated into it (Givens).

    Its diagonal is more than zero. Entries below it are left as they are.
    """
    left, found = list(row), list[Number]()
    for i, own in enumerate(triangle):
        size = sqrt(own[i] * own[i] + left[i] * left[i])
        inverse = 1.0 / size
        c, s = own[i] * inverse, left[i] * inverse
        rest = [(c * x + s * y, c * y - s * x) for x, y in zip(own[i + 1 :], left[i + 1 :], strict=True)]
        found += [*own[:i], size, *(x for x, _ in rest)]
        left[i + 1 :] = [y for _, y in rest]
    return found


def substitute_back(triangle: Sequence[Sequence[Number]]) -> list[Number]:
    """Return the solution of an upper triangle with a right side."""
    m = len(triangle)
    found: list[Number] = [0.0] * m
    for i in reversed(range(m)):
        known = sum((triangle[i][j] * found[j] for j in range(i + 1, m)), start=0.0)
        found[i] = (triangle[i][m] - known) / triangle[i][i]
    return found


def take_step(problem: ImpulseProblem, x: Numbers, step: Numbers, state: Numbers, smallest: Number) -> list[Number]:
    """Return x and the state after a passage; where it is not to go on, nothing changes."""
    ahead = [a - b for a, b in zip(x, step, strict=True)]
    F = problem.residuals(ahead)
    falls, after = judge_step(sum(f * f for f in F), largest(F), state, smallest)
    return [*choose_vector(falls, ahead, x), *after]


def judge_step(nearer: Number, largest: Number, state: Numbers, smallest: Number) -> tuple[Any, list[Number]]:
    """Return whether a step is kept that leads to |F|^2 and a largest of F, and the state after the passage."""
    goes, count, proximal, square, worst = state
    falls = choose(nearer < square, goes, 0.0) > 0.5
    left = choose(falls, largest, worst)
    less, more = maximum(LESS * proximal, LEAST), maximum(MORE * proximal, SMALL)
    after = choose(falls, less, more)
    again = choose(left > smallest, choose(after < LARGE, choose(count < MOST - 1.5, goes, 0.0), 0.0), 0.0)
    return falls, [again, count + goes, choose(goes > 0.5, after, proximal), choose(falls, nearer, square), left]
