"""Code with loops in C: functions of its straight-line code and of its loops, and what calls them, in one array."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from screwgraph.compiler.backends.base import ExportedFunction, Library
from screwgraph.compiler.backends.c.function import emit_assignments, emit_definition
from screwgraph.compiler.backends.c.interface import Interface, make_interface
from screwgraph.compiler.backends.c.lanes import (
    count_widest,
    define_lanes,
    define_program,
    list_widths,
    name_lanes,
    place_lanes,
    write_on_lanes,
)
from screwgraph.compiler.backends.c.operations import format_number, make_identifiers
from screwgraph.compiler.backends.routine_text import Lines, RoutinePrinter, indent
from screwgraph.tape import LEAVES, Block, Program, Routine, SideBySide

SHORT = 4
"""Numbers side by side, below which each is copied by a line of its own."""
FEW = 12
"""Numbers that all passages of a loop read, up to which they are read before it."""
LARGEST = 1000
"""Instructions up to which compilers are asked to do passages of a loop side by side."""
APART = 30
"""Lines from which a loop is a function: compilers keep numbers of one in registers, and take less time, too."""
HINT = """/* What goes before loops whose passages do not depend on each other: compilers need not find out. */
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define {name} _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define {name} _Pragma("GCC ivdep")
#else
#define {name}
#endif
#if defined(__GNUC__)
#define {apart} __attribute__((noinline))
#define {aligned} __attribute__((aligned(64)))
#else
#define {apart}
#define {aligned}
#endif
"""
LINE = 64
"""Bytes of a line of caches."""


class CPrinter(RoutinePrinter):
    """Prints parts in C; loops are functions, whose arrays compilers know to be apart."""

    up = "for (int {i} = {first}; {i} < {end}; ++{i}) {{"
    down = "for (int {i} = {end} - 1; {i} >= {first}; --{i}) {{"
    when = "if ({} != 0) {{"
    again = ("do {", "}} while ({} != 0);")
    constant = "const {scalar} {name} = {value};"
    table = "static const {kind} {name}[{rows}][{columns}] = {values};"
    brackets = ("{", "}")
    integer = "int"
    to_integer = "(int){}"

    def __init__(self, one: Interface) -> None:
        super().__init__(one.listing, one.scalar)
        self._one, self.lanes = one, dict[int, str]()

    def format_number(self, value: float) -> str:
        """Write a number."""
        return format_number(value, self.listing.dtype)

    def define(self, f: ExportedFunction) -> str:
        """Define a function that its own file sees only."""
        own = make_interface(self._one.library, f)
        opening = own.prototype.rstrip(";")
        self.before += [f"static {line}" if line == opening else line for line in emit_definition(own)]
        return own.function

    def call(self, block: Block, function: str) -> Lines:
        """Call a function where its numbers stand side by side, else on copies."""
        given, found, before, after = "memory_given", "memory_found", Lines(), Lines()
        if block.reads_in_place and self.moves.is_together(block.reads):
            given = f"memory + {self.place(block.reads[0]) if block.reads else 0}"
        else:
            before += self._gather(given, block)
        if block.writes_in_place and self.moves.is_together(block.writes):
            found = f"memory + {self.place(block.writes[0])}"
        else:
            before.append(f"{self.scalar} {found}[{len(block.writes)}];")
            for i, place, count in self.list_runs(list(enumerate(block.writes))):
                after += _copy(f"memory[{self.place(place)}]", f"{found}[{i}]", count)
        lines = [*before, f"{function}({given}, {found});", *after]
        return lines if len(lines) == 1 else ["{", *indent(lines), "}"]

    def _gather(self, given: str, block: Block) -> Lines:
        """Declare an array of what a program reads."""
        used = sorted({i[1] for i in block.program.instructions if i[0] == "input"})
        lines = [f"{self.scalar} {given}[{len(block.reads)}];"]
        for i, place, count in self.list_runs([(int(i), block.reads[i]) for i in used]):
            lines += _copy(f"{given}[{i}]", f"memory[{self.place(place)}]", count)
        return lines

    def print_side_by_side(self, part: SideBySide) -> Lines:
        """Write short programs into the loop, whose passages compilers then need not tell apart; lanes of long ones."""
        blocks = [own for own in part.parts if isinstance(own, Block)]
        if len(blocks) < len(part.parts):
            return super().print_side_by_side(part)
        if _is_of_columns(part):
            return self._print_columns(part, blocks)
        if any(_is_long(own.program) for own in blocks):
            return self._print_lanes(part, blocks)
        name, around = f"k{len(self.moves.loops)}", self.moves
        self.moves, inside = around.within(name, part), Lines()
        for own in blocks:
            given, found = ([self.at(place) for place in places] for places in (own.reads, own.writes))
            lines = [line.strip() for line in emit_assignments(self._one, own.program, given, found)]
            inside += lines if len(blocks) == 1 else ["{", *indent(lines), "}"]
        self.moves = around
        return [name_hint(self._one.library), *self.each(name, part.count, inside)]

    def _print_columns(self, part: SideBySide, blocks: Sequence[Block]) -> Lines:
        """Write programs into loops on lanes of neighbouring places, of what is left on fewer; long ones apart."""
        library, name, found = self._one.library, f"k{len(self.moves.loops)}", Lines()
        pointers, numbers = self._point(name, part, blocks)
        for width, first, end in _split_columns(part.count, list_widths(library)):
            inside = Lines()
            for own in blocks:
                lines = self._write_columns(own, part, numbers, width)
                inside += lines if len(blocks) == 1 else ["{", *indent(lines), "}"]
            step = f"{name} += {name_lanes(library, width)[1]}_LANES" if width > 1 else f"++{name}"
            found += [f"for (int {name} = {first}; {name} < {end}; {step}) {{", *indent(inside), "}"]
        if len(found) >= APART:
            return self._set_apart(blocks[0].name, [*pointers, *found])
        return ["{", *indent([*pointers, *found]), "}"] if pointers else found

    def _point(self, name: str, part: SideBySide, blocks: Sequence[Block]) -> tuple[Lines, dict[int, str]]:
        """Declare pointers to what moves alike with the loops around; return how numbers at places are written.

        Where each address depends on passages by itself, gcc computes all of them before a loop, and loads one for each
        product: nine instructions for two products. A few numbers that all passages read are read once: compilers do
        not know that results are apart from them, and would find out anew what follows of them alone.
        """
        lines, numbers, groups = Lines(), dict[int, str](), dict[tuple[tuple[str, int], ...], list[int]]()
        for place in dict.fromkeys(place for own in blocks for place in (*own.reads, *own.writes)):
            groups.setdefault(tuple(self.moves.strides(place)), []).append(place)
        for moves, places in groups.items():
            array, first = "memory", -self.shift
            if moves:
                array, first = f"at{len(lines)}", min(places)
                lines.append(f"{self.scalar} *const {array} = memory + {self.place(first)};")
            for place in places:
                moved = f" + {name}" if part.stride(place) else ""
                numbers[place] = f"{array}[{place - first}{moved}]"
        read = {own.reads[i] for own in blocks for i in _count_reads(own.program)}
        still = [place for place in numbers if place in read and not part.stride(place)]
        for i, place in enumerate(still if len(still) <= FEW else ()):
            lines.append(self.let(f"s{i}", numbers[place]))
            numbers[place] = f"s{i}"
        return lines, numbers

    def _set_apart(self, name: str, lines: Lines) -> Lines:
        """Define a function of the memory and of the passages of loops around, and call it."""
        function = make_identifiers([f"{self._one.function}_{name}_columns{len(self.before)}"])[0]
        passages = list(self.moves.loops)
        takes = ", ".join([f"{self.scalar} *memory", *(f"int {k}" for k in passages)])
        unused = "".join(f" (void){k};" for k in passages)
        opening = f"static {name_apart(self._one.library)} void {function}({takes})"
        self.before += [opening, "{", *([f"   {unused}"] if unused else []), *indent(lines), "}", ""]
        return [f"{function}({', '.join(['memory', *passages])});"]

    def _write_columns(self, own: Block, part: SideBySide, numbers: Mapping[int, str], width: int) -> Lines:
        """Write a program on so many lanes of neighbouring places: what is read often stays in registers."""
        library, writing, loads = self._one.library, None, Lines()
        given, found = ([numbers[p] for p in places] for places in (own.reads, own.writes))
        if width > 1:
            reads = zip(given, own.reads, strict=True)
            given = [place_lanes(library, number, width, moves=part.stride(p) != 0) for number, p in reads]
            found = [place_lanes(library, number, width, moves=True) for number in found]
            writing = write_on_lanes(library, width)
            for i, count in sorted(_count_reads(own.program).items()):
                if count > 1 and part.stride(own.reads[i]) != 0:
                    loads.append(f"const {writing.kind} x{i} = {given[i]};")
                    given[i] = f"x{i}"
        lines = emit_assignments(self._one, own.program, given, found, writing, at_once=True)
        return [*loads, *(line.strip() for line in lines)]

    def _print_lanes(self, part: SideBySide, blocks: Sequence[Block]) -> Lines:
        """Call functions of the numbers of neighbouring passages; what is left goes with copies of its first one."""
        (lower, upper), around, inside = name_lanes(self._one.library), self.moves, Lines()
        name = f"k{len(self.moves.loops)}"
        self.moves = around.within(name, part)
        for own in blocks:
            if id(own.program) not in self.lanes:
                called = f"{self._one.function}_{own.name}_lanes{len(self.lanes)}"
                self.lanes[id(own.program)] = make_identifiers([called])[0]
                self.before += define_program(self._one, own.program, self.lanes[id(own.program)])
            inside += [
                "{",
                f"    {lower}_numbers given[{len(own.reads) or 1}], found[{len(own.writes)}];",
                *indent(self._fill_lanes(part, own, lower)),
                f"    {self.lanes[id(own.program)]}(given, found);",
                *indent(self._empty_lanes(part, own, lower)),
                "}",
            ]
        self.moves = around
        step = f"const int left = {part.count} - first, count = left < {upper}_LANES ? left : {upper}_LANES;"
        now = [f"const int {name} = first;", f"(void){name};"]
        head = f"for (int first = 0; first < {part.count}; first += {upper}_LANES) {{"
        return [head, *indent([step, *now, *inside]), "}"]

    def _fill_lanes(self, part: SideBySide, own: Block, lower: str) -> Lines:
        """Carry what neighbouring passages read to lanes; what all of them read goes to all lanes."""
        used, lines = sorted({i[1] for i in own.program.instructions if i[0] == "input"}), Lines()
        for i, place, count in self.list_runs([(int(i), own.reads[i]) for i in used]):
            source, stride = f"memory + {self.place(place)}", part.stride(place)
            ends = f"{source}, {stride}, count, {count}" if stride else f"{source}, {count}"
            lines.append(f"{lower}_{'gather' if stride else 'spread'}({ends}, given + {i});")
        return lines

    def _empty_lanes(self, part: SideBySide, own: Block, lower: str) -> Lines:
        """Carry what neighbouring passages write to its places; of what all of them write, the last one stays."""
        lines = Lines()
        for i, place, count in self.list_runs(list(enumerate(own.writes))):
            target, stride = f"memory + {self.place(place)}", part.stride(place)
            lines.append(f"{lower}_scatter(found + {i}, {count}, {target}, {stride}, count);")
        return lines

    def loop(self, arrays: Mapping[str, int], lines: Lines) -> Lines:
        """Define a function of the arrays, and call it."""
        name = f"{self._one.function}_loop{len(self.before)}"
        takes = ", ".join(f"{self.scalar} *restrict {array}" for array in arrays)
        self.before += [f"static void {name}({takes})", "{", *indent(lines), "}", ""]
        return [f"{name}({', '.join(f'memory + {self.place(place)}' for place in arrays.values())});"]


def name_hint(library: Library) -> str:
    """Return the macro before loops whose passages do not depend on each other."""
    return f"{make_identifiers([library.name])[0].upper()}_SIDE_BY_SIDE"


def emit_hint(library: Library) -> Lines:
    """Return the definition of that macro, where a function has such loops."""
    routines = [f.code for f in library.functions if isinstance(f.code, Routine)]
    loops = [part for code in routines for part in code.every if isinstance(part, SideBySide)]
    if not loops:
        return []
    programs, moves = dict[int, list[Program]](), False
    for part in loops:
        blocks = [own.program for own in part.parts if isinstance(own, Block)]
        if _is_of_columns(part):
            for width, *_ in _split_columns(part.count, list_widths(library)):
                programs.setdefault(width, []).extend(blocks)
        elif any(_is_long(x) for x in blocks):
            programs.setdefault(count_widest(library), []).extend(blocks)
            moves = True
    lanes = define_lanes(library, programs, moves=moves) if any(programs.values()) else []
    names = {"apart": name_apart(library), "aligned": name_aligned(library)}
    return [*HINT.format(name=name_hint(library), **names).split("\n"), *lanes]


def name_apart(library: Library) -> str:
    """Return the macro before functions that compilers shall not write into their callers."""
    return f"{make_identifiers([library.name])[0].upper()}_APART"


def name_aligned(library: Library) -> str:
    """Return the macro behind arrays that begin where a line of caches does."""
    return f"{make_identifiers([library.name])[0].upper()}_ALIGNED"


def _count_reads(program: Program) -> Counter[int]:
    """Return how often inputs are read, by their places among all; those that are not read are none."""
    numbers = {i: int(own[1]) for i, own in enumerate(program.instructions) if own[0] == "input"}
    ends = [o for o in program.outputs if isinstance(o, int)]
    operands = [o for own in program.instructions if own[0] not in LEAVES for o in own[1:]]
    return Counter(numbers[o] for o in (*operands, *ends) if o in numbers)


def _is_of_columns(part: SideBySide) -> bool:
    """Whether what passages write stands side by side; so does what they read, or is one."""
    blocks = [own for own in part.parts if isinstance(own, Block)]
    reads = all(part.stride(place) in (0, 1) for own in blocks for place in own.reads)
    return reads and part.count > 1 and all(part.stride(p) == 1 for own in blocks for p in own.writes)


def _split_columns(count: int, widths: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Yield how many neighbours go side by side, and the first and the end of those that do."""
    first = 0
    for width in (*widths, 1):
        end = first + (count - first) // width * width
        if first < end:
            yield width, first, end
        first = end


def _is_long(program: Program) -> bool:
    """Whether compilers would not make vectors of the passages of a loop over it."""
    return len(program.instructions) > LARGEST


def emit_routine(one: Interface, routine: Routine) -> Lines:
    """Return the lines that define a function, and before it those of its programs and tables.

    What is neither argument nor result, vectors of stages first, begins with a line of caches.
    """
    printer, found = CPrinter(one), list(zip(one.targets, routine.outputs, strict=True))
    printer.shift = _count_shift(one, routine)
    aligned = f" {name_aligned(one.library)}" if _has_neighbours(routine) else ""
    body = [f"{one.scalar} memory[{count_numbers(one, routine)}]{aligned};"]
    for source, place, count in _list_runs(list(zip(one.inputs, routine.inputs, strict=True))):
        body += _copy(printer.at(place), source, count)
    body += printer.do(routine.parts)
    for target, place, count in _list_runs(found):
        body += _copy(target, printer.at(place), count)
    return [*printer.before, one.prototype.rstrip(";"), "{", *indent(body), "}", ""]


def count_numbers(one: Interface, routine: Routine) -> int:
    """Return how many numbers a call has on the stack."""
    return routine.size + _count_shift(one, routine)


def _count_shift(one: Interface, routine: Routine) -> int:
    """Return how many numbers stand before the first, so that vectors of stages begin with a line of caches."""
    return -routine.scratch % (LINE // np.dtype(one.listing.dtype).itemsize) if _has_neighbours(routine) else 0


def _has_neighbours(routine: Routine) -> bool:
    """Whether passages of some loops are side by side."""
    return any(isinstance(part, SideBySide) for part in routine.every)


def _list_runs(pairs: Sequence[tuple[str, int]]) -> Iterator[tuple[str, int, int]]:
    """Yield where numbers of an array and of the memory stand side by side: the first of both, and how many there are.

    Compilers take minutes where each of many thousands is an assignment of its own.
    """
    at = 0
    while at < len(pairs):
        source, place = pairs[at]
        name, _, index = source.rstrip("]").partition("[")
        count = 1
        while at + count < len(pairs) and pairs[at + count] == (f"{name}[{int(index or 0) + count}]", place + count):
            count += 1
        yield source, place, count
        at += count


def _copy(target: str, source: str, count: int) -> Lines:
    """Copy numbers that stand side by side."""
    if count < SHORT:
        ends = [[end, *(_shift(end, i) for i in range(1, count))] for end in (target, source)]
        return [f"{a} = {b};" for a, b in zip(*ends, strict=True)]
    a, b = (_shift(end, "i") for end in (target, source))
    return [f"for (int i = 0; i < {count}; ++i) {a} = {b};"]


def _shift(number: str, by: int | str) -> str:
    """Write a number of an array that is so far behind another."""
    name, _, index = number.rstrip("]").partition("[")
    first, *moves = index.split(" ", 1)
    place = f"{int(first) + by}" if isinstance(by, int) else f"{first} + {by}"
    return f"{name}[{' '.join([place, *moves])}]"
