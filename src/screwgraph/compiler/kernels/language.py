"""What kernels may use beside Python's own words: kinds of arrays, parts of arrays, calls by address."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

Kernel = TypeVar("Kernel", bound=Callable[..., Any])
ASSEMBLY = "assembly"
"""What a kernel calls the text of its machine code, where it has one of its own."""

if TYPE_CHECKING:
    Ints = Any
    Reals = Any
else:

    class Ints:
        """An array of integers of 64 bits. Type checkers take entries of NumPy's arrays for arrays, hence `Any`."""

    class Reals:
        """An array of doubles."""


def assembled(emit: Callable[[str], str]) -> Callable[[Kernel], Kernel]:
    """Return a decorator of kernels whose machine code is other than what their Python says: `emit(name)` is its text.

    The text defines a function of that name with the kernel's arguments.
    """

    def mark(kernel: Kernel) -> Kernel:
        vars(kernel)[ASSEMBLY] = emit
        return kernel

    return mark


def tail(array: np.ndarray, k: int) -> np.ndarray:
    """Return an array from its entry k on."""
    return array[k:]


def call_loop(loop: Ints, operands: Ints, counts: Ints, steps: Ints) -> None:
    """Call the inner loop of a gufunc, whose address stands in `loop` (`loop_of`), on operands by their addresses."""
    kind = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)
    kind(int(loop[0]))(operands.ctypes.data, counts.ctypes.data, steps.ctypes.data, None)
