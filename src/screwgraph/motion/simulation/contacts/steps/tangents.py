"""Derivatives of a step's vectors along directions, one row each, as its parts are done: forward mode by loops.

A part with the outputs y of the inputs x has a tangent part, y' = y_x x', which is linear: what it multiplies with is
computed once, then a loop goes over the directions, several at once. Its code is short however many directions there
are. Griewank & Walther (2008), chapter 3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from screwgraph.compiler.passes.parameter_hoisting import split_program
from screwgraph.motion.simulation.contacts.steps.named_vectors import Expression, name_vectors
from screwgraph.tape import Block, Memory, Number, Part, SideBySide, Window, jacobian
from screwgraph.tape.parts import Fill


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

    def loop(self, names: Sequence[str], blocks: Sequence[Block], first: int) -> SideBySide:
        """Return the loop of blocks over directions from one on; `names` are vectors whose rows they read or write."""
        windows = [Window(p.start, len(p), self._places[n][2]) for n in names if len(p := self.row(n, first))]
        return SideBySide(self.first + self.count - first, tuple(blocks), tuple(dict.fromkeys(windows)))

    def list_parts(
        self,
        label: str,
        reads: Sequence[str],
        writes: Sequence[str],
        expression: Expression,
        first: int | None = None,
    ) -> tuple[Part, ...]:
        """Return the tangent parts of an expression of vectors by name, which stand before its own."""
        first, memory = self.first if first is None else first, self.memory
        moved, found = ([name for name in names if name in self] for names in (reads, writes))
        if not moved or not found:
            return ()
        for name in {*moved, *found}:
            memory.alias(f"d {name}", self.row(name, first))

        def follow(*vectors: Any) -> list[Number]:
            own, tangents = vectors[: len(reads)], vectors[len(reads) :]
            named, outputs = dict(zip(reads, own, strict=True)), list(expression(name_vectors(reads, own)))
            asked, start = list[Number](), 0
            for name in writes:
                size = len(memory.places(name))
                asked += outputs[start : start + size] if name in self else []
                start += size
            inputs = [x for name in moved for x in named[name]]
            rows = jacobian(asked, inputs, [{0: t} for vector in tangents for t in vector])
            return [row.get(0, 0.0) for row in rows]

        whole = memory.block(label, [*reads, *(f"d {n}" for n in moved)], [f"d {n}" for n in found], follow)
        count = sum(len(memory.places(name)) for name in reads)
        split = split_program(whole.program, whole.program.input_names[:count])
        kept = memory.add(f"{label} slopes", len(split.before.outputs))
        before = Block(f"{label} slopes", split.before, whole.reads[:count], kept)
        after = Block(f"{label} tangent", split.after.unrolled, (*whole.reads[count:], *kept), whole.writes)
        return before, self.loop(list(dict.fromkeys([*moved, *found])), [after], first)
