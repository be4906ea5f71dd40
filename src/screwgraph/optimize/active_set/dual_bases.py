"""Normals N of active rows in slots, and the dual vectors D with D N' = 1: products with them, side by side.

Unknowns are y = L'x, L L' = H, so that the program asks for the point nearest to y0 = -L^-1 g. A row r of (x, E x) has
the normal L^-1 (1, E') r. Goldfarb and Idnani (1983) keep the same N* = D; here products with N correct those with D,
so that rounding does not pile up as rows come and go.

Each matrix stands by rows of `pitch` numbers, n and zeros, and once more transposed ("duals'", "normals'"): what goes
side by side is then neighbours, whether slots or entries. A slot without a row has a dual vector of zeros.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from screwgraph.optimize.chain_program.columns import make_columns, pad
from screwgraph.optimize.dense_factors import TINY, flag
from screwgraph.spatial import choose, maximum
from screwgraph.tape import Memory, Number, Part, dot

BY_ROWS = ("duals", "duals'", "normals", "normals'")
LONG = (
    "lane",
    "y",
    "y0",
    "a",
    "multiples",
    "rest",
    "more",
    "share",
    "dual",
    "gone",
    "bound",
    "gaps",
    "gap of rows",
    "goals",
)
"""Vectors of `pitch` numbers, whose first n have these names; all but numbers of lanes end with zeros."""


@dataclass(frozen=True)
class DualBases:
    """Parts on the vectors of a program of n unknowns, and `combined` numbers E x, in a memory."""

    memory: Memory
    n: int
    combined: int

    @property
    def pitch(self) -> int:
        """From row to row of matrices."""
        return pad(self.n)

    @property
    def sizes(self) -> dict[str, int]:
        """The matrices and vectors; "inverses" has the columns of L^-1 (1, E'), one behind the other."""
        own = {"inverses": (self.n + self.combined) * self.pitch, **dict.fromkeys(BY_ROWS, self.n * self.pitch)}
        return own | {_pad_name(name): self.pitch for name in LONG}

    def name_vectors(self) -> None:
        """Name the first n numbers of padded vectors."""
        for name in LONG:
            self.memory.alias(name, self.memory.places(_pad_name(name))[: self.n])

    def invert(self) -> tuple[Part, ...]:
        """Return what inverts L, of which `inverse` has the inverse of the diagonal."""
        n = self.n

        def solve(scalars: Any, column: Any) -> list[Number]:
            L, inverse, lane, found = scalars[:-n], scalars[-n:], column[0], list[Number]()
            for c in reversed(range(n)):
                own = [L[r * (r - 1) // 2 + c] for r in reversed(range(c + 1, n))]
                found.append((flag(abs(lane - c) < 0.5) - dot(own, found)) * inverse[c])
            return found[::-1]

        inverses, own = self._rows("inverses"), [*self._at("L"), *self._at("inverse")]
        parts = [self._columns("invert", own, ["lane"], inverses[:n], solve)]
        if self.combined:

            def multiply(E: Any, column: Any) -> list[Number]:
                return [dot(E[n * k : n * k + n], column) for k in range(self.combined)]

            parts.append(self._columns("invert_combined", self._at("E"), inverses[:n], inverses[n:], multiply))
        return tuple(parts)

    def pull(self, row: Sequence[int], target: str, side: Sequence[int] = ()) -> Part:
        """Return what writes L^-1 (1, E') r of the row at places, times the number at `side`."""

        def multiply(scalars: Any, columns: Any) -> list[Number]:
            total = dot(scalars[: len(row)], columns)
            return [scalars[-1] * total if side else total]

        return self._columns("pull", [*row, *side], self._rows("inverses"), [target], multiply)

    def split(self) -> tuple[Part, ...]:
        """Return what splits a into `multiples` of active normals, nearest to it, and the `rest`."""
        return (
            self._columns("split", self._at("a"), self._rows("duals'"), ["multiples"], lambda a, D: [dot(a, D)]),
            self._subtract("multiples", "a"),
        )

    def split_again(self) -> tuple[Part, ...]:
        """Return what splits the rest once more: twice is enough (Kahan)."""
        reads = ["multiples", *self._rows("duals'")]

        def add(rest: Any, own: Any) -> list[Number]:
            more = dot(rest, own[1:])
            return [more, own[0] + more]

        return (
            self._columns("split_again", self._at("rest"), reads, ["more", "multiples"], add),
            self._subtract("more", "rest"),
        )

    def join(self) -> tuple[Part, ...]:
        """Return what adds `a`, whose `rest` is orthogonal to other normals, in the slot `free`."""
        n = self.n

        def slots(scalars: Any, own: Any) -> list[Number]:
            rest, a, square, free = scalars[:n], scalars[n : 2 * n], scalars[2 * n], scalars[2 * n + 1]
            lane, multiple, duals, normals = own[0], own[1], own[2 : n + 2], own[n + 2 :]
            # The new dual is rest / |rest|^2; those of others lose their multiples of it.
            is_new = abs(lane - free) < 0.5
            share = (flag(is_new) - multiple) * (1.0 / square)
            moved = [d + share * x for d, x in zip(duals, rest, strict=True)]
            return [share, *moved, *(choose(is_new, x, y) for x, y in zip(a, normals, strict=True))]

        both = [*self._rows("duals'"), *self._rows("normals'")]
        scalars = [*self._at("rest"), *self._at("a"), self._at("squares")[0], *self._at("free")]
        return (
            self._columns("join_slots", scalars, ["lane", "multiples", *both], ["share", *both], slots),
            self._move_duals("join", "rest", 1.0),
        )

    def drop(self) -> tuple[Part, ...]:
        """Return what takes the dual vector `dual` of the `slot` out of all others, and itself away."""
        n = self.n

        def slots(scalars: Any, own: Any) -> list[Number]:
            dual, slot, lane, duals = scalars[:n], scalars[n], own[0], own[1:]
            # Other duals lose their part along this one, which is orthogonal to all normals that stay.
            share = dot(dual, duals) * (1.0 / maximum(dot(dual, dual), TINY))
            share = choose(abs(lane - slot) < 0.5, 1.0, share)
            return [share, *(d - share * x for d, x in zip(duals, dual, strict=True))]

        own = self._rows("duals'")
        scalars = [*self._at("dual"), *self._at("slot")]
        return (
            self._columns("drop_slots", scalars, ["lane", *own], ["share", *own], slots),
            self._move_duals("drop", "dual", -1.0),
        )

    def approach(self, point: str, start: str, bound: str) -> tuple[Part, ...]:
        """Return what moves a point to the nearest one with N y = b, and writes `goals`: D (y - y0)."""
        n = self.n

        def miss(y: Any, own: Any) -> list[Number]:
            return [own[0] - dot(y, own[1:])]

        def correct(gaps: Any, own: Any) -> list[Number]:
            return [own[0] + dot(gaps, own[1:])]

        def measure(points: Any, duals: Any) -> list[Number]:
            return [dot([y - y0 for y, y0 in zip(points[:n], points[n:], strict=True)], duals)]

        once = (
            self._columns("gaps", self._at(point), [bound, *self._rows("normals'")], ["gaps"], miss),
            self._columns("approach", self._at("gaps"), [point, *self._rows("duals")], [point], correct),
        )
        points = [*self._at(point), *self._at(start)]
        return (*once, *once, self._columns("goals", points, self._rows("duals'"), ["goals"], measure))

    def _subtract(self, multiples: str, a: str) -> Part:
        """Return what writes the rest of a vector without multiples of normals."""
        reads = [a, *self._rows("normals")]
        return self._columns("rest", self._at(multiples), reads, ["rest"], lambda m, own: [own[0] - dot(m, own[1:])])

    def _move_duals(self, label: str, along: str, way: float) -> Part:
        """Return what moves dual vectors by their shares of a vector."""
        own = self._rows("duals")

        def move(shares: Any, columns: Any) -> list[Number]:
            return [d + way * share * columns[0] for d, share in zip(columns[1:], shares, strict=True)]

        return self._columns(f"{label}_entries", self._at("share"), [along, *own], own, move)

    def _columns(
        self, label: str, scalars: Sequence[int], vectors: Sequence[str | int], targets: Sequence[str | int], own: Any
    ) -> Part:
        """Return an expression of scalars and of a number of each vector, for all numbers side by side."""
        reads, writes = ([self._at(v).start if isinstance(v, str) else v for v in side] for side in (vectors, targets))
        return make_columns(label, self.pitch, list(scalars), reads, writes, own)

    def _at(self, name: str) -> range:
        return self.memory.places(name)

    def _rows(self, name: str) -> list[int]:
        """Return where the rows of a matrix begin."""
        return list(self._at(name)[:: self.pitch])


def _pad_name(name: str) -> str:
    return f"{name}, padded"
