"""CUDA's driver: found, asked, and its errors said."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any
from weakref import finalize

import numpy as np

from screwgraph.base.errors import InputError

FIX = "compute on the processor, f(...), or run where an NVIDIA GPU and its driver are"


class Gpu:
    """The GPU that is current in this thread, in the context that other libraries use, too."""

    def __init__(self, driver: Any) -> None:
        self._driver = driver
        self._ask("cuInit", 0)
        (current,) = self._ask("cuCtxGetCurrent")
        if not int(current):
            (device,) = self._ask("cuDeviceGet", 0)
            (current,) = self._ask("cuDevicePrimaryCtxRetain", device)
            self._ask("cuCtxSetCurrent", current)
        self.context = int(current)

    def allocate(self, size: int) -> Memory:
        """Return so many bytes."""
        (address,) = self._ask("cuMemAlloc", max(size, 1))
        return Memory(int(address), self._driver)

    def upload(self, address: int, array: np.ndarray, stream: int) -> None:
        """Copy a contiguous array of the processor's memory; it may be changed when this returns."""
        if array.nbytes:
            self._ask("cuMemcpyHtoDAsync", address, array.ctypes.data, array.nbytes, stream)

    def download(self, array: np.ndarray, address: int, stream: int) -> None:
        """Copy to a contiguous array of the processor's memory, when all before in the stream is done."""
        if array.nbytes:
            self._ask("cuMemcpyDtoHAsync", array.ctypes.data, address, array.nbytes, stream)
        self.wait(stream)

    def wait(self, stream: int) -> None:
        """Wait until all in a stream is done."""
        self._ask("cuStreamSynchronize", stream)

    def kernel(self, text: str, name: str) -> tuple[Any, Any]:
        """Return a kernel of a text of PTX, which the driver compiles or finds in its cache, and what keeps it."""
        (module,) = self._ask("cuModuleLoadData", text.encode() + b"\0")
        (function,) = self._ask("cuModuleGetFunction", module, name.encode())
        return function, module

    def launch(self, kernel: Any, blocks: int, threads: int, stream: int, numbers: Sequence[int]) -> None:
        """Launch a kernel of arguments of 8 bytes each."""
        values = np.array(numbers, np.int64)
        pointers = values.ctypes.data + 8 * np.arange(len(values), dtype=np.int64)
        self._ask("cuLaunchKernel", kernel, blocks, 1, 1, threads, 1, 1, 0, stream, pointers.ctypes.data, 0)

    def _ask(self, name: str, *arguments: Any) -> Sequence[Any]:
        """Call a function of the driver, and return what it gives. Raises InputError."""
        try:
            status, *found = getattr(self._driver, name)(*arguments)
        except RuntimeError as error:  # no driver is there to be called
            raise InputError(
                "no GPU can be used: CUDA's driver was not found", why=str(error).rstrip("."), fix=FIX
            ) from None
        if int(status):
            raise self._failure(name, status)
        return found

    def _failure(self, name: str, status: Any) -> InputError:
        _, text = self._driver.cuGetErrorString(status)
        why = f"{name}: {text.decode() if isinstance(text, bytes) else status}"
        if name == "cuMemAlloc":
            return InputError("the GPU has too little memory left", why=why, fix="compute fewer samples at a time")
        if name == "cuModuleLoadData":
            fix = "kernels need a GPU from Volta (2017) on, and a driver from 418 on"
            return InputError("the GPU's driver refuses the kernel", why=why, fix=fix)
        if name in ("cuInit", "cuDeviceGet", "cuDevicePrimaryCtxRetain"):
            return InputError("no GPU can be used", why=why, fix=FIX)
        return InputError("the GPU failed", why=why, fix="are addresses and shapes of device arrays right?")


class Memory:
    """Memory of the GPU, which is given back when nobody refers to it."""

    def __init__(self, address: int, driver: Any) -> None:
        self.address = address
        finalize(self, driver.cuMemFree, address).atexit = False  # the driver may have gone before


def current_gpu() -> Gpu:
    """Return the GPU that is current in this thread, by default the first.

    Raises:
        InputError: there is none, or no driver, or `cuda-bindings` is not installed.
    """
    try:
        driver = import_module("cuda.bindings.driver")
    except ImportError:
        raise InputError("cuda-bindings is not installed", fix="pip install 'screwgraph[cuda]'") from None
    return Gpu(driver)
