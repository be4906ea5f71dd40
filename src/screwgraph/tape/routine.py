"""Straight-line code in loops that end when numbers say so: parts that work in one memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.summary import one_line
from screwgraph.tape.program import Operations, Program, program
from screwgraph.tape.tape import Tape


@dataclass(frozen=True, eq=False)
class Block:
    """A program, and where in memory its inputs and its outputs stand; it writes when it has read all."""

    __repr__ = one_line

    name: str
    program: Program
    reads: tuple[int, ...]
    writes: tuple[int, ...]

    @property
    def reads_in_place(self) -> bool:
        """Whether inputs are contiguous in memory, in order."""
        return _is_run(self.reads)

    @property
    def writes_in_place(self) -> bool:
        """Whether outputs may be written to contiguous memory while inputs are read."""
        return _is_run(self.writes) and not set(self.reads) & set(self.writes)


@dataclass(frozen=True, eq=False)
class Lookup:
    """The row of a table whose number stands at `row`, written to contiguous places from `writes` on."""

    __repr__ = one_line

    table: Float[np.ndarray, "rows n"]
    row: int
    writes: int


@dataclass(frozen=True, eq=False)
class Loop:
    """Parts that are done once, and again as long as the number at `again` is not zero."""

    __repr__ = one_line

    parts: tuple[Part, ...]
    again: int


@dataclass(frozen=True, eq=False)
class When:
    """Parts that are done if the number at `test` is not zero."""

    __repr__ = one_line

    test: int
    parts: tuple[Part, ...]


Part = Block | Lookup | Loop | When


@dataclass(frozen=True, eq=False)
class Routine:
    """Parts that are done one after the other in a memory of `size` numbers.

    Input i stands at `inputs[i]` before, result i at `outputs[i]` after them.
    """

    __repr__ = one_line

    input_names: tuple[str, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    size: int
    parts: tuple[Part, ...]

    @cached_property
    def every(self) -> tuple[Part, ...]:
        """All parts, those within others, too, in the order in which they are written."""
        return tuple(_every(self.parts))

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """All straight-line code."""
        return blocks_of(self.parts)

    @cached_property
    def instructions(self) -> Sequence[tuple[Any, ...]]:
        """The instructions of all of it."""
        return tuple(i for block in self.blocks for i in block.program.instructions)

    @property
    def operations(self) -> Operations:
        """Count the arithmetic operations of a passage through all parts, each once."""
        total: Counter[str] = Counter()
        for block in self.blocks:
            total.update(block.program.operations.counts)
        return Operations(dict(total))

    def evaluate(self, inputs: Sequence[Any], passages: list[int] | None = None) -> list[Any]:
        """Interpret with numbers of one type, one for each input; `passages` gets how often each loop went round."""
        memory = np.full(self.size, np.nan, np.result_type(*inputs) if inputs else float)
        memory[list(self.inputs)] = inputs
        _run(self.parts, memory, [] if passages is None else passages)
        return [memory[place] for place in self.outputs]

    def bound(self, values: Mapping[str, float]) -> Routine:
        """Return the routine with some inputs fixed: floats are folded in all code that reads them."""
        known = {p: float(values[n]) for n, p in zip(self.input_names, self.inputs, strict=True) if n in values}
        open_ = [(n, p) for n, p in zip(self.input_names, self.inputs, strict=True) if n not in values]
        assert not known.keys() & _changed_or_asked(self.every), "an input that is fixed is only read by programs"
        return replace(
            self,
            input_names=tuple(n for n, _ in open_),
            inputs=tuple(p for _, p in open_),
            parts=_fold_parts(self.parts, known),
        )


def _is_run(places: Sequence[int]) -> bool:
    """Whether places stand side by side."""
    return all(b == a + 1 for a, b in pairwise(places))


def blocks_of(parts: Sequence[Part]) -> tuple[Block, ...]:
    """Return the straight-line code of parts, that within others, too."""
    return tuple(part for part in _every(parts) if isinstance(part, Block))


def _every(parts: Sequence[Part]) -> Iterator[Part]:
    for part in parts:
        yield part
        if isinstance(part, Loop | When):
            yield from _every(part.parts)


def _changed_or_asked(parts: Sequence[Part]) -> set[int]:
    """Return the places that are written, or that branches ask."""
    found: set[int] = set()
    for part in parts:
        match part:
            case Block():
                found |= set(part.writes)
            case Lookup():
                found |= {part.row, *range(part.writes, part.writes + part.table.shape[1])}
            case Loop():
                found.add(part.again)
            case When():
                found.add(part.test)
    return found


def _fold_parts(parts: Sequence[Part], known: Mapping[int, float]) -> tuple[Part, ...]:
    found: list[Part] = []
    for part in parts:
        match part:
            case Block():
                found.append(_with_constants(part, known))
            case Loop() | When():
                found.append(replace(part, parts=_fold_parts(part.parts, known)))
            case _:
                found.append(part)
    return tuple(found)


def _with_constants(block: Block, known: Mapping[int, float]) -> Block:
    if not known.keys() & set(block.reads):
        return block
    tape, names = Tape(merge="form"), []
    given: list[Any] = []
    for name, place in zip(block.program.input_names, block.reads, strict=True):
        if place in known:
            given.append(known[place])
        else:
            names.append(name)
            given.append(tape.input(name))
    code = program(tape, block.program.on(given), names)
    return replace(block, program=code, reads=tuple(p for p in block.reads if p not in known))


def _run(parts: Sequence[Part], memory: np.ndarray, passages: list[int]) -> None:
    for part in parts:
        match part:
            case Block():
                memory[list(part.writes)] = part.program.evaluate([memory[place] for place in part.reads])
            case Lookup():
                memory[part.writes : part.writes + part.table.shape[1]] = part.table[int(memory[part.row])]
            case Loop():
                count = 1
                _run(part.parts, memory, passages)
                while memory[part.again] != 0.0:
                    _run(part.parts, memory, passages)
                    count += 1
                passages.append(count)
            case When():
                if memory[part.test] != 0.0:
                    _run(part.parts, memory, passages)
