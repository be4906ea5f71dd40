"""A function with loops under construction."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count

from screwgraph.compiler.backends.llvm.ir_text import Lanes
from screwgraph.compiler.backends.llvm.sample_block import ALIGNED
from screwgraph.tape import StageLoop, Window
from screwgraph.tape.parts import FIXED, Moves

AREAS = ("%in", "%out", "%memory")
"""What functions take."""


@dataclass(frozen=True)
class Vector:
    """Neighbouring numbers of a memory that are computed at once: of one sample several, of many samples one."""

    lanes: Lanes
    width: int

    @property
    def kind(self) -> str:
        """LLVM's type."""
        return self.alike.real

    @property
    def alike(self) -> Lanes:
        """As many numbers side by side."""
        return self.lanes if self.width == 1 else Lanes(self.width, self.lanes.bits)


class Kernel:
    """Lines of a function `@<name>(in, out, memory)`, whose tables and loops have names of their own.

    Of loops over stages `around` its call, it takes the passages, too. `areas` are the numbers of results and of inputs
    that stay where the caller has them: places of a memory begin with these, others are in `memory`. `inlined` says
    that its caller takes its lines in. Its `head`, done once before all `lines`, takes space on the stack, also where
    these stand in a loop of a caller. `late` is the address of bits, one for each sample: those that are left for
    later, where `%patient` says that some may be, do not matter any more.
    """

    late = ""

    def __init__(
        self,
        name: str,
        lanes: Lanes,
        widest: int,
        areas: tuple[int, int],
        *,
        inlined: bool,
        around: Moves = FIXED,
    ) -> None:
        self.lanes, self.widest, self.one = lanes, widest, Vector(lanes, 1)
        self._attribute = "alwaysinline" if inlined else f"noinline{ALIGNED if around.loops else ''}"
        self._name, self._areas = name, areas
        self.tables: list[str] = []
        self.head: list[str] = []
        self.lines: list[str] = []
        self._number = count()
        self._around, self._offsets = tuple(around.loops), dict[tuple[str, int], str]()
        self._moves = Moves({f"%passage{i}": windows for i, windows in enumerate(around.loops.values())})
        for k, windows in self._moves.loops.items():
            self._name_offsets(k, windows)

    def text(self) -> str:
        """Return the function and its tables."""
        arguments = [f"ptr noalias {area}" for area in AREAS] + [f"i64 %passage{i}" for i in range(len(self._around))]
        header = f"define internal void @{self._name}({', '.join(arguments)}) {self._attribute} {{"
        return "\n".join([*self.tables, header, *self.head, *self.lines, "  ret void", "}"])

    @property
    def call(self) -> str:
        """The line that calls it with the same memory, at the same passages of loops over stages."""
        given = [f"ptr {area}" for area in AREAS] + [f"i64 {k}" for k in self._around]
        return f"call void @{self._name}({', '.join(given)})"

    def say(self, expression: str) -> str:
        """Give a value to a new name, and return that."""
        name = f"%x{next(self._number)}"
        self.lines.append(f"  {name} = {expression}")
        return name

    def do(self, line: str) -> None:
        """Write a line that has no value."""
        self.lines.append(f"  {line}")

    def table(self, numbers: Sequence[int]) -> str:
        """Return the address of a table of integers."""
        name = f"@{self._name}_table{next(self._number)}"
        entries = ", ".join(f"i32 {number}" for number in numbers) or "i32 0"
        self.tables.append(f"{name} = private constant [{max(len(numbers), 1)} x i32] [{entries}], align 64")
        return name

    def entry(self, table: str, index: str) -> str:
        """Return an entry of a table."""
        place = self.say(f"getelementptr i32, ptr {table}, i64 {index}")
        number = self.say(f"load i32, ptr {place}, align 4")
        return self.say(f"sext i32 {number} to i64")

    def area(self, place: int) -> tuple[str, int]:
        """Return the memory that a place is in, and which one it is there."""
        results, inputs = self._areas
        starts = (("%memory", results + inputs), ("%in", results), ("%out", 0))
        return next((area, place - start) for area, start in starts if place >= start)

    def is_within(self, places: Sequence[int]) -> bool:
        """Whether places are all in one memory."""
        return len({self.area(place)[0] for place in places}) == 1

    def pointer(self, place: int) -> str:
        """Return the address of a place of the memory, which moves with the loops over stages around it."""
        (area, strides), index = self.locate(place)
        return self.address(self.move(area, strides), str(index))

    def locate(self, place: int) -> tuple[tuple[str, tuple[tuple[str, int], ...]], int]:
        """Return the memory that a place is in, with which passages it moves and how far, and which one it is there."""
        area, index = self.area(place)
        return (area, tuple(self._moves.strides(place))), index

    def move(self, address: str, strides: Sequence[tuple[str, int]]) -> str:
        """Return an address that moves with passages."""
        for key in strides:
            address = self.address(address, self._offsets[key])
        return address

    @property
    def around(self) -> Moves:
        """The loops over stages around."""
        return self._moves

    def is_together(self, places: Sequence[int]) -> bool:
        """Whether places move alike."""
        return self._moves.is_together(places)

    @contextmanager
    def stages(self, part: StageLoop, first: int = 0, end: int | None = None, step: int = 1) -> Iterator[None]:
        """Do something for stages, by default all, of which it names the places of the first.

        Where `end` is beyond them, the last `step` end where they do: some are done twice.
        """
        around, last = self._moves, part.count if end is None else end
        with self.loop(self.variable(str(first)), str(last), step) as k:
            if last > part.count:
                is_whole = self.say(f"icmp sle i64 {k}, {part.count - step}")
                k = self.say(f"select i1 {is_whole}, i64 {k}, i64 {part.count - step}")
            self._name_offsets(k, part.windows)
            self._moves = around.within(k, part)
            yield
        self._moves = around

    def _name_offsets(self, passage: str, windows: Sequence[Window]) -> None:
        for stride in dict.fromkeys(window.stride for window in windows):
            self._offsets[passage, stride] = self.integer("mul", passage, stride)

    def address(self, address: str, index: str) -> str:
        """Return the address of a number that is so many numbers behind another."""
        return self.say(f"getelementptr {self.lanes.real}, ptr {address}, i64 {index}")

    def integer(self, instruction: str, a: str, b: str | int) -> str:
        """Return a sum, product, ... of integers."""
        return self.say(f"{instruction} i64 {a}, {b}")

    def load(self, address: str, vector: Vector) -> str:
        """Load numbers."""
        return self.say(f"load {vector.kind}, ptr {address}, align {self.lanes.bytes}")

    def store(self, value: str, address: str, vector: Vector) -> None:
        """Store numbers."""
        self.do(f"store {vector.kind} {value}, ptr {address}, align {self.lanes.bytes}")

    def copy(self, source: str, target: str) -> None:
        """Copy a number from one address to another."""
        self.store(self.load(source, self.one), target, self.one)

    def copy_run(self, source: str, target: str, count: int) -> None:
        """Copy numbers side by side to others."""
        if count == 1:
            self.copy(source, target)
            return
        size = count * self.lanes.bytes * self.lanes.width
        self.do(f"call void @llvm.memcpy.p0.p0.i64(ptr {target}, ptr {source}, i64 {size}, i1 false)")

    def is_run(self, place: int, count: int) -> bool:
        """Whether so many places stand side by side in one memory, and move alike."""
        located = [self.locate(p) for p in range(place, place + count)]
        return all(area == located[0][0] and i == located[0][1] + k for k, (area, i) in enumerate(located))

    def find_runs(self, pairs: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int, int]]:
        """Yield the first pair of a number and a place, and how many follow that both go on by one, in one memory."""
        first, count = 0, 0
        for k, (i, place) in enumerate(pairs):
            if count:
                (start, begin) = pairs[first]
                (area, at), (other, there) = self.locate(begin), self.locate(place)
                if (i - start, there - at) == (count, count) and area == other:
                    count += 1
                    continue
                yield (*pairs[first], count)
            first, count = k, 1
        if count:
            yield (*pairs[first], count)

    def is_zero(self, place: int) -> str:
        """Return whether a number of the memory is zero, in all samples that matter."""
        if self.lanes.width == 1:
            number = self.load(self.pointer(place), self.one)
            return self.say(f"fcmp oeq {self.lanes.scalar} {number}, {self.lanes.number(0.0)}")
        return self.say(f"icmp eq i{self.lanes.width} {self._find_others(place)}, 0")

    def _find_others(self, place: int) -> str:
        """Return bits, one a sample that matters and whose number is not zero."""
        B, number = f"i{self.lanes.width}", self.load(self.pointer(place), self.one)
        zeros = self.say(f"fcmp une {self.lanes.real} {number}, zeroinitializer")
        found = self.say(f"bitcast {self.lanes.boolean} {zeros} to {B}")
        if not self.late:
            return found
        rest = self.say(f"xor {B} {self.value(self.late, B)}, -1")
        return self.say(f"and {B} {found}, {rest}")

    def put_off(self, place: int) -> str:
        """Leave samples whose number is not zero for later, if they are at most half; return whether none is left."""
        B, found = f"i{self.lanes.width}", self._find_others(place)
        count = self.say(f"call {B} @llvm.ctpop.{B}({B} {found})")
        few = self.say(f"icmp ule {B} {count}, {self.lanes.width // 2}")
        waits = self.say(f"and i1 {few}, %patient")
        now = self.value(self.late, B)
        after = self.say(f"or {B} {now}, {found}")
        self.change(self.late, self.say(f"select i1 {waits}, {B} {after}, {B} {now}"), B)
        none = self.say(f"icmp eq {B} {found}, 0")
        return self.say(f"or i1 {waits}, {none}")

    def arithmetic(self, instruction: str, a: str, b: str, vector: Vector) -> str:
        """Return a sum, difference, product or quotient."""
        return self.say(f"{instruction} {vector.kind} {a}, {b}")

    def spread(self, value: str, vector: Vector) -> str:
        """Return a number in all places of a vector."""
        if vector.width == 1:
            return value
        one = self.say(f"insertelement {vector.kind} poison, {self.lanes.scalar} {value}, i32 0")
        zeros = f"<{vector.width} x i32> zeroinitializer"
        return self.say(f"shufflevector {vector.kind} {one}, {vector.kind} poison, {zeros}")

    def zeros(self, vector: Vector) -> str:
        """Return zeros."""
        return self.lanes.number(0.0) if vector.width == 1 else "zeroinitializer"

    def more(self, a: str, b: str, c: str, vector: Vector) -> str:
        """Return a + b c, one instruction where the processor has it, at every level of LLVM: digits are the same."""
        kind = vector.kind
        return self.say(f"call {kind} {vector.alike.intrinsic('fmuladd')}({kind} {b}, {kind} {c}, {kind} {a})")

    def less(self, start: str, a: Sequence[str], b: Sequence[str], vector: Vector) -> str:
        """Return a number less a product of vectors, half of which is summed apart: two short chains of sums."""
        half, apart = len(a) // 2, ""
        for k, (x, y) in enumerate(zip(a, b, strict=True)):
            if k < half:
                start = self.more(start, self.say(f"fneg {vector.kind} {x}"), y, vector)
            else:
                apart = self.more(apart, x, y, vector) if apart else self.arithmetic("fmul", x, y, vector)
        return self.arithmetic("fsub", start, apart, vector)

    def variable(self, first: str, kind: str = "i64") -> str:
        """Return the address of a variable of the function."""
        number = next(self._number)
        self.head.append(f"  %slot{number} = alloca {kind}")
        self.do(f"store {kind} {first}, ptr %slot{number}")
        return f"%slot{number}"

    def reserve(self, size: int) -> str:
        """Return the address of so many numbers of the function's own."""
        name = f"%array{next(self._number)}"
        self.head.append(f"  {name} = alloca [{size or 1} x {self.lanes.real}], align 64")
        return name

    def value(self, variable: str, kind: str = "i64") -> str:
        """Return what a variable is now."""
        return self.say(f"load {kind}, ptr {variable}")

    def change(self, variable: str, value: str, kind: str = "i64") -> None:
        """Give a variable another value."""
        self.do(f"store {kind} {value}, ptr {variable}")

    @contextmanager
    def loop(self, variable: str, end: str, step: int) -> Iterator[str]:
        """Repeat while a variable is at most `end` less `step`, which is added each time; gives its value."""
        tag = next(self._number)
        self.do(f"br label %test{tag}")
        self.lines.append(f"test{tag}:")
        now = self.value(variable)
        then = self.integer("add", now, step)
        more = self.say(f"icmp sle i64 {then}, {end}")
        self.do(f"br i1 {more}, label %body{tag}, label %after{tag}")
        self.lines.append(f"body{tag}:")
        yield now
        self.change(variable, then)
        self.do(f"br label %test{tag}")
        self.lines.append(f"after{tag}:")

    @contextmanager
    def each(self, first: str, end: str) -> Iterator[str]:
        """Repeat for all integers from `first` on, before `end`."""
        with self.loop(self.variable(first), end, 1) as i:
            yield i

    @contextmanager
    def repeat(self, is_last: Callable[[], str]) -> Iterator[None]:
        """Do something, and again until a condition holds after it."""
        tag = next(self._number)
        self.do(f"br label %again{tag}")
        self.lines.append(f"again{tag}:")
        yield
        self.do(f"br i1 {is_last()}, label %last{tag}, label %again{tag}")
        self.lines.append(f"last{tag}:")

    @contextmanager
    def unless(self, condition: str) -> Iterator[None]:
        """Do something where a condition does not hold."""
        tag = next(self._number)
        self.do(f"br i1 {condition}, label %past{tag}, label %here{tag}")
        self.lines.append(f"here{tag}:")
        yield
        self.do(f"br label %past{tag}")
        self.lines.append(f"past{tag}:")
