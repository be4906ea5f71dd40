"""Where numbers of code with loops stand, and the parts that put them there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from screwgraph.compiler.derivatives.analytic.coordinate_pairs import Pairs
from screwgraph.compiler.derivatives.analytic.sparse_vectors import Pair, Vector
from screwgraph.tape import Number, Program, Routine, Tape, program
from screwgraph.tape.parts import Block, Copies, Fill, Part

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


def interleave_pairs(pairs: Sequence[Pair], *more: Sequence[Vector]) -> list[Number]:
    """Return twists or wrenches, each with more numbers, number by number: all first ones, then all second ones."""
    columns = [[*a, *b, *(x for own in more for x in own[i])] for i, (a, b) in enumerate(pairs)]
    return [number for row in zip(*columns, strict=True) for number in row]
