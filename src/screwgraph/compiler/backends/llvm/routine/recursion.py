"""Accelerations that torques cause: from the tips to the base and back, some vectors of columns of X at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from screwgraph.compiler.backends.llvm.routine.kernel import Kernel, Vector
from screwgraph.tape.parts import SIX, WIDEST, Recursion

MOST = 4
"""Vectors of a panel: each waits for the one sum that the next coordinate needs, so that several go side by side."""


@dataclass(frozen=True)
class Panel:
    """Vectors of columns that are solved for together: what is left of X, row by row, and wrenches or twists."""

    count: int
    vector: Vector
    left: str
    sixes: str

    @property
    def width(self) -> int:
        """Numbers of a row."""
        return self.count * self.vector.width


@dataclass(frozen=True)
class Places:
    """Addresses of what the recursion reads; tables of the slots of wrenches and twists: own, given to, taken from."""

    axes: str
    scaled: str
    pivots: str
    own: str
    to: str
    taken: str


def print_recursion(part: Recursion, kernel: Kernel) -> None:
    """Write the loop over panels: copied to their memory, solved there, copied back."""
    count = min(MOST, WIDEST // kernel.widest, -(-part.columns // kernel.widest))
    vector, work = Vector(kernel.lanes, kernel.widest), kernel.pointer(part.work)
    panel = Panel(count, vector, work, kernel.address(work, str(part.size * count * vector.width)))
    addresses = (kernel.pointer(place) for place in (part.axes, part.scaled, part.pivots))
    own = slots(part.parents)
    nowhere, zero = max(own) + 1, max(own) + 2
    to, taken = ([base if p < 0 else own[p] for p in part.parents] for base in (nowhere, zero))
    places = Places(*addresses, *map(kernel.table, (own, to, taken)))
    target, column = kernel.pointer(part.target), kernel.variable("0")
    with kernel.loop(column, str(-(-part.columns // panel.width) * panel.width), panel.width) as c:
        left = kernel.integer("sub", str(part.columns), c)
        few = kernel.say(f"icmp slt i64 {left}, {panel.width}")
        there = kernel.say(f"select i1 {few}, i64 {left}, i64 {panel.width}")
        where = kernel.address(target, c)
        _move(part, kernel, panel, (where, there), back=False)
        with kernel.each("0", str((zero + 1) * SIX * count)) as k:
            address = kernel.address(panel.sixes, kernel.integer("mul", k, vector.width))
            kernel.store(kernel.zeros(vector), address, vector)
        _inwards(part, kernel, panel, places, kernel.integer("add", c, panel.width))
        _outwards(part, kernel, panel, places)
        _move(part, kernel, panel, (where, there), back=True)


def slots(parents: Sequence[int]) -> list[int]:
    """Return where each coordinate's wrench or twist is kept: where the parent's is, for the parent's last child.

    Others begin a slot of their own, so that limbs do with one that stays in the first cache.
    """
    last = {parent: i for i, parent in enumerate(parents)}
    found, count = list[int](), 0
    for i, parent in enumerate(parents):
        inherits = parent >= 0 and last[parent] == i
        found.append(found[parent] if inherits else count)
        count += not inherits
    return found


def _move(part: Recursion, kernel: Kernel, panel: Panel, columns: tuple[str, str], *, back: bool) -> None:
    """Copy columns of X, from an address on and so many, to the panel's memory, zeros beyond them; or copy back."""
    where, count = columns
    with kernel.each("0", str(part.size)) as i:
        outside = kernel.address(where, kernel.integer("mul", i, part.columns))
        inside = kernel.address(panel.left, kernel.integer("mul", i, panel.width))
        source, sink = (inside, outside) if back else (outside, inside)
        c = kernel.variable("0")
        for width in dict.fromkeys((panel.vector.width, 1)):
            vector = Vector(kernel.lanes, width)
            with kernel.loop(c, count, width) as here:
                moved = kernel.load(kernel.address(source, here), vector)
                if part.negative and not back:
                    moved = kernel.say(f"fneg {vector.kind} {moved}")
                kernel.store(moved, kernel.address(sink, here), vector)
        if not back:
            with kernel.loop(c, str(panel.width), 1) as here:
                kernel.store(kernel.zeros(kernel.one), kernel.address(sink, here), kernel.one)


def _inwards(part: Recursion, kernel: Kernel, panel: Panel, places: Places, end: str) -> None:
    """Subtract what is felt of all bodies beyond from the torques; beyond the last column of a triangle it is zero."""
    vector = panel.vector
    with kernel.each("0", str(part.size)) as t:
        i = kernel.integer("sub", str(part.size - 1), t)
        with kernel.unless(kernel.say(f"icmp sge i64 {i}, {end}") if part.triangle else "false"):
            axis, scaled = (_six(part, kernel, address, i, vector) for address in (places.axes, places.scaled))
            here = kernel.address(panel.left, kernel.integer("mul", i, panel.width))
            own, to = (kernel.entry(table, i) for table in (places.own, places.to))
            felt, beyond = (_rows(kernel, panel, slot) for slot in (own, to))
            wrenches = list[str]()
            for n in range(panel.count):
                wrench = [kernel.load(place, vector) for place in felt[n * SIX : (n + 1) * SIX]]
                place = kernel.address(here, str(n * vector.width))
                left = kernel.less(kernel.load(place, vector), axis, wrench, vector)
                kernel.store(left, place, vector)
                wrenches += [kernel.more(a, b, left, vector) for a, b in zip(wrench, scaled, strict=True)]
            with kernel.unless(kernel.say(f"icmp ne i64 {own}, {to}")):
                for wrench, place in zip(wrenches, felt, strict=True):
                    kernel.store(wrench, place, vector)
            with kernel.unless(kernel.say(f"icmp eq i64 {own}, {to}")):
                for wrench, place in zip(wrenches, beyond, strict=True):
                    total = kernel.arithmetic("fadd", kernel.load(place, vector), wrench, vector)
                    kernel.store(total, place, vector)


def _outwards(part: Recursion, kernel: Kernel, panel: Panel, places: Places) -> None:
    """Accelerations: what the torques that are left cause, less what the parent's takes from it."""
    vector = panel.vector
    with kernel.each("0", str(part.size)) as i:
        axis, scaled = (_six(part, kernel, address, i, vector) for address in (places.axes, places.scaled))
        here = kernel.address(panel.left, kernel.integer("mul", i, panel.width))
        pivot = kernel.spread(kernel.load(kernel.address(places.pivots, i), kernel.one), vector)
        sources, sinks = (_rows(kernel, panel, kernel.entry(table, i)) for table in (places.taken, places.own))
        for n in range(panel.count):
            twist = [kernel.load(place, vector) for place in sources[n * SIX : (n + 1) * SIX]]
            place = kernel.address(here, str(n * vector.width))
            x = kernel.arithmetic("fmul", kernel.load(place, vector), pivot, vector)
            x = kernel.less(x, scaled, twist, vector)
            kernel.store(x, place, vector)
            for a, b, sink in zip(twist, axis, sinks[n * SIX :], strict=False):
                kernel.store(kernel.more(a, b, x, vector), sink, vector)


def _six(part: Recursion, kernel: Kernel, address: str, i: str, vector: Vector) -> list[str]:
    """Load the six numbers of a coordinate, each in all places of a vector."""
    column = kernel.address(address, i)
    return [
        kernel.spread(kernel.load(kernel.address(column, str(k * part.size)), kernel.one), vector) for k in range(SIX)
    ]


def _rows(kernel: Kernel, panel: Panel, slot: str) -> list[str]:
    """Return the addresses of the six rows of a slot, those of one vector of columns after the other."""
    start = kernel.address(panel.sixes, kernel.integer("mul", slot, SIX * panel.width))
    return [kernel.address(start, str(k * panel.vector.width)) for k in range(SIX * panel.count)]
