"""Code with loops as text of languages that write loops alike, C and Rust: all numbers stand in an array `memory`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from screwgraph.base.summary import one_line
from screwgraph.compiler.backends.base import ExportedFunction
from screwgraph.compiler.signature import Result, make_numbered_argument
from screwgraph.tape import Block, Part, When
from screwgraph.tape.parts import SIX, WIDEST, Copies, Fill, Products, Recursion

Lines = list[str]


@dataclass(frozen=True)
class LoopSyntax:
    """How a language writes loops up and down, conditions, numbers, and tables of integers with their brackets."""

    up: str
    down: str
    when: str
    number: str
    table: str
    brackets: tuple[str, str]

    def each(self, i: str, first: int | str, end: int | str, inside: Iterable[str], *, down: bool = False) -> Lines:
        """Repeat lines for all integers from `first` on, before `end`."""
        return [(self.down if down else self.up).format(i=i, first=first, end=end), *indent(inside), "}"]

    def let(self, name: str, value: str) -> str:
        """Give a value to a number."""
        return self.number.format(name=name, value=value)

    def tabulate(self, name: str, rows: Sequence[Sequence[int]]) -> str:
        """Define a table of integers."""
        a, b = self.brackets
        values = ", ".join(f"{a}{', '.join(map(str, row))}{b}" for row in rows)
        return self.table.format(name=name, rows=len(rows), columns=len(rows[0]), values=f"{a}{values}{b}")


def indent(lines: Iterable[str]) -> Lines:
    """Return lines four columns further."""
    return [f"    {line}" if line else line for line in lines]


@dataclass
class RoutinePrinter(ABC):
    """Prints the parts of a function: definitions and tables stand `before` it.

    `scalar` is the type of its numbers; `printers` are those of parts that only this language writes so.
    """

    __repr__ = one_line

    listing: ExportedFunction
    scalar: str
    syntax: LoopSyntax
    printers: Mapping[type[Part], Callable[[Any, Any], Lines]]
    before: Lines = field(default_factory=list)
    _names: dict[int, str] = field(default_factory=dict)

    @abstractmethod
    def define(self, f: ExportedFunction) -> str:
        """Define a function of one array to another; return its name."""

    @abstractmethod
    def loop(self, arrays: Mapping[str, int], lines: Lines) -> Lines:
        """Return lines that work on arrays of the memory, which begin at places and have nothing in common."""

    def do(self, parts: Iterable[Part]) -> Lines:
        """Return the lines of parts, one after the other."""
        table = {**PRINTERS, **self.printers}
        return [line for part in parts for line in table[type(part)](part, self)]

    def function_of(self, block: Block) -> str:
        """Return the function of a program, which is defined once."""
        if id(block.program) not in self._names:
            takes, gives = make_numbered_argument("given", len(block.reads)), Result("found", (len(block.writes),))
            name = f"{self.listing.name}_{block.name}{len(self._names)}"
            own = ExportedFunction(name, block.program, [takes], [gives], self.listing.dtype)
            self._names[id(block.program)] = self.define(own)
        return self._names[id(block.program)]


def print_copies(part: Copies, printer: RoutinePrinter) -> Lines:
    """Copy number by number."""
    return [f"memory[{to}] = memory[{source}];" for to, source in zip(part.targets, part.sources, strict=True)]


def print_fill(part: Fill, printer: RoutinePrinter) -> Lines:
    """Store zeros."""
    return printer.syntax.each("i", part.target, part.target + part.count, ["memory[i] = 0.0;"])


def print_products(part: Products, printer: RoutinePrinter) -> Lines:
    """Go through spans and their columns."""
    syntax = printer.syntax
    steps = [k * part.pitch for k in range(part.terms)]
    left = [syntax.let(f"a{k}", f"left[{step} + SPANS[t][0]]") for k, step in enumerate(steps)]
    total = " + ".join(f"a{k} * right[{step} + j]" for k, step in enumerate(steps))
    store = f"target[{part.width} * SPANS[t][0] + j] = {total};"
    columns = syntax.each("j", "SPANS[t][1]", "SPANS[t][2]", [store])
    spans = syntax.tabulate("SPANS", [(s.row, s.first, s.first + s.count) for s in part.spans])
    arrays = {"left": part.left, "right": part.right, "target": part.target}
    return printer.loop(arrays, [spans, *syntax.each("t", 0, len(part.spans), [*left, *columns])])


def print_recursion(part: Recursion, printer: RoutinePrinter) -> Lines:
    """Go through some columns of X at a time, from the tips to the base and back.

    Wrenches, then twists, of a coordinate stand at its number in the work; the base's behind them: first what it feels,
    then its twist, which is zero.
    """
    syntax, n, wide, six = printer.syntax, part.size, min(WIDEST, part.columns), range(SIX)
    panels = [(c, min(wide, part.columns - c)) for c in range(0, part.columns, wide)]
    parents = [(n, n + 1) if p < 0 else (p, p) for p in part.parents]
    x = f"target[{part.columns} * i + PANELS[p][0] + j]"
    own, to, source = (
        [f"work[{wide * k} + {SIX * wide} * {slot} + j]" for k in six]
        for slot in ("i", "PARENTS[i][0]", "PARENTS[i][1]")
    )
    axis = [syntax.let(f"s{k}", f"axes[{n * k} + i]") for k in six]
    scaled = [syntax.let(f"w{k}", f"scaled[{n * k} + i]") for k in six]
    felt = " - ".join(["-" * part.negative + x, *(f"s{k} * {own[k]}" for k in six)])
    taken = " - ".join([f"{x} * pivots[i]", *(f"w{k} * {source[k]}" for k in six)])
    inwards = [syntax.let("left", felt), f"{x} = left;", *(f"{to[k]} += {own[k]} + w{k} * left;" for k in six)]
    outwards = [syntax.let("x", taken), f"{x} = x;", *(f"{own[k]} = {source[k]} + s{k} * x;" for k in six)]
    work = syntax.each("k", 0, SIX * wide * (n + 2), ["work[k] = 0.0;"])
    loops = [
        syntax.each("i", 0, n, [*axis, *scaled, *syntax.each("j", 0, "PANELS[p][1]", lines)], down=down)
        for lines, down in ((inwards, True), (outwards, False))
    ]
    tables = [syntax.tabulate("PANELS", panels), syntax.tabulate("PARENTS", parents)]
    body = syntax.each("p", 0, len(panels), [*work, *loops[0], *loops[1]])
    names = ("axes", "scaled", "pivots", "target", "work")
    return printer.loop({name: getattr(part, name) for name in names}, [*tables, *body])


def print_when(part: When, printer: RoutinePrinter) -> Lines:
    """Branch."""
    return [printer.syntax.when.format(place=part.test), *indent(printer.do(part.parts)), "}"]


PRINTERS: Mapping[type[Part], Callable[[Any, RoutinePrinter], Lines]] = {
    Copies: print_copies,
    Fill: print_fill,
    Products: print_products,
    Recursion: print_recursion,
    When: print_when,
}
"""What prints parts that the languages write alike."""
