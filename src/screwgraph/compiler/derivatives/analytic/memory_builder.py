"""Where numbers of code with loops stand, and the parts that put them there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from screwgraph.compiler.derivatives.analytic.sparse_vectors import Pair, Vector
from screwgraph.tape import Number, Program, Routine, Tape, program
from screwgraph.tape.parts import Block, Copies, Fill, Part, Products, Span, find_spans

LINE = 8
"""Doubles of a line of the caches."""


class MemoryBuilder:
    """A memory under construction: `results` numbers, the named inputs, then what parts leave to each other."""

    def __init__(self, inputs: Sequence[str], results: int) -> None:
        self.results, self.inputs = results, tuple(inputs)
        self.parts: list[Part] = []
        self._end = results + len(self.inputs)

    def allocate(self, count: int) -> int:
        """Return the place from which on so many numbers are nobody else's; vectors begin there."""
        before = self.results + len(self.inputs)
        start = before + -((before - self._end) // LINE) * LINE
        self._end = start + count
        return start

    def straight(self, tape: Tape, inputs: Sequence[str], reads: int, outputs: Sequence[Sequence[Number]]) -> list[int]:
        """Compute arrays of numbers by a program, whose inputs stand from a place on; return where each is."""
        every = [number for numbers in outputs for number in numbers]
        return self.add_code(program(tape, every, inputs), reads, list(map(len, outputs)))

    def add_code(self, code: Program, reads: int, sizes: Sequence[int]) -> list[int]:
        """Compute arrays of these sizes by a program, whose inputs stand from a place on; return where each is."""
        starts = np.cumsum([self.allocate(sum(sizes)), *sizes]).tolist()[:-1]
        given, found = (
            range(start, start + count)
            for start, count in zip((reads, starts[0]), (len(code.input_names), sum(sizes)), strict=True)
        )
        self.parts.append(Block("straight", code, given, found))
        return starts

    def clear(self, start: int, pairs: Pairs) -> None:
        """Store zeros in a matrix, unless all of its entries are computed."""
        if not pairs.is_full:
            self.parts.append(Fill(start, pairs.size**2))

    def copy_numbers(self, places: Mapping[int, int]) -> None:
        """Copy numbers, from target to source."""
        if places:
            self.parts.append(Copies(tuple(places.values()), tuple(places)))

    def finish(self) -> Routine:
        """Return the code."""
        outputs, inputs = range(self.results), range(self.results, self.results + len(self.inputs))
        return Routine(self.inputs, inputs, outputs, self._end, tuple(self.parts))


@dataclass(frozen=True)
class Pairs:
    """Coordinates (`size` of them) and, for each, the `carriers`: coordinates of joints nearer to the base."""

    size: int
    carriers: Sequence[Sequence[int]]

    @cached_property
    def to_base(self) -> tuple[Span, ...]:
        """The carriers of each coordinate."""
        return tuple(span for i, columns in enumerate(self.carriers) for span in find_spans(i, columns))

    @cached_property
    def to_tips(self) -> tuple[Span, ...]:
        """The coordinates that each one carries."""
        carried: list[list[int]] = [[] for _ in self.carriers]
        for i, columns in enumerate(self.carriers):
            for j in columns:
                carried[j].append(i)
        return tuple(span for j, columns in enumerate(carried) for span in find_spans(j, columns))

    @property
    def is_full(self) -> bool:
        """Whether of each two coordinates one carries the other."""
        return 2 * sum(map(len, self.carriers)) == self.size * (self.size - 1)

    def below(self, terms: int, carried: int, carrying: int, target: int, width: int = 0) -> Products:
        """Return the entries (i, j) of a matrix where j carries i: products of vectors of i and of j.

        Its rows are `width` apart, by default neighbours.
        """
        return Products(terms, carried, carrying, self.size, target, width or self.size, self.to_base)

    def above(self, terms: int, carrying: int, carried: int, target: int) -> Products:
        """Return the entries (j, i) of a matrix where j carries i."""
        return Products(terms, carrying, carried, self.size, target, self.size, self.to_tips)


def interleave_pairs(pairs: Sequence[Pair], *more: Sequence[Vector]) -> list[Number]:
    """Return twists or wrenches, each with more numbers, number by number: all first ones, then all second ones."""
    columns = [[*a, *b, *(x for own in more for x in own[i])] for i, (a, b) in enumerate(pairs)]
    return [number for row in zip(*columns, strict=True) for number in row]
