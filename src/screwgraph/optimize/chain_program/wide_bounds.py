"""Bounds and steps of a stage, unknowns of a group side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from screwgraph.optimize.chain_program.bound_groups import BoundGroup, move
from screwgraph.optimize.chain_program.bounds import Barrier, limit
from screwgraph.optimize.chain_program.columns import Locate, make_columns
from screwgraph.optimize.chain_program.stage_code import StageCode
from screwgraph.optimize.chain_program.wide_products import WideProducts, WideRows
from screwgraph.optimize.dense_factors import ENDLESS
from screwgraph.spatial import choose, maximum, minimum
from screwgraph.tape import Number, Part
from screwgraph.tape.parts import Fill

UNKNOWNS, STEPS = ("u", "x+", "output"), ("du", "dx+", "doutput")
"""Vectors of (u, x', C z), and of their steps."""


@dataclass(frozen=True, eq=False)
class WideBounds:
    """Terms of bounds at a stage, and their updates; vectors of the stage are where `locate` says."""

    code: StageCode
    locate: Locate

    @property
    def products(self) -> WideProducts:
        """Products of the stage's rows."""
        return WideProducts(WideRows(self.code, self.locate))

    def begin(self) -> tuple[Part, ...]:
        """Return what makes u, x', numbers and multipliers sound: the last ones, or fresh ones."""
        code = self.code

        def clean(_: Any, vectors: Any) -> Sequence[Number]:
            return [choose(abs(vectors[0]) < ENDLESS, vectors[0], 0.0)]

        def keep(scalars: Any, vectors: Any) -> Sequence[Number]:
            return [choose((scalars[0] > 0.5) * (abs(vectors[0]) < ENDLESS) > 0.5, vectors[0], 0.0)]

        parts = list[Part]()
        for name, count in (("u", code.nu), ("x+", code.nx)):
            place = self._find_place(name)
            parts.append(make_columns("clean", count, [], [place], [place], clean))
        for group in code.groups:
            if group.first < code.nu:
                parts.append(self._clip(group))
        parts += self.products.output()
        for group in code.groups:

            def start(scalars: Any, vectors: Any, group: BoundGroup = group) -> Sequence[Number]:
                return group.begin(vectors[0], scalars[0], self._barriers(group, scalars[1:], vectors[1:]))

            scalars = [self._find_place("warm"), *self._list_scalars()]
            vectors = [self._find_unknown(group, UNKNOWNS), *self._list_bound_places(group)]
            targets = vectors[1 + len(group.kinds) :][: len(group.numbers)]
            parts.append(make_columns("start", group.count, scalars, vectors, targets, start))
        if code.F:
            place = self._find_place("multipliers")
            parts.append(make_columns("start", len(code.F), [self._find_place("warm")], [place], [place], keep))
        zeros = (Fill(self._find_place(name), len(self.locate(name))) for name in ("D", "d"))
        return (*parts, *zeros)

    def _clip(self, group: BoundGroup) -> Part:
        """Return what puts inputs within bounds."""

        def clip(_: Any, vectors: Any) -> Sequence[Number]:
            v, *values = vectors
            for kind, value in zip(group.kinds, values, strict=True):
                v = maximum(v, value) if kind.lower else minimum(v, value)
            return [v]

        place, values = self._find_unknown(group, UNKNOWNS), self._list_bound_places(group)[: len(group.kinds)]
        return make_columns("clip", group.count, [], [place, *values], [place], clip)

    def condense(self) -> tuple[Part, ...]:
        """Return what bounds and equalities add to the Hessian of (w, F z) and to the gradient, and the copy of x."""
        parts: list[Part] = [*self.products.evaluate()]
        parts += [self._hold()] if self.code.F else []
        for group in self.code.groups:
            targets = [self._find_place(name) + group.first for name in ("D", "d")]

            def add(scalars: Any, vectors: Any, group: BoundGroup = group) -> Sequence[Number]:
                return group.condense(vectors[0], self._barriers(group, scalars, vectors[1:]))

            vectors = [self._find_unknown(group, UNKNOWNS), *self._list_bound_places(group)]
            parts.append(make_columns("condense", group.count, self._list_scalars(), vectors, targets, add))
        places = [self._find_place(name) for name in ("x", "before")]
        copy = make_columns("copy", self.code.nx, [], places[:1], places[1:], lambda _, x: [x[0]])
        return (*parts, copy)

    def _hold(self) -> Part:
        """Return what equalities add."""
        code = self.code
        given = [self._find_place("output") + len(code.C), self._find_place("f"), self._find_place("multipliers")]
        targets = [self._find_place(name) + code.unknowns for name in ("D", "d")]

        def add(_: Any, vectors: Any) -> Sequence[Number]:
            output, f, multiplier = vectors
            return [code.stiffness, *code.hold([output], [f], [multiplier])]

        return make_columns("hold", len(code.F), [], given, targets, add)

    def measure(self) -> tuple[Part, ...]:
        """Return Newton's steps of numbers, and how much of them each unknown of w takes."""
        parts, reach = list[Part](), self._find_place("reach")
        for group in self.code.groups:
            parts_of = [reach + group.first, reach + self.code.unknowns + group.first]

            def take(scalars: Any, vectors: Any, group: BoundGroup = group) -> Sequence[Number]:
                barriers = self._barriers(group, scalars, vectors[4:])
                return group.measure(vectors[0], vectors[1], vectors[2:4], barriers)

            moves = [self._find_unknown(group, names) for names in (UNKNOWNS, STEPS)]
            targets = [*(self._find_place("changes") + place for place in group.numbers), *parts_of]
            vectors = [*moves, *parts_of, *self._list_bound_places(group)]
            parts.append(make_columns("measure", group.count, self._list_scalars(), vectors, targets, take))
        return tuple(parts)

    def update(self) -> tuple[Part, ...]:
        """Return w, the numbers and the multipliers after a step."""
        parts, steps = list[Part](), self._find_place("steps")

        def go(scalars: Any, vectors: Any) -> Sequence[Number]:
            return [move(vectors[0], vectors[1], scalars[0])]

        def keep(scalars: Any, vectors: Any) -> Sequence[Number]:
            now, changes = vectors[: len(vectors) // 2], vectors[len(vectors) // 2 :]
            pairs = enumerate(zip(now, changes, strict=True))
            return [limit(move(a, b, scalars[k % 2])) for k, (a, b) in pairs]

        if self.code.F:
            parts.append(self._hold_on(steps))
        for names, count in ((("u", "du"), self.code.nu), (("x+", "dx+"), self.code.nx)):
            vectors = [self._find_place(name) for name in names]
            parts.append(make_columns("move", count, [steps], vectors, vectors[:1], go))
        for group in self.code.groups:
            now, changes = (
                [self._find_place(name) + place for place in group.numbers] for name in ("numbers", "changes")
            )
            parts.append(make_columns("keep", group.count, [steps, steps + 1], [*now, *changes], now, keep))
        return tuple(parts)

    def _hold_on(self, steps: int) -> Part:
        """Return the multipliers of equalities after a step."""
        code = self.code
        places = [self._find_place(name) + len(code.C) for name in ("output", "doutput")]
        given = [*places, self._find_place("f"), self._find_place("multipliers")]

        def move_multiplier(scalars: Any, vectors: Any) -> Sequence[Number]:
            output, change, f, multiplier = vectors
            return code.hold_on([output], [change], [f], [multiplier], scalars[0])

        return make_columns("hold", len(code.F), [steps + 1], given, given[3:], move_multiplier)

    def _find_place(self, name: str) -> int:
        return self.locate(name).start

    def _find_unknown(self, group: BoundGroup, names: Sequence[str]) -> int:
        """Return where the first unknown of a group stands, or its step."""
        starts = (0, self.code.nu, self.code.nu + self.code.nx)
        start, name = next(pair for pair in zip(starts[::-1], names[::-1], strict=True) if pair[0] <= group.first)
        return self._find_place(name) + group.first - start

    def _list_bound_places(self, group: BoundGroup) -> list[int]:
        """Return where values, numbers and penalties of the first unknown of a group stand."""
        values, numbers = (
            [self._find_place(name) + place for place in places]
            for name, places in (("bound", group.values), ("numbers", group.numbers))
        )
        return [*values, *numbers, *(self._find_place("soft") + place for place in group.penalties)]

    def _list_scalars(self) -> list[int]:
        """Return where the barrier stands, and the scale of penalties, if there is one."""
        return [self._find_place(name) for name in ("mu", *["scale"] * self.code.scales_penalties)]

    def _barriers(self, group: BoundGroup, scalars: Any, given: Any) -> list[Barrier]:
        values, numbers = len(group.values), len(group.numbers)
        mu, *scale = scalars
        penalties = [scale[0] * x if scale else x for x in given[values + numbers :]]
        return group.barriers(given[:values], given[values : values + numbers], mu, penalties)
