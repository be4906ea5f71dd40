"""A program as LLVM assembly: code for one sample and for vectors of them, the loop over samples, the quick call."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from math import prod

import numpy as np

from screwgraph.compiler.backends.llvm.allocation import ALLOCATIONS
from screwgraph.compiler.backends.llvm.angle_reduction import emit_angle_reduction
from screwgraph.compiler.backends.llvm.argument_pointers import ONE, ArgumentPointers
from screwgraph.compiler.backends.llvm.domain_counter import (
    COUNTER,
    EVERYTHING,
    Domains,
    emit_domain_counter,
    place_checked,
)
from screwgraph.compiler.backends.llvm.fastcall_code import emit_fastcall
from screwgraph.compiler.backends.llvm.gather import emit_gather
from screwgraph.compiler.backends.llvm.inner_loop import BlockLayout, Operand, Shape, emit_inner_loop, stretch_lengths
from screwgraph.compiler.backends.llvm.ir_text import Lanes, emit_intrinsics
from screwgraph.compiler.backends.llvm.later_samples import emit_later
from screwgraph.compiler.backends.llvm.machine_code import (
    cache_bytes,
    vector_width,
)
from screwgraph.compiler.backends.llvm.operations import function_declarations
from screwgraph.compiler.backends.llvm.packed_block import PackedBlock, emit_limb_block
from screwgraph.compiler.backends.llvm.result_store import emit_result_stores
from screwgraph.compiler.backends.llvm.routine import emit_routine, has_wide_sines, widest_vector
from screwgraph.compiler.backends.llvm.sample_block import BlockFunction, emit_block, fits_one_function
from screwgraph.compiler.backends.llvm.sincos import emit_sincos
from screwgraph.compiler.backends.llvm.sine_scheduling import SINES
from screwgraph.compiler.backends.llvm.vector_sines import emit_vector_sines, sines_per_vector
from screwgraph.compiler.passes.outlining import WHOLE
from screwgraph.compiler.passes.output_deduplication import deduplicate_outputs
from screwgraph.compiler.passes.slp import MOST_LIMBS
from screwgraph.tape import Code, Program, Routine

Arguments = Sequence[tuple[Shape, Sequence[str]]]
"""Core shape, and names of the inputs, of each argument."""


def emit_packed_block(
    program: Code, arguments: Arguments, dtype: str, domains: Domains = EVERYTHING
) -> PackedBlock | None:
    """Return code for one sample with equal limbs side by side, where that pays."""
    if not isinstance(program, Program):
        return None
    inputs, _ = make_operands(program, arguments, ())
    pointers = select_pointers(program, place_checked(inputs, domains), len(program.instructions))
    return emit_limb_block(program, Lanes(1, 8 * np.dtype(dtype).itemsize), pointers=pointers)


def emit_loop(
    program: Code,
    arguments: Arguments,
    results: Sequence[Shape],
    dtype: str = "float64",
    *,
    batches: bool = True,
    domains: Domains = EVERYTHING,
    whole: int = WHOLE,
    alone: PackedBlock | None = None,
) -> str:
    """Return the assembly of the loop that a gufunc runs; programs beyond `whole` instructions are in pieces.

    `alone` is the code for one sample, if it is not to be as that for several.
    """
    inputs, outputs = make_operands(program, arguments, results)
    bits = 8 * np.dtype(dtype).itemsize
    lanes = Lanes(vector_width() * 64 // bits if batches else 1, bits)
    return emit_assembly(program, inputs, outputs, lanes, domains, cache_bytes(), whole, alone)


def emit_module(
    program: Code,
    arguments: Arguments,
    results: Sequence[Shape],
    dtype: str,
    batches: bool,
    domains: Domains,
    whole: int,
    alone: PackedBlock | None,
) -> str:
    """Return all assembly that is compiled: the loop, and the quick call."""
    ways = {"batches": batches, "domains": domains, "whole": whole, "alone": alone}
    text = emit_loop(program, arguments, results, dtype, **ways)
    inputs, outputs = make_operands(program, arguments, results)
    given = place_checked(inputs, domains)
    pointers = select_pointers(program, given, whole) if alone is None else alone.pointers
    return f"{text}\n{emit_fastcall(inputs, outputs, Lanes(1, 8 * np.dtype(dtype).itemsize), domains, pointers)}"


def make_operands(program: Code, arguments: Arguments, results: Sequence[Shape]) -> tuple[list[Operand], list[Operand]]:
    """Return arguments and results with the places of their numbers among all."""
    place = {n: i for i, n in enumerate(program.input_names)}
    inputs = [Operand(shape, tuple(place.get(n, -1) for n in names)) for shape, names in arguments]
    outputs, start = [], 0
    for shape in results:
        end = start + prod(shape)
        outputs.append(Operand(shape, tuple(range(start, end))))
        start = end
    return inputs, outputs


def emit_assembly(
    program: Code,
    inputs: Sequence[Operand],
    outputs: Sequence[Operand],
    lanes: Lanes,
    domains: Domains = EVERYTHING,
    cache: int = 0,
    whole: int = WHOLE,
    alone: PackedBlock | None = None,
) -> str:
    """Return the LLVM assembly of a program and its loop over samples; results larger than `cache` bytes stream."""
    single, inputs = Lanes(1, lanes.bits), place_checked(inputs, domains)
    kinds, blocks = tuple(dict.fromkeys((lanes, single))), list[BlockLayout]()
    pointers = select_pointers(program, inputs, whole) if alone is None else alone.pointers
    parts = emit_declarations(program, kinds, () if alone is None else alone.vectors)
    for each in kinds:
        if each.width == 1 and alone is not None:
            text, placed = alone.text, outputs
        else:
            text, placed = _block(program, outputs, each, whole, pointers)
        own = pointers if each == single else ONE
        blocks.append(BlockLayout(each, inputs, placed, own))
        parts += [emit_gather(each, stretch_lengths(inputs)), emit_result_stores(placed, each), text]
        parts += [] if domains.is_everything else [emit_domain_counter(inputs, domains, each, own)]
    parts += [] if domains.is_everything else [f"@{COUNTER} = global ptr null"]
    waits = False
    if lanes.width > 1 and isinstance(program, Routine) and program.is_rarely_long:
        waits = True
        parts.append(emit_later(blocks[0], program.likely))
    parts += [
        emit_inner_loop(blocks[0], blocks[-1], "" if domains.is_everything else "domains", cache, waits=waits),
        '!0 = !{!"branch_weights", i32 1, i32 1000000}',
    ]
    return "\n".join(parts)


def emit_declarations(program: Code, kinds: Sequence[Lanes], packs: Collection[Lanes] = ()) -> list[str]:
    """Return what code calls: memory, functions of C, sines if it has some, for numbers and vectors of these kinds.

    `packs` are vectors of one sample's numbers.
    """
    code, one = program.instructions, Lanes(1, kinds[0].bits)
    if isinstance(program, Routine) and has_wide_sines(program):
        kinds = tuple(dict.fromkeys((*kinds, widest_vector(one))))
    parts = [
        ALLOCATIONS,
        "declare double @sin(double)",
        "declare double @cos(double)",
        *function_declarations(code, kinds),
    ]
    parts += [emit_intrinsics(each) for each in kinds]
    known = list(kinds)
    if any(i[0] in SINES for i in code):
        together = sines_per_vector(one.bits)
        parts += [function(each) for each in kinds for function in (emit_sincos, emit_angle_reduction)]
        parts.append(emit_vector_sines(together, together in known))
        known.append(together)
    limbs = (Lanes(width, one.bits) for width in range(2, MOST_LIMBS + 1))
    neighbours = [widest_vector(one), *limbs] if isinstance(program, Routine) else [*packs]  # of one sample's numbers
    return parts + [emit_intrinsics(each) for each in dict.fromkeys(neighbours) if each not in known]


def _block(
    program: Code, outputs: Sequence[Operand], lanes: Lanes, whole: int, pointers: ArgumentPointers
) -> tuple[str, Sequence[Operand]]:
    """Return the code of a block, and where results are in it; values of vectors are there once."""
    if isinstance(program, Routine):
        return emit_routine(program, lanes, whole), outputs
    if lanes.width == 1:
        return emit_block(program, lanes, whole=whole, pointers=pointers), outputs
    once = deduplicate_outputs(program)
    placed = [replace(o, places=tuple(once.places[place] for place in o.places)) for o in outputs]
    text = emit_block(once.program, lanes, BlockFunction(places=once.places), whole, pointers)
    return text, placed


def select_pointers(program: Code, inputs: Sequence[Operand], whole: int) -> ArgumentPointers:
    """Return a pointer to each argument of one sample, where vectors follow each other in a short block."""
    starts = [operand.places[0] if operand.places else -1 for operand in inputs]
    vectors = all(len(operand.shape) == 1 and operand.is_run for operand in inputs)
    in_order = starts[:1] == [0] and starts == sorted(set(starts))
    short = isinstance(program, Program) and fits_one_function(program, whole)
    return ArgumentPointers(tuple(starts)) if vectors and in_order and short else ONE
