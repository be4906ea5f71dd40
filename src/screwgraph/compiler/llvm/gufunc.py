"""A program as a genuine NumPy gufunc: broadcasting, `out=`, dtype rules, no GIL held inside."""

from __future__ import annotations

import ctypes
import importlib
from collections.abc import Sequence

import numpy as np

from screwgraph.compiler.llvm.block import block
from screwgraph.compiler.llvm.loop import Operand, Shape, loop, moves
from screwgraph.compiler.llvm.machine import MachineCode, machine_code, vector_width
from screwgraph.compiler.llvm.sincos import sincos
from screwgraph.compiler.llvm.text import declarations
from screwgraph.tape import Program

_FROM_SIGNATURE = 31
"""Place of PyUFunc_FromFuncAndDataAndSignature in NumPy's table of C functions."""
_DOUBLE = 12
"""NumPy's number for the type double."""


Arguments = Sequence[tuple[Shape, Sequence[str]]]
"""Core shape, and names of the inputs, of each argument."""


def gufunc(name: str, program: Program, arguments: Arguments, result: Shape) -> np.ufunc:
    """Compile a program for this machine; `result` is the output's core shape."""
    code = machine_code(llvm_source(program, arguments, result), "loop")
    signature = ",".join(_core(shape) for shape, _ in arguments) + "->" + _core(result)
    return _make_ufunc(name, signature, len(arguments), code)


def llvm_source(program: Program, arguments: Arguments, result: Shape) -> str:
    """Return the assembly that `gufunc` compiles."""
    place = {n: i for i, n in enumerate(program.input_names)}
    inputs = [Operand(shape, tuple(place.get(n, -1) for n in names)) for shape, names in arguments]
    return assembly(program, inputs, Operand(result, tuple(range(len(program.outputs)))), vector_width())


def assembly(program: Program, inputs: Sequence[Operand], output: Operand, width: int) -> str:
    """Return the LLVM assembly of a program and its loop over samples."""
    parts = ["declare double @sin(double)", "declare double @cos(double)"]
    for w in dict.fromkeys((width, 1)):
        parts += [declarations(w), sincos(w), moves(w), block(program, w)]
    parts += [loop(inputs, output, len(program.input_names), width), '!0 = !{!"branch_weights", i32 1, i32 1000000}']
    return "\n".join(parts)


def _core(shape: Shape) -> str:
    return "(" + ",".join(map(str, shape)) + ")"


def _make_ufunc(name: str, signature: str, nin: int, code: MachineCode) -> np.ufunc:
    pointer, pythonapi = ctypes.c_void_p, ctypes.pythonapi
    get = ctypes.PYFUNCTYPE(pointer, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_GetPointer", pythonapi))
    module = importlib.import_module("numpy._core._multiarray_umath")
    table = ctypes.cast(get(module._UFUNC_API, None), ctypes.POINTER(pointer))
    prototype = ctypes.PYFUNCTYPE(
        ctypes.py_object,
        pointer,
        pointer,
        pointer,
        *[ctypes.c_int] * 4,
        *[ctypes.c_char_p] * 2,
        ctypes.c_int,
        ctypes.c_char_p,
    )
    loops = (pointer * 1)(code.address)
    data = (pointer * 1)(None)
    types = (ctypes.c_char * (nin + 1))(*[bytes([_DOUBLE])] * (nin + 1))
    texts = (name.encode(), b"Generated code.", signature.encode())
    address_of = [ctypes.cast(b, pointer) for b in (loops, data, types)]
    no_identity = -1
    ufunc = prototype(table[_FROM_SIGNATURE])(*address_of, 1, nin, 1, no_identity, texts[0], texts[1], 0, texts[2])
    # NumPy only borrows these; they live as long as the ufunc.
    ufunc.kept_alive = (code, loops, data, types, texts)
    return ufunc
