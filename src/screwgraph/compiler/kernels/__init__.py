"""Kernels: functions on arrays and records, written in a part of Python, as machine code."""

from screwgraph.compiler.backends.llvm.gufunc import loop_address
from screwgraph.compiler.backends.llvm.machine_code import compile_assembly, vector_width
from screwgraph.compiler.kernels.compilation import Kernels, compile_kernels
from screwgraph.compiler.kernels.fixed_arguments import fix_arguments
from screwgraph.compiler.kernels.language import Ints, Reals, address_of, assembled, call_loop, new_arrays, tail
from screwgraph.compiler.kernels.records import Bundle, Record, Table, as_python, entries, new_table, offset_of

__all__ = [
    "Bundle",
    "Ints",
    "Kernels",
    "Reals",
    "Record",
    "Table",
    "address_of",
    "as_python",
    "assembled",
    "call_loop",
    "compile_assembly",
    "compile_kernels",
    "entries",
    "fix_arguments",
    "loop_address",
    "new_arrays",
    "new_table",
    "offset_of",
    "tail",
    "vector_width",
]
