"""Impulses by propagation: laws of many contacts, each of which sees the velocities of all joints, as loops.

With M = L' D L and rows Y = J L^-1 D^-1/2, impulses x make velocities u = Y' x, whose energy is u'u / 2, and velocities
of rows are w = b + R x + Y u. So the Delassus matrix Y Y' + R is not made: a law is solved for by its own rows of Y,
and the code of one law of a kind is that of all. Newton's method (`newton.py`) solves for changes of u, as many as the
robot has velocities, however many contacts there are. Featherstone (2008), section 8.5; Woodbury (1950).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import repeat
from typing import Any, NamedTuple

from screwgraph.base.summary import one_line
from screwgraph.motion.simulation.contacts.laws import newton
from screwgraph.motion.simulation.contacts.laws.dense_elimination import DenseEquations
from screwgraph.motion.simulation.contacts.laws.law_loops import LawLoops, find_runs, split_rows
from screwgraph.motion.simulation.contacts.laws.laws import TINY, ImpulseLaw
from screwgraph.motion.simulation.contacts.laws.sweeps import advance_sweeps, choose_vector
from screwgraph.motion.simulation.contacts.steps.jammed_contacts import search_again
from screwgraph.motion.simulation.contacts.steps.search_rounds import add_acceptance, judge_round
from screwgraph.motion.simulation.contacts.steps.step_terms import Terms
from screwgraph.optimize.chain_program.columns import make_block
from screwgraph.spatial import choose, maximum, sqrt
from screwgraph.tape import (
    Memory,
    Number,
    Part,
    SettledWhen,
    SettlingLoop,
    SideBySide,
    Window,
    dot,
)
from screwgraph.tape.parts import Fill

FEW = 10.0
"""Sweeps before Newton's method is tried for the first time."""
LEAST = 0.1
"""The least proximal term, in square roots of the rounding of 1: less is lost where it is inverted."""
PROXIMAL = (0.0, 1e-6, 1e-8, 1e-4, 1e-2)
"""Proximal terms with which rounds begin."""
PROBLEM = ("b'", "R", "values", "prepared")
"""Vectors by which laws are solved, beside rows of Y."""


@dataclass(frozen=True, eq=False)
class Propagation:
    """The search for impulses "x" in the memory of a step with some terms."""

    __repr__ = one_line

    terms: Terms
    memory: Memory

    @property
    def _n(self) -> int:
        return len(self.terms.model.free_velocities.free)

    @property
    def sizes(self) -> dict[str, int]:
        """Vectors in memory of its own."""
        m, n = self.terms.model.rows, self._n
        sizes = {"Y": m * n, "T": m * (n + 1), "diagonal": m, "acts": m, "u": n, "x ahead": m, "u ahead": n}
        return {**sizes, "least": 1, "left": 2, "way of sweep": 1, **self._equations.sizes}

    @cached_property
    def _equations(self) -> DenseEquations:
        return DenseEquations(self.memory, self._n, "H", "t")

    @cached_property
    def _loops(self) -> LawLoops:
        return LawLoops(find_runs(self.terms.model.laws), self.memory, {"Y": self._n, "T": self._n + 1})

    def list_parts(self) -> tuple[Part, ...]:
        """Return the parts from "b'", "R", "values" and "x" to "change"."""
        return *self._prepare(), *self._search()

    def _prepare(self) -> Iterator[Part]:
        """Yield what makes rows Y, the diagonal of the Delassus matrix, and what laws prepare of their blocks of it."""
        memory, n, Y = self.memory, self._n, self.memory.places("Y")
        pattern = self.terms.full_rows(repeat(1.0), repeat(1.0), repeat(0.7))
        memory.scatter("entries", (Y.start + n * i + j for i, row in enumerate(pattern) for j in sorted(row)))

        def fill(J: Any, soles: Any, places: Any) -> list[Number]:
            rows = self.terms.full_rows(J, soles, places)
            return [row.get(j, 0.0) for row, own in zip(rows, pattern, strict=True) for j in sorted(own)]

        def whiten(row: Any, factor: Any, pivots: Any) -> list[Number]:
            factors = self.terms.factors(factor, pivots)
            found = factors.condense(dict(enumerate(row)))
            return [found[j] * sqrt(inverse) for j, inverse in enumerate(factors.inverse)]

        yield Fill(Y.start, len(Y))
        yield memory.block("rows", ["J", "soles", "places"], ["entries"], fill)
        first = range(Y.start, Y.start + n)
        given = [first, memory.places("factor"), memory.places("pivots")]
        block = make_block("whiten", given, [first], whiten)
        yield SideBySide(self.terms.model.rows, (block,), (Window(Y.start, n, n),))

        def prepare(law: ImpulseLaw, Y: Any, R: Any) -> list[Number]:
            rows = split_rows(Y, law.rows)
            G = [[dot(a, b) for b in rows[: i + 1]] for i, a in enumerate(rows)]
            for i, soft in enumerate(R):
                G[i][i] = G[i][i] + soft
            return [*law.prepare(G), *(row[-1] for row in G)]

        yield from self._loops.each("prepare", ["Y", "R"], [], (["prepared", "diagonal"], []), prepare, alone=True)

    def _search(self) -> Iterator[Part]:
        """Yield rounds of sweeps and Newton's method, and the change of velocities."""
        memory, places = self.memory, self.memory.places
        improve = (*self._improve(), add_acceptance(memory), *self._move("x", "u"))
        again = SettledWhen(places("newton").start, improve)
        writes = ["newton", "swept", "state", "round"]
        judge = memory.block("judge", ["left", "x", "state", "round"], writes, partial(judge_round, terms=PROXIMAL))
        sweeps = SettlingLoop(places("state").start, (*self._sweep(),))
        passage = (sweeps, *self._move("x", "u"), *self._measure("x", "u"), judge, again)
        yield from self._move("x", "u")
        yield search_again(memory, self.terms, (SettlingLoop(places("round").start, passage),), ["b'"])
        yield memory.block("respond", ["u", "factor", "pivots"], ["change"], self._respond)

    def yielding_parts(self) -> tuple[Part, ...]:
        """Return nothing: what laws prepare is there with the impulses."""
        return ()

    def _respond(self, u: Any, factor: Any, pivots: Any) -> list[Number]:
        """Return the change of velocities L^-1 D^-1/2 u."""
        factors, found = self.terms.factors(factor, pivots), list[Number]()
        for x, row, inverse in zip(u, factors.rows, factors.inverse, strict=True):
            found.append(x * sqrt(inverse) - sum((entry * found[j] for j, entry in row.items()), start=0.0))
        return found

    def _move(self, x: str, u: str) -> Iterator[Part]:
        """Yield what makes velocities u of impulses x."""
        yield Fill(self.memory.places(u).start, self._n)
        yield from self._loops.each("push", ["Y", x], [u], ([], [u]), _push)

    def _sweep(self) -> Iterator[Part]:
        """Yield a sweep: each law is solved for in turn, and the state after it."""
        places = self.memory.places
        yield Fill(places("way of sweep").start, 1)
        given, fixed = ["Y", "x", *PROBLEM, "diagonal"], ["u", "state", "way of sweep"]
        yield from self._loops.each("solve", given, fixed, (["x"], ["u", "way of sweep"]), _of_law(_solve_law))
        yield self.memory.block(
            "swept", ["state", "way of sweep"], ["state"], lambda state, way: advance_sweeps(list(state), way[0])
        )

    def _measure(self, x: str, u: str) -> Iterator[Part]:
        """Yield what finds |F|^2 and the largest of F, the velocities by which laws are not obeyed."""
        yield Fill(self.memory.places("left").start, 2)
        yield from self._loops.each("measure", ["Y", x, *PROBLEM], [u, "left"], ([], ["left"]), _of_law(_measure_law))

    def _improve(self) -> Iterator[Part]:
        """Yield Newton's method."""
        memory, n, equations = self.memory, self._n, self._equations
        given = ["Y", "x", *PROBLEM, "diagonal"]
        linearise = self._loops.each(
            "linearise", given, ["u", "newton", "least"], (["T", "acts"], []), _of_law(_linearise), alone=True
        )
        Y, T, acts = (memory.places(name).start for name in ("Y", "T", "acts"))
        gather = (
            equations.add_products(run.law.rows, Y + n * run.row, T + (n + 1) * run.row, run.count, acts + run.row)
            for run in self._loops.runs
        )
        step = self._loops.each("step", ["T", "x"], ["t"], (["x ahead"], []), _step, alone=True)

        def keep(ahead: Any, u_ahead: Any, x: Any, u: Any, left: Any, state: Any, sweeps: Any) -> list[Number]:
            falls, after = newton.judge_step(left[0], left[1], list(state), sweeps[2])
            return [*choose_vector(falls, [*ahead, *u_ahead], [*x, *u]), *after]

        reads = ["x ahead", "u ahead", "x", "u", "left", "newton", "state"]
        passage = (
            *linearise,
            *equations.clear(),
            *gather,
            *equations.solve(),
            *step,
            *self._move("x ahead", "u ahead"),
            *self._measure("x ahead", "u ahead"),
            memory.block("keep", reads, ["x", "u", "newton"], keep),
        )
        yield SettlingLoop(memory.places("newton").start, passage)


class LawNumbers(NamedTuple):
    """The numbers of one law: rows Y one after the other, impulses x, b and R of rows, its values, what it prepared."""

    law: ImpulseLaw
    Y: Any
    x: Any
    b: Any
    R: Any
    values: Any
    prepared: Any

    @property
    def rows(self) -> list[Any]:
        """Rows Y."""
        return split_rows(self.Y, self.law.rows)

    def move(self, u: Any) -> list[Number]:
        """Return velocities w = b + R x + Y u."""
        each = zip(self.rows, self.x, self.b, self.R, strict=True)
        return [v + r * y + dot(row, u) for row, y, v, r in each]


def _of_law(expression: Callable[..., list[Number]]) -> Callable[..., list[Number]]:
    """Return the expression of a law and vectors, of one of numbers of the law and the vectors after these."""
    count = len(LawNumbers._fields) - 1
    return lambda law, *x: expression(LawNumbers(law, *x[:count]), *x[count:])


def _push(law: ImpulseLaw, Y: Any, x: Any, u: Any) -> list[Number]:
    """Return u + Y' x."""
    rows = split_rows(Y, law.rows)
    return [v + dot([row[j] for row in rows], x) for j, v in enumerate(u)]


def _solve_law(own: LawNumbers, diagonal: Any, u: Any, state: Any, way: Any) -> list[Number]:
    """Return impulses of a law after a share of the way to its solution, u, and the largest change of a velocity."""
    solved = own.law.solve(list(own.x), own.move(u), own.values, own.prepared)
    ways = [new - old for new, old in zip(solved, own.x, strict=True)]
    most = way[0]
    for change, yields in zip(ways, diagonal, strict=True):
        most = maximum(most, abs(change) * yields)
    share = choose(state[0] > 0.5, state[3], 0.0)
    taken = [share * change for change in ways]
    return [*(a + b for a, b in zip(own.x, taken, strict=True)), *_push(own.law, own.Y, taken, u), most]


def _measure_law(own: LawNumbers, u: Any, left: Any) -> list[Number]:
    """Return |F|^2 and the largest of F with those of a law."""
    F = own.law.residual(list(own.x), own.move(u), own.values, own.prepared)
    return [left[0] + dot(F, F), maximum(left[1], newton.largest(F))]


def _linearise(own: LawNumbers, diagonal: Any, u: Any, state: Any, least: Any) -> list[Number]:
    """Return rows (B F_w Y, B F), B = (F_x + F_w R + p s)^-1, with the proximal term p and a scale s of velocities.

    And whether these are not zero, as those of contacts that are open.
    A step of the law is B F_w Y t - B F, where t = -Y' dx: with G = Y Y' + R, (F_x + F_w G + p s) dx = -F.
    """
    law, rows, numbers = own.law, own.rows, (list(own.x), own.move(u), own.values, own.prepared)
    F = law.residual(*numbers)
    by_x, by_w = law.slopes(*numbers)
    scale: Number = TINY
    for yields in diagonal:
        scale = maximum(scale, yields)
    proximal = maximum(state[2], least[0]) * scale
    left = [
        [a + slope * soft for a, slope, soft in zip(*pair, own.R, strict=True)] for pair in zip(by_x, by_w, strict=True)
    ]
    for i, row in enumerate(left):
        row[i] = row[i] + proximal
    moved = [[dot(slopes, [row[j] for row in rows]) for j in range(len(u))] for slopes in by_w]
    found = [x for row in _divide(left, [[*row, f] for row, f in zip(moved, F, strict=True)]) for x in row]
    acts = newton.largest([*F, *(slope for row in by_w for slope in row)])
    return [*found, *[choose(acts > 0.0, 1.0, 0.0)] * law.rows]


def _divide(A: list[list[Number]], right: list[list[Number]]) -> list[list[Number]]:
    """Return A^-1 B of a small matrix whose pivots are not zero."""
    m = len(A)
    for k in range(m):
        inverse = 1.0 / A[k][k]
        for i in range(k + 1, m):
            lever = A[i][k] * inverse
            A[i] = [a - lever * b for a, b in zip(A[i], A[k], strict=True)]
            right[i] = [a - lever * b for a, b in zip(right[i], right[k], strict=True)]
    for k in reversed(range(m)):
        for j in range(k + 1, m):
            right[k] = [a - A[k][j] * b for a, b in zip(right[k], right[j], strict=True)]
        inverse = 1.0 / A[k][k]
        right[k] = [a * inverse for a in right[k]]
    return right


def _step(law: ImpulseLaw, T: Any, x: Any, t: Any) -> list[Number]:
    """Return impulses after Newton's step."""
    return [own + dot(row[:-1], t) - row[-1] for own, row in zip(x, split_rows(T, law.rows), strict=True)]
