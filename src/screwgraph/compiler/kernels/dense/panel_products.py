"""Columns of a matrix that is stored column by column: products of columns before, and division by a triangle.

`@NAME(to, a, ld, n, k, width)`: the sum over p < k of a[p ld + r] a[p ld + c] is added to to[c ld + r], or subtracted,
for r < n and c < width.
`@NAME(to, ld, n, width)`: rows of `width` columns from row `width` on are multiplied by the inverse of the transposed
lower triangle that stands above them. At most `WIDEST` columns; sums stay in registers, the last rows are masked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from screwgraph.compiler.backends.llvm import Lanes, vector_width
from screwgraph.compiler.kernels.dense.panel_writer import PanelWriter

WIDEST = 4
DEEP = 2
"""Vectors of rows that are made together: with four columns, as many sums as hide the time of one."""


def emit_added_products(name: str) -> str:
    """Return the function that adds products."""
    return _emit_products(name, "fadd")


def emit_subtracted_products(name: str) -> str:
    """Return the function that subtracts products."""
    return _emit_products(name, "fsub")


def _emit_products(name: str, how: str) -> str:
    lanes = Lanes(vector_width())

    def columns(w: PanelWriter, width: int) -> None:
        for rows, mask, first in write_blocks(w, "%n", DEEP):
            sums = {f"s{c}_{v}": "zeroinitializer" for c in range(width) for v in range(rows)}
            with w.loop("%k", sums) as inner:
                column = w.address("%a", w.value(f"mul i64 {inner.index}, %ld"))
                there = w.address(column, first)
                x = [load_rows(w, there, v, mask) for v in range(rows)]
                for c in range(width):
                    y = w.splat(w.scalar(column, c))
                    for v in range(rows):
                        inner.handed[f"s{c}_{v}"] = w.fma(x[v], y, inner.now[f"s{c}_{v}"])
            for c in range(width):
                to = w.address(_column(w, c), first)
                for v in range(rows):
                    old = load_rows(w, to, v, mask)
                    new = w.value(f"{how} {lanes.real} {old}, {inner.now[f's{c}_{v}']}")
                    store_rows(w, new, to, v, mask)

    return _emit(name, "ptr noalias %to, ptr noalias %a, i64 %ld, i64 %n, i64 %k, i64 %width", lanes, columns)


def emit_division(name: str) -> str:
    """Return the function that divides by a triangle."""
    lanes = Lanes(vector_width())

    def columns(w: PanelWriter, width: int) -> None:
        below = w.value(f"sub i64 %n, {width}")
        tops = [_column(w, c) for c in range(width)]
        inverses = [w.splat(w.value(f"fdiv double 1.0, {w.scalar(tops[c], c)}")) for c in range(width)]
        slopes = {(c, b): w.splat(w.scalar(tops[b], c)) for c in range(width) for b in range(c)}
        for _, mask, first in write_blocks(w, below, 1):
            solved: list[str] = []
            for c in range(width):
                to = w.address(w.address(tops[c], first), width)
                x = load_rows(w, to, 0, mask)
                for b in range(c):
                    x = w.fma(w.negative(solved[b]), slopes[c, b], x)
                solved.append(w.multiply(x, inverses[c]))
                store_rows(w, solved[c], to, 0, mask)

    return _emit(name, "ptr noalias %to, i64 %ld, i64 %n, i64 %width", lanes, columns)


def _emit(name: str, head: str, lanes: Lanes, columns: Callable[[PanelWriter, int], None]) -> str:
    """Return a function with a part for each number of columns."""
    w, kinds = PanelWriter(lanes), range(1, WIDEST + 1)
    cases = " ".join(f"i64 {width}, label %columns{width}" for width in kinds)
    w.do(f"switch i64 %width, label %end [{cases}]")
    for width in kinds:
        w.begin(f"columns{width}")
        columns(w, width)
        w.do("br label %end")
    w.begin("end")
    return define_function(name, head, w)


def define_function(name: str, head: str, w: PanelWriter) -> str:
    """Return a function of these arguments and lines, with what it calls."""
    lanes = w.lanes
    D, B = lanes.real, lanes.boolean
    declared = [
        f"declare {D} {lanes.intrinsic('fma')}({D}, {D}, {D})",
        f"declare {D} @llvm.masked.load.{lanes.mangled_type}.p0(ptr, i32, {B}, {D})",
        f"declare void @llvm.masked.store.{lanes.mangled_type}.p0({D}, ptr, i32, {B})",
    ]
    return "\n".join([*declared, f"define void @{name}({head}) {{", "entry:", *w.lines, "  ret void", "}"])


def write_blocks(w: PanelWriter, count: str, deep: int) -> Iterator[tuple[int, str | None, str]]:
    """Write loops over rows: `deep` vectors at once, then one, whose rows beyond the last are masked.

    Yields how many vectors there are, the mask, and the first row.
    """
    tall = deep * w.lanes.width
    with w.loop(w.value(f"sdiv i64 {count}, {tall}")) as whole:
        yield deep, None, w.value(f"mul i64 {whole.index}, {tall}")
    done = w.value(f"mul i64 {w.value(f'sdiv i64 {count}, {tall}')}, {tall}")
    left = w.value(f"sub i64 {count}, {done}")
    V = w.lanes.width
    with w.loop(w.value(f"sdiv i64 {w.value(f'add i64 {left}, {V - 1}')}, {V}")) as last:
        passed = w.value(f"mul i64 {last.index}, {V}")
        mask = w.below(w.value(f"sub i64 {left}, {passed}"))
        yield 1, mask, w.value(f"add i64 {done}, {passed}")


def _column(w: PanelWriter, c: int) -> str:
    return w.address("%to", w.value(f"mul i64 %ld, {c}"))


def load_rows(w: PanelWriter, pointer: str, v: int, mask: str | None) -> str:
    """Load vector number v behind a pointer; where there is a mask, zeros beyond it."""
    if mask is None:
        return w.load(pointer, v * w.lanes.width)
    D, B = w.lanes.real, w.lanes.boolean
    call = f"call {D} @llvm.masked.load.{w.lanes.mangled_type}.p0"
    return w.value(f"{call}(ptr {pointer}, i32 8, {B} {mask}, {D} zeroinitializer)")


def store_rows(w: PanelWriter, value: str, pointer: str, v: int, mask: str | None) -> None:
    """Store vector number v behind a pointer; where there is a mask, nothing beyond it."""
    if mask is None:
        w.store(value, pointer, v * w.lanes.width)
        return
    D, B = w.lanes.real, w.lanes.boolean
    w.do(f"call void @llvm.masked.store.{w.lanes.mangled_type}.p0({D} {value}, ptr {pointer}, i32 8, {B} {mask})")
