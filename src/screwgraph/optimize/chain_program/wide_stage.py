"""A step of Riccati's recursion by rows of matrices, whose columns go side by side.

Columns of all matrices are those of x, then the gradient's, then from a multiple of `LANES` on those of u. Rows of J
that are those of the identity, as of positions that stay what they are, cost no products.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

from screwgraph.optimize.chain_program.columns import LANES, Locate, make_block, make_columns
from screwgraph.optimize.chain_program.pattern import is_present, list_rounds, list_runs, multiply_symmetric
from screwgraph.optimize.chain_program.stage_code import StageCode
from screwgraph.optimize.chain_program.wide_products import WideProducts, WideRows
from screwgraph.optimize.dense_factors import ENDLESS, factor_diagonal, solve_unit_upper
from screwgraph.spatial import choose
from screwgraph.tape import Block, Number, Part, SideBySide, Window, dot
from screwgraph.tape.parts import Copies, Fill


@dataclass(frozen=True, eq=False)
class WideStage:
    """The recursion at a stage whose vectors are where `locate` says ("P+": of the next one).

    Vectors of a stage: J_rows: live rows of J; C_rows: long rows of C and F; p: slope of the cost to go. Scratch,
    which is fixed: outputs: C_rows times what bounds and equalities add; own: H and all of the gradient; pull:
    (P + D) T gap; w: T' of what follows' gradient; slope: J_rows' w + C_rows' d; turn: live rows of W = T'(P + D) T;
    steady: one in columns of x of other rows; rows: W J; M: the Hessian of the stage and what follows, a block
    M_u = (M_ux, gradient, M_uu), and M_xx; m: its gradient by x; factor: L^-1 M_u; inverse: D^-1 of L D L' = M_uu;
    P: (pitch, pitch), its row behind those of x is the slope. T'(P + D) takes the place of P. Of symmetric matrices,
    a stretch of columns (`stretches`) has rows from its first column on; P is mirrored. What is written number by
    number is not read as vectors soon after: processors wait for such stores.
    """

    code: StageCode
    locate: Locate

    @cached_property
    def rows(self) -> WideRows:
        """Rows of J, C and F."""
        return WideRows(self.code, self.locate)

    @property
    def products(self) -> WideProducts:
        """Products of these."""
        return WideProducts(self.rows)

    @property
    def sizes(self) -> dict[str, int]:
        """Vectors of a stage."""
        return {"p": self.code.nx, **{name: len(own) * self.rows.width for name, own in self.rows.patterns.items()}}

    @property
    def scratch(self) -> dict[str, int]:
        """Vectors that are fixed, those of rows first: they begin where lines of caches do if the first one does."""
        nx, nu, width, pitch = self.code.nx, self.code.nu, self.rows.width, self.code.pitch
        live, long = self.rows.live, self.rows.long
        return {
            **{"turn": len(live) * pitch, "outputs": len(long) * width, "own": (nx + nu) * width},
            **{"slope": width, "steady": pitch, "rows": nx * width, "M": (nx + nu) * width, "factor": nu * pitch},
            **{"m": pitch, "P": pitch * pitch, "pull": nx, "w": nx, "inverse": nu, **self.products.scratch},
        }

    def clear(self) -> tuple[Part, ...]:
        """Return what writes the numbers that stay."""
        zeros = (Fill(self._find_place(name), self.scratch[name]) for name in ("own", "steady", "m", "P"))
        places = [self._find_place("steady") + i for i in range(self.code.nx) if i not in self.rows.live]
        steady = make_block("steady", [], [places], lambda: [1.0] * len(places))
        return (*zeros, steady, *self.products.clear())

    def clear_rows(self) -> tuple[Part, ...]:
        """Return what writes the constants of rows of J, C and F, and zeros elsewhere."""
        ones = {place: x for place, x in self._list_constants().items() if x}
        fills = tuple(Fill(self._find_place(name), self.sizes[name]) for name in self.rows.patterns if self.sizes[name])
        return (*fills, make_block("constants", [], [list(ones)], lambda: list(ones.values()))) if ones else fills

    def arrange(self) -> tuple[Part, ...]:
        """Return what writes the constants of rows of J, C and F, whose live entries stand in them."""
        constants = self._list_constants()
        return (make_block("constants", [], [list(constants)], lambda: list(constants.values())),) if constants else ()

    def _list_constants(self) -> dict[int, float]:
        constants = dict[int, float]()
        for name, pattern in self.rows.patterns.items():
            for start, row in zip(self._rows(name), pattern, strict=True):
                entries = dict(zip(self.rows.columns, row, strict=True))
                own = {start + j: entries.get(j, 0.0) for j in range(self.rows.width)}
                constants |= {place: x for place, x in own.items() if x is not None}
        return constants

    def parts(self) -> tuple[Part, ...]:
        """Return the recursion."""
        code, pitch = self.code, self.code.pitch
        nx, nu = code.nx, code.nu
        M, P = self._rows("M"), self._rows("P+")
        V, factor, own = self._rows("V"), self._rows("factor"), self._rows("P")
        lower = [M[nx + i] + pitch + j for i in range(nu) for j in range(i + 1)]
        L, inverse = self.locate("L"), self.locate("inverse")
        return (
            *self._scale_outputs(),
            self._curve(P),
            self._prepare(),
            make_columns(
                "pull", nx, self.locate("gap"), P[:nx], [self._find_place("pull")], lambda e, rows: [dot(e, rows)]
            ),
            *self._slope(P),
            *self._turn(P),
            Copies(tuple(range(P[nx], P[nx] + nx)), tuple(self.locate("p+"))),
            *self._multiply(P),
            *self._condense_inputs(),
            make_block("pivots", [lower], [L, inverse], self._pivots),  # divisions wait while rows of x are summed
            *(self._add_rows(range(columns.start, nx), columns) for columns in self.stretches),
            make_columns("inputs", pitch, [*L, *inverse], M[nx:], [*V, *factor], self._solve),
            *self._reduce(V, [*M[:nx], self._find_place("m")], own, factor),
            *self._mirror(own),
        )

    @cached_property
    def stretches(self) -> list[range]:
        """Columns of x and of the gradient by stretches, each with code of its own."""
        cuts = [*dict.fromkeys([0, *range(LANES, self.code.pitch, 2 * LANES), self.code.pitch])]
        return [range(a, b) for a, b in pairwise(cuts)]

    def end(self, Q: Any, q: Any, x: Any) -> list[Number]:
        """Return P of the terminal cost."""
        code, pitch = self.code, self.code.pitch
        rows = [[Q[max(i, j) * (max(i, j) + 1) // 2 + min(i, j)] for j in range(code.nx)] for i in range(code.nx)]
        rows.append(code.slope(Q, q, x))
        return [x for row in rows for x in (*row, *[0.0] * (pitch - code.nx))] + [0.0] * pitch * (pitch - len(rows))

    def _find_place(self, name: str) -> int:
        return self.locate(name).start

    def _rows(self, name: str) -> list[int]:
        """Return where rows of a matrix begin."""
        return self.rows.find_starts(name, self.code.pitch if name in ("V", "factor", "P", "P+", "turn") else 0)

    def _scale_outputs(self) -> Iterator[Part]:
        """Yield what multiplies rows of C and F."""
        if self.rows.long:
            first = self._find_place("D") + self._first_output
            weights = [first + k for k in self.rows.long]

            def scale(scalars: Any, rows: Any) -> Sequence[Number]:
                return [a * b for a, b in zip(scalars, rows, strict=True)]

            yield make_columns("scale", self.rows.width, weights, self._rows("C_rows"), self._rows("outputs"), scale)

    @property
    def _first_output(self) -> int:
        """The number of C z in (w, F z)."""
        return self.code.unknowns - len(self.code.C)

    def _prepare(self) -> Block:
        """Return T gap, and H with what bounds of inputs and short rows of C and F add."""
        code, nx, first, rows = self.code, self.code.nx, self._first_output, self.rows
        pairs = [(i, j) for i in range(nx + code.nu) for j in range(nx + code.nu) if self._has(i, j)]
        places = [self._rows("own")[i] + rows.columns[j] for i, j in pairs]

        def prepare(sums: Any, c: Any, h: Any, H: Any, entries: Any, D: Any, x: Any, following: Any) -> Any:
            D, own, live = code.present(D), code.fill_triangle(H), iter(entries)
            new = self.products.follow(sums, x, c, h[0])
            for i in range(code.nu):
                own[nx + i][nx + i] = own[nx + i][nx + i] + D[i]
            for row in rows.short:
                values = row.fill(live)
                for i, a in zip(row.columns, values, strict=True):
                    for j, b in zip(row.columns, values, strict=True):
                        if j <= i:
                            own[i][j] = own[i][j] + D[first + row.number] * a * b
            gap = [a - b for a, b in zip(new, following, strict=True)]
            return [*gap, *(own[max(i, j)][min(i, j)] for i, j in pairs)]

        sums, short = self.products.find_sums("J_rows", "C_rows")[0], rows.short_places
        vectors, last = ([self.locate(x) for x in names] for names in (("c", "h", "H"), ("D", "before", "x+")))
        given = [sums, *vectors, short, *last]
        return make_block("prepare", given, [self.locate("gap"), places], prepare)

    def _has(self, i: int, j: int) -> bool:
        """Return whether the Hessian of a stage has an entry, or bounds or short rows of C and F add one."""
        code = self.code
        is_added = (i == j and i >= code.nx) or any(i in row.columns and j in row.columns for row in self.rows.short)
        return is_added or is_present(code.H[max(i, j)][min(i, j)])

    def _curve(self, P: Sequence[int]) -> Block:
        """Return what adds the bounds of x' to P."""
        nx, nu = self.code.nx, self.code.nu
        bounded = [i for i in range(nx) if nu + i in self.code.bounded_unknowns]
        diagonal, D = [P[i] + i for i in bounded], [self._find_place("D") + nu + i for i in bounded]
        return make_block("curve", [diagonal, D], [diagonal], lambda P, D: [a + b for a, b in zip(P, D, strict=True)])

    def _slope(self, P: Sequence[int]) -> Iterator[Part]:
        """Yield the gradient of the stage and what follows: g + H z + d + J' T' (p + d + (P + D) T gap)."""
        code, nx, nu, live = self.code, self.code.nx, self.code.nu, self.rows.live

        def turn(p: Any, pull: Any, d: Any, h: Any) -> list[Number]:
            own = code.present(d)[nu : nu + nx]
            slopes = [a + b + c for a, b, c in zip(p, pull, own, strict=True)]
            found = list(slopes)
            for i, j in code.integrated:
                found[j] = found[j] + h[0] * slopes[i]
            return found

        def add(g: Any, H: Any, x: Any, u: Any, d: Any, w: Any, entries: Any, slope: Any) -> list[Number]:
            found = [a + b for a, b in zip(g, multiply_symmetric(code.fill_triangle(H), [*x, *u]), strict=True)]
            found = [a + b for a, b in zip(found, slope, strict=True)]
            steady = (i for i in range(nx) if i not in live)
            for i, term in ((nx + i, x) for i, x in enumerate(code.present(d)[:nu])):
                found[i] = found[i] + term
            for i in steady:
                found[i] = found[i] + w[i]
            entries = iter(entries)
            for row in self.rows.short:
                for i, a in zip(row.columns, row.fill(entries), strict=True):
                    found[i] = found[i] + a * code.present(d)[self._first_output + row.number]
            return found

        given = [range(P[nx], P[nx] + nx), *(self.locate(name) for name in ("pull", "d", "h"))]
        yield make_block("w", given, [self.locate("w")], turn)
        scalars, rows = [self._find_place("w") + k for k in live], [*self._rows("J_rows"), *self._rows("C_rows")]
        scalars += [self._find_place("d") + self._first_output + k for k in self.rows.long]
        yield make_columns(
            "slope", self.rows.width, scalars, rows, [self._find_place("slope")], lambda w, rows: [dot(w, rows)]
        )
        given = [*(self.locate(name) for name in ("g", "H", "before", "u", "d", "w")), self.rows.short_places]
        slope = [self._find_place("slope") + j for j in self.rows.columns]
        inputs = [start + nx for start in self._rows("own")[nx:]]
        yield make_block("gradient", [*given, slope], [self.locate("m")[:nx], inputs], add)

    def _turn(self, P: Sequence[int]) -> Iterator[Part]:
        """Yield what makes T' P of P, T = I + h E; then live rows of T' P T."""
        h, pairs = self.locate("h"), list(self.code.integrated)

        def add(scalars: Any, vectors: Any) -> list[Number]:
            count = len(vectors) // 2
            return [b + scalars[0] * a for a, b in zip(vectors[:count], vectors[count:], strict=True)]

        if pairs:
            vectors = [P[i] for side in zip(*pairs, strict=True) for i in side]
            for start, end in list_rounds(pairs):
                own = [*vectors[start:end], *vectors[len(pairs) + start : len(pairs) + end]]
                yield make_columns("rows", self.code.pitch, h, own, own[end - start :], add)
        rows, turned = [P[k] for k in self.rows.live], self._rows("turn")
        yield make_columns("copy", self.code.pitch, [], rows, turned, lambda _, x: list(x))
        for i, j, count in list_runs(pairs):
            vectors = [*(row + i for row in rows), *(row + j for row in turned)]
            yield make_columns("columns", count, h, vectors, vectors[len(rows) :], add)

    def _multiply(self, P: Sequence[int]) -> Iterator[Part]:
        """Yield the rows W J that others need: those of T' P are those of W at columns of x of rows of the identity."""
        code, turned, J, rows = self.code, self._rows("turn"), self._rows("J_rows"), self._rows("rows")
        for columns in (*self.stretches, range(code.pitch, self.rows.width)):
            own, start = self._find_present("J_rows", columns), columns.start
            still = [i for i in range(code.nx) if i not in self.rows.live]
            targets = sorted([*self.rows.live, *(i for i in still if i >= start)])
            has_still = any(i in columns for i in still)

            def multiply(scalars: Any, vectors: Any, count: int = len(own), size: int = len(targets)) -> list[Number]:
                live, rest = vectors[:count], vectors[count:]
                base = [rest[0] * row for row in rest[1:]] or [0.0] * size
                return [b + dot(scalars[i * count : i * count + count], live) for i, b in enumerate(base)]

            vectors = [J[k] for k in own]
            vectors += [self._find_place("steady"), *(P[i] for i in targets)] if has_still else []
            scalars = [turned[k] + i for i in targets for k in own]
            vectors, own_rows = [place + start for place in vectors], [rows[i] + start for i in targets]
            yield make_columns("rows", len(columns), scalars, vectors, own_rows, multiply)

    def _find_present(self, name: str, columns: range) -> list[int]:
        """Return which rows of vectors have entries in columns."""
        places = self.rows.columns
        rows = enumerate(self.rows.patterns[name])
        return [k for k, row in rows if any(is_present(x) and places[j] in columns for j, x in enumerate(row))]

    def _condense_inputs(self) -> Iterator[Part]:
        """Yield the rows of u of H + J' W J and of what bounds of C z and equalities add."""
        code, nx, inputs = self.code, self.code.nx, range(self.code.pitch, self.rows.width)
        first = min(LANES, len(inputs))
        yield self._add_rows(range(nx, nx + code.nu), range(inputs.start + first))
        for start in range(inputs.start + LANES, inputs.stop, LANES):
            yield self._add_rows(range(nx + start - inputs.start, nx + code.nu), range(start, start + LANES))

    def _add_rows(self, numbers: range, columns: range) -> Part:
        """Return what computes columns of rows of M = H + J' W J and what bounds of C z and equalities add."""
        nx, live, start = self.code.nx, self.rows.live, columns.start
        rows, own, M = (self._rows(name) for name in ("rows", "own", "M"))
        factors = {"J_rows": [rows[k] for k in live], "C_rows": self._rows("outputs")}
        terms = [
            [
                (place + self.rows.columns[i], factors[name][k])
                for name, pattern in self.rows.patterns.items()
                for k, place in enumerate(self._rows(name))
                if is_present(pattern[k][i])
            ]
            for i in numbers
        ]
        plain = [
            [*([own[i]] if self._is_in(i, columns) else []), *([rows[i]] if i < nx and i not in live else [])]
            for i in numbers
        ]
        vectors = list(dict.fromkeys([*(v for row in terms for _, v in row), *(v for row in plain for v in row)]))
        place = {v: k for k, v in enumerate(vectors)}

        def add(scalars: Any, vectors: Any) -> list[Number]:
            found, at = list[Number](), 0
            for row, others in zip(terms, plain, strict=True):
                total = dot(scalars[at : at + len(row)], [vectors[place[v]] for _, v in row])
                for v in others:
                    total = vectors[place[v]] + total
                found.append(total)
                at += len(row)
            return found

        scalars = [scalar for row in terms for scalar, _ in row]
        targets = [M[i] + start for i in numbers]
        return make_columns("stage", len(columns), scalars, [v + start for v in vectors], targets, add)

    def _is_in(self, i: int, columns: range) -> bool:
        """Return whether the Hessian of a stage, or the gradient by inputs, has entries of a row in columns."""
        nx, places = self.code.nx, self.rows.columns
        is_gradient = i >= nx and nx in columns
        return is_gradient or any(self._has(i, j) and places[j] in columns for j in range(len(places)))

    def _pivots(self, lower: Any) -> list[Number]:
        L, inverse = factor_diagonal([lower[i * (i + 1) // 2 : (i + 1) * (i + 2) // 2] for i in range(self.code.nu)])
        return [*(x for row in L for x in row), *inverse]

    def _solve(self, scalars: Any, vectors: Any) -> list[Number]:
        """Return V = D^-1 L^-1 M_u, and L^-1 M_u."""
        nu, found = self.code.nu, list[Number]()
        place, inverse = 0, scalars[self.code.nu * (self.code.nu - 1) // 2 :]
        for i, right in enumerate(vectors):
            found.append(right - dot(list(scalars[place : place + i]), found))
            place += i
        return [*(x * inverse[i] for i, x in enumerate(found[:nu])), *found]

    def _reduce(self, V: Sequence[int], M: Sequence[int], P: Sequence[int], factor: Sequence[int]) -> Iterator[Part]:
        """Yield M - V' D V, and the same of the gradient, which stands behind."""
        for columns in self.stretches:
            numbers = range(columns.start, self.code.nx + 1)

            def reduce(scalars: Any, vectors: Any, count: int = len(numbers)) -> list[Number]:
                V, M = vectors[: self.code.nu], vectors[self.code.nu :]
                return [b - dot(scalars[i::count], list(V)) for i, b in enumerate(M)]

            scalars = [place + i for place in factor for i in numbers]
            vectors = [place + columns.start for place in (*V, *(M[i] for i in numbers))]
            targets = [P[i] + columns.start for i in numbers]
            yield make_columns("cost", len(columns), scalars, vectors, targets, reduce)

    def _mirror(self, P: Sequence[int]) -> Iterator[Part]:
        """Yield copies of what stands below the diagonal: eight rows by as many columns at a time, then within them.

        P is the same as its transpose to the last bit: what of it were not would grow from stage to stage, as A' E A
        does where A grows, while errors that are symmetric shrink as the controlled motion does.
        """
        for first in range(0, self.code.pitch, LANES):
            for start in range(0, first, LANES):
                rows, targets = (
                    [P[first] + start + i for i in range(LANES)],
                    [P[start + i] + first for i in range(LANES)],
                )
                block = make_block("mirror", [rows], [targets], lambda x: list(x))
                moves = [Window(place, 1, self.code.pitch) for place in rows]
                yield SideBySide(LANES, (block,), (*moves, *(Window(place, 1, 1) for place in targets)))
        pairs = [(i, j) for i in range(self.code.nx) for j in range(i - i % LANES, i)]
        yield Copies(tuple(P[i] + j for i, j in pairs), tuple(P[j] + i for i, j in pairs))

    def gain(self) -> Part:
        """Return K of u = K x + k by rows."""
        code = self.code
        triangle = [range(i * (i - 1) // 2, i * (i + 1) // 2) for i in range(code.nu)]

        def solve(L: Any, V: Any) -> list[Number]:
            u = solve_unit_upper([[L[k] for k in own] for own in triangle], [-x for x in V])
            return [choose(abs(x) < ENDLESS, x, 0.0) for x in u]

        targets = [*self.locate("gain")[:: code.nx]]
        return make_columns("gain", code.nx, self.locate("L"), self._rows("V"), targets, solve)
