"""What kernels may use beside Python's own words: kinds of arrays, parts of arrays, calls by address."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

_NOTHING = ctypes.c_char * 0
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


def address_of(array: np.ndarray) -> int:
    """Return the address of an array's first number, in a third of the microsecond that NumPy takes for it."""
    numbers: Any = array
    try:
        return ctypes.addressof(_NOTHING.from_buffer(numbers))
    except (TypeError, ValueError, BufferError):  # it may not be written to, or has strides
        return array.ctypes.data


def new_arrays(*sizes: int) -> tuple[list[np.ndarray], list[int]]:
    """Return arrays of doubles in one piece of memory, not set, and their addresses, which are asked for once."""
    whole = np.empty(sum(sizes))
    first, arrays, addresses, begin = address_of(whole), [], [], 0
    for size in sizes:
        arrays.append(whole[begin : begin + size])
        addresses.append(first + 8 * begin)
        begin += size
    return arrays, addresses


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
