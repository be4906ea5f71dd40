"""The definition of a function in C: straight-line code, long programs in pieces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from screwgraph.compiler.backends.base import Library
from screwgraph.compiler.backends.c.interface import Interface
from screwgraph.compiler.backends.c.operations import SCALARS, C, format_number, make_identifiers
from screwgraph.compiler.passes.angle_reduction import LARGE, TURN, find_large_terms
from screwgraph.compiler.passes.outlining import LEAVES, WHOLE, Outlines, outline_program
from screwgraph.tape import Code, Program

Terms = Mapping[int, tuple[int, ...]]
"""By the places of sums of angles, the terms that are reduced by whole turns."""
WRAPPED = """/* x less whole turns, where it is large: rounding the sum of large angles would cost digits. */
static {scalar} {function}({scalar} x)
{{
    if (fabs{f}(x) <= {large}) return x;
    const {scalar} rest = fmod{f}(x, {turn});
    return rest - {more} * floor{f}((x - rest) / {turn} + 0.5{f});
}}
"""


@dataclass(frozen=True)
class Writing:
    """How a program is written: the type of its numbers, forms of operations and of constants, what reduces angles."""

    kind: str
    forms: Mapping[str, str]
    constant: str
    wrapping: str


def emit_definition(interface: Interface) -> list[str]:
    """Return the lines that define a function."""
    program = interface.listing.program
    if outline_program(program).whole:
        before, body = [], _list_unused(interface, program) + emit_assignments(interface, program)
    else:
        before, body = _in_pieces(interface, program)
    return [*before, interface.prototype.rstrip(";"), "{", *body, "}", ""]


def emit_assignments(
    interface: Interface,
    program: Program,
    inputs: Sequence[str] | None = None,
    targets: Sequence[str] | None = None,
    writing: Writing | None = None,
    *,
    at_once: bool = False,
) -> list[str]:
    """Return a program as assignments, in one piece: all inputs are read before a result is written.

    Inputs and results are those of the function, or stand at places that are given; numbers are the function's, by
    default. Results that are written `at_once`, as soon as their own place is not read any more, need no registers
    until the end: places with other names are apart.
    """
    own_writing = writing or _write_on_numbers(interface)
    own = Outlines([range(len(program.instructions))], {})
    ends = (
        interface.inputs if inputs is None else inputs,
        interface.targets if targets is None else targets,
    )
    large = find_large_terms(program)
    lines = _lines(interface, program, own, own.straight[0], large, ends, own_writing, at_once=at_once)
    return lines + _constants(interface, program, ends[1], own_writing)


def needs_distinct_results(code: Code) -> bool:
    """Whether results must not overlap arguments: first pieces write results, later ones read arguments."""
    return isinstance(code, Program) and not outline_program(code).whole


def emit_angle_reduction(library: Library) -> list[str]:
    """Return the lines of the function that reduces angles, which all functions of a library share."""
    if not any(find_large_terms(program) for f in library.functions for program in f.code.programs):
        return []
    turn, more = (format_number(part, library.dtype) for part in TURN[library.dtype])
    scalar, f = SCALARS[library.dtype]
    own, large = name_wrapping(library), format_number(LARGE, library.dtype)
    return [WRAPPED.format(scalar=scalar, f=f, function=own, large=large, turn=turn, more=more)]


def name_wrapping(library: Library) -> str:
    """Return the name of the function that reduces angles."""
    return f"{make_identifiers([library.name])[0]}_wrapped"


def _in_pieces(interface: Interface, program: Program) -> tuple[list[str], list[str]]:
    """Return functions that do the work one after the other, and the lines that call them.

    What the function takes and what it gives must not overlap: the first pieces write results that later ones do not
    expect among their arguments.
    """
    names = [name for name, _ in (*interface.takes, *interface.gives)]
    ends, writing = (interface.inputs, interface.targets), _write_on_numbers(interface)
    pieces, size = emit_pieces(interface, program, ends, writing)
    return define_pieces(interface.function, interface.parameters, names, pieces, (writing.kind, size))


def define_pieces(
    function: str, parameters: str, names: Sequence[str], pieces: Sequence[Sequence[str]], memory: tuple[str, int]
) -> tuple[list[str], list[str]]:
    """Return functions of the lines of pieces, and the lines that call them, with a memory of numbers of a kind.

    They are called by their addresses, lest compilers put them together again.
    """
    kind, size = memory
    taken = f"{parameters}, {kind} *memory"
    ignored = "    " + " ".join(f"(void){name};" for name in (*names, "memory"))
    before = []
    for n, lines in enumerate(pieces):
        before += [f"static void {function}_piece{n}({taken})", "{", ignored, *lines, "}", ""]
    table = ", ".join(f"{function}_piece{n}" for n in range(len(pieces)))
    before += [f"static void (*const {function}_pieces[])({taken}) = {{{table}}};", ""]
    call = f"{function}_pieces[piece]({', '.join([*names, 'memory'])});"
    return before, [
        f"    {kind} memory[{size or 1}];",
        f"    for (int piece = 0; piece < {len(pieces)}; ++piece) {call}",
    ]


def emit_pieces(
    interface: Interface,
    program: Program,
    ends: tuple[Sequence[str], Sequence[str]],
    writing: Writing,
    *,
    at_once: bool = False,
    whole: int = WHOLE,
) -> tuple[list[list[str]], int]:
    """Return the assignments of the pieces of a program, and how many numbers they leave for later ones."""
    cut, large = outline_program(program, whole=whole), find_large_terms(program)
    pieces = [_lines(interface, program, cut, places, large, ends, writing, at_once=at_once) for places in cut.straight]
    pieces[-1] += _constants(interface, program, ends[1], writing)
    return pieces, cut.size


def _write_on_numbers(interface: Interface) -> Writing:
    return Writing(interface.scalar, C, "{}", name_wrapping(interface.library))


def _list_unused(interface: Interface, program: Program) -> list[str]:
    inputs = [name for name, a in interface.takes for _ in a.names]
    used = {inputs[operands[0]] for operation, *operands in program.instructions if operation == "input"}
    empty = [name for name, result in interface.gives if not result.size]
    return [f"    (void){name};" for name in (*(n for n, _ in interface.takes if n not in used), *empty)]


def _lines(
    interface: Interface,
    program: Program,
    cut: Outlines,
    places: Sequence[int],
    large: Terms,
    ends: tuple[Sequence[str], Sequence[str]],
    writing: Writing,
    *,
    at_once: bool = False,
) -> list[str]:
    """Return the assignments of the instructions at these places, and of the results that they are.

    `ends` are where inputs and where results stand; results are written at the end, or `at_once`.
    """
    inputs, targets = ends
    own, scalar = set(places), writing.kind
    results: dict[int, list[str]] = {}
    given = {o for o in program.outputs if isinstance(o, int) and program.instructions[o][0] == "input"}
    passed = sorted(given) if cut.whole else []
    for target, output in zip(targets, program.outputs, strict=True):
        if isinstance(output, int):
            results.setdefault(output, []).append(target)

    def format_operand(i: int) -> str:
        operation, *operands = program.instructions[i]
        if operation == "constant":
            return writing.constant.format(format_number(operands[0], interface.listing.dtype))
        if operation == "input":
            return f"v{i}" if i in passed else inputs[int(operands[0])]
        return f"v{i}" if i in own else f"memory[{cut.slots[i]}]"

    def term(i: int, of: int) -> str:
        return f"{writing.wrapping}({format_operand(i)})" if i in large.get(of, ()) else format_operand(i)

    last = _find_last_reads(program, inputs) if at_once else {}
    # Inputs that are results are read before a result overwrites them.
    lines = [f"    const {scalar} v{i} = {inputs[program.instructions[i][1]]};" for i in passed]
    for i in places:
        operation, *operands = program.instructions[i]
        if operation not in LEAVES:
            expression = writing.forms[operation].format(
                *(term(o, i) for o in operands), f=interface.suffix, scalar=scalar
            )
            lines.append(f"    const {scalar} v{i} = {expression};")
            if i in cut.slots:
                lines.append(f"    memory[{cut.slots[i]}] = v{i};")
            if at_once:
                due = results.pop(i, [])
                lines += [f"    {target} = v{i};" for target in due if last.get(target, -1) <= i]
                results[i] = [target for target in due if last.get(target, -1) > i]
    return lines + [f"    {target} = {format_operand(i)};" for i in places for target in results.get(i, ())]


def _find_last_reads(program: Program, inputs: Sequence[str]) -> dict[str, int]:
    """Return the last instruction that reads each of the places where inputs stand; results are at the end."""
    places = {i: inputs[int(own[1])] for i, own in enumerate(program.instructions) if own[0] == "input"}
    found = dict[str, int]()
    for i, (operation, *operands) in enumerate(program.instructions):
        if operation not in LEAVES:
            for o in operands:
                if o in places:
                    found[places[o]] = i
    end = len(program.instructions)
    found.update((places[o], end) for o in program.outputs if isinstance(o, int) and o in places)
    return found


def _constants(interface: Interface, program: Program, targets: Sequence[str], writing: Writing) -> list[str]:
    """Return the assignments of results that are constants."""
    pairs, dtype = zip(targets, program.outputs, strict=True), interface.listing.dtype
    return [
        f"    {target} = {writing.constant.format(format_number(output, dtype))};"
        for target, output in pairs
        if not isinstance(output, int)
    ]
