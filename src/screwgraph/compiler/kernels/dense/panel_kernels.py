"""Machine code for panels and places, made once for a shape."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from screwgraph.compiler.backends.llvm import Lanes, MachineCode, compile_tiered, get_machine_code, vector_width
from screwgraph.compiler.kernels.dense import scatter_code
from screwgraph.compiler.kernels.dense.chain_factor import ChainShape, emit_chain_factor
from screwgraph.compiler.kernels.dense.chain_solve import emit_chain_solve

_POINTER, _COUNT, _REAL = ctypes.c_void_p, ctypes.c_int64, ctypes.c_double


@dataclass(frozen=True, eq=False)
class ChainCode:
    """`factor`, `forward` and `backward` of `chain_factor` and `chain_solve`, on addresses."""

    factor: Callable[..., int]
    forward: Callable[..., None]
    backward: Callable[..., None]
    engine: Any


@dataclass(frozen=True, eq=False)
class PlaceCode:
    """`scatter`, `scatter_runs` and `multiply` of `scatter`, on addresses."""

    scatter: Callable[..., None]
    scatter_runs: Callable[..., None]
    multiply: Callable[..., None]
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
    code = get_machine_code(("places", lanes), lambda: scatter_code.TEXT + scatter_code.emit_runs(lanes), "scatter")
    return PlaceCode(
        _function(code, "scatter", None, [_POINTER] * 3 + [_COUNT]),
        _function(code, "scatter_runs", None, [_POINTER] * 4 + [_COUNT]),
        _function(code, "multiply", None, [_POINTER] * 5 + [_COUNT]),
        code.engine,
    )


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
