"""Derivatives of a step's vectors along directions, one row each, as its parts are done: forward mode by loops.

A part with the outputs y of the inputs x has a tangent part, y' = y_x x', which is linear: what it multiplies with is
computed once, then a loop goes over the directions, several at once. Its code is short however many directions there
are. Griewank & Walther (2008), chapter 3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from screwgraph.compiler.passes.parameter_hoisting import slice_program, split_program
from screwgraph.motion.simulation.contacts.steps.named_vectors import Expression, name_vectors
from screwgraph.tape import Block, Memory, Number, Part, Row, SideBySide, Window, jacobian
from screwgraph.tape.parts import Fill
from screwgraph.tape.program import without_unused_inputs


@dataclass(frozen=True)
class Directions:
    """Directions that follow one another, and the vectors that alone have derivatives along them; None: any."""

    numbers: range
    names: frozenset[str] | None = None

    def moves(self, name: str) -> bool:
        """Whether derivatives of a vector may not be zero."""
        return self.names is None or name in self.names


class Tangents:
    """The derivatives of some vectors of a memory along `count` directions; `first` more of impulses stand before."""

    def __init__(self, memory: Memory, count: int, first: int) -> None:
        self.memory, self.count, self.first = memory, count, first
        self._places: dict[str, tuple[int, int, int]] = {}

    def __contains__(self, name: str) -> bool:
        """Whether derivatives of a vector are not zero."""
        return name in self._places

    def add(self, label: str, sizes: Mapping[str, int]) -> Fill:
        """Allocate rows of a few vectors; return what makes them zero."""
        stride = sum(sizes.values())
        places = self.memory.add(label, stride * (self.first + self.count))
        start = places.start
        for name, size in sizes.items():
            self._places[name] = (start, size, stride)
            start += size
        return Fill(places.start, len(places))

    def alias(self, name: str, other: str) -> None:
        """Give a vector the rows of another one."""
        self._places[name] = self._places[other]

    def row(self, name: str, direction: int) -> range:
        """Return the places of a row; those of impulses' directions come first."""
        start, size, stride = self._places[name]
        return range(start + direction * stride, start + direction * stride + size)

    @property
    def arguments(self) -> Directions:
        """All directions of arguments."""
        return Directions(range(self.first, self.first + self.count))

    def loop(self, names: Sequence[str], blocks: Sequence[Block], directions: range) -> SideBySide:
        """Return the loop of blocks over directions; `names` are vectors whose rows they read or write."""
        rows = ((self.row(n, directions.start), self._places[n][2]) for n in names)
        windows = [Window(row.start, len(row), stride) for row, stride in rows if len(row)]
        return SideBySide(len(directions), tuple(blocks), tuple(dict.fromkeys(windows)))

    def list_parts(
        self,
        label: str,
        reads: Sequence[str],
        writes: Sequence[str],
        expression: Expression,
        groups: Sequence[Directions] = (),
    ) -> tuple[Part, ...]:
        """Return the tangent parts of an expression of vectors by name, which stand before its own.

        The first part is what they multiply with, then follows one for each group of directions, by default all of
        arguments.
        """
        groups, memory = groups or [self.arguments], self.memory
        moved = [[name for name in reads if name in self and group.moves(name)] for group in groups]
        found = [name for name in writes if name in self]
        if not any(moved) or not found:
            return ()
        for k, group in enumerate(groups):
            for name in {*moved[k], *found}:
                memory.alias(f"d{k} {name}", self.row(name, group.numbers.start))

        def follow(*vectors: Any) -> list[Number]:
            named = dict(zip(reads, vectors[: len(reads)], strict=True))
            outputs, rest = list(expression(name_vectors(reads, vectors[: len(reads)]))), iter(vectors[len(reads) :])
            asked, start = list[Number](), 0
            for name in writes:
                size = len(memory.places(name))
                asked += outputs[start : start + size] if name in self else []
                start += size
            seeds: dict[str, list[Row]] = {name: [{} for _ in named[name]] for own in moved for name in own}
            for k, own in enumerate(moved):
                for name in own:
                    for seed, x in zip(seeds[name], next(rest), strict=True):
                        seed[k] = x
            rows = jacobian(asked, [x for name in seeds for x in named[name]], [*chain(*seeds.values())])
            return [row.get(k, 0.0) for k in range(len(groups)) for row in rows]

        names = [f"d{k} {name}" for k, own in enumerate(moved) for name in own]
        wrote = [f"d{k} {name}" for k in range(len(groups)) for name in found]
        whole = memory.block(label, [*reads, *names], wrote, follow)
        count = sum(len(memory.places(name)) for name in reads)
        split = split_program(whole.program, whole.program.input_names[:count])
        kept = memory.add(f"{label} slopes", len(split.before.outputs))
        parts: list[Part] = [Block(f"{label} slopes", split.before, whole.reads[:count], kept)]
        after, size = split.after.unrolled, len(whole.writes) // len(groups)
        places = dict(zip(after.input_names, (*whole.reads[count:], *kept), strict=True))
        for k, group in enumerate(groups):
            own = slice(k * size, k * size + size)
            code = without_unused_inputs(slice_program(after, after.input_names, {}, after.outputs[own]))
            block = Block(f"{label} tangent", code, tuple(places[n] for n in code.input_names), whole.writes[own])
            parts.append(self.loop(list(dict.fromkeys([*moved[k], *found])), [block], group.numbers))
        return tuple(parts)
