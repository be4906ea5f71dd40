"""Code with loops as LLVM assembly: the function around what prints its parts."""

from __future__ import annotations

from screwgraph.compiler.backends.llvm.allocation import emit_allocation
from screwgraph.compiler.backends.llvm.ir_text import Lanes
from screwgraph.compiler.backends.llvm.machine_code import vector_width
from screwgraph.compiler.backends.llvm.routine.parts import PartsPrinter, has_sines
from screwgraph.tape import Block, Routine, SideBySide


def emit_routine(routine: Routine, lanes: Lanes, whole: int) -> str:
    """Return `@block(in, out)`, as `emit_block` does: of one sample, loops take a vector of neighbours at a time.

    Where few samples take much longer than others, of many at once also `@patient_block(in, out, patient)`, which
    returns bits, one a sample that is to be computed once more, by `@block`: see `later_samples.py`.
    """
    assert lanes.width == 1 or not routine.goes_alone, "samples go round loops differently often"
    neighbours = widest_vector(lanes).width if lanes.width == 1 else 1
    is_patient = lanes.width > 1 and routine.is_rarely_long
    printer, scratch = print_routine(routine, lanes, whole, neighbours, is_patient=is_patient)
    take, give = emit_allocation("memory", scratch or 1, lanes.real, lanes.width * lanes.bytes)
    takes, body, tag = "ptr noalias %in, ptr noalias %out", printer.body, lanes.tag
    lines = [*take, *body.head, *body.lines, *give]
    if not is_patient:
        head = f"define internal void @block{tag}({takes}) {{"
        return "\n".join([*printer.functions, head, *lines, "  ret void", "}"])
    B = f"i{lanes.width}"
    return "\n".join(
        [
            f"declare {B} @llvm.ctpop.{B}({B})",
            *printer.functions,
            f"define internal {B} @patient_block{tag}({takes}, i1 %patient) noinline {{",
            *lines,
            f"  %left = load {B}, ptr {body.late}",
            f"  ret {B} %left",
            "}",
            f"define internal void @block{tag}({takes}) {{",
            f"  %none = call {B} @patient_block{tag}(ptr %in, ptr %out, i1 false)",
            "  ret void",
            "}",
        ]
    )


def print_routine(
    routine: Routine, lanes: Lanes, whole: int, neighbours: int, *, inlined: bool = False, is_patient: bool = False
) -> tuple[PartsPrinter, int]:
    """Return what printed a routine's parts, and how many numbers their `%memory` holds."""
    given, found = len(routine.inputs), len(routine.outputs)
    printer = PartsPrinter(lanes, whole, (found, given) if routine.is_direct else (0, 0), neighbours, inlined)
    body = printer.body
    if is_patient:
        body.late = body.variable("0", f"i{lanes.width}")
    if routine.is_direct:
        printer.do(routine.parts)
        return printer, routine.size - given - found
    for i, place in enumerate(routine.inputs):
        body.copy(body.address("%in", str(i)), body.pointer(place))
    printer.do(routine.parts)
    for i, place in enumerate(routine.outputs):
        body.copy(body.pointer(place), body.address("%out", str(i)))
    return printer, routine.size


def widest_vector(lanes: Lanes) -> Lanes:
    """Return how many numbers of this size, of one sample, loops take at a time."""
    return Lanes(vector_width() * 64 // lanes.bits, lanes.bits)


def has_wide_sines(routine: Routine) -> bool:
    """Whether sines of several stages of one sample go side by side."""
    blocks = (own for part in routine.every if isinstance(part, SideBySide) for own in part.parts)
    return any(isinstance(own, Block) and has_sines(own.program) for own in blocks)
