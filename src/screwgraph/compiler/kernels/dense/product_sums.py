"""Sums of products that many equal rows have in common: the same numbers of all rows stand side by side.

`@NAME(to, a, b, firsts, ia, ib, count, n)`: for each output o < count, the sum over firsts[o] <= p < firsts[o + 1] of
a[ia[p] n + k] b[ib[p] n + k] is written to to[o n + k], for k < n; with more factors likewise. Sums stay in registers,
the last columns are masked.
"""

from __future__ import annotations

from screwgraph.compiler.backends.llvm import Lanes, vector_width
from screwgraph.compiler.kernels.dense.panel_products import define_function, load_rows, store_rows, write_blocks
from screwgraph.compiler.kernels.dense.panel_writer import PanelWriter


def emit_product_sums(name: str, factors: int) -> str:
    """Return the function for products of so many factors."""
    w, named = PanelWriter(Lanes(vector_width())), "abcd"[:factors]
    for _, mask, first in write_blocks(w, "%n", 1):
        with w.loop("%count") as outer:
            at = w.value(f"getelementptr i64, ptr %firsts, i64 {outer.index}")
            begin, end = _integer(w, at, "0"), _integer(w, at, "1")
            with w.loop(w.value(f"sub i64 {end}, {begin}"), {"sum": "zeroinitializer"}) as inner:
                p = w.value(f"add i64 {begin}, {inner.index}")
                x = [load_rows(w, _place(w, f"%{a}", _integer(w, f"%i{a}", p), first), 0, mask) for a in named]
                product = x[0]
                for other in x[1:-1]:
                    product = w.multiply(product, other)
                inner.handed["sum"] = w.fma(product, x[-1], inner.now["sum"])
            store_rows(w, inner.now["sum"], _place(w, "%to", outer.index, first), 0, mask)
    pointers = ["to", *named, "firsts", *(f"i{a}" for a in named)]
    return define_function(name, ", ".join([*(f"ptr noalias %{p}" for p in pointers), "i64 %count", "i64 %n"]), w)


def _integer(w: PanelWriter, pointer: str, index: str) -> str:
    """Load an integer."""
    return w.value(f"load i64, ptr {w.value(f'getelementptr i64, ptr {pointer}, i64 {index}')}, align 8")


def _place(w: PanelWriter, pointer: str, row: str, first: str) -> str:
    """Return the address of the first column at hand of a row."""
    return w.address(pointer, w.value(f"add i64 {w.value(f'mul i64 {row}, %n')}, {first}"))
