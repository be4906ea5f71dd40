"""Kernels whose last arguments stay as they are: calls from Python take a third of the time that ctypes takes for all.

Arguments stand in memory, from which a few lines of machine code, the same for all kernels of one signature, read them.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable
from functools import cache
from typing import Any

from screwgraph.compiler.backends.llvm.machine_code import get_machine_code

RESULTS = {None: "void", ctypes.c_int64: "i64", ctypes.c_double: "double"}
_LETTERS = {"n": "i64", "d": "double"}
"""How Python's `struct` and LLVM name integers, addresses among them, and numbers."""


def fix_arguments(kernel: Any, *last: float) -> Callable[..., Any]:
    """Return a compiled kernel as a function of its first arguments; the last ones are given here, once.

    Its arguments stand in one place: it is not called by two threads at once.
    """
    letters = "".join(["d" if kind is ctypes.c_double else "n" for kind in kernel.argtypes])
    first, memory = letters[: len(letters) - len(last)], bytearray(8 * len(letters) + 8)
    struct.pack_into(f"n{letters[len(first) :]}", memory, 8 * len(first), 0, *last)
    struct.pack_into("n", memory, 0, ctypes.cast(kernel, ctypes.c_void_p).value)
    write, read = struct.Struct(first).pack_into, _compile_reader(letters, kernel.restype)
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))

    def call(*given: float) -> Any:
        write(memory, 8, *given)
        return read(address)

    vars(call)["kept_alive"] = kernel
    return call


@cache
def _compile_reader(letters: str, result: Any) -> Any:
    """Return the function that calls a kernel of so many arguments, whose address stands before them in memory."""
    kind, name = RESULTS[result], f"screwgraph_read_{RESULTS[result]}_{letters}"
    code = get_machine_code(("fixed arguments", name), lambda: _emit_reader(name, letters, kind), name)
    function: Any = ctypes.CFUNCTYPE(result, ctypes.c_void_p)(code.function(name))
    function.code = code  # which the address does not keep alive
    return function


def _emit_reader(name: str, letters: str, kind: str) -> str:
    """Return LLVM assembly of a function that reads an address and arguments, and calls what stands there."""
    lines, given = ["  %f = load ptr, ptr %a"], []
    for i, letter in enumerate(letters, start=1):
        own = _LETTERS[letter]
        lines += [f"  %p{i} = getelementptr i64, ptr %a, i64 {i}", f"  %v{i} = load {own}, ptr %p{i}"]
        given.append(f"{own} %v{i}")
    call = f"call {kind} %f({', '.join(given)})"
    ending = [f"  {call}", "  ret void"] if kind == "void" else [f"  %r = {call}", f"  ret {kind} %r"]
    return "\n".join([f"define {kind} @{name}(ptr %a) {{", "entry:", *lines, *ending, "}"])
