"""From machine code to a function that Python calls, without a C compiler."""

from __future__ import annotations

import ctypes
import importlib
import sys
import sysconfig
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from screwgraph.compiler.backends.llvm import fastcall_code, numpy_array_text
from screwgraph.compiler.backends.llvm.machine_code import MachineCode

_NEW_ARRAY = 93
"""Place of PyArray_New in NumPy's table of C functions."""
_FASTCALL, _KEYWORDS = 0x80, 0x02
"""Python's METH_FASTCALL: (self, array of arguments, their number); with METH_KEYWORDS also the names of the last."""


class _Definition(ctypes.Structure):
    """Python's PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


class _Home(ctypes.Structure):
    """All that a quick call refers to, in one piece of memory that lives as long as the call."""

    _fields_ = (("table", ctypes.c_size_t * fastcall_code.TABLE_SIZE), ("definition", _Definition))


def no_fastcall(*values: Any) -> None:
    """Return None: there is no quick call, the gufunc is to be called."""


def make_fastcall(code: MachineCode, dtype: np.dtype) -> Callable[..., Any]:
    """Return the `call` of machine code as a function of arrays."""
    return _of_python(code, dtype, "call", _FASTCALL, None)


def make_full_fastcall(code: MachineCode, dtype: np.dtype, otherwise: Callable[..., Any]) -> Callable[..., Any]:
    """Return the same as a function that calls `otherwise` with its arguments where it would return None."""
    return _of_python(code, dtype, "whole", _FASTCALL | _KEYWORDS, otherwise)


def _of_python(
    code: MachineCode, dtype: np.dtype, name: str, flags: int, otherwise: Callable[..., Any] | None
) -> Callable[..., Any]:
    home = _Home(_table(dtype, otherwise), _Definition(name.encode(), code.function(name), flags, None))
    home.kept_alive = [code, otherwise]
    # The function holds `table`, that holds `home`, and Python drops the function's definition before `table`.
    table = np.frombuffer(memoryview(home), np.uintp, fastcall_code.TABLE_SIZE)
    definition = ctypes.addressof(home) + _Home.definition.offset
    if code.draft is not None:  # Python looks there at each call
        code.draft.serve(home, definition + _Definition.function.offset, name)
    make = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
    return make(("PyCFunction_NewEx", ctypes.pythonapi))(definition, table, None)


def load_numpy_table(module_attribute: str) -> Any:
    """Return one of NumPy's tables of C functions, as an array of addresses."""
    get = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
    capsule = getattr(importlib.import_module("numpy._core._multiarray_umath"), module_attribute)
    address = get(("PyCapsule_GetPointer", ctypes.pythonapi))(capsule, None)
    return ctypes.cast(address, ctypes.POINTER(ctypes.c_void_p))


def _table(dtype: np.dtype, otherwise: Callable[..., Any] | None) -> Any:
    """Return the addresses that `call` and `whole` need, in their order."""
    names = ("Py_IncRef", "Py_DecRef", "PyTuple_New", "PyTuple_SetItem", "PyObject_Vectorcall")
    exported = (ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p) for name in names)
    increase, decrease, new_tuple, set_item, call_object = (pointer.value for pointer in exported)
    new_array = load_numpy_table("_ARRAY_API")[_NEW_ARRAY]
    addresses = (id(np.ndarray), id(dtype), new_array, increase, decrease, id(None), new_tuple, set_item)
    other = 0 if otherwise is None else id(otherwise)
    return (ctypes.c_size_t * fastcall_code.TABLE_SIZE)(*addresses, other, call_object)


@cache
def is_layout_known() -> bool:
    """Check on examples that arrays are laid out in memory as `call` takes them to be."""
    ordinary = sys.implementation.name == "cpython" and not sysconfig.get_config_var("Py_GIL_DISABLED")
    if not ordinary or ctypes.sizeof(ctypes.c_void_p) != 8 or sysconfig.get_config_var("Py_TRACE_REFS"):
        return False
    whole = np.arange(24.0).reshape(4, 6)
    examples = (whole, whole[0], whole.T, whole[:, ::2], np.zeros((2, 1, 3), "float32"), np.array([3.0]))
    return all(_is_laid_out(array) for array in examples)


def _is_laid_out(array: np.ndarray) -> bool:
    def read_field(offset: int, kind: Any) -> int:
        return kind.from_address(id(array) + offset).value

    pointer = ctypes.c_size_t
    plain = array.flags.c_contiguous and array.flags.aligned
    dims = (ctypes.c_ssize_t * array.ndim).from_address(read_field(numpy_array_text.DIMENSIONS, pointer))
    return (
        read_field(numpy_array_text.TYPE, pointer) == id(np.ndarray)
        and read_field(numpy_array_text.DATA, pointer) == array.ctypes.data
        and read_field(numpy_array_text.DIMENSIONS_COUNT, ctypes.c_int) == array.ndim
        and tuple(dims) == array.shape
        and read_field(numpy_array_text.DESCRIPTION, pointer) == id(array.dtype) == id(np.dtype(array.dtype.name))
        and (read_field(numpy_array_text.FLAGS, ctypes.c_int) & numpy_array_text.PLAIN == numpy_array_text.PLAIN)
        == plain
    )
