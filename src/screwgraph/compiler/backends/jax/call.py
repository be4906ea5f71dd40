"""Machine code that XLA calls on the memory of arrays."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any

from screwgraph.compiler.backends.llvm import Entry, Interface, MachineCode, compile_loop, emit_xla_handler
from screwgraph.compiler.derivatives.ambient_function import AmbientFunction

if TYPE_CHECKING:
    from jax import Array

HEADER = "xla/ffi/api/c_api.h"


def make_batched_call(jax: Any, f: AmbientFunction) -> Callable[..., Any]:
    """Return the call of machine code, which `vmap` gives a leading axis."""
    target = _target(jax, f)

    @jax.custom_batching.custom_vmap
    def call(*arrays: Any) -> tuple[Any, ...]:
        shapes = [a.shape[: a.ndim - len(g.shape)] for a, g in zip(arrays, f.arguments, strict=True)]
        batch = max(shapes, key=len, default=())
        one = jax.eval_shape(_of_all, *arrays)  # within `shard_map` it knows over which devices results vary
        results = [one.update(shape=(*batch, *r.shape)) for r in f.results]
        return tuple(jax.ffi.ffi_call(target, results)(*arrays))

    @call.def_vmap
    def apply_vmap(size: int, batched: Sequence[bool], *arrays: Any) -> tuple[Any, Any]:
        ranks = [len(g.shape) for g in f.arguments]
        inner = max((a.shape[b : a.ndim - r] for a, b, r in zip(arrays, batched, ranks, strict=True)), key=len)
        whole = []
        for array, mapped, rank in zip(arrays, batched, ranks, strict=True):
            core, own = array.shape[array.ndim - rank :], array.shape[mapped : array.ndim - rank]
            if mapped and own != inner:
                array = array.reshape(size, *[1] * len(inner), *core)
            if mapped or own:
                array = jax.numpy.broadcast_to(array, (size, *inner, *core))
            whole.append(array)
        return call(*whole), (True,) * len(f.results)

    return call


def _of_all(*arrays: Array) -> Array:
    """Return a number that depends on all arrays."""
    return sum((a.sum() for a in arrays[1:]), start=arrays[0].sum())


def _target(jax: Any, f: AmbientFunction) -> str:
    """Return the name by which XLA finds the machine code, the same in every process."""
    name = f"screwgraph_{f.code_name}"
    with _lock():
        if name not in _registered_code():
            _registered_code()[name] = _registration(jax, f, name)
    return name


def _registration(jax: Any, f: AmbientFunction, name: str) -> tuple[Entry, MachineCode]:
    shapes, results = f.operands
    loop = compile_loop(f.program, shapes, results, f.dtype)
    handler = emit_xla_handler(ctypes.addressof(loop), [s for s, _ in shapes], results, f.dtype, _interface(jax))
    capsule = ctypes.pythonapi.PyCapsule_New
    capsule.restype, capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    jax.ffi.register_ffi_target(name, capsule(handler.address, None, None), platform="cpu")
    return loop, handler


@cache
def _registered_code() -> dict[str, tuple[Entry, MachineCode]]:
    """Machine code by the names that XLA knows it by: it forgets none while the process lasts."""
    return {}


@cache
def _lock() -> RLock:
    return RLock()


def _interface(jax: Any) -> Interface:
    """Return the version of XLA's interface, which its header tells."""
    text = (Path(jax.ffi.include_dir()) / HEADER).read_text(encoding="utf-8")
    major, minor = (int(re.findall(rf"#define XLA_FFI_API_{part} (\d+)", text)[0]) for part in ("MAJOR", "MINOR"))
    return Interface(major, minor)
