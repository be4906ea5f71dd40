"""Arrays in the memory of a GPU: ours, and those of other libraries, through `__cuda_array_interface__`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from screwgraph.base.errors import InputError
from screwgraph.compiler.backends.cuda.driver import Memory, current_gpu

INTERFACE = "__cuda_array_interface__"
LEGACY = 1
"""How the interface calls the default stream, which the driver calls 0."""
Shape = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class DeviceArray:
    """Numbers `(*samples, *shape)` in the memory of a GPU, where each number of all samples stands together.

    CuPy, PyTorch, Numba and JAX take it as it is (`cupy.asarray`, `torch.as_tensor(x, device="cuda")`). `stream` is
    that in which it is computed.
    """

    samples: Shape
    core: Shape
    dtype: np.dtype
    memory: Memory
    stream: int

    def __repr__(self) -> str:
        return f"<array {self.shape} of {self.dtype} on the GPU>"

    @property
    def shape(self) -> Shape:
        """Its shape."""
        return (*self.samples, *self.core)

    @property
    def strides(self) -> Shape:
        """Bytes between neighbours along each axis."""
        size = self.dtype.itemsize
        return (*row_steps(self.samples, size), *row_steps(self.core, size * prod(self.samples)))

    @cached_property
    def __cuda_array_interface__(self) -> Mapping[str, Any]:
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (self.memory.address, False),
            "strides": self.strides,
            "version": 3,
            "stream": self.stream or LEGACY,
        }

    def numpy(self) -> np.ndarray:
        """Return a copy in the processor's memory, once all numbers are computed.

        Raises:
            InputError: the GPU fails.
        """
        columns = np.empty((prod(self.core), prod(self.samples)), self.dtype)
        current_gpu().download(columns, self.memory.address, self.stream)
        return columns.T.reshape(self.shape)


@dataclass(frozen=True)
class KernelOperand:
    """An argument or a result in the GPU's memory: samples, and the bytes from one to the next, and between numbers.

    `stream` is that in which it is computed; None where nothing is to be waited for.
    """

    samples: Shape
    address: int
    sample: int
    entry: int
    stream: int | None = None


def locate_operand(value: Any, core: Shape, dtype: str, what: str) -> KernelOperand | None:
    """Return where a kernel finds the numbers of an array on a GPU; None of an array elsewhere.

    Raises:
        InputError: it is of another shape or type, or its numbers are not evenly apart.
    """
    interface = getattr(value, INTERFACE, None)
    if interface is None:
        return None
    shape, number = tuple(interface["shape"]), np.dtype(interface["typestr"])
    if number != np.dtype(dtype):
        fix = f'f.astype("{number}"), or an array of {dtype}' if number.name in ("float64", "float32") else ""
        raise InputError(f"{what} is an array of {number} on the GPU, code computes with {dtype}", fix=fix)
    axes = len(shape) - len(core)
    if axes < 0 or shape[axes:] != core:
        expected = ", ".join(["...", *map(str, core)])
        raise InputError(f"{what} has the shape {shape}, expected ({expected})")
    strides = interface.get("strides") or row_steps(shape, number.itemsize)
    sample, entry = even_step(shape[:axes], strides[:axes]), even_step(core, strides[axes:])
    if sample is None or entry is None:
        raise InputError(
            f"{what} is cut out of a larger array",
            why=f"its numbers are not evenly apart (shape {shape}, strides {tuple(strides)})",
            fix="give a contiguous copy",
        )
    stream = interface.get("stream")
    return KernelOperand(shape[:axes], interface["data"][0], sample, entry, 0 if stream == LEGACY else stream)


def even_step(shape: Sequence[int], strides: Sequence[int]) -> int | None:
    """Return how many bytes neighbours are apart, row by row; 0 for one, None where that differs."""
    first, expected = 0, None
    for n, step in zip(reversed(shape), reversed(strides), strict=True):
        if n == 1:
            continue
        if expected is None:
            first = step
        elif step != expected:
            return None
        expected = n * step
    return first


def row_steps(shape: Sequence[int], last: int) -> Shape:
    """Return the bytes between neighbours along each axis of an array row by row, whose last ones are `last` apart."""
    steps = [last]
    for n in reversed(shape[1:]):
        steps.append(n * steps[-1])
    return tuple(steps[len(shape) - 1 :: -1]) if shape else ()
