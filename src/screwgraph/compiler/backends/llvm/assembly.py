"""A program as LLVM assembly: code for one sample and for vectors of them, the loop over samples, the quick call."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from screwgraph.compiler.backends.llvm.allocation import ALLOCATIONS
from screwgraph.compiler.backends.llvm.block import block, is_whole
from screwgraph.compiler.backends.llvm.fastcall_code import call
from screwgraph.compiler.backends.llvm.gather import gather
from screwgraph.compiler.backends.llvm.loop import Blocks, Operand, Shape, lengths, loop
from screwgraph.compiler.backends.llvm.machine import (
    cache_bytes,
    vector_width,
)
from screwgraph.compiler.backends.llvm.operations import function_declarations
from screwgraph.compiler.backends.llvm.pointers import ONE, Pointers
from screwgraph.compiler.backends.llvm.results import put_results
from screwgraph.compiler.backends.llvm.rolled import rolled_block, widest
from screwgraph.compiler.backends.llvm.routine import routine_block
from screwgraph.compiler.backends.llvm.side_by_side import LimbsBlock, limbs_block
from screwgraph.compiler.backends.llvm.sincos import sincos
from screwgraph.compiler.backends.llvm.sines import several, sines
from screwgraph.compiler.backends.llvm.stages import SINES
from screwgraph.compiler.backends.llvm.text import Lanes, declarations
from screwgraph.compiler.backends.llvm.unit import COUNTER, counting, with_places
from screwgraph.compiler.backends.llvm.wrap import wrapped
from screwgraph.compiler.distinct import distinct
from screwgraph.compiler.pieces import WHOLE
from screwgraph.tape import Program, Routine
from screwgraph.tape.rolled import Code, Rolled, Straight

Arguments = Sequence[tuple[Shape, Sequence[str]]]
"""Core shape, and names of the inputs, of each argument."""


def alone_block(
    program: Code | Routine, arguments: Arguments, dtype: str, quaternions: Sequence[tuple[int, int]] = ()
) -> LimbsBlock | None:
    """Return code for one sample with equal limbs side by side, where that pays."""
    if not isinstance(program, Program):
        return None
    inputs, _ = operands(program, arguments, ())
    pointers = own_pointers(program, with_places(inputs, quaternions), quaternions, len(program.instructions))
    return limbs_block(program, Lanes(1, 8 * np.dtype(dtype).itemsize), pointers=pointers)


def llvm_source(
    program: Code | Routine,
    arguments: Arguments,
    results: Sequence[Shape],
    dtype: str = "float64",
    *,
    batches: bool = True,
    quaternions: Sequence[tuple[int, int]] = (),
    whole: int = WHOLE,
    alone: LimbsBlock | None = None,
) -> str:
    """Return the assembly of the loop that a gufunc runs; programs beyond `whole` instructions are in pieces.

    `alone` is the code for one sample, if it is not to be as that for several.
    """
    inputs, outputs = operands(program, arguments, results)
    bits = 8 * np.dtype(dtype).itemsize
    lanes = Lanes(vector_width() * 64 // bits if batches else 1, bits)
    return assembly(program, inputs, outputs, lanes, quaternions, cache_bytes(), whole, alone)


def whole_source(
    program: Code | Routine,
    arguments: Arguments,
    results: Sequence[Shape],
    dtype: str,
    batches: bool,
    quaternions: Sequence[tuple[int, int]],
    whole: int,
    alone: LimbsBlock | None,
) -> str:
    """Return all assembly that is compiled: the loop, and the quick call."""
    ways = {"batches": batches, "quaternions": quaternions, "whole": whole, "alone": alone}
    text = llvm_source(program, arguments, results, dtype, **ways)
    inputs, outputs = operands(program, arguments, results)
    given = with_places(inputs, quaternions)
    pointers = own_pointers(program, given, quaternions, whole) if alone is None else alone.pointers
    return f"{text}\n{call(inputs, outputs, Lanes(1, 8 * np.dtype(dtype).itemsize), quaternions, pointers)}"


def operands(
    program: Code | Routine, arguments: Arguments, results: Sequence[Shape]
) -> tuple[list[Operand], list[Operand]]:
    """Return arguments and results with the places of their numbers among all."""
    place = {n: i for i, n in enumerate(program.input_names)}
    inputs = [Operand(shape, tuple(place.get(n, -1) for n in names)) for shape, names in arguments]
    outputs, start = [], 0
    for shape in results:
        end = start + prod(shape)
        outputs.append(Operand(shape, tuple(range(start, end))))
        start = end
    return inputs, outputs


def assembly(
    program: Code | Routine,
    inputs: Sequence[Operand],
    outputs: Sequence[Operand],
    lanes: Lanes,
    quaternions: Sequence[tuple[int, int]] = (),
    cache: int = 0,
    whole: int = WHOLE,
    alone: LimbsBlock | None = None,
) -> str:
    """Return the LLVM assembly of a program and its loop over samples; results larger than `cache` bytes stream."""
    single, inputs = Lanes(1, lanes.bits), with_places(inputs, quaternions)
    kinds, blocks = tuple(dict.fromkeys((lanes, single))), list[Blocks]()
    pointers = own_pointers(program, inputs, quaternions, whole) if alone is None else alone.pointers
    parts = code_declarations(program, kinds, () if alone is None else alone.vectors)
    for each in kinds:
        if each.width == 1 and alone is not None:
            text, placed = alone.text, outputs
        else:
            text, placed = _block(program, outputs, each, whole, pointers)
        blocks.append(Blocks(each, inputs, placed, pointers if each == single else ONE))
        parts += [gather(each, lengths(inputs)), put_results(placed, each), text]
        parts += [counting(inputs, quaternions, each)] if quaternions else []
    parts += [f"@{COUNTER} = global ptr null"] if quaternions else []
    parts += [
        loop(blocks[0], blocks[-1], "unit" if quaternions else "", cache),
        '!0 = !{!"branch_weights", i32 1, i32 1000000}',
    ]
    return "\n".join(parts)


def code_declarations(program: Code | Routine, kinds: Sequence[Lanes], packs: Collection[Lanes] = ()) -> list[str]:
    """Return what code calls: memory, functions of C, sines if it has some, for numbers and vectors of these kinds.

    `packs` are vectors of one sample's numbers.
    """
    code, one = _instructions(program), Lanes(1, kinds[0].bits)
    parts = [
        ALLOCATIONS,
        "declare double @sin(double)",
        "declare double @cos(double)",
        *function_declarations(code, kinds),
    ]
    parts += [declarations(each) for each in kinds]
    known = list(kinds)
    if isinstance(program, Routine) or any(i[0] in SINES for i in code):
        together = several(one.bits)
        parts += [function(each) for each in kinds for function in (sincos, wrapped)]
        parts.append(sines(together, together in known))
        known.append(together)
    neighbours = [widest(one)] if isinstance(program, Rolled) else [*packs]  # of one sample's numbers
    return parts + [declarations(each) for each in neighbours if each not in known]


def _block(
    program: Code | Routine, outputs: Sequence[Operand], lanes: Lanes, whole: int, pointers: Pointers
) -> tuple[str, Sequence[Operand]]:
    """Return the code of a block, and where results are in it; values of vectors are there once."""
    if isinstance(program, Routine):
        return routine_block(program, lanes, whole), outputs
    if isinstance(program, Rolled):
        return rolled_block(program, lanes, whole), outputs
    if lanes.width == 1:
        return block(program, lanes, whole=whole, pointers=pointers), outputs
    once = distinct(program)
    placed = [replace(o, places=tuple(once.places[place] for place in o.places)) for o in outputs]
    text = block(once.program, lanes, places=once.places, whole=whole, pointers=pointers)
    return text, placed


def own_pointers(
    program: Code | Routine, inputs: Sequence[Operand], quaternions: Sequence[tuple[int, int]], whole: int
) -> Pointers:
    """Return a pointer to each argument of one sample, where vectors follow each other in the block of a short program.

    Quaternions are looked at by the first pointer.
    """
    starts = [operand.places[0] if operand.places else -1 for operand in inputs]
    vectors = all(len(operand.shape) == 1 and operand.is_run for operand in inputs)
    in_order = starts[:1] == [0] and starts == sorted(set(starts)) and all(i == 0 for i, _ in quaternions)
    short = isinstance(program, Program) and is_whole(program, whole)
    return Pointers(tuple(starts)) if vectors and in_order and short else ONE


def _instructions(program: Code | Routine) -> list[tuple[Any, ...]]:
    """Return all straight-line instructions."""
    if isinstance(program, Rolled):
        return [i for stage in program.stages if isinstance(stage, Straight) for i in stage.program.instructions]
    return list(program.instructions)
