"""A stand-in for CUDA's driver: memory is NumPy's, kernels run on the interpreter of PTX."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from tests.compiler.backends.ptx.interpreter import Machine, read

SIZE = 1 << 20
FIRST = 256
OUT_OF_MEMORY, NO_DEVICE = 2, 100


class StandIn:
    """The functions of `cuda.bindings.driver` that launching takes; `devices` GPUs are there."""

    def __init__(self, devices: int = 1) -> None:
        self.devices, self.memory, self.free = devices, np.zeros(SIZE, np.uint8), FIRST
        self.current, self.owned, self.launched, self.waited = 0, set[int](), list[tuple[int, ...]](), list[int]()
        self.loaded = list[str]()

    def cuInit(self, flags: int) -> tuple[int]:
        return (0 if self.devices else NO_DEVICE,)

    def cuGetErrorString(self, status: int) -> tuple[int, bytes]:
        return 0, {OUT_OF_MEMORY: b"out of memory", NO_DEVICE: b"no CUDA-capable device is detected"}[status]

    def cuCtxGetCurrent(self) -> tuple[int, int]:
        return 0, self.current

    def cuDeviceGet(self, ordinal: int) -> tuple[int, int]:
        return 0, ordinal

    def cuDevicePrimaryCtxRetain(self, device: int) -> tuple[int, int]:
        return 0, 7

    def cuCtxSetCurrent(self, context: int) -> tuple[int]:
        self.current = context
        return (0,)

    def cuMemAlloc(self, size: int) -> tuple[int, int]:
        if self.free + size > SIZE:
            return OUT_OF_MEMORY, 0
        address, self.free = self.free, self.free + size + (-size) % 64
        self.owned.add(address)
        return 0, address

    def cuMemFree(self, address: int) -> tuple[int]:
        self.owned.remove(address)
        return (0,)

    def cuMemcpyHtoDAsync(self, target: int, source: int, size: int, stream: int) -> tuple[int]:
        ctypes.memmove(self.memory.ctypes.data + target, source, size)
        return (0,)

    def cuMemcpyDtoHAsync(self, target: int, source: int, size: int, stream: int) -> tuple[int]:
        ctypes.memmove(target, self.memory.ctypes.data + source, size)
        return (0,)

    def cuStreamSynchronize(self, stream: int) -> tuple[int]:
        self.waited.append(stream)
        return (0,)

    def cuModuleLoadData(self, image: bytes) -> tuple[int, str]:
        assert image.endswith(b"\0")
        self.loaded.append(image[:-1].decode())
        return 0, self.loaded[-1]

    def cuModuleGetFunction(self, module: str, name: bytes) -> tuple[int, Any]:
        kernel = read(module)
        assert kernel.name == name.decode()
        return 0, kernel

    def cuLaunchKernel(self, kernel: Any, *rest: int) -> tuple[int]:
        *sizes, shared, stream, pointers, extra = rest
        self.launched.append((*sizes, stream))
        assert sizes[1:3] == [1, 1]
        assert sizes[4:] == [1, 1]
        assert shared == extra == 0
        addresses = (ctypes.c_void_p * len(kernel.parameters)).from_address(pointers)
        values = [ctypes.c_int64.from_address(address).value for address in addresses]
        Machine(kernel, self.memory, sizes[0], sizes[3], values).run()
        return (0,)


class Foreign:
    """An array of another library in the stand-in's memory; its numbers lie as those of a NumPy array do."""

    def __init__(self, driver: StandIn, values: np.ndarray, stream: int | None = None, *, fixed: bool = False) -> None:
        base = values if values.base is None else values.base
        assert isinstance(base, np.ndarray)
        _, start = driver.cuMemAlloc(base.nbytes)
        driver.cuMemcpyHtoDAsync(start, base.ctypes.data, base.nbytes, 0)
        self._driver, self._strides, self._at = driver, values.strides, start + values.ctypes.data - base.ctypes.data
        self._shape, self._dtype = values.shape, values.dtype
        self.__cuda_array_interface__ = {
            "shape": values.shape,
            "typestr": values.dtype.str,
            "data": (self._at, fixed),
            "strides": None if values.flags.c_contiguous else values.strides,
            "version": 3,
            "stream": stream,
        }

    def numpy(self) -> np.ndarray:
        """What is there now."""
        memory = self._driver.memory[self._at :].view(self._dtype)
        return np.lib.stride_tricks.as_strided(memory, self._shape, self._strides).copy()
