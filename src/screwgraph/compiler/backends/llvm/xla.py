"""Machine code as a handler of XLA's foreign function interface, which JAX calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from screwgraph.compiler.backends.llvm.machine_code import MachineCode, compile_assembly

ARGUMENTS, RESULTS = 72, 112
"""Bytes from the beginning of a call frame to the addresses of its buffers."""
EXTENSION, DATA, RANK, DIMENSIONS = 8, 24, 32, 40
"""Bytes from the beginning of a call frame, or a buffer, to what it holds."""
KIND, METADATA, VERSION = 8, 24, (24, 28)
"""Bytes from the beginning of an extension, and of the metadata that one of kind 1 asks for."""


@dataclass(frozen=True)
class Interface:
    """The version of XLA's interface that a handler is written for."""

    major: int
    minor: int


def emit_xla_handler(
    loop: int,
    arguments: Sequence[tuple[int, ...]],
    results: Sequence[tuple[int, ...]],
    dtype: str,
    interface: Interface,
) -> MachineCode:
    """Return a handler that calls a loop over samples, as NumPy would, with the buffers of a call frame.

    `loop` is where the loop's address stands; `arguments` and `results` are core shapes. Buffers are
    contiguous; their leading axes are those of the results, or there are none.
    """
    shapes, size = [*arguments, *results], np.dtype(dtype).itemsize
    lines = []
    for i, shape in enumerate(shapes):
        frame, place = ("args", i) if i < len(arguments) else ("rets", i - len(arguments))
        bytes_ = size * int(np.prod(shape, dtype=int))
        lines += [
            *_load("ptr", f"buffer{i}", f"%{frame}", 8 * place),
            *_load("ptr", f"data{i}", f"%buffer{i}", DATA),
            f"  %n{i} = call i64 @samples(ptr %buffer{i}, i64 {len(shape)})",
            f"  %one{i} = icmp eq i64 %n{i}, 1",
            f"  %step{i} = select i1 %one{i}, i64 0, i64 {bytes_}",
            *_store("ptr", f"%data{i}", "%bases", i),
            *_store("i64", f"%step{i}", "%steps", i),
        ]
    strides = [size * int(np.prod(shape[k + 1 :], dtype=int)) for shape in shapes for k in range(len(shape))]
    for k, stride in enumerate(strides):
        lines += _store("i64", str(stride), "%steps", len(shapes) + k)
    text = "\n".join(
        [
            _SAMPLES,
            "define ptr @handler(ptr %frame) {",
            "entry:",
            f"  %bases = alloca [{len(shapes)} x ptr], align 8",
            f"  %steps = alloca [{len(shapes) + len(strides)} x i64], align 8",
            "  %count = alloca i64, align 8",
            *_load("ptr", "extension", "%frame", EXTENSION),
            "  %plain = icmp eq ptr %extension, null",
            "  br i1 %plain, label %run, label %ask",
            "ask:",
            *_load("i32", "kind", "%extension", KIND),
            "  %tell = icmp eq i32 %kind, 1",
            "  br i1 %tell, label %version, label %run",
            "version:",
            *_load("ptr", "metadata", "%extension", METADATA),
            *(
                line
                for number, at in zip((interface.major, interface.minor), VERSION, strict=True)
                for line in (
                    f"  %at_version{at} = getelementptr i8, ptr %metadata, i64 {at}",
                    f"  store i32 {number}, ptr %at_version{at}, align 4",
                )
            ),
            "  ret ptr null",
            "run:",
            *_load("ptr", "args", "%frame", ARGUMENTS),
            *_load("ptr", "rets", "%frame", RESULTS),
            *lines,
            f"  store i64 %n{len(arguments)}, ptr %count, align 8",
            f"  %at_loop = inttoptr i64 {loop} to ptr",
            "  %loop = load ptr, ptr %at_loop, align 8",
            "  call void %loop(ptr %bases, ptr %count, ptr %steps, ptr null)",
            "  ret ptr null",
            "}",
        ]
    )
    return compile_assembly(text, "handler")


_SAMPLES = f"""
define internal i64 @samples(ptr %buffer, i64 %core) {{
entry:
  %at_rank = getelementptr i8, ptr %buffer, i64 {RANK}
  %rank = load i64, ptr %at_rank, align 8
  %at_dims = getelementptr i8, ptr %buffer, i64 {DIMENSIONS}
  %dims = load ptr, ptr %at_dims, align 8
  %leading = sub i64 %rank, %core
  br label %test
test:
  %k = phi i64 [0, %entry], [%k_next, %axis]
  %n = phi i64 [1, %entry], [%n_next, %axis]
  %more = icmp slt i64 %k, %leading
  br i1 %more, label %axis, label %end
axis:
  %at = getelementptr i64, ptr %dims, i64 %k
  %size = load i64, ptr %at, align 8
  %n_next = mul i64 %n, %size
  %k_next = add i64 %k, 1
  br label %test
end:
  ret i64 %n
}}
"""


def _load(kind: str, name: str, base: str, offset: int) -> list[str]:
    return [
        f"  %at_{name} = getelementptr i8, ptr {base}, i64 {offset}",
        f"  %{name} = load {kind}, ptr %at_{name}, align {4 if kind == 'i32' else 8}",
    ]


def _store(kind: str, value: str, array: str, index: int) -> list[str]:
    name = f"%to_{array.removeprefix('%')}{index}"
    return [f"  {name} = getelementptr i64, ptr {array}, i64 {index}", f"  store {kind} {value}, ptr {name}, align 8"]
