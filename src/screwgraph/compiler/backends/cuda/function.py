"""A function on a GPU: arrays of the processor are copied there and back, arrays of the GPU stay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from screwgraph.base.argument_checks import check_arguments
from screwgraph.base.errors import InputError
from screwgraph.compiler.backends.cuda.arrays import (
    INTERFACE,
    DeviceArray,
    KernelOperand,
    Shape,
    locate_operand,
)
from screwgraph.compiler.backends.cuda.driver import Gpu, Memory, current_gpu
from screwgraph.compiler.backends.ptx import kernel_name, kernel_source
from screwgraph.compiler.derivatives.ambient_function import AmbientFunction
from screwgraph.compiler.signature import Argument, Result, check_arrays, check_count, format_arguments

THREADS = 128
"""Threads of a block: code that takes all 255 registers of a thread fits twice on a multiprocessor."""


@dataclass(frozen=True, eq=False)
class CudaFunction:
    """A function on an NVIDIA GPU, one thread a sample, of arrays `(..., *shape)` that broadcast.

    Arrays of NumPy are copied to the GPU, and results back. Where an argument, or `out=`, is on the GPU
    (`__cuda_array_interface__`: CuPy, PyTorch, Numba, JAX, `array`), results are on the GPU. Where all are, nothing is
    copied, and nothing is waited for. `source` is the kernel, as PTX.

    Quaternions are divided by their lengths; where a pivot of the code vanishes, the answer is NaN.
    """

    name: str
    arguments: tuple[Argument, ...]
    results: tuple[Result, ...]
    dtype: str
    source: str

    def __repr__(self) -> str:
        results = format_arguments(self.results).removeprefix("result: ")
        return f"<{self.name} on the GPU ({format_arguments(self.arguments)}) -> {results}, {self.dtype}>"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the text of the kernel, which is loaded again."""
        return CudaFunction, (self.name, self.arguments, self.results, self.dtype, self.source)

    def __call__(self, *values: Any, out: Any = None, stream: int = 0) -> Any:
        """Evaluate samples, in a stream of CUDA's by its handle, by default in the default stream.

        Raises:
            InputError: wrong number, shape or type of arguments or of `out=`; there is no GPU, or it fails.
        """
        if stream.__class__ is not int:  # a call of 20 us has no time for more
            stream = _validate_stream(stream)
        device = current_gpu()
        check_count(self.name, self.arguments, values)
        found = [
            locate_operand(value, a.shape, self.dtype, f"{self.name}: {a.name}")
            for value, a in zip(values, self.arguments, strict=True)
        ]
        samples = self._samples(values, found)
        stays = out is not None or any(found)
        copied: list[Memory] = []
        operands = [
            self._copy_argument(device, value, argument, samples, stream, copied)
            if place is None
            else self._broadcast(place, argument, samples)
            for place, value, argument in zip(found, values, self.arguments, strict=True)
        ]
        arrays = self._results(device, samples, stream) if out is None else out if isinstance(out, tuple) else (out,)
        operands += self._locate_results(arrays, samples)
        for other in {place.stream for place in operands}:
            if other is not None and other != stream:
                device.wait(other)
        count = prod(samples)
        if count:
            numbers = [n for place in operands for n in (place.address, place.sample, place.entry)]
            device.launch(self._kernel(device), -(-count // THREADS), THREADS, stream, [*numbers, count])
        if stays and copied:
            device.wait(stream)  # what was copied is given back now
        answers = arrays if stays else [array.numpy() for array in arrays]
        return out if out is not None else answers[0] if len(answers) == 1 else tuple(answers)

    @check_arguments
    def array(self, values: Any, argument: str, stream: int = 0) -> DeviceArray:
        """Return values of an argument, `(..., *shape)`, in the memory of the GPU, where threads read them fastest.

        Raises:
            InputError: there is no such argument, the values are of another shape; there is no GPU, or it fails.
        """
        found = next((a for a in self.arguments if a.name == argument), None)
        if found is None:
            raise InputError(
                f"{self.name} has no argument {argument!r}", fix=f"it takes {format_arguments(self.arguments)}"
            )
        (rows,) = check_arrays(self.name, [found], [values])
        samples, device = rows.shape[: rows.ndim - len(found.shape)], current_gpu()
        columns = np.ascontiguousarray(rows.reshape(prod(samples), -1).T, self.dtype)
        memory = device.allocate(columns.nbytes)
        device.upload(memory.address, columns, stream)
        return DeviceArray(samples, found.shape, np.dtype(self.dtype), memory, stream)

    @check_arguments
    def empty(self, *samples: int, stream: int = 0) -> Any:
        """Return arrays for the results of samples `(*samples, *shape)`, uninitialised, to be given as `out=`.

        Raises:
            InputError: there is no GPU, or it has too little memory.
        """
        arrays = self._results(current_gpu(), samples, stream)
        return arrays[0] if len(arrays) == 1 else tuple(arrays)

    @cached_property
    def _kernels(self) -> dict[int, tuple[Any, Any]]:
        """Kernels that were loaded, by the contexts of GPUs."""
        return {}

    def _kernel(self, device: Gpu) -> Any:
        if device.context not in self._kernels:
            self._kernels[device.context] = device.kernel(self.source, kernel_name(self.name))
        return self._kernels[device.context][0]

    def _samples(self, values: Sequence[Any], places: Sequence[KernelOperand | None]) -> Shape:
        """Return the shape of all samples together. Raises InputError."""
        shapes = list[Shape]()
        for value, argument, place in zip(values, self.arguments, places, strict=True):
            if place is not None:
                shapes.append(place.samples)
            else:
                (array,) = check_arrays(self.name, [argument], [value])
                shapes.append(array.shape[: array.ndim - len(argument.shape)])
        if len(set(shapes)) == 1:
            return shapes[0]
        try:
            return np.broadcast_shapes(*shapes)
        except ValueError:
            listed = ", ".join(f"{g.name} {shape}" for g, shape in zip(self.arguments, shapes, strict=True))
            raise InputError(f"{self.name}: samples do not broadcast, {listed}") from None

    def _broadcast(self, place: KernelOperand, argument: Argument, samples: Shape) -> KernelOperand:
        """Return where these samples of an argument on the GPU are. Raises InputError."""
        if prod(place.samples) == 1:
            return replace(place, sample=0)
        if place.samples != samples:
            why = f"its samples are {place.samples}, all together {samples}"
            fix = "give it with all samples, or with none"
            raise InputError(f"{self.name}: {argument.name} on the GPU does not broadcast", why=why, fix=fix)
        return place

    def _copy_argument(
        self, device: Gpu, value: Any, argument: Argument, samples: Shape, stream: int, copied: list[Memory]
    ) -> KernelOperand:
        """Return where an argument of these samples, which is `copied` to the GPU, is there."""
        core, array = argument.shape, np.asarray(value)
        own = array.shape[: array.ndim - len(core)]
        whole = array if prod(own) == 1 else np.broadcast_to(array, (*samples, *core))
        rows = np.ascontiguousarray(whole, self.dtype)
        copied.append(device.allocate(rows.nbytes))
        device.upload(copied[-1].address, rows, stream)
        step = 0 if prod(own) == 1 else prod(core) * rows.itemsize
        return KernelOperand(samples, copied[-1].address, step, rows.itemsize)

    def _results(self, device: Gpu, samples: Shape, stream: int) -> tuple[DeviceArray, ...]:
        number = np.dtype(self.dtype)
        sizes = [(r.shape, prod(samples) * r.size * number.itemsize) for r in self.results]
        return tuple(DeviceArray(samples, core, number, device.allocate(n), stream) for core, n in sizes)

    def _locate_results(self, arrays: Sequence[Any], samples: Shape) -> list[KernelOperand]:
        """Return where results go: to arrays on the GPU that can be written to. Raises InputError."""
        fix = "`empty` makes what is needed; without out=, results are NumPy's where arguments are"
        if len(arrays) != len(self.results):
            several = "s" * (len(self.results) != 1)
            raise InputError(f"{self.name} has {len(self.results)} result{several}, out= {len(arrays)}", fix=fix)
        found = list[KernelOperand]()
        for array, result in zip(arrays, self.results, strict=True):
            place = locate_operand(array, result.shape, self.dtype, f"{self.name}: out= of {result.name}")
            if place is None:
                raise InputError(f"{self.name}: out= is not on the GPU", fix=fix)
            if getattr(array, INTERFACE)["data"][1]:
                raise InputError(f"{self.name}: out= cannot be written to", fix=fix)
            if place.samples != samples:
                raise InputError(f"{self.name}: out= of {result.name} is for samples {place.samples}, not {samples}")
            found.append(place)
        return found


@check_arguments
def _validate_stream(stream: int) -> int:
    return int(stream)


def make_cuda_function(f: AmbientFunction) -> CudaFunction:
    """Return a function on the GPU at hand.

    Raises:
        InputError: there is none, or no driver, or `cuda-bindings` is not installed.
    """
    current_gpu()
    return CudaFunction(f.name, f.arguments, f.results, f.dtype, kernel_source(f))
