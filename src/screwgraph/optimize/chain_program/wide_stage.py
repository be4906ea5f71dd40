"""A step of Riccati's recursion by rows of matrices, whose columns go side by side.

Columns of all matrices are those of x, then the gradient's, then from a multiple of `LANES` on those of u. Rows of J
that are those of the identity, as of positions that stay what they are, cost no products.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from screwgraph.optimize.chain_program.columns import Locate, make_block, make_columns, pad
from screwgraph.optimize.chain_program.pattern import is_present, multiply_symmetric
from screwgraph.optimize.chain_program.stage_code import StageCode
from screwgraph.optimize.chain_program.wide_products import WideProducts, WideRows
from screwgraph.optimize.dense_factors import ENDLESS, factor_diagonal, solve_unit_upper
from screwgraph.spatial import choose
from screwgraph.tape import Block, Number, Part, dot
from screwgraph.tape.parts import Copies, Fill


@dataclass(frozen=True, eq=False)
class WideStage:
    """The recursion at a stage whose vectors are where `locate` says ("P+": of the next one).

    Vectors of a stage: J_rows: live rows of J; C_rows: long rows of C and F; p: slope of the cost to go. Scratch,
    which is fixed: outputs: C_rows times what bounds and equalities add; own: H and all of the gradient; pull:
    (P + D) T gap; w: T' of the gradient of what follows; slope: J_rows' w; turn: live rows of W = T'(P + D) T; steady:
    one in columns of x of other rows; rows: W J; M: the Hessian and the gradient of the stage and what follows, a block
    M_u = (M_ux, gradient, M_uu); factor: L^-1 M_u; inverse: D^-1 of L D L' = M_uu. T'(P + D) takes the place of P.
    What is written number by number is not read as vectors soon after: processors wait for such stores.
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
            **{"P": nx * pitch, "pull": nx, "w": nx, "inverse": nu, **self.products.scratch},
        }

    def clear(self) -> tuple[Part, ...]:
        """Return what writes the numbers that stay."""
        zeros = (Fill(self._find_place(name), self.scratch[name]) for name in ("own", "steady"))
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
        scalars = [place + j for place in factor for j in range(nx)]
        return (
            *self._scale_outputs(),
            self._curve(P),
            self._prepare(),
            make_columns("pull", nx, self.locate("gap"), P, [self._find_place("pull")], lambda e, rows: [dot(e, rows)]),
            *self._slope(P),
            *self._turn(P),
            Copies(tuple(start + nx for start in P), tuple(self.locate("p+"))),
            *self._multiply(P),
            *self._condense(),
            make_block("pivots", [lower], [L, inverse], self._pivots),
            make_columns("inputs", pitch, [*L, *inverse], M[nx:], [*V, *factor], self._solve),
            make_columns("cost", pitch, scalars, [*V, *M[:nx]], own, self._reduce),
        )

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
        """Return T gap, H with what bounds of inputs and short rows of C and F add, and the gradients of long ones."""
        code, nx, first, rows = self.code, self.code.nx, self._first_output, self.rows
        gradients = [start + nx for start in self._rows("outputs")]
        pairs = [(i, j) for i in range(nx + code.nu) for j in range(nx + code.nu) if self._has(i, j)]
        places = [self._rows("own")[i] + rows.columns[j] for i, j in pairs]

        def prepare(sums: Any, c: Any, h: Any, H: Any, entries: Any, D: Any, d: Any, x: Any, following: Any) -> Any:
            D, d, own, live = code.present(D), code.present(d), code.fill_triangle(H), iter(entries)
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
            return [*gap, *(own[max(i, j)][min(i, j)] for i, j in pairs), *(d[first + k] for k in rows.long)]

        sums, short = self.products.find_sums("J_rows", "C_rows")[0], rows.short_places
        vectors, last = ([self.locate(x) for x in names] for names in (("c", "h", "H"), ("D", "d", "before", "x+")))
        given = [sums, *vectors, short, *last]
        return make_block("prepare", given, [self.locate("gap"), places, gradients], prepare)

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

        gradient = [start + nx for start in P]
        given = [gradient, *(self.locate(name) for name in ("pull", "d", "h"))]
        yield make_block("w", given, [self.locate("w")], turn)
        scalars, rows = [self._find_place("w") + k for k in live], self._rows("J_rows")
        yield make_columns(
            "slope", self.rows.width, scalars, rows, [self._find_place("slope")], lambda w, rows: [dot(w, rows)]
        )
        given = [*(self.locate(name) for name in ("g", "H", "before", "u", "d", "w")), self.rows.short_places]
        slope = [self._find_place("slope") + j for j in self.rows.columns]
        yield make_block("gradient", [*given, slope], [[start + nx for start in self._rows("own")]], add)

    def _turn(self, P: Sequence[int]) -> Iterator[Part]:
        """Yield what makes T' P of P, T = I + h E; then live rows of T' P T."""
        h, pairs = self.locate("h"), list(self.code.integrated)

        def add(scalars: Any, vectors: Any) -> list[Number]:
            count = len(vectors) // 2
            return [b + scalars[0] * a for a, b in zip(vectors[:count], vectors[count:], strict=True)]

        if pairs:
            vectors = [P[i] for side in zip(*pairs, strict=True) for i in side]
            for start, end in self._list_rounds(pairs):
                own = [*vectors[start:end], *vectors[len(pairs) + start : len(pairs) + end]]
                yield make_columns("rows", self.code.pitch, h, own, own[end - start :], add)
        rows, turned = [P[k] for k in self.rows.live], self._rows("turn")
        yield make_columns("copy", self.code.pitch, [], rows, turned, lambda _, x: list(x))
        for i, j, count in self._list_runs(pairs):
            vectors = [*(row + i for row in rows), *(row + j for row in turned)]
            yield make_columns("columns", count, h, vectors, vectors[len(rows) :], add)

    @staticmethod
    def _list_rounds(pairs: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
        """Yield runs of pairs no two of which have a target in common."""
        start, targets = 0, set[int]()
        for k, (_, j) in enumerate(pairs):
            if j in targets:
                yield start, k
                start, targets = k, set[int]()
            targets.add(j)
        yield start, len(pairs)

    @staticmethod
    def _list_runs(pairs: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int, int]]:
        """Yield the first of pairs both of which go on by one, and how many do."""
        start = 0
        for k, (i, j) in enumerate(pairs):
            if k + 1 == len(pairs) or pairs[k + 1] != (i + 1, j + 1):
                yield (*pairs[start], k + 1 - start)
                start = k + 1

    def _multiply(self, P: Sequence[int]) -> Iterator[Part]:
        """Yield the rows W J of x and of u: those of T' P are those of W at columns of x of rows of the identity."""
        count, pitch, nx, rows = len(self.rows.live), self.code.pitch, self.code.nx, self._rows("rows")
        scalars = [start + i for i in range(nx) for start in self._rows("turn")]

        def multiply(scalars: Any, vectors: Any) -> list[Number]:
            live, rest = vectors[:count], vectors[count:]
            base = [rest[0] * row for row in rest[1:]] or [0.0] * nx
            return [b + dot(scalars[i * count : i * count + count], live) for i, b in enumerate(base)]

        vectors = [*self._rows("J_rows"), self._find_place("steady"), *P]
        yield make_columns("rows", pitch, scalars, vectors, rows, multiply)
        live, targets = ([start + pitch for start in starts] for starts in (self._rows("J_rows"), rows))
        yield make_columns("rows", pad(self.code.nu), scalars, live, targets, multiply)

    def _condense(self) -> Iterator[Part]:
        """Yield H + J' W J, and what bounds of C z and equalities add: rows of x without columns of u, rows of u."""
        code, nx, live = self.code, self.code.nx, self.rows.live
        rows, own, M, outputs = (self._rows(name) for name in ("rows", "own", "M", "outputs"))
        for first, end, count in ((0, nx, code.pitch), (nx, nx + code.nu, self.rows.width)):
            terms = [
                [
                    (start + self.rows.columns[i], len(live) * (name != "J_rows") + k)
                    for name, pattern in self.rows.patterns.items()
                    for k, start in enumerate(self._rows(name))
                    if is_present(pattern[k][i])
                ]
                for i in range(first, end)
            ]
            scalars = [place for own_terms in terms for place, _ in own_terms]
            steady = [first + i not in live and first == 0 for i in range(end - first)]

            def add(scalars: Any, vectors: Any, terms: Any = terms, steady: Any = steady) -> list[Number]:
                rows, outputs, own = vectors[:nx], vectors[nx : -len(terms)], vectors[-len(terms) :]
                factors, found, place = [*(rows[k] for k in live), *outputs], list[Number](), 0
                for i, own_terms in enumerate(terms):
                    numbers, place = scalars[place : place + len(own_terms)], place + len(own_terms)
                    total = own[i] + dot(numbers, [factors[k] for _, k in own_terms])
                    found.append(total + rows[i] if steady[i] else total)
                return found

            yield make_columns("stage", count, scalars, [*rows, *outputs, *own[first:end]], M[first:end], add)

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

    def _reduce(self, scalars: Any, vectors: Any) -> list[Number]:
        """Return M - V' D V."""
        nx, nu = self.code.nx, self.code.nu
        V, M = vectors[:nu], vectors[nu:]
        return [b - dot([scalars[k * nx + i] for k in range(nu)], list(V)) for i, b in enumerate(M)]

    def gain(self) -> Part:
        """Return K of u = K x + k by rows."""
        code = self.code
        triangle = [range(i * (i - 1) // 2, i * (i + 1) // 2) for i in range(code.nu)]

        def solve(L: Any, V: Any) -> list[Number]:
            u = solve_unit_upper([[L[k] for k in own] for own in triangle], [-x for x in V])
            return [choose(abs(x) < ENDLESS, x, 0.0) for x in u]

        targets = [*self.locate("gain")[:: code.nx]]
        return make_columns("gain", code.nx, self.locate("L"), self._rows("V"), targets, solve)
