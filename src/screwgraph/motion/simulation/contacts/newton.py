"""Newton's method for impulses that sweeps do not find: semi-smooth, with a proximal term, as code of loops.

A passage goes from x to x - S y, where (A'A + p 1) y = A'F, A = F' S with columns of length 1 (Levenberg and
Marquardt), F the velocities that are zero where laws hold (`ImpulseLaw.residual`). It is kept where |F| falls, and p
becomes less, else more. Qi & Sun (1993), "A nonsmooth version of Newton's method".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from screwgraph.motion.simulation.contacts.laws import Numbers
from screwgraph.motion.simulation.contacts.sweeps import ImpulseProblem
from screwgraph.spatial import choose, maximum, sqrt
from screwgraph.tape import Memory, Number, Part, SettlingLoop, StageLoop, Window

MOST = 30
"""Passages at most."""
NEAR, LEAST, SMALL, LARGE = 1e-10, 1e-14, 1e-8, 1e4
"""The proximal term: at first, at least, at least where a passage was not kept, and where none is tried any more."""
LESS, MORE = 0.01, 100.0
"""Its factors."""
UNSOLVED = 100.0
"""How many times as large as the change that ends sweeps a residual is that is not left."""
FORCED = (1e-12, 1e-10, 1e-14)
"""Proximal terms of rounds whose first passage is kept whatever |F| is.

Where impulses hardly move the bodies, as of feet that press against one another, |F| grows before it falls.
"""
FAR = 1e30
"""More than any |F|^2."""
TINY = 1e-30
"""Square of the length of a column that has none."""
STATE = 5
"""Numbers of the state: whether to go on, passages, the proximal term, |F|^2, the largest of F (m/s) that is left."""

Problem = Callable[..., ImpulseProblem]


def begin_newton(
    problem: ImpulseProblem, x: Numbers, sweeps: Numbers, goes: Number, done: Number
) -> tuple[list[Number], Number]:
    """Return the state with which passages begin after so many rounds, and the largest residual (m/s).

    They go on where `goes` is not zero, and sweeps, of whose state this is, came to no end, or to a large residual.
    """
    F, (_, _, smallest, _, change, _) = problem.residuals(x), sweeps
    worst, proximal, is_forced = largest(F), NEAR, done > 0.5
    goes = choose(maximum(worst, UNSOLVED * change) > UNSOLVED * smallest, goes, 0.0)
    for round_, own in enumerate(FORCED, start=1):
        proximal = choose(done > round_ - 0.5, own, proximal)
    square = choose(is_forced, FAR, sum(f * f for f in F))
    return [goes, 0.0, proximal, square, choose(is_forced, FAR, worst)], worst


def largest(F: Numbers) -> Number:
    """Return the largest size of numbers."""
    worst: Number = 0.0
    for value in F:
        worst = maximum(worst, abs(value))
    return worst


def add_newton(memory: Memory, names: Sequence[str], problem: Problem, rows: int) -> Part:
    """Return the loop; `names` are the problem's vectors, "x" and "newton" the impulses and the state of `STATE`."""
    m, width = rows, rows + 1
    sizes = {"slopes": m * width, "normal": m * width, "lengths": m}
    for name, size in sizes.items():
        memory.add(name, size)

    def linearise(*vectors: Any) -> list[Number]:
        *own, x, state = vectors
        return linearise_residuals(problem(*own), list(x), state[2])

    first = memory.places("slopes").start
    row = range(first, first + width)

    def add(slopes: Any, normal: Any) -> list[Number]:
        return [normal[width * i + j] + slopes[i] * slopes[j] for i in range(m) for j in range(width)]

    def eliminate(normal: Any) -> list[Number]:
        return eliminate_first([normal[i : i + width] for i in range(0, m * width, width)])

    def go(*vectors: Any) -> list[Number]:
        *own, normal, lengths, sweeps, x, state = vectors
        step = [normal[width * i + m] * lengths[i] for i in range(m)]
        return take_step(problem(*own), list(x), step, list(state), sweeps[2])

    memory.alias("slope", row)
    parts = (
        memory.block("linearise", [*names, "x", "newton"], ["slopes", "normal", "lengths"], linearise),
        StageLoop(m, (memory.block("add", ["slope", "normal"], ["normal"], add),), (Window(first, width, width),)),
        StageLoop(m, (memory.block("eliminate", ["normal"], ["normal"], eliminate),), ()),
        memory.block("go", [*names, "normal", "lengths", "state", "x", "newton"], ["x", "newton"], go),
    )
    return SettlingLoop(memory.places("newton").start, parts)


def linearise_residuals(problem: ImpulseProblem, x: Numbers, proximal: Number) -> list[Number]:
    """Return rows of A beside F, then p 1 beside zeros, to which A'A and A'F are added, then the diagonal of S."""
    m = len(x)
    J, F = problem.slopes(x), problem.residuals(x)
    lengths = [1.0 / sqrt(maximum(sum(row.get(j, 0.0) * row.get(j, 0.0) for row in J), TINY)) for j in range(m)]
    A = [y for row, f in zip(J, F, strict=True) for y in (*(row.get(j, 0.0) * lengths[j] for j in range(m)), f)]
    return [*A, *(proximal if i == j else 0.0 for i in range(m) for j in range(m + 1)), *lengths]


def eliminate_first(rows: Sequence[Sequence[Number]]) -> list[Number]:
    """Return a system after its first unknown is eliminated from all other rows (Gauss and Jordan).

    Rows and columns go one on, so that after as many passages as rows the last column is the solution.
    """
    m = len(rows)
    scale = 1.0 / rows[0][0]
    pivot = [x * scale for x in rows[0]]
    ahead = [[x - row[0] * p for x, p in zip(row[1:], pivot[1:], strict=True)] for row in rows[1:]] + [pivot[1:]]
    return [x for row in ahead for x in (*row[: m - 1], 0.0, row[m - 1])]


def take_step(problem: ImpulseProblem, x: Numbers, step: Numbers, state: Numbers, smallest: Number) -> list[Number]:
    """Return x and the state after a passage; where it is not to go on, nothing changes."""
    goes, count, proximal, square, worst = state
    ahead = [a - b for a, b in zip(x, step, strict=True)]
    F = problem.residuals(ahead)
    nearer = sum(f * f for f in F)
    falls = choose(nearer < square, goes, 0.0) > 0.5
    left = choose(falls, largest(F), worst)
    less, more = maximum(LESS * proximal, LEAST), maximum(MORE * proximal, SMALL)
    after = choose(falls, less, more)
    again = choose(left > smallest, choose(after < LARGE, choose(count < MOST - 1.5, goes, 0.0), 0.0), 0.0)
    is_on = goes > 0.5
    found = [choose(falls, new, old) for new, old in zip(ahead, x, strict=True)]
    return [*found, again, count + goes, choose(is_on, after, proximal), choose(falls, nearer, square), left]
