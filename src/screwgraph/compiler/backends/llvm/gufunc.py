"""A program as a genuine NumPy gufunc: broadcasting, `out=`, dtype rules, no GIL held inside."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import prod
from typing import Any

import numpy as np

from screwgraph.compiler.backends.llvm.allocation import ALLOCATIONS
from screwgraph.compiler.backends.llvm.block import block, is_whole
from screwgraph.compiler.backends.llvm.fastcall import layout_is_known, never, numpy_table, quick_call, whole_call
from screwgraph.compiler.backends.llvm.fastcall_code import call
from screwgraph.compiler.backends.llvm.gather import gather
from screwgraph.compiler.backends.llvm.loop import Blocks, Operand, Shape, lengths, loop
from screwgraph.compiler.backends.llvm.machine import (
    FAST,
    QUICK,
    Entry,
    MachineCode,
    cache_bytes,
    drafted_code,
    served,
    vector_width,
)
from screwgraph.compiler.backends.llvm.operations import function_declarations
from screwgraph.compiler.backends.llvm.pointers import ONE, Pointers
from screwgraph.compiler.backends.llvm.results import put_results
from screwgraph.compiler.backends.llvm.rolled import rolled_block, widest
from screwgraph.compiler.backends.llvm.routine import routine_block, routine_question
from screwgraph.compiler.backends.llvm.side_by_side import LimbsBlock, limbs_block
from screwgraph.compiler.backends.llvm.sincos import sincos
from screwgraph.compiler.backends.llvm.sines import several, sines
from screwgraph.compiler.backends.llvm.stages import SINES
from screwgraph.compiler.backends.llvm.text import Lanes, declarations
from screwgraph.compiler.backends.llvm.unit import COUNTER, counting, with_places
from screwgraph.compiler.backends.llvm.wrap import wrapped
from screwgraph.compiler.cache import pack_code
from screwgraph.compiler.distinct import distinct
from screwgraph.compiler.pieces import WHOLE
from screwgraph.tape import Program, Routine
from screwgraph.tape.rolled import Code, Rolled, Straight

_FROM_SIGNATURE = 31
"""Place of PyUFunc_FromFuncAndDataAndSignature in NumPy's table of C functions."""
STEPS = 50
"""States that a call of code with such loops counts as, when it is judged whether faster code pays."""

CALLED = ("loop", "call", "whole")
"""The functions of machine code that are called from outside."""

Arguments = Sequence[tuple[Shape, Sequence[str]]]
"""Core shape, and names of the inputs, of each argument."""


@dataclass(frozen=True, eq=False)
class Compiled:
    """Machine code of a program: `ufunc` for arrays of all kinds, and `quick`, which may return None, for one state.

    `whole` makes a function that is as quick, and calls another one with its arguments where `quick` returns None.
    `off_unit` grows in calls of `ufunc`, of any thread, in which a quaternion is not unit.
    """

    ufunc: np.ufunc
    quick: Callable[..., Any]
    off_unit: ctypes.c_int64
    whole: Callable[[Callable[..., Any]], Callable[..., Any]]


def compiled(
    name: str,
    program: Code | Routine,
    arguments: Arguments,
    results: Sequence[Shape],
    dtype: str = "float64",
    *,
    batches: bool = True,
    quickly: bool = False,
    quaternions: Sequence[tuple[int, int]] = (),
) -> Compiled:
    """Compile a program for this machine; `results` are the outputs' core shapes, `dtype` float64 or float32.

    Without `batches`, and of a `Routine`, code for single states only is made, in a fraction of the time; `quickly`
    takes less time for long programs whose code may be a little slower. The quick call leaves those of `quaternions`
    (argument, place of the first number) that are not unit to the caller; in batches they are counted.
    """
    batches = batches and not isinstance(program, Routine)
    asked = routine_question(program) if isinstance(program, Routine) else pack_code(program)
    large = cache_bytes()
    question = (asked, arguments, results, dtype, large, *(() if batches else ("single",)), *quaternions)

    def source(whole: int) -> str:
        limbs = None if quickly or whole < WHOLE else alone_block(program, arguments, dtype, quaternions)
        return _source(program, arguments, results, dtype, batches and whole >= least, quaternions, whole, limbs)

    level, least = (QUICK, WHOLE) if quickly else (FAST, 0)  # drafts of kernels take their states one by one
    counter = ctypes.c_int64()
    code = drafted_code(
        question,
        source,
        CALLED,
        level,
        _weight(program),
        partial(count_in, counter) if quaternions else lambda engine: None,
    )
    number = np.dtype(dtype)
    ufunc = make_ufunc(name, [shape for shape, _ in arguments], results, number, code, [counter])
    if not layout_is_known():
        return Compiled(ufunc, never, counter, lambda otherwise: otherwise)
    return Compiled(ufunc, quick_call(code, number), counter, partial(whole_call, code, number))


def count_in(counter: ctypes.c_int64, engine: Any, name: str = COUNTER) -> None:
    """Let machine code count, by default states with quaternions that are not unit."""
    ctypes.c_void_p.from_address(engine.get_global_value_address(name)).value = ctypes.addressof(counter)


def alone_block(
    program: Code | Routine, arguments: Arguments, dtype: str, quaternions: Sequence[tuple[int, int]] = ()
) -> LimbsBlock | None:
    """Return code for one sample with equal limbs side by side, where that pays."""
    if not isinstance(program, Program):
        return None
    inputs, _ = operands(program, arguments, ())
    pointers = own_pointers(program, with_places(inputs, quaternions), quaternions, len(program.instructions))
    return limbs_block(program, Lanes(1, 8 * np.dtype(dtype).itemsize), pointers=pointers)


def _weight(program: Code | Routine) -> int:
    """Return what a state counts."""
    return STEPS if isinstance(program, Routine) else 1


def compiled_loop(program: Code, arguments: Arguments, results: Sequence[Shape], dtype: str) -> Entry:
    """Compile a program to a loop over samples, of NumPy's signature, and return memory that holds its address."""
    question = (pack_code(program), arguments, results, dtype, cache_bytes())

    def source(whole: int) -> str:
        limbs = None if whole < WHOLE else alone_block(program, arguments, dtype)
        return _source(program, arguments, results, dtype, True, (), whole, limbs)

    return served(drafted_code(question, source, CALLED), "loop")


def gufunc(
    name: str, program: Code, arguments: Arguments, results: Sequence[Shape], dtype: str = "float64"
) -> np.ufunc:
    """Compile a program to a gufunc; see `compiled`."""
    return compiled(name, program, arguments, results, dtype).ufunc


def loop_of(ufunc: np.ufunc) -> Any:
    """Return memory with the address of the loop that a gufunc of ours runs, which is another one with fast code."""
    return ufunc.kept_alive[1]  # pyright: ignore[reportAttributeAccessIssue]


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


def _source(
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


def _core(shape: Shape) -> str:
    return "(" + ",".join(map(str, shape)) + ")"


def make_ufunc(
    name: str,
    arguments: Sequence[Shape],
    results: Sequence[Shape],
    dtype: np.dtype,
    code: MachineCode,
    counters: Sequence[ctypes.c_int64],
) -> np.ufunc:
    """Make a gufunc of code's `loop` from core shapes; it keeps code and counters."""
    signature = "->".join(",".join(_core(shape) for shape in shapes) for shapes in (arguments, results))
    nin, nout = len(arguments), len(results)
    pointer = ctypes.c_void_p
    prototype = ctypes.PYFUNCTYPE(
        ctypes.py_object,
        pointer,
        pointer,
        pointer,
        *[ctypes.c_int] * 4,
        *[ctypes.c_char_p] * 2,
        ctypes.c_int,
        ctypes.c_char_p,
    )
    loops = served(code, "loop")
    data = (pointer * 1)(None)
    types = (ctypes.c_char * (nin + nout))(*[bytes([dtype.num])] * (nin + nout))
    texts = (name.encode(), b"Generated code.", signature.encode())
    address_of = [pointer(ctypes.addressof(b)) for b in (loops, data, types)]
    no_identity = -1
    ufunc = prototype(numpy_table("_UFUNC_API")[_FROM_SIGNATURE])(
        *address_of, 1, nin, nout, no_identity, texts[0], texts[1], 0, texts[2]
    )
    # NumPy only borrows these; they live as long as the ufunc.
    ufunc.kept_alive = (code, loops, data, types, texts, counters)
    return ufunc
