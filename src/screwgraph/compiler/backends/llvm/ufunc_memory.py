"""What a ufunc of NumPy keeps alive: an attribute, or, before NumPy 2.2, the object that its structure owns."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np


class _UFunc(ctypes.Structure):
    """The beginning of `PyUFuncObject`, the same in all NumPy 1 and 2."""

    _fields_ = (
        ("count", ctypes.c_ssize_t),
        ("type", ctypes.c_void_p),
        ("numbers", ctypes.c_int * 4),  # nin, nout, nargs, identity
        ("functions", ctypes.c_void_p),
        ("data", ctypes.c_void_p),
        ("ntypes", ctypes.c_int),
        ("reserved", ctypes.c_int),
        ("name", ctypes.c_char_p),
        ("types", ctypes.c_void_p),
        ("doc", ctypes.c_void_p),
        ("owner", ctypes.c_void_p),
        ("owned", ctypes.c_void_p),  # an object whose reference the ufunc gives back at its end
    )


def keep_alive(ufunc: np.ufunc, things: tuple[Any, ...]) -> None:
    """Let things live as long as a ufunc, which has none yet."""
    if hasattr(ufunc, "__dict__"):
        ufunc.__dict__["kept_alive"] = things
        return
    own = _UFunc.from_address(id(ufunc))
    assert own.name == ufunc.__name__.encode()
    assert not own.owned
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(things))
    own.owned = id(things)


def kept_alive(ufunc: np.ufunc) -> tuple[Any, ...]:
    """Return what `keep_alive` was given."""
    if hasattr(ufunc, "__dict__"):
        return ufunc.__dict__["kept_alive"]
    return ctypes.cast(_UFunc.from_address(id(ufunc)).owned, ctypes.py_object).value
