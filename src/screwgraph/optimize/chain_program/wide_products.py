"""Products of rows of J, C, F and V with a vector of a stage, whose terms go side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from screwgraph.optimize.chain_program.columns import LANES, Locate, make_block, make_columns, pad
from screwgraph.optimize.chain_program.pattern import Pattern, is_present
from screwgraph.optimize.chain_program.stage_code import StageCode
from screwgraph.optimize.dense_factors import solve_unit_upper
from screwgraph.tape import Block, Number, Part, dot
from screwgraph.tape.parts import Fill

FEW = 4
"""Entries of a row of C or F with which it is not worth a row of vectors: those of friction have two or three."""


class ShortRow(NamedTuple):
    """A row of C or F of few entries: its number, columns of z, and their constants or places."""

    number: int
    columns: list[int]
    entries: list[float | int]

    @property
    def places(self) -> list[int]:
        """Places of entries that are live."""
        return [entry for entry in self.entries if isinstance(entry, int)]

    def fill(self, live: Iterator[Number]) -> list[Number]:
        """Return the entries, of which live ones come in order."""
        return [next(live) if isinstance(entry, int) else entry for entry in self.entries]


@dataclass(frozen=True, eq=False)
class WideRows:
    """Rows of matrices of a stage as vectors hold them: columns of x, one of gradients, pads, then those of u."""

    code: StageCode
    locate: Locate

    @cached_property
    def live(self) -> list[int]:
        """Rows of J that are not those of the identity, or from which others are integrated."""
        rows, sources = enumerate(self.code.J), {j for _, j in self.code.integrated}
        return [i for i, row in rows if i in sources or any(x != float(i == j) for j, x in enumerate(row))]

    @cached_property
    def long(self) -> list[int]:
        """Rows of (C, F) that stand in vectors."""
        rows = enumerate(self.code.outputs)
        return [k for k, row in rows if sum(map(is_present, row)) > FEW]

    @cached_property
    def short(self) -> list[ShortRow]:
        """All other rows of (C, F)."""
        live, found = iter(self.locate("entries")), list[ShortRow]()
        for k, row in enumerate(self.code.outputs):
            if k not in self.long:
                entries = [(j, next(live) if x is None else x) for j, x in enumerate(row) if is_present(x)]
                found.append(ShortRow(k, [j for j, _ in entries], [x for _, x in entries]))
        return found

    @property
    def short_sources(self) -> list[tuple[int, int]]:
        """Rows and columns of (C, F) of the live entries of short rows, in order."""
        rows = enumerate(self.code.outputs)
        return [(k, j) for k, row in rows if k not in self.long for j, x in enumerate(row) if x is None]

    def list_entries(self, name: str) -> list[int]:
        """Return the places of the live entries of J, C or F, by rows: in rows of vectors, or in `entries`."""
        if name == "J":
            pattern, numbers, starts = self.code.J, self.live, self.find_starts("J_rows")
        else:
            pattern, numbers, starts = self.code.outputs, self.long, self.find_starts("C_rows")
        begin, short = dict(zip(numbers, starts, strict=True)), dict[tuple[int, int], int]()
        if name != "J":
            short = dict(zip(self.short_sources, self.locate("entries"), strict=True))
        count, middle = len(pattern), len(self.code.C)
        rows = {"J": range(count), "C": range(middle), "F": range(middle, count)}[name]
        live = [(k, j) for k in rows for j, x in enumerate(pattern[k]) if x is None]
        return [begin[k] + self.columns[j] if k in begin else short[k, j] for k, j in live]

    @property
    def short_places(self) -> list[int]:
        """Places of live entries of short rows."""
        return [place for row in self.short for place in row.places]

    @property
    def width(self) -> int:
        """Columns of a row."""
        return self.code.pitch + pad(self.code.nu)

    @property
    def columns(self) -> list[int]:
        """Columns of z."""
        return [*range(self.code.nx), *(self.code.pitch + i for i in range(self.code.nu))]

    @property
    def patterns(self) -> dict[str, Pattern]:
        """Rows of J and of (C, F) that stand in vectors."""
        return {
            "J_rows": [self.code.J[k] for k in self.live],
            "C_rows": [self.code.outputs[k] for k in self.long],
        }

    def find_starts(self, name: str, width: int = 0) -> list[int]:
        """Return where rows of a matrix begin."""
        return [*self.locate(name)[:: width or self.width]]


@dataclass(frozen=True, eq=False)
class WideProducts:
    """Products with z = (x, 1, u) by sums of every eighth term; `z` and `sums` are scratch."""

    rows: WideRows

    @property
    def scratch(self) -> dict[str, int]:
        """Vectors that are fixed."""
        rows, code = self.rows, self.rows.code
        count = max(len(rows.live) + len(rows.long), code.nu)
        return {"z": rows.width, "sums": count * LANES}

    def clear(self) -> tuple[Part, ...]:
        """Return what writes the numbers of z that stay."""
        start = self.rows.locate("z").start
        one = make_block("one", [], [[start + self.rows.code.nx]], lambda: [1.0])
        return (Fill(start, self.rows.width), one)

    def set(self, **vectors: str) -> Iterator[Part]:
        """Yield what copies vectors of a stage to `x` or `u` of z."""
        code, start = self.rows.code, self.rows.locate("z").start
        sizes = {"x": (start, code.nx), "u": (start + code.pitch, code.nu)}
        for name, source in vectors.items():
            place, size = sizes[name]
            yield make_columns("copy", size, [], [self.rows.locate(source).start], [place], lambda _, x: [x[0]])

    def multiply(self, *names: str) -> Part:
        """Return what sums every eighth term of rows of J (`J_rows`), C and F (`C_rows`), or of V."""
        rows, z, patterns = self.rows, self.rows.locate("z").start, self.rows.patterns
        terms = list[list[tuple[int, int]]]()
        for name in names:
            width = rows.code.pitch if name == "V" else rows.width
            for i, start in enumerate(rows.find_starts(name, width)):
                tiles = range(0, width, LANES)
                if name != "V":
                    own = {rows.columns[j] // LANES for j, x in enumerate(patterns[name][i]) if is_present(x)}
                    tiles = [LANES * tile for tile in sorted(own)]
                terms.append([(start + tile, z + tile) for tile in tiles])
        vectors = [place for row in terms for pair in row for place in pair]
        unique = list(dict.fromkeys(vectors))
        order = [[(unique.index(a), unique.index(b)) for a, b in row] for row in terms]

        def add(_: Any, given: Any) -> Sequence[Number]:
            return [dot([given[a] for a, _ in row], [given[b] for _, b in row]) for row in order]

        targets = [self.rows.locate("sums").start + LANES * i for i in range(len(terms))]
        return make_columns("sums", LANES, [], unique, targets, add)

    @staticmethod
    def add(sums: Any) -> list[Number]:
        """Return the products of their sums."""
        found = list[Number]()
        for start in range(0, len(sums), LANES):
            a = sums[start : start + LANES]
            while len(a) > 1:
                a = [x + y for x, y in zip(a[: len(a) // 2], a[len(a) // 2 :], strict=True)]
            found.append(a[0])
        return found

    def find_sums(self, *names: str) -> tuple[range, range]:
        """Return where sums of J and of C and F are, of those that were multiplied together."""
        start = self.rows.locate("sums").start
        middle = start + LANES * len(self.rows.live) * ("J_rows" in names)
        return range(start, middle), range(middle, middle + LANES * len(self.rows.long))

    def outputs(self, sums: Any, z: Sequence[Number], entries: Any) -> list[Number]:
        """Return (C z, F z), of sums of long rows, z = (x, u), and live entries of short rows."""
        found, live = dict(zip(self.rows.long, self.add(sums), strict=True)), iter(entries)
        for row in self.rows.short:
            found[row.number] = dot(row.fill(live), [z[j] for j in row.columns])
        return [found[k] for k in range(len(found))]

    def follow(self, sums: Any, x: Any, c: Any, h: Number) -> list[Number]:
        """Return T (J z + c), of sums of live rows of J, and x of z."""
        found, code = [*x], self.rows.code
        for i, value in zip(self.rows.live, self.add(sums), strict=True):
            found[i] = value
        found = [a + b for a, b in zip(found, c, strict=True)]
        first = list(found)
        for i, j in code.integrated:
            found[i] = found[i] + h * first[j]
        return found

    def roll(self) -> tuple[Part, ...]:
        """Return Newton's steps of u, x' and (C z, F z), and their size."""
        rows, code, locate = self.rows, self.rows.code, self.rows.locate
        u_place = [locate("z").start + code.pitch + i for i in range(code.nu)]
        triangle = [range(i * (i - 1) // 2, i * (i + 1) // 2) for i in range(code.nu)]

        def push(sums: Any, L: Any) -> list[Number]:
            u = solve_unit_upper([[L[k] for k in own] for own in triangle], [-x for x in self.add(sums)])
            return [*u, *u]

        first, second = self.find_sums("J_rows", "C_rows")

        def move(J: Any, C: Any, x: Any, u: Any, h: Any, gap: Any, size: Any, entries: Any) -> list[Number]:
            found = [a + b for a, b in zip(self.follow(J, x, [0.0] * code.nx, h[0]), gap, strict=True)]
            total = size[0] + sum((abs(v) for v in (*u, *found)), start=0.0)
            return [*found, total, *self.outputs(C, [*x, *u], entries)]

        V = range(locate("sums").start, locate("sums").start + LANES * code.nu)
        given = [first, second, *(locate(name) for name in ("dx", "du", "h", "gap", "size")), rows.short_places]
        targets = [locate(name) for name in ("dx+", "size", "doutput")]
        return (
            *self.set(x="dx"),
            self.multiply("V"),
            make_block("push", [V, locate("L")], [locate("du"), u_place], push),
            self.multiply("J_rows", "C_rows"),
            make_block("move", given, targets, move),
        )

    def output(self) -> tuple[Part, ...]:
        """Return C z and F z of the iterate."""
        if not self.rows.code.outputs:
            return ()
        return (*self.set(x="x", u="u"), self.multiply("C_rows"), self._write_output("C_rows"))

    def evaluate(self) -> tuple[Part, ...]:
        """Return sums of J z, C z and F z of the iterate, whose x is in `before`, too."""
        found: tuple[Part, ...] = (*self.set(x="x", u="u"), self.multiply("J_rows", "C_rows"))
        return (*found, self._write_output("J_rows", "C_rows")) if self.rows.code.outputs else found

    def _write_output(self, *names: str) -> Block:
        locate = self.rows.locate
        given = [self.find_sums(*names)[1], locate("x"), locate("u"), self.rows.short_places]
        return make_block(
            "output",
            given,
            [locate("output")],
            lambda sums, x, u, entries: self.outputs(sums, [*x, *u], entries),
        )
