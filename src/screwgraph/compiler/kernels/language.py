"""What kernels may use beside Python's own words: kinds of arrays, parts of arrays, calls by address."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    Ints = Any
    Reals = Any
else:

    class Ints:
        """An array of integers of 64 bits. Type checkers take entries of NumPy's arrays for arrays, hence `Any`."""

    class Reals:
        """An array of doubles."""


def tail(array: np.ndarray, k: int) -> np.ndarray:
    """Return an array from its entry k on."""
    return array[k:]


def call_loop(loop: Ints, operands: Ints, counts: Ints, steps: Ints) -> None:
    """Call the inner loop of a gufunc, whose address stands in `loop` (`loop_of`), on operands by their addresses."""
    kind = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)
    kind(int(loop[0]))(operands.ctypes.data, counts.ctypes.data, steps.ctypes.data, None)
