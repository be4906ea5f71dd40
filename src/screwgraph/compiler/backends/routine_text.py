"""Code with loops as text of languages that write loops alike, C and Rust: all numbers stand in an array `memory`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from screwgraph.compiler.backends.base import ExportedFunction
from screwgraph.compiler.signature import Result, make_numbered_argument
from screwgraph.tape import Block, Lookup, Loop, Part, Pick, Put, SettledWhen, SettlingLoop, SideBySide, StageLoop, When
from screwgraph.tape.parts import FIXED, SIX, WIDEST, Copies, Fill, Products, Recursion

Lines = list[str]
SHORT = 4
"""Numbers side by side, below which each is copied by a line of its own."""


class RoutinePrinter(ABC):
    """Prints the parts of a function: definitions and tables stand `before` it.

    A language says how it writes loops up and down, `when` a number is not zero, `again` while it is not (the
    first line and the last), constants, tables with their brackets, the type of integers, and numbers as these.
    """

    up: ClassVar[str]
    down: ClassVar[str]
    when: ClassVar[str]
    again: ClassVar[tuple[str, str]]
    constant: ClassVar[str]
    table: ClassVar[str]
    brackets: ClassVar[tuple[str, str]]
    integer: ClassVar[str]
    to_integer: ClassVar[str]

    def __init__(self, listing: ExportedFunction, scalar: str) -> None:
        self.listing, self.scalar, self.before = listing, scalar, Lines()
        self.names: dict[int, str] = {}
        self.moves, self.shift = FIXED, 0

    @abstractmethod
    def format_number(self, value: float) -> str:
        """Write a number."""

    @abstractmethod
    def define(self, f: ExportedFunction) -> str:
        """Define a function of one array to another; return its name."""

    @abstractmethod
    def call(self, block: Block, function: str) -> Lines:
        """Return the lines that call the function of a program."""

    def print_side_by_side(self, part: SideBySide) -> Lines:
        """Return the lines of a loop whose passages may go side by side: by default those of any other."""
        return print_stage_loop(part, self)

    @abstractmethod
    def loop(self, arrays: Mapping[str, int], lines: Lines) -> Lines:
        """Return lines that work on arrays of the memory, which begin at places and have nothing in common."""

    def place(self, place: int) -> str:
        """Write a place of the memory, which moves with the loops over stages around it; the first is at `shift`."""
        strides = self.moves.strides(place)
        return str(self.shift + place) + "".join(f" {'-' if s < 0 else '+'} {abs(s)} * {name}" for name, s in strides)

    def at(self, place: int) -> str:
        """Write a number of the memory."""
        return f"memory[{self.place(place)}]"

    def list_runs(self, pairs: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int, int]]:
        """Yield where numbers of two sides stand side by side and move alike: the first of both, and how many."""
        at = 0
        while at < len(pairs):
            (a, b), count = pairs[at], 1
            moves = [self.moves.strides(place) for place in (a, b)]
            while at + count < len(pairs) and pairs[at + count] == (a + count, b + count):
                if [self.moves.strides(place + count) for place in (a, b)] != moves:
                    break
                count += 1
            yield a, b, count
            at += count

    def do(self, parts: Iterable[Part]) -> Lines:
        """Return the lines of parts, one after the other."""
        return [line for part in parts for line in PRINTERS[type(part)](part, self)]

    def each(self, i: str, end: int | str, inside: Iterable[str], first: int | str = 0, *, down: bool = False) -> Lines:
        """Repeat lines for all integers from `first` on, before `end`."""
        return [(self.down if down else self.up).format(i=i, first=first, end=end), *indent(inside), "}"]

    def let(self, name: str, value: str) -> str:
        """Give a value to a name."""
        return self.constant.format(name=name, value=value, scalar=self.scalar)

    def tabulate(self, name: str, rows: Sequence[Sequence[Any]], kind: str = "") -> str:
        """Define a table, by default of integers."""
        a, b = self.brackets
        values = ", ".join(f"{a}{', '.join(map(str, row))}{b}" for row in rows)
        sizes = {"rows": len(rows), "columns": len(rows[0])}
        return self.table.format(name=name, kind=kind or self.integer, values=f"{a}{values}{b}", **sizes)


def indent(lines: Iterable[str]) -> Lines:
    """Return lines four columns further."""
    return [f"    {line}" if line else line for line in lines]


def print_block(part: Block, printer: RoutinePrinter) -> Lines:
    """Call the function of a program, which is defined once."""
    key, names, listing = id(part.program), printer.names, printer.listing
    if key not in names:
        takes, gives = make_numbered_argument("given", len(part.reads)), Result("found", (len(part.writes),))
        name = f"{listing.name}_{part.name}{len(names)}"
        names[key] = printer.define(ExportedFunction(name, part.program, [takes], [gives], listing.dtype))
    return printer.call(part, names[key])


def print_lookup(part: Lookup, printer: RoutinePrinter) -> Lines:
    """Copy the row of a table."""
    rows = [list(map(printer.format_number, row)) for row in part.table.tolist()]
    row = f"ROWS[{printer.to_integer.format(printer.at(part.row))}]"
    copied = [f"{printer.at(place)} = {row}[{i}];" for i, place in enumerate(part.list_writes())]
    return ["{", *indent([printer.tabulate("ROWS", rows, printer.scalar), *copied]), "}"]


def print_pick(part: Pick, printer: RoutinePrinter) -> Lines:
    """Copy the row of a matrix in memory."""
    return [f"{here} = {there};" for here, there in _pair_row(part, printer)]


def print_put(part: Put, printer: RoutinePrinter) -> Lines:
    """Copy to the row of a matrix in memory."""
    return [f"{there} = {here};" for here, there in _pair_row(part, printer)]


def _pair_row(part: Pick | Put, printer: RoutinePrinter) -> Iterable[tuple[str, str]]:
    """Yield each number of the vector, and the number of the row that belongs to it."""
    row = f"{part.count} * ({printer.to_integer.format(printer.at(part.row))})"
    for i, here in enumerate(part.numbers):
        yield printer.at(here), f"memory[{printer.place(part.matrix + i)} + {row}]"


def print_loop(part: Loop, printer: RoutinePrinter) -> Lines:
    """Go round."""
    first, last = printer.again
    return [first, *indent(printer.do(part.parts)), last.format(printer.at(part.test))]


def print_stage_loop(part: StageLoop, printer: RoutinePrinter) -> Lines:
    """Go through the stages; the number of the passage moves places."""
    around = printer.moves
    name = f"{'k' if part.windows else '_k'}{len(around.loops)}"
    printer.moves = around.within(name, part)
    lines = printer.each(name, part.count, printer.do(part.parts))
    printer.moves = around
    return lines


def print_when(part: When, printer: RoutinePrinter) -> Lines:
    """Branch."""
    return [printer.when.format(printer.at(part.test)), *indent(printer.do(part.parts)), "}"]


def print_copies(part: Copies, printer: RoutinePrinter) -> Lines:
    """Copy number by number, those that stand side by side in a loop."""
    lines = Lines()
    for to, source, count in printer.list_runs(list(zip(part.targets, part.sources, strict=True))):
        if count < SHORT:
            lines += [f"{printer.at(to + i)} = {printer.at(source + i)};" for i in range(count)]
        else:
            a, b = (f"memory[{printer.place(end)} + i]" for end in (to, source))
            lines += printer.each("i", count, [f"{a} = {b};"])
    return lines


def print_fill(part: Fill, printer: RoutinePrinter) -> Lines:
    """Store zeros."""
    return printer.each("i", part.count, [f"memory[{printer.place(part.target)} + i] = 0.0;"])


def print_products(part: Products, printer: RoutinePrinter) -> Lines:
    """Go through spans and their columns."""
    steps = [k * part.pitch for k in range(part.terms)]
    left = [printer.let(f"a{k}", f"left[{step} + SPANS[t][0]]") for k, step in enumerate(steps)]
    total = " + ".join(f"a{k} * right[{step} + j]" for k, step in enumerate(steps))
    store = f"target[{part.width} * SPANS[t][0] + j] = {total};"
    columns = printer.each("j", "SPANS[t][2]", [store], "SPANS[t][1]")
    spans = printer.tabulate("SPANS", [(s.row, s.first, s.first + s.count) for s in part.spans])
    arrays = {"left": part.left, "right": part.right, "target": part.target}
    return printer.loop(arrays, [spans, *printer.each("t", len(part.spans), [*left, *columns])])


def print_recursion(part: Recursion, printer: RoutinePrinter) -> Lines:
    """Go through some columns of X at a time, from the tips to the base and back.

    Wrenches, then twists, of a coordinate stand at its number in the work; the base's behind them: first what it feels,
    then its twist, which is zero.
    """
    n, wide, six = part.size, min(WIDEST, part.columns), range(SIX)
    panels = [(c, min(wide, part.columns - c)) for c in range(0, part.columns, wide)]
    parents = [(n, n + 1) if p < 0 else (p, p) for p in part.parents]
    x = f"target[{part.columns} * i + PANELS[p][0] + j]"
    own, to, source = (
        [f"work[{wide * k} + {SIX * wide} * {slot} + j]" for k in six]
        for slot in ("i", "PARENTS[i][0]", "PARENTS[i][1]")
    )
    axis = [printer.let(f"s{k}", f"axes[{n * k} + i]") for k in six]
    scaled = [printer.let(f"w{k}", f"scaled[{n * k} + i]") for k in six]
    felt = " - ".join(["-" * part.negative + x, *(f"s{k} * {own[k]}" for k in six)])
    taken = " - ".join([f"{x} * pivots[i]", *(f"w{k} * {source[k]}" for k in six)])
    inwards = [printer.let("left", felt), f"{x} = left;", *(f"{to[k]} += {own[k]} + w{k} * left;" for k in six)]
    outwards = [printer.let("x", taken), f"{x} = x;", *(f"{own[k]} = {source[k]} + s{k} * x;" for k in six)]
    work = printer.each("k", SIX * wide * (n + 2), ["work[k] = 0.0;"])
    loops = [
        printer.each("i", n, [*axis, *scaled, *printer.each("j", "PANELS[p][1]", lines)], down=down)
        for lines, down in ((inwards, True), (outwards, False))
    ]
    tables = [printer.tabulate("PANELS", panels), printer.tabulate("PARENTS", parents)]
    body = printer.each("p", len(panels), [*work, *loops[0], *loops[1]])
    names = ("axes", "scaled", "pivots", "target", "work")
    return printer.loop({name: getattr(part, name) for name in names}, [*tables, *body])


PRINTERS: Mapping[type[Part], Callable[[Any, RoutinePrinter], Lines]] = {
    Block: print_block,
    Copies: print_copies,
    Fill: print_fill,
    Lookup: print_lookup,
    Pick: print_pick,
    Put: print_put,
    Loop: print_loop,
    SettledWhen: print_when,
    SettlingLoop: print_loop,
    SideBySide: lambda part, printer: printer.print_side_by_side(part),
    StageLoop: print_stage_loop,
    Products: print_products,
    Recursion: print_recursion,
    When: print_when,
}
"""What prints each kind of part."""
