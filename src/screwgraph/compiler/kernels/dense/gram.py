"""J^T J and J^T r of many small Jacobians at once: what factor groups add to a least-squares system."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from screwgraph.base.summary import one_line
from screwgraph.compiler.backends.llvm import Lanes, get_machine_code, vector_width
from screwgraph.compiler.kernels.dense.panel_writer import PanelWriter

TILE = 4
"""Columns that are made together."""


@dataclass(frozen=True, eq=False)
class Gram:
    """Entries (rows[e], cols[e]) of J^T J, and J^T r, of Jacobians (m, c); made by `make_gram`."""

    __repr__ = one_line

    m: int
    c: int
    places: Int[np.ndarray, " e"]
    code: Callable[..., None]
    scratch: int
    engine: Any

    def __call__(
        self,
        J: Float[np.ndarray, "K m c"],
        r: Float[np.ndarray, "K m"],
        entries: Float[np.ndarray, "K e"],
        gradient: Float[np.ndarray, "K c"],
    ) -> None:
        """Write entries and gradients of K factors; all arrays are C-contiguous doubles of these shapes."""
        scratch = np.empty(self.scratch)
        arrays = (J, r, self.places, entries, gradient, scratch)
        self.code(*(a.ctypes.data for a in arrays), J.shape[0], self.places.size)


def make_gram(m: int, c: int, rows: Sequence[int] | np.ndarray, cols: Sequence[int] | np.ndarray) -> Gram:
    """Return the function for Jacobians of m rows and c columns that keeps some entries, rows >= cols."""
    function, engine = _code(m, c, vector_width())
    pitch = _pitch(c, vector_width())
    places = np.asarray(cols, dtype=np.int64) * pitch + np.asarray(rows, dtype=np.int64)
    return Gram(m, c, places.astype(np.int32), function, (c + 1) * pitch, engine)


def _pitch(c: int, width: int) -> int:
    return -(-c // width) * width


@lru_cache(maxsize=256)
def _code(m: int, c: int, width: int) -> tuple[Callable[..., None], Any]:
    code = get_machine_code(("gram", m, c, width), lambda: _text(m, c, Lanes(width)), "gram")
    pointers, counts = [ctypes.c_void_p] * 6, [ctypes.c_int64] * 2
    return ctypes.CFUNCTYPE(None, *pointers, *counts)(code.address), code.engine


def _text(m: int, c: int, lanes: Lanes) -> str:
    """Return `@gram(J, r, places, entries, gradient, scratch, K, count)`; column c of the scratch is the gradient."""
    w, D, B = PanelWriter(lanes), lanes.real, lanes.boolean
    pitch = _pitch(c, lanes.width)
    with w.loop("%K") as each:
        J = w.address("%J", w.value(f"mul i64 {each.index}, {m * c}"))
        r = w.address("%r", w.value(f"mul i64 {each.index}, {m}"))
        for first in range(0, c, TILE):
            _columns(w, m, c, J, J, range(first, min(first + TILE, c)), first // lanes.width)
        _columns(w, m, c, J, r, range(c, c + 1), 0)
        entries = w.address("%entries", w.value(f"mul i64 {each.index}, %count"))
        with w.loop("%count") as kept:
            place = w.value(f"load i32, ptr {w.value(f'getelementptr i32, ptr %places, i64 {kept.index}')}, align 4")
            x = w.scalar(w.address("%scratch", w.value(f"sext i32 {place} to i64")))
            w.store_scalar(x, w.address(entries, kept.index))
        gradient = w.address("%gradient", w.value(f"mul i64 {each.index}, {c}"))
        with w.loop(c) as one:
            w.store_scalar(w.scalar(w.address("%scratch", one.index), c * pitch), w.address(gradient, one.index))
    declared = [
        f"declare {D} {lanes.intrinsic('fma')}({D}, {D}, {D})",
        f"declare {D} @llvm.masked.load.{lanes.mangled_type}.p0(ptr, i32, {B}, {D})",
    ]
    names = ("J", "r", "places", "entries", "gradient", "scratch")
    head = ", ".join([*(f"ptr noalias %{name}" for name in names), "i64 %K", "i64 %count"])
    return "\n".join([*declared, f"define void @gram({head}) {{", "entry:", *w.lines, "  ret void", "}"])


def _columns(w: PanelWriter, m: int, c: int, J: str, right: str, columns: range, first: int) -> None:
    """Write columns of J^T [J r] to the scratch, from vector `first` on; `right` holds column c alone, if asked for."""
    V, pitch = w.lanes.width, _pitch(c, w.lanes.width)
    alone = columns.start == c
    chunk = 4 if V == 8 else 2
    for start in range(first, pitch // V, chunk):
        vectors = range(start, min(start + chunk, pitch // V))
        sums = {f"s{t}_{v}": "zeroinitializer" for t in columns for v in vectors}
        with w.loop(m, sums) as rows:
            row = w.address(J, w.value(f"mul i64 {rows.index}, {c}"))
            factors = w.address(right, rows.index) if alone else row
            left = {v: _emit_row_load(w, row, v, c) for v in vectors}
            for t in columns:
                factor = w.splat(w.scalar(factors, 0 if alone else t))
                for v in vectors:
                    rows.handed[f"s{t}_{v}"] = w.fma(left[v], factor, rows.now[f"s{t}_{v}"])
        for t in columns:
            for v in vectors:
                w.store(rows.now[f"s{t}_{v}"], "%scratch", t * pitch + v * V)


def _emit_row_load(w: PanelWriter, row: str, v: int, c: int) -> str:
    """Load a vector of a row: the last one only as far as the row goes."""
    V, D, B = w.lanes.width, w.lanes.real, w.lanes.boolean
    if (v + 1) * V <= c:
        return w.load(row, v * V)
    mask = ", ".join(f"i1 {int(v * V + i < c)}" for i in range(V))
    call = f"call {D} @llvm.masked.load.{w.lanes.mangled_type}.p0"
    return w.value(f"{call}(ptr {w.address(row, v * V)}, i32 8, {B} <{mask}>, {D} zeroinitializer)")
