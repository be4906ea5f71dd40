"""Machine code for panels and places, made once for a shape."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from screwgraph.compiler.backends.llvm import Lanes, MachineCode, compile_tiered, get_machine_code, vector_width
from screwgraph.compiler.kernels.dense.chain_factor import ChainShape, emit_chain_factor, emit_chain_solve
from screwgraph.compiler.kernels.dense.panel_writer import PanelWriter

_POINTER, _COUNT, _REAL = ctypes.c_void_p, ctypes.c_int64, ctypes.c_double


@dataclass(frozen=True, eq=False)
class ChainCode:
    """`factor`, `forward` and `backward` of `chain_factor`, on addresses."""

    factor: Callable[..., int]
    forward: Callable[..., None]
    backward: Callable[..., None]
    engine: Any


@dataclass(frozen=True, eq=False)
class PlaceCode:
    """`scatter` and `scatter_runs`, on addresses."""

    scatter: Callable[..., None]
    scatter_runs: Callable[..., None]
    engine: Any


@lru_cache(maxsize=64)
def compile_chain(shape: ChainShape) -> ChainCode:
    """Return machine code for chains of a shape."""
    question = ("panels", shape.d, shape.b, shape.width, shape.skipped)
    code = compile_tiered(question, lambda whole: _chain_text(shape), ("factor", "forward", "backward"))
    solve = [_POINTER] * 5 + [_COUNT]
    return ChainCode(
        _function(code, "factor", _COUNT, [_POINTER] * 8 + [_COUNT, _REAL]),
        _function(code, "forward", None, solve),
        _function(code, "backward", None, solve),
        code.engine,
    )


@lru_cache(maxsize=1)
def compile_places() -> PlaceCode:
    """Return machine code for sums over places."""
    lanes = Lanes(vector_width())
    code = get_machine_code(("places", 2, lanes), lambda: TEXT + emit_runs(lanes), "scatter")
    return PlaceCode(
        _function(code, "scatter", None, [_POINTER] * 3 + [_COUNT]),
        _function(code, "scatter_runs", None, [_POINTER] * 4 + [_COUNT]),
        code.engine,
    )


def emit_runs(lanes: Lanes) -> str:
    """Return `@scatter_runs(out, start, length, value, n)`: run i of values is added from out[start[i]] on."""
    w, V, D = PanelWriter(lanes), lanes.width, lanes.real
    w.do("%used = alloca i64")
    w.do("store i64 0, ptr %used")
    with w.loop("%n") as runs:
        first, count = (_number(w, name, runs.index) for name in ("%start", "%length"))
        value_at = w.value("load i64, ptr %used")
        w.do(f"store i64 {w.value(f'add i64 {value_at}, {count}')}, ptr %used")
        out, value = w.address("%out", first), w.address("%value", value_at)
        pieces = w.value(f"sdiv i64 {w.value(f'add i64 {count}, {V - 1}')}, {V}")
        with w.loop(pieces) as piece:
            done = w.value(f"mul i64 {piece.index}, {V}")
            left = w.value(f"sub i64 {count}, {done}")
            mask = w.below(left)
            to = w.address(out, done)
            load, store = (f"@llvm.masked.{kind}.{lanes.mangled_type}.p0" for kind in ("load", "store"))
            ending = f"i32 8, {lanes.boolean} {mask}"
            old = w.value(f"call {D} {load}(ptr {to}, {ending}, {D} zeroinitializer)")
            new = w.value(f"call {D} {load}(ptr {w.address(value, done)}, {ending}, {D} zeroinitializer)")
            w.do(f"call void {store}({D} {w.value(f'fadd {D} {old}, {new}')}, ptr {to}, {ending})")
    declared = [
        f"declare {D} @llvm.masked.load.{lanes.mangled_type}.p0(ptr, i32, {lanes.boolean}, {D})",
        f"declare void @llvm.masked.store.{lanes.mangled_type}.p0({D}, ptr, i32, {lanes.boolean})",
    ]
    head = "ptr noalias %out, ptr noalias %start, ptr noalias %length, ptr noalias %value, i64 %n"
    return "\n".join([*declared, f"define void @scatter_runs({head}) {{", "entry:", *w.lines, "  ret void", "}"])


def _number(w: PanelWriter, array: str, index: str) -> str:
    at = w.value(f"getelementptr i32, ptr {array}, i64 {index}")
    return w.value(f"sext i32 {w.value(f'load i32, ptr {at}, align 4')} to i64")


TEXT = """
declare double @llvm.fma.f64(double, double, double)
define void @scatter(ptr noalias %out, ptr noalias %place, ptr noalias %value, i64 %n) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %each, label %end
each:
  %i = phi i64 [0, %entry], [%next, %each]
  %pi = getelementptr i32, ptr %place, i64 %i
  %p = load i32, ptr %pi, align 4
  %to = sext i32 %p to i64
  %vi = getelementptr double, ptr %value, i64 %i
  %v = load double, ptr %vi, align 8
  %oi = getelementptr double, ptr %out, i64 %to
  %o = load double, ptr %oi, align 8
  %s = fadd double %o, %v
  store double %s, ptr %oi, align 8
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %each, label %end
end:
  ret void
}
"""
"""`@scatter(out, place, value, n)`: out[place[i]] += value[i]."""


def _chain_text(shape: ChainShape) -> str:
    D, lanes = shape.lanes.real, shape.lanes
    declared = [
        f"declare {D} {lanes.intrinsic('fma')}({D}, {D}, {D})",
        "declare double @llvm.fabs.f64(double)",
        f"declare double @llvm.vector.reduce.fadd.{lanes.mangled_type}(double, {D})",
    ]
    return "\n".join([*declared, emit_chain_factor(shape), emit_chain_solve(shape)])


def _function(code: MachineCode, name: str, result: Any, arguments: list[Any]) -> Callable[..., Any]:
    function: Any = ctypes.CFUNCTYPE(result, *arguments)(code.function(name))
    if code.draft is not None:
        function.kept_alive = [code]
        code.draft.serve(function, ctypes.addressof(function), name)
    return function
