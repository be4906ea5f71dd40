"""A step of Riccati's recursion by rows of matrices, whose columns go side by side; bounds side by side.

Columns of all matrices are those of x, then the gradient's, then from a multiple of `LANES` on those of u. Rows of J
that are constants only, as those of positions that stay what they are, cost no products.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from screwgraph.optimize.chain_program.bound_groups import BoundGroup, move
from screwgraph.optimize.chain_program.bounds import Barrier, limit
from screwgraph.optimize.chain_program.pattern import count_live, fill, is_present, multiply_symmetric
from screwgraph.optimize.chain_program.stage_code import StageCode
from screwgraph.optimize.dense_factors import factor_positive
from screwgraph.tape import Block, Memory, Number, Part, SideBySide, Window, dot
from screwgraph.tape.parts import Fill

LANES = 8
"""Columns that go side by side: a multiple of what vectors of any processor hold."""


def pad(count: int) -> int:
    """Return the next multiple of the lanes."""
    return -(-count // LANES) * LANES


@dataclass(frozen=True, eq=False)
class WideStage:
    """The recursion at a stage whose vectors have places in a memory; scratch of it is fixed.

    `at` returns where a vector of the stage begins ("P+": of the next one). Scratch: turn: rows of W = T'(P + D) T at
    columns of live rows of J; live: these rows, then the gap; base: what W times other rows adds; own: H and the
    gradient; outputs: rows of C and F times what bounds and equalities add; rows: W (J, gap); M: the Hessian and the
    gradient of the stage and what follows; factor: V once more.
    """

    code: StageCode
    memory: Memory
    prefix: str
    at: Callable[[str], int]

    @property
    def live(self) -> list[int]:
        """Rows of J with entries that are not constants."""
        return [i for i, row in enumerate(self.code.J) if None in row]

    @property
    def width(self) -> int:
        """Columns of a row."""
        return self.code.pitch + pad(self.code.nu)

    @property
    def scratch(self) -> dict[str, int]:
        """Vectors that are fixed."""
        nx, nu, width = self.code.nx, self.code.nu, self.width
        return {
            **{"turn": nx * len(self.live), "live": len(self.live) * width, "base": nx * width},
            "outputs": len(self.code.outputs) * width,
            **{"own": (nx + nu) * width, "rows": nx * width, "M": (nx + nu) * width, "factor": nu * self.code.pitch},
        }

    def clear(self) -> tuple[Part, ...]:
        """Return what writes the zeros that stay."""
        sizes = self.scratch
        return tuple(Fill(self._fixed_place(name), sizes[name]) for name in ("live", "base", "own", "outputs"))

    def parts(self, prepare: Block) -> tuple[Part, ...]:
        """Return the recursion; `prepare` is the block of `prepare`, whose results have places here."""
        code, width, pitch = self.code, self.width, self.code.pitch
        nx, nu, live = code.nx, code.nu, self.live
        own, rows, M = (self._rows(name, count) for name, count in (("own", nx + nu), ("rows", nx), ("M", nx + nu)))
        outputs = self._rows("outputs", len(code.outputs))
        V, factor, P = (
            [self._fixed_or_stage(name) + i * pitch for i in range(count)] for name, count in self._row_matrices
        )
        turn, entries = (
            range(self._fixed_place("turn"), self._fixed_place("turn") + nx * len(live)),
            [*self._entries("J"), *self._entries("C"), *self._entries("F")],
        )
        lower = [M[nx + i] + pitch + j for i in range(nu) for j in range(i + 1)]
        L, inverse = self._entries("L"), self._entries("inverse")
        scalars = [place + j for place in factor for j in range(nx)]
        return (
            replace(prepare, writes=tuple(self._prepared_places())),
            self._side(
                "rows", width, [*turn], [*self._rows("live", len(live)), *self._rows("base", nx)], rows, self._multiply
            ),
            self._side("stage", width, entries, [*rows, *outputs, *own], M, self._congruence),
            _block("pivots", lower, [*L, *inverse], self._pivots),
            self._side("inputs", pitch, [*L, *inverse], M[nx:], [*V, *factor], self._solve),
            self._side("cost", pitch, scalars, [*V, *M[:nx]], P, self._reduce),
        )

    @property
    def _row_matrices(self) -> tuple[tuple[str, int], ...]:
        return (("V", self.code.nu), ("factor", self.code.nu), ("P", self.code.nx))

    def _fixed_place(self, name: str) -> int:
        return self.memory.places(self.prefix + name).start

    def _fixed_or_stage(self, name: str) -> int:
        return self._fixed_place(name) if name in self.scratch else self.at(name)

    def _rows(self, name: str, count: int) -> list[int]:
        """Return where rows of a scratch matrix begin."""
        return [self._fixed_place(name) + i * self.width for i in range(count)]

    def _entries(self, name: str) -> range:
        nu = self.code.nu
        sizes = {"L": nu * (nu - 1) // 2, "inverse": nu}
        sizes |= {name: count_live(getattr(self.code, name)) for name in ("J", "C", "F")}
        return range(self.at(name), self.at(name) + sizes[name])

    # What is computed: straight-line code of scalars, or of columns.

    def prepare(self, *vectors: Any) -> list[Number]:
        """Return the numbers at `_prepared_places`; `vectors` are those that `parts` names."""
        J, c, h, H, g, C, F, u, D, d, before, x, P = vectors
        D, d = self.code.present(D), self.code.present(d)
        code, z = self.code, [*before, *u]
        nx, nu = code.nx, code.nu
        full, own = fill(code.J, J), code.fill_triangle(H)
        gap = code.find_gap(full, c, h[0], z, x)
        slopes = [a + b for a, b in zip(g, multiply_symmetric(own, z), strict=True)]
        slopes = [*slopes[:nx], *(a + b for a, b in zip(slopes[nx:], d[:nu], strict=True))]
        W, w = code.turn(P, h[0], D[nu : nu + nx], d[nu : nu + nx])
        for i in range(nu):
            own[nx + i][nx + i] = own[nx + i][nx + i] + D[i]
        found = list(gap)
        found += [W[i][k] for i in range(nx) for k in self.live]
        found += [full[k][j] for k in self.live for j in range(nx + nu) if is_present(code.J[k][j])]
        found += [gap[k] for k in self.live]
        steady = [k for k in range(nx) if k not in self.live]
        for i in range(nx):
            found += [dot([W[i][k] for k in steady], [full[k][j] for k in steady]) for j in self._steady_columns]
            found.append(dot([W[i][k] for k in steady], [gap[k] for k in steady]) + w[i])
        for i in range(nx + nu):
            found += [own[max(i, j)][min(i, j)] for j in range(nx + nu) if self._has(i, j)]
            found.append(slopes[i])
        for row, curvature, slope, pattern in zip(
            fill(code.outputs, [*C, *F]), D[nu + nx :], d[nu + nx :], code.outputs, strict=True
        ):
            found += [curvature * row[j] for j in range(nx + nu) if is_present(pattern[j])]
            found.append(slope)
        return found

    def _prepared_places(self) -> Iterator[int]:
        """Yield where these numbers go: gap, turn, live rows, base, own, outputs."""
        code = self.code
        nx, nu = code.nx, code.nu
        columns = [*range(nx), *(code.pitch + i for i in range(nu))]
        yield from range(self.at("gap"), self.at("gap") + nx)
        yield from range(self._fixed_place("turn"), self._fixed_place("turn") + nx * len(self.live))
        rows = self._rows("live", len(self.live))
        for start, k in zip(rows, self.live, strict=True):
            yield from (start + columns[j] for j in range(nx + nu) if is_present(code.J[k][j]))
        yield from (start + nx for start in rows)
        for start in self._rows("base", nx):
            yield from (start + columns[j] for j in self._steady_columns)
            yield start + nx
        for i, start in enumerate(self._rows("own", nx + nu)):
            yield from (start + columns[j] for j in range(nx + nu) if self._has(i, j))
            yield start + nx
        for pattern, start in zip(code.outputs, self._rows("outputs", len(code.outputs)), strict=True):
            yield from (start + columns[j] for j in range(nx + nu) if is_present(pattern[j]))
            yield start + nx

    @property
    def _steady_columns(self) -> list[int]:
        """Columns in which rows of J that are constants have entries."""
        rows = [row for row in self.code.J if None not in row]
        return [j for j in range(self.code.nx + self.code.nu) if any(row[j] for row in rows)]

    def _has(self, i: int, j: int) -> bool:
        """Return whether the Hessian of a stage has an entry, or bounds add one."""
        code = self.code
        return (i == j and i >= code.nx) or is_present(code.H[max(i, j)][min(i, j)])

    def _multiply(self, scalars: Any, vectors: Any) -> list[Number]:
        count = len(self.live)
        live, base = vectors[:count], vectors[count:]
        return [b + dot(scalars[i * count : i * count + count], live) for i, b in enumerate(base)]

    def _congruence(self, scalars: Any, vectors: Any) -> list[Number]:
        """Return H + J' W J, and what bounds of C z and equalities add."""
        full = fill([*self.code.J, *self.code.outputs], scalars)
        rows, own = vectors[: len(full)], vectors[len(full) :]
        return [b + dot(list(column), rows) for b, column in zip(own, zip(*full, strict=True), strict=True)]

    def _pivots(self, lower: Any) -> list[Number]:
        L, inverse = factor_positive([lower[i * (i + 1) // 2 : (i + 1) * (i + 2) // 2] for i in range(self.code.nu)])
        return [*(x for row in L for x in row), *inverse]

    def _solve(self, scalars: Any, vectors: Any) -> list[Number]:
        """Return V = L^-1 M, twice."""
        nu, found = self.code.nu, list[Number]()
        place = 0
        for i, right in enumerate(vectors):
            found.append((right - dot(list(scalars[place : place + i]), found)) * scalars[nu * (nu - 1) // 2 + i])
            place += i
        return [*found, *found]

    def _reduce(self, scalars: Any, vectors: Any) -> list[Number]:
        """Return M - V'V."""
        nx, nu = self.code.nx, self.code.nu
        V, M = vectors[:nu], vectors[nu:]
        return [b - dot([scalars[k * nx + i] for k in range(nu)], list(V)) for i, b in enumerate(M)]

    # Bounds, and steps: all unknowns of a group side by side.

    def condense(self) -> tuple[Part, ...]:
        """Return what bounds and equalities add to the Hessian of (w, F z) and to the gradient, and the copy of x."""
        parts = [self._hold()] if self.code.F else list[Part]()
        for group in self.code.groups:
            targets = [self.at(name) + group.first for name in ("D", "d")]

            def add(scalars: Any, vectors: Any, group: BoundGroup = group) -> Sequence[Number]:
                return group.condense(vectors[0], self._barriers(group, scalars[0], vectors[1:]))

            vectors = [self._unknown(group, "u", "x+", "output"), *self._list_bound_places(group)]
            parts.append(self._side("condense", group.count, [self._fixed_place("mu")], vectors, targets, add))
        copy = self._side("copy", self.code.nx, [], [self.at("x")], [self.at("before")], lambda _, x: [x[0]])
        return (*parts, copy)

    def _hold(self) -> Part:
        """Return what equalities add."""
        code = self.code
        given = [self.at("output") + len(code.C), self.at("f"), self.at("multipliers")]
        targets = [self.at(name) + code.unknowns for name in ("D", "d")]

        def add(_: Any, vectors: Any) -> Sequence[Number]:
            output, f, multiplier = vectors
            return [code.stiffness, *code.hold([output], [f], [multiplier])]

        return self._side("hold", len(code.F), [], given, targets, add)

    def measure(self) -> tuple[Part, ...]:
        """Return Newton's steps of numbers, and how much of them each unknown of w takes."""
        parts, reach = list[Part](), self._fixed_place("reach")
        for group in self.code.groups:
            parts_of = [reach + group.first, reach + self.code.unknowns + group.first]

            def take(scalars: Any, vectors: Any, group: BoundGroup = group) -> Sequence[Number]:
                return group.measure(
                    vectors[0], vectors[1], vectors[2:4], self._barriers(group, scalars[0], vectors[4:])
                )

            moves = [self._unknown(group, *names) for names in (("u", "x+", "output"), ("du", "dx+", "doutput"))]
            targets = [*(self.at("changes") + place for place in group.numbers), *parts_of]
            vectors = [*moves, *parts_of, *self._list_bound_places(group)]
            parts.append(self._side("measure", group.count, [self._fixed_place("mu")], vectors, targets, take))
        return tuple(parts)

    def update(self) -> tuple[Part, ...]:
        """Return w and the numbers after a step."""
        parts, steps = list[Part](), self._fixed_place("steps")

        def go(scalars: Any, vectors: Any) -> Sequence[Number]:
            return [move(vectors[0], vectors[1], scalars[0])]

        def keep(scalars: Any, vectors: Any) -> Sequence[Number]:
            now, changes = vectors[: len(vectors) // 2], vectors[len(vectors) // 2 :]
            pairs = enumerate(zip(now, changes, strict=True))
            return [limit(move(a, b, scalars[k % 2])) for k, (a, b) in pairs]

        if self.code.F:
            parts.append(self._hold_on(steps))
        for names, count in ((("u", "du"), self.code.nu), (("x+", "dx+"), self.code.nx)):
            vectors = [self.at(name) for name in names]
            parts.append(self._side("move", count, [steps], vectors, vectors[:1], go))
        for group in self.code.groups:
            now, changes = ([self.at(name) + place for place in group.numbers] for name in ("numbers", "changes"))
            parts.append(self._side("keep", group.count, [steps, steps + 1], [*now, *changes], now, keep))
        return tuple(parts)

    def _hold_on(self, steps: int) -> Part:
        """Return the multipliers of equalities after a step."""
        code = self.code
        places = [self.at(name) + len(code.C) for name in ("output", "doutput")]
        vectors = [*places, self.at("f"), self.at("multipliers")]

        def move_multiplier(scalars: Any, vectors: Any) -> Sequence[Number]:
            output, change, f, multiplier = vectors
            return code.hold_on([output], [change], [f], [multiplier], scalars[0])

        return self._side("hold", len(code.F), [steps + 1], vectors, vectors[3:], move_multiplier)

    def _unknown(self, group: BoundGroup, *names: str) -> int:
        """Return where the first unknown of a group of (u, x', C z) stands, or its step."""
        starts = (0, self.code.nu, self.code.nu + self.code.nx)
        start, name = next(pair for pair in zip(starts[::-1], names[::-1], strict=True) if pair[0] <= group.first)
        return self.at(name) + group.first - start

    def _list_bound_places(self, group: BoundGroup) -> list[int]:
        """Return where values, numbers and penalties of the first unknown of a group stand."""
        values, numbers = (
            [self.at(name) + place for place in places]
            for name, places in (("bound", group.values), ("numbers", group.numbers))
        )
        return [*values, *numbers, *(self._fixed_place("soft") + place for place in group.penalties)]

    def _barriers(self, group: BoundGroup, mu: Number, given: Any) -> list[Barrier]:
        values, numbers = len(group.values), len(group.numbers)
        return group.barriers(given[:values], given[values : values + numbers], mu, given[values + numbers :])

    def _side(
        self,
        label: str,
        count: int,
        scalars: Sequence[int],
        vectors: Sequence[int],
        targets: Sequence[int],
        expression: Callable[[Any, Any], Sequence[Number]],
    ) -> SideBySide:
        """Return a block for all columns of vectors that begin at places."""
        few = len(scalars)
        block = _block(label, [*scalars, *vectors], targets, lambda x: expression(x[:few], x[few:]))
        windows = tuple(Window(place, 1, 1) for place in dict.fromkeys([*vectors, *targets]))
        return SideBySide(count, (block,), windows)


def _block(
    label: str, reads: Sequence[int], writes: Sequence[int], expression: Callable[[Any], Sequence[Number]]
) -> Block:
    """Return a program of numbers at places."""
    memory = Memory()
    memory.add("x", len(reads))
    memory.add("y", len(writes))
    block = memory.block(label, ["x"], ["y"], expression)
    return replace(block, reads=tuple(reads), writes=tuple(writes))
