"""Programs of neighbouring passages of a loop in C: the vectors of GNU's C, which gcc and clang have.

Other compilers take lanes of one number, by the same text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np

from screwgraph.compiler.backends.base import Library
from screwgraph.compiler.backends.c.function import Writing, define_pieces, emit_pieces, name_wrapping
from screwgraph.compiler.backends.c.interface import Interface
from screwgraph.compiler.backends.c.lane_moves import define_moves
from screwgraph.compiler.backends.c.lane_sines import TURNS, define_sine
from screwgraph.compiler.backends.c.operations import SCALARS, C, make_identifiers
from screwgraph.compiler.passes.angle_reduction import find_large_terms
from screwgraph.tape import Program
from screwgraph.tape.operations import OPERATIONS

ARITHMETIC = ("add", "sub", "neg", "mul", "div", "inv")
"""Operations that C writes alike for vectors and numbers."""
WIDTHS = """/* Numbers of neighbours side by side: as many as the processor's vectors hold. */
#if !defined(__GNUC__)
#define {upper}_WIDEST 1
#elif defined(__AVX512F__)
#define {upper}_WIDEST {most}
#elif defined(__AVX__)
#define {upper}_WIDEST ({most} / 2)
#else
#define {upper}_WIDEST ({most} / 4)
#endif
"""
DEFINITIONS = """#define {upper}_LANES ({upper}_WIDEST < {width} ? {upper}_WIDEST : {width})
#if defined(__GNUC__)
#define {upper}_VECTOR vector_size({upper}_LANES * sizeof({scalar}))
typedef {scalar} {lower}_lanes __attribute__(({upper}_VECTOR));
typedef {scalar} {lower}_loose __attribute__(({upper}_VECTOR, aligned(sizeof({scalar})), may_alias));
typedef {mask} {lower}_masks __attribute__(({upper}_VECTOR));
#define {upper}_SELECT(mask, a, b) \\
    (({lower}_lanes)((({lower}_masks)(mask) & ({lower}_masks)(a)) | (~({lower}_masks)(mask) & ({lower}_masks)(b))))
#else
typedef {scalar} {lower}_lanes;
typedef {scalar} {lower}_loose;
#endif
typedef union {{ {lower}_lanes all; {scalar} each[{upper}_LANES]; }} {lower}_numbers;
"""
SELECTIONS: Mapping[str, str] = MappingProxyType(
    {
        "abs": "a < 0, -a, a + 0",
        "min": "(a < b) | (a != a), a, b",
        "max": "(a > b) | (a != a), a, b",
        "lt": "a < b, one, zero",
        "le": "a <= b, one, zero",
        "eq": "a == b, one, zero",
        "ne": "a != b, one, zero",
        "not": "a == 0, one, zero",
        "and": "(a != 0) & (b != 0), one, zero",
        "or": "(a != 0) | (b != 0), one, zero",
        "where": "a != 0, b, zero",
    }
)
"""Operations that choose numbers of vectors, by masks: the condition, and both numbers."""
SELECTION = """#if defined(__GNUC__)
static inline {lower}_lanes {lower}_lanes_{operation}({parameters})
{{
    const {lower}_lanes zero = {{0}}, one = zero + 1;
    (void)one;
    return {upper}_SELECT({selection});
}}
#else
{otherwise}#endif
"""
FUNCTION = """static inline {lower}_lanes {lower}_lanes_{operation}({parameters})
{{
    {lower}_numbers found;
    for (int i = 0; i < {upper}_LANES; ++i) {{
{operands}
        found.each[i] = {expression};
    }}
    return found.all;
}}
"""
OPERAND = """        {lower}_numbers {name}_;
        {name}_.all = {name};
        const {scalar} {name}0 = {name}_.each[i];"""
LETTERS = "abc"
LONG = 2_000
"""Instructions on lanes up to which a function is in one piece."""
WRAPPED = "wrapped"
"""The reduction of large angles."""


def name_lanes(library: Library, width: int = 0) -> tuple[str, str]:
    """Return what names of a library's lanes begin with, and what its macros do: of `width` at most, or the widest."""
    lower = make_identifiers([library.name])[0]
    lower = lower if width in (0, count_widest(library)) else f"{lower}_{width}"
    return lower, lower.upper()


def count_widest(library: Library) -> int:
    """Return how many numbers the widest vectors hold."""
    return 64 // np.dtype(library.dtype).itemsize


def list_widths(library: Library) -> list[int]:
    """Return how many numbers vectors hold: the widest ones, and shorter ones for what is left."""
    widest = count_widest(library)
    return [widest >> k for k in range(widest.bit_length() - 1)]


def write_on_lanes(library: Library, width: int = 0) -> Writing:
    """Return how C writes a program on lanes."""
    lower, _ = name_lanes(library, width)
    calls = {
        operation: f"{lower}_lanes_{operation}({', '.join(f'{{{i}}}' for i in range(OPERATIONS[operation].arity))})"
        for operation in C
        if operation not in ARITHMETIC
    }
    forms = MappingProxyType({**{operation: C[operation] for operation in ARITHMETIC}, **calls})
    return Writing(f"{lower}_lanes", forms, f"({{}} - ({lower}_lanes){{{{0}}}})", f"{lower}_lanes_{WRAPPED}")


def define_lanes(library: Library, programs: Mapping[int, Sequence[Program]], *, moves: bool) -> list[str]:
    """Return the definitions of lanes of each width, and of operations of its programs that C's vectors have not.

    With `moves`, there are functions that carry numbers to the widest lanes and back.
    """
    base, widest = name_lanes(library)[1], count_widest(library)
    lines = WIDTHS.format(upper=base, most=widest).split("\n")
    for width in list_widths(library):
        if width == widest or programs.get(width):
            lines += _define_width(library, programs.get(width, ()), width)
    if moves:
        lower, upper = name_lanes(library)
        lines += define_moves(lower, upper, SCALARS[library.dtype][0], tuple(list_widths(library)))
    return lines


def _define_width(library: Library, programs: Sequence[Program], width: int) -> list[str]:
    """Return the definitions of lanes of a width."""
    lower, upper = name_lanes(library, width)
    scalar, f = SCALARS[library.dtype]
    text = DEFINITIONS.replace("{upper}_WIDEST", f"{name_lanes(library)[1]}_WIDEST")
    mask = "long long" if scalar == "double" else "int"
    text = text.format(lower=lower, upper=upper, scalar=scalar, width=width, mask=mask)
    used = {i[0] for program in programs for i in program.instructions}
    expressions = {own: C[own] for own in C if own in used and own not in ARITHMETIC}
    if any(find_large_terms(program) for program in programs):
        expressions[WRAPPED] = f"{name_wrapping(library)}({{0}})"
    for operation, expression in expressions.items():
        names = LETTERS[: 1 if operation == WRAPPED else OPERATIONS[operation].arity]
        parameters = ", ".join(f"{lower}_lanes {name}" for name in names)
        own = FUNCTION.format(
            lower=lower,
            upper=upper,
            operation=operation,
            parameters=parameters,
            operands="\n".join(OPERAND.format(lower=lower, scalar=scalar, name=name) for name in names),
            expression=expression.format(*(f"{name}0" for name in names), f=f, scalar=scalar),
        )
        if operation in TURNS and scalar == "double":
            own = define_sine(operation, lower, upper, own)
        if operation in SELECTIONS:
            terms = {"operation": operation, "parameters": parameters, "selection": SELECTIONS[operation]}
            own = SELECTION.format(lower=lower, upper=upper, otherwise=own, **terms)
        text += own
    return text.split("\n")


def place_lanes(library: Library, number: str, width: int, *, moves: bool) -> str:
    """Write numbers from one of the memory on, side by side, or this one on all lanes."""
    lower, _ = name_lanes(library, width)
    return f"*({lower}_loose *)&{number}" if moves else f"({number} - ({lower}_lanes){{0}})"


def define_program(one: Interface, program: Program, name: str) -> list[str]:
    """Return the definition of a function of the lanes of a program's inputs."""
    numbers = f"{name_lanes(one.library)[0]}_numbers"
    given = [f"given[{i}].all" for i in range(len(program.input_names))]
    ends = given, [f"found[{i}].all" for i in range(len(program.outputs))]
    pieces, size = emit_pieces(one, program, ends, write_on_lanes(one.library), at_once=True, whole=LONG)
    parameters, before, lines = f"const {numbers} *restrict given, {numbers} *restrict found", list[str](), pieces[0]
    if len(pieces) > 1:
        memory = (f"{name_lanes(one.library)[0]}_lanes", size)
        before, lines = define_pieces(name, parameters, ("given", "found"), pieces, memory)
    return [*before, f"static void {name}({parameters})", "{", *lines, "}", ""]
