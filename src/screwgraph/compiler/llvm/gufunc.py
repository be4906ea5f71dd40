"""A program as a genuine NumPy gufunc: broadcasting, `out=`, dtype rules, no GIL held inside."""

from __future__ import annotations

import ctypes
import importlib
from collections.abc import Sequence

import numpy as np

from screwgraph.compiler.cache import pack_program
from screwgraph.compiler.llvm.block import block
from screwgraph.compiler.llvm.loop import Operand, Shape, lengths, loop
from screwgraph.compiler.llvm.machine import MachineCode, remembered_code, vector_width
from screwgraph.compiler.llvm.moves import moves
from screwgraph.compiler.llvm.sincos import sincos
from screwgraph.compiler.llvm.text import Lanes, declarations
from screwgraph.tape import Program

_FROM_SIGNATURE = 31
"""Place of PyUFunc_FromFuncAndDataAndSignature in NumPy's table of C functions."""


Arguments = Sequence[tuple[Shape, Sequence[str]]]
"""Core shape, and names of the inputs, of each argument."""


def gufunc(
    name: str, program: Program, arguments: Arguments, results: Sequence[Shape], dtype: str = "float64"
) -> np.ufunc:
    """Compile a program for this machine; `results` are the outputs' core shapes, `dtype` float64 or float32."""
    question = (pack_program(program), arguments, results, dtype)
    code = remembered_code(question, lambda: llvm_source(program, arguments, results, dtype), "loop")
    inputs = ",".join(_core(shape) for shape, _ in arguments)
    signature = inputs + "->" + ",".join(_core(shape) for shape in results)
    return _make_ufunc(name, signature, len(arguments), len(results), np.dtype(dtype), code)


def llvm_source(program: Program, arguments: Arguments, results: Sequence[Shape], dtype: str = "float64") -> str:
    """Return the assembly that `gufunc` compiles."""
    place = {n: i for i, n in enumerate(program.input_names)}
    inputs = [Operand(shape, tuple(place.get(n, -1) for n in names)) for shape, names in arguments]
    outputs, start = [], 0
    for shape in results:
        end = start + int(np.prod(shape))
        outputs.append(Operand(shape, tuple(range(start, end))))
        start = end
    bits = 8 * np.dtype(dtype).itemsize
    return assembly(program, inputs, outputs, Lanes(vector_width() * 64 // bits, bits))


def assembly(program: Program, inputs: Sequence[Operand], outputs: Sequence[Operand], lanes: Lanes) -> str:
    """Return the LLVM assembly of a program and its loop over samples."""
    single = Lanes(1, lanes.bits)
    parts = ["declare double @sin(double)", "declare double @cos(double)"]
    for each in dict.fromkeys((lanes, single)):
        parts += [declarations(each), sincos(each), moves(each, lengths([*inputs, *outputs])), block(program, each)]
    parts += [loop(inputs, outputs, lanes, single), '!0 = !{!"branch_weights", i32 1, i32 1000000}']
    return "\n".join(parts)


def _core(shape: Shape) -> str:
    return "(" + ",".join(map(str, shape)) + ")"


def _make_ufunc(name: str, signature: str, nin: int, nout: int, dtype: np.dtype, code: MachineCode) -> np.ufunc:
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
    types = (ctypes.c_char * (nin + nout))(*[bytes([dtype.num])] * (nin + nout))
    texts = (name.encode(), b"Generated code.", signature.encode())
    address_of = [ctypes.cast(b, pointer) for b in (loops, data, types)]
    no_identity = -1
    ufunc = prototype(table[_FROM_SIGNATURE])(*address_of, 1, nin, nout, no_identity, texts[0], texts[1], 0, texts[2])
    # NumPy only borrows these; they live as long as the ufunc.
    ufunc.kept_alive = (code, loops, data, types, texts)
    return ufunc
