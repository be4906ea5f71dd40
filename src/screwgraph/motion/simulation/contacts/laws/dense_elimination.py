"""Solution of dense equations as loops: Gauss's elimination without an exchange of rows, in code of constant size.

Rows of (A, b) stand one after the other, with zeros beside, above and below them, which loops over stretches reach.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from screwgraph.base.summary import one_line
from screwgraph.optimize.chain_program.columns import make_block
from screwgraph.spatial import choose
from screwgraph.tape import Memory, Number, Part, SettledWhen, SideBySide, StageLoop, Window, dot
from screwgraph.tape.parts import Fill

PANEL = 8
"""Pivots of a stretch: all have loops of the same length, which go beyond the matrix."""
LEAST = 1e-30
"""A pivot that is none."""


@dataclass(frozen=True, eq=False)
class DenseEquations:
    """A x = b of n unknowns in a memory: (A, b) stand in `name` by rows, x in `solution`.

    A = L U without an exchange of rows: A is near a positive matrix.
    """

    __repr__ = one_line

    memory: Memory
    n: int
    name: str
    solution: str

    @property
    def pitch(self) -> int:
        """Numbers of a row."""
        return self.n + PANEL

    @property
    def sizes(self) -> dict[str, int]:
        """Vectors of it in memory; the last two are scratch."""
        area = (self.n + 2 * PANEL) * self.pitch
        return {self.name: area, self.solution: self.n, f"{self.name} inverse": 1, f"{self.name} lever": 1}

    def place(self, i: int, j: int) -> int:
        """Return where an entry stands."""
        return self.memory.places(self.name).start + (PANEL + i) * self.pitch + j

    def clear(self) -> tuple[Part, ...]:
        """Return what makes A the identity, and b zero."""
        area, first = self.memory.places(self.name), self.place(0, 0)
        one = make_block("one", [], [[first]], lambda: [1.0])
        return Fill(area.start, len(area)), StageLoop(self.n, (one,), (Window(first, 1, self.pitch + 1),))

    def add_products(self, rows: int, left: int, right: int, count: int, acts: int) -> StageLoop:
        """Return what adds X'Y of `count` times so many rows: X, at a place, has n columns, Y n and one for b.

        Rows whose first number from the place `acts` on is zero are left out.
        """
        n, target = self.n, self.place(0, 0)
        weights, beside = ([start + k * width for k in range(rows)] for start, width in ((left, n), (right, n + 1)))
        add = make_block("add", [weights, beside, [target]], [[target]], lambda a, b, c: [c[0] + dot(a, b)])
        columns = SideBySide(n + 1, (add,), tuple(Window(place, 1, 1) for place in (*beside, target)))
        inner = StageLoop(n, (columns,), (*(Window(p, 1, 1) for p in weights), Window(target, self.pitch, self.pitch)))
        windows = (Window(left, rows * n, rows * n), Window(right, rows * (n + 1), rows * (n + 1)))
        return StageLoop(count, (SettledWhen(acts, (inner,)),), (*windows, Window(acts, 1, rows)))

    def solve(self) -> Iterator[Part]:
        """Yield elimination, substitution from the last unknown on, and the solution."""
        n, found = self.n, self.memory.places(self.solution)
        starts = range(0, n, PANEL)
        for first in starts:
            yield from self._eliminate(first, min(PANEL, n - first))
        for first in reversed(starts):
            yield self._substitute(first, min(PANEL, n - first))
        b = self.place(0, n)
        copy = make_block("copy", [[b]], [[found.start]], lambda x: x)
        yield StageLoop(n, (copy,), (Window(b, 1, self.pitch), Window(found.start, 1, 1)))

    def _scratch(self, name: str) -> range:
        return self.memory.places(f"{self.name} {name}")

    def _eliminate(self, first: int, count: int) -> Iterator[Part]:
        """Yield the elimination of so many pivots from the rows below them."""
        n, pitch, inverse, lever = self.n, self.pitch, self._scratch("inverse"), self._scratch("lever")
        rows, columns = n - 1 - first, n - first
        if not rows:
            return
        pivot, above = self.place(first, first), self.place(first, first + 1)
        left, right = self.place(first + 1, first), self.place(first + 1, first + 1)
        weigh = make_block("weigh", [[left], inverse], [lever], lambda x, y: [x[0] * y[0]])
        less = make_block("less", [[right], lever, [above]], [[right]], lambda a, m, b: [a[0] - m[0] * b[0]])
        row = (weigh, SideBySide(columns, (less,), (Window(above, 1, 1), Window(right, 1, 1))))
        below = StageLoop(rows, row, (Window(left, 2, pitch),))
        invert = make_block("invert", [[pivot]], [inverse], lambda x: [1.0 / _bound(x[0])])
        yield StageLoop(count, (invert, below), (Window(pivot, 2, pitch + 1), Window(left, 2, pitch + 1)))

    def _substitute(self, first: int, count: int) -> StageLoop:
        """Return the substitution of so many unknowns, the last one first, in the rows above them."""
        n, pitch, last = self.n, self.pitch, first + count - 1
        pivot, b, entry, above = (
            self.place(i, j) for i, j in ((last, last), (last, n), (last - 1, last), (last - 1, n))
        )
        solve = make_block("divide", [[b], [pivot]], [[b]], lambda x, p: [x[0] / _bound(p[0])])
        less = make_block("less", [[above], [entry], [b]], [[above]], lambda a, m, x: [a[0] - m[0] * x[0]])
        parts: tuple[Part, ...] = (solve,)
        if last:
            parts += (SideBySide(last, (less,), (Window(entry, 1, -pitch), Window(above, 1, -pitch))),)
        return StageLoop(
            count,
            parts,
            (
                Window(pivot, 1, -pitch - 1),
                Window(entry, 1, -pitch - 1),
                Window(b, 1, -pitch),
                Window(above, 1, -pitch),
            ),
        )


def _bound(pivot: Number) -> Number:
    return choose(abs(pivot) > LEAST, pivot, LEAST)
