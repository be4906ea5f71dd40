"""Code with loops as LLVM assembly: a printer for each kind of part."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from screwgraph.base.summary import one_line
from screwgraph.compiler.backends.llvm.ir_text import Lanes
from screwgraph.compiler.backends.llvm.operations import TOGETHER
from screwgraph.compiler.backends.llvm.packed_block import emit_limb_block
from screwgraph.compiler.backends.llvm.routine.block_places import find_targets, read_span
from screwgraph.compiler.backends.llvm.routine.kernel import Kernel, Vector
from screwgraph.compiler.backends.llvm.routine.lane_moves import may_repeat, move_alone, move_lanes
from screwgraph.compiler.backends.llvm.routine.recursion import print_recursion
from screwgraph.compiler.backends.llvm.routine.row_products import find_row_products, is_addressed, print_row_products
from screwgraph.compiler.backends.llvm.sample_block import BlockFunction, emit_block
from screwgraph.compiler.passes.outlining import WHOLE
from screwgraph.tape import (
    Block,
    Lookup,
    Loop,
    Part,
    Pick,
    Program,
    Put,
    SettledWhen,
    SettlingLoop,
    SideBySide,
    StageLoop,
    When,
)
from screwgraph.tape.parts import FIXED, Copies, Fill, Moves, Products, Recursion

RUN = 4
"""Numbers side by side that are copied at once."""
LONG = 1000
"""Numbers and instructions of a loop of one sample, from which it is a function of its own.

LLVM takes a time that grows faster than the length of a function: a controller's was 800 000 lines.
"""
APART, APART_ALONE = 500, 2000
"""Instructions from which a program on many samples, or on one, is a function that its caller does not take in.

Of many it is 5 % faster; LLVM's inliner would make one function of all that stand once, and take half as long again.
"""


@dataclass
class PartsPrinter:
    """Prints parts: `functions` and tables, and the lines of a `body` that calls them with `%in`, `%out`, `%memory`.

    Loops over numbers of one sample take so many `neighbours` at a time; `areas` as of `Kernel`; `inlined` says that
    the body takes all functions in.
    """

    __repr__ = one_line

    lanes: Lanes
    whole: int = WHOLE
    areas: tuple[int, int] = (0, 0)
    neighbours: int = 1
    inlined: bool = False
    functions: list[str] = field(default_factory=list)
    names: dict[tuple[int, str, bool, Sequence[int]], str] = field(default_factory=dict)
    printed: dict[int, tuple[int, Program]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.body = self.begin_function("body")

    def begin_function(self, name: str, around: Moves = FIXED) -> Kernel:
        """Return a function under construction, within loops over stages."""
        name = f"{name}_{self.lanes.tag}"
        return Kernel(name, self.lanes, self.neighbours, self.areas, inlined=self.inlined, around=around)

    @contextmanager
    def apart(self) -> Iterator[None]:
        """Print what follows as a function of its own, which the body calls."""
        body = self.body
        self.body = self.begin_function(f"loop{len(self.functions)}", body.around)
        self.functions.append("")  # others take other names
        yield
        self.functions.append(self.body.text())
        body.do(self.body.call)
        self.body = body

    def do(self, parts: Sequence[Part]) -> None:
        """Print parts one after the other."""
        for part in parts:
            if type(part) in PRINTERS:
                PRINTERS[type(part)](part, self)
                continue
            if self.body.around.loops:
                LOOPS[type(part)](part, self.body)
                self.functions += self.body.tables
                self.body.tables.clear()
                continue
            kernel = self.begin_function(f"part{len(self.functions)}")
            LOOPS[type(part)](part, kernel)
            self.functions.append(kernel.text())
            self.body.do(kernel.call)

    def function_of(
        self, block: Block, lanes: Lanes | None = None, *, rare: bool = False, targets: Sequence[int] = ()
    ) -> str:
        """Return the function of a program; one of several `lanes` is taken in by its caller, where it has no sines.

        That for one of these is `rare` where large angles alone need it. Results go to `targets`, if there are any.
        """
        own = lanes or self.lanes
        key = (id(block.program), own.tag, lanes is None and rare, targets)
        if key not in self.names:
            # Code for many samples calls that for one, which has more functions: programs have one number in both.
            number = self.printed.setdefault(id(block.program), (len(self.printed), block.program))[0]
            name = f"{'lanes_' if lanes else 'rare_' if rare else ''}program{number}_"
            inlined, one = self.inlined or lanes is not None, ""
            if targets:
                one, name = name, f"to{len(self.names)}_{name}"
            if lanes is not None and has_sines(block.program):  # large angles go one by one
                one, inlined = self.function_of(block, rare=rare)[1:].removesuffix(self.lanes.tag), False
            self.names[key] = f"@{name}{own.tag}"
            is_packed = own.width == 1 and not rare and _names_joints(block)
            packed = emit_limb_block(block.program, own, name) if is_packed else None
            least = APART if own.width > 1 else APART_ALONE
            apart = not inlined and len(block.program.instructions) >= least
            way = BlockFunction(name, one, None, targets, inlined, apart, rare and not lanes)
            text = emit_block(block.program, own, way, self.whole) if packed is None else packed.text
            self.functions.append(text)
        return self.names[key]


def _names_joints(block: Block) -> bool:
    """Return whether inputs belong to joints, as "q:knee[0]" does, so that limbs are found."""
    return any(":" in name for name in block.program.input_names)


def print_block(part: Block, printer: PartsPrinter) -> None:
    """Call a program where its numbers stand side by side, or near one another, else on copies."""
    body = printer.body
    part = read_span(part, body)
    used = {i[1] for i in part.program.instructions if i[0] == "input"}
    targets = find_targets(part, [part.reads[i] for i in used], body, printer.whole)
    function = printer.function_of(part, targets=targets)
    reads_there = part.reads_in_place and body.is_together(part.reads)
    writes_there = bool(targets) or (part.writes_in_place and body.is_together(part.writes))
    given = _locate(body, part.reads, in_place=reads_there)
    found = body.pointer(min(part.writes)) if targets else _locate(body, part.writes, in_place=writes_there)
    if not reads_there:
        for i, place, count in body.find_runs([(i, part.reads[i]) for i in sorted(used)]):
            body.copy_run(body.pointer(place), body.address(given, str(i)), count)
    body.do(f"call void {function}(ptr {given}, ptr {found})")
    if not writes_there:
        for i, place, count in body.find_runs(list(enumerate(part.writes))):
            body.copy_run(body.address(found, str(i)), body.pointer(place), count)


def has_sines(program: Program) -> bool:
    """Whether a program has sines or cosines."""
    return any(i[0] in TOGETHER for i in program.instructions)


def _locate(body: Kernel, places: Sequence[int], *, in_place: bool) -> str:
    """Return the address of numbers side by side: where they stand, or where copies of them go."""
    return body.pointer(places[0] if places else 0) if in_place else body.reserve(len(places))


def print_lookup(part: Lookup, printer: PartsPrinter) -> None:
    """Copy the row of a table."""
    body, lanes, n = printer.body, printer.lanes, part.table.shape[1]
    table = f"@rows{len(printer.functions)}"
    values = ", ".join(f"{lanes.scalar} {lanes.number(v)}" for v in part.table.ravel().tolist())
    size = f"[{part.table.size} x {lanes.scalar}]"
    printer.functions.append(f"{table} = private constant {size} [{values}], align 64")
    row = body.say(f"fptosi {lanes.scalar} {body.load(body.pointer(part.row), body.one)} to i64")
    start = body.address(table, body.integer("mul", row, n))
    for i in range(n):
        body.copy(body.address(start, str(i)), body.pointer(part.target + i))


def print_pick(part: Pick, printer: PartsPrinter) -> None:
    """Copy the row of a matrix in memory."""
    for here, there in _pair_row(part, printer):
        printer.body.copy(there, here)


def print_put(part: Put, printer: PartsPrinter) -> None:
    """Copy to the row of a matrix in memory."""
    for here, there in _pair_row(part, printer):
        printer.body.copy(here, there)


def _pair_row(part: Pick | Put, printer: PartsPrinter) -> Iterator[tuple[str, str]]:
    """Yield the address of each number of the vector, and of the number of the row that belongs to it."""
    body = printer.body
    row = body.say(f"fptosi {printer.lanes.scalar} {body.load(body.pointer(part.row), body.one)} to i64")
    start = body.address(body.pointer(part.matrix), body.integer("mul", row, part.count))
    for i, place in enumerate(part.numbers):
        yield body.pointer(place), body.address(start, str(i))


def print_loop(part: Loop, printer: PartsPrinter) -> None:
    """Go round."""
    with printer.body.repeat(lambda: printer.body.is_zero(part.test)):
        printer.do(part.parts)


def print_stage_loop(part: StageLoop, printer: PartsPrinter) -> None:
    """Go through the stages."""
    with printer.body.stages(part):
        printer.do(part.parts)


def print_side_by_side(part: SideBySide, printer: PartsPrinter) -> None:
    """Go through the stages, of one sample as many at once as numbers fit a vector; what is left, one by one."""
    blocks = [own for own in part.parts if isinstance(own, Block)]
    if printer.lanes.width > 1 or len(blocks) < len(part.parts):
        return print_stage_loop(part, printer)
    size = sum(len(own.program.instructions) + len(own.reads) + len(own.writes) for own in blocks)
    if size >= LONG and not printer.inlined:
        with printer.apart():
            return _print_neighbours(part, blocks, printer)
    _print_neighbours(part, blocks, printer)
    printer.functions += printer.body.tables
    printer.body.tables.clear()
    return None


def _print_neighbours(part: SideBySide, blocks: Sequence[Block], printer: PartsPrinter) -> None:
    first, width, body = 0, printer.neighbours, printer.body
    products = find_row_products(blocks[0], part) if len(blocks) == 1 else []
    if width > 1 and products and is_addressed(body, products):
        first = print_row_products(body, part, products, width)
        width //= 2
    has_angles = any(has_sines(block.program) for block in blocks)  # code of sines is there for the widest vectors
    if has_angles and may_repeat(blocks) and 1 < width <= part.count - first:  # some passages are done twice
        with body.stages(part, first, first - (first - part.count) // width * width, width):
            for block in blocks:
                _print_lanes(block, part, printer, Lanes(width, printer.lanes.bits), rare=True)
        return
    while first < part.count:  # vectors of half the length hold what is left
        end = first + (part.count - first) // width * width
        if first < end:
            with printer.body.stages(part, first, end, width):
                if width == 1:
                    printer.do(blocks)
                else:
                    for block in blocks:
                        _print_lanes(block, part, printer, Lanes(width, printer.lanes.bits), rare=False)
        first, width = end, 1 if has_angles else width // 2


def _print_lanes(block: Block, part: SideBySide, printer: PartsPrinter, wide: Lanes, *, rare: bool) -> None:
    """Call a program of numbers side by side: where they stand alone, all have the same."""
    body, vector, alone = printer.body, Vector(printer.lanes, wide.width), list[tuple[int, int]]()
    function = printer.function_of(block, wide, rare=rare)
    given, found = (body.reserve(wide.width * len(places)) for places in (block.reads, block.writes))
    used = sorted({i[1] for i in block.program.instructions if i[0] == "input"})
    for i, place, count in body.find_runs([(i, block.reads[i]) for i in used]):
        there, stride = body.address(given, str(wide.width * i)), part.stride(place)
        if stride:
            moved = move_lanes(body, (body.pointer(place), stride), (there, 0), count, vector)
            alone += [(i + k, place + k) for k in range(moved, count)]
            continue
        for k in range(count):
            one = body.spread(body.load(body.pointer(place + k), body.one), vector)
            body.store(one, body.address(there, str(wide.width * k)), vector)
    move_alone(body, alone, given, part.stride, vector, back=False)
    body.do(f"call void {function}(ptr {given}, ptr {found})")
    alone.clear()
    for i, place, count in body.find_runs(list(enumerate(block.writes))):
        here = body.address(found, str(wide.width * i))
        moved = move_lanes(body, (here, 0), (body.pointer(place), part.stride(place)), count, vector)
        alone += [(i + k, place + k) for k in range(moved, count)]
    move_alone(body, alone, found, part.stride, vector, back=True)


def print_when(part: When, printer: PartsPrinter) -> None:
    """Branch."""
    with printer.body.unless(printer.body.is_zero(part.test)):
        printer.do(part.parts)


def print_settled_when(part: SettledWhen, printer: PartsPrinter) -> None:
    """Branch; where few of many samples would do parts that are long, these are left for later."""
    body = printer.body
    if not (part.is_rare and body.late):
        return print_when(part, printer)
    with body.unless(body.put_off(part.test)):
        printer.do(part.parts)
    return None


PRINTERS: Mapping[type[Part], Callable[[Any, PartsPrinter], None]] = {
    Block: print_block,
    Lookup: print_lookup,
    Pick: print_pick,
    Put: print_put,
    Loop: print_loop,
    SettledWhen: print_settled_when,
    SettlingLoop: print_loop,
    SideBySide: print_side_by_side,
    StageLoop: print_stage_loop,
    When: print_when,
}
"""What prints a part into the body."""

# Products of short vectors for pairs of rows and columns, as many columns at once as a vector holds.


def print_products(part: Products, kernel: Kernel) -> None:
    """Write the loops over spans and their columns.

    Of a span that is longer than a vector, the last vector ends where the span does: some are computed twice.
    """
    rows, firsts, counts = (kernel.table(column) for column in zip(*part.spans, strict=True))
    left, right, target = (kernel.pointer(place) for place in (part.left, part.right, part.target))
    one, wide = kernel.one, Vector(kernel.lanes, kernel.widest)
    with kernel.each("0", str(len(part.spans))) as t:
        i, first, count = (kernel.entry(table, t) for table in (rows, firsts, counts))
        end = kernel.integer("add", first, count)
        row = kernel.address(left, i)
        numbers = [kernel.load(kernel.address(row, str(k * part.pitch)), one) for k in range(part.terms)]
        result = kernel.address(target, kernel.integer("mul", i, part.width))
        j = kernel.variable(first)
        if wide.width > 1:
            spread = [kernel.spread(x, wide) for x in numbers]
            with kernel.loop(j, end, wide.width) as here:
                _product(part, kernel, spread, (right, result, here), wide)
            last = kernel.integer("sub", end, wide.width)
            done = kernel.say(f"icmp eq i64 {kernel.value(j)}, {end}")
            short = kernel.say(f"icmp slt i64 {last}, {first}")
            with kernel.unless(kernel.say(f"or i1 {done}, {short}")):
                _product(part, kernel, spread, (right, result, last), wide)
                kernel.change(j, end)
        with kernel.loop(j, end, 1) as here:
            _product(part, kernel, numbers, (right, result, here), one)


def _product(
    part: Products, kernel: Kernel, numbers: Sequence[str], where: tuple[str, str, str], vector: Vector
) -> None:
    """Write the product at some columns: of the addresses of the right side and of the row, and of the column."""
    right, result, column = where
    start, total = kernel.address(right, column), ""
    for k, number in enumerate(numbers):
        there = kernel.load(kernel.address(start, str(k * part.pitch)), vector)
        total = kernel.more(total, number, there, vector) if total else kernel.arithmetic("fmul", number, there, vector)
    kernel.store(total, kernel.address(result, column), vector)


def print_copies(part: Copies, kernel: Kernel) -> None:
    """Copy runs of numbers at once, others in a loop over places, one for each pair of areas and how they move."""
    together: dict[Any, list[tuple[int, int]]] = {}
    pairs = list(zip(part.sources, part.targets, strict=True))
    for source, target, count in kernel.find_runs(pairs):
        if count >= RUN and kernel.is_run(source, count):
            kernel.copy_run(kernel.pointer(source), kernel.pointer(target), count)
            continue
        for k in range(count):
            (a, i), (b, j) = kernel.locate(source + k), kernel.locate(target + k)
            together.setdefault((a, b), []).append((i, j))
    for ends, pairs in together.items():
        a, b = (kernel.move(*end) for end in ends)
        sources, targets = (kernel.table(column) for column in zip(*pairs, strict=True))
        with kernel.each("0", str(len(pairs))) as t:
            kernel.copy(kernel.address(a, kernel.entry(sources, t)), kernel.address(b, kernel.entry(targets, t)))


def print_fill(part: Fill, kernel: Kernel) -> None:
    """Write a loop that stores zeros."""
    target = kernel.pointer(part.target)
    with kernel.each("0", str(part.count)) as i:
        kernel.store(kernel.lanes.number(0.0), kernel.address(target, i), kernel.one)


LOOPS: Mapping[type[Part], Callable[[Any, Kernel], None]] = {
    Copies: print_copies,
    Fill: print_fill,
    Products: print_products,
    Recursion: print_recursion,
}
"""What prints a part as a function of its own, which the body calls."""
