"""Kernels: functions on arrays and records, written in a part of Python, as machine code."""

from screwgraph.compiler.backends.llvm.gufunc import loop_of
from screwgraph.compiler.backends.llvm.machine import machine_code, vector_width
from screwgraph.compiler.kernels.compiled import Kernels, compile_kernels
from screwgraph.compiler.kernels.language import Ints, Reals, call_loop, tail
from screwgraph.compiler.kernels.records import Bundle, Record, Table, as_python, entries, new_table, offset_of

__all__ = [
    "Bundle",
    "Ints",
    "Kernels",
    "Reals",
    "Record",
    "Table",
    "as_python",
    "call_loop",
    "compile_kernels",
    "entries",
    "loop_of",
    "machine_code",
    "new_table",
    "offset_of",
    "tail",
    "vector_width",
]
