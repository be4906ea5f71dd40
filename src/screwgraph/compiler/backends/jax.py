"""Functions as JAX functions: XLA calls the machine code, derivatives are exact and compiled.

What a function is given is checked first.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any

import numpy as np

from screwgraph.base.errors import InputError
from screwgraph.base.optional_packages import extra_module
from screwgraph.compiler.backends.llvm import Entry, Interface, MachineCode, compile_loop, emit_xla_handler
from screwgraph.compiler.derivatives.ambient_function import AmbientFunction
from screwgraph.compiler.signature import Argument, check_count

if TYPE_CHECKING:
    from jax import Array


HEADER = "xla/ffi/api/c_api.h"


def make_jax_function(name: str, plain: Callable[[], AmbientFunction]) -> JaxFunction:
    """Return a function of JAX arrays `(..., *shape)` that broadcast, made of machine code for this processor.

    `plain` returns the function of plain numbers, and can be pickled.

    Raises:
        InputError: JAX is not installed, or computes with single precision only where the function has double.
    """
    check_precision(import_jax(), name, plain().dtype)
    return JaxFunction(plain, name)


def import_jax() -> Any:
    """Return JAX.

    Raises:
        InputError: it is not installed.
    """
    return extra_module("jax", "JAX")


def check_precision(jax: Any, name: str, dtype: str) -> None:
    """Raise InputError if JAX computes in single precision, and the function of this name in double."""
    if dtype == "float64" and not jax.config.jax_enable_x64:
        raise InputError(
            f"{name} computes in double precision, JAX in single",
            fix='jax.config.update("jax_enable_x64", True), or f.astype("float32").jax()',
        )


@dataclass(frozen=True, eq=False)
class JaxFunction:
    """A function of JAX arrays `(..., *shape)` on the processor, which broadcast; it returns an array, or several.

    It raises InputError for a wrong number, shape or type of arguments, and where JAX is not installed or computes
    with single precision only: another process, in which it was unpickled, may say so at the first call.
    """

    plain: Callable[[], AmbientFunction]
    __name__: str

    def __repr__(self) -> str:
        return f"<{self.__name__} of JAX arrays>"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle what it is made of: machine code and what XLA knows of it belong to a process."""
        return JaxFunction, (self.plain, self.__name__)

    def __deepcopy__(self, memo: Any) -> JaxFunction:
        """Return itself: it never changes."""
        return self

    def __call__(self, *values: Any) -> Any:
        """Return the results, arrays of all leading axes, of the function's type."""
        return self._jit_function(*values)

    @cached_property
    def _jit_function(self) -> Callable[..., Any]:
        jax, f = import_jax(), self.plain()
        apply = make_differentiable(jax, f)

        def call_function(*values: Any) -> Any:
            check_count(f.name, f.arguments, values)
            found = apply(*broadcast_arguments(jax, f, values))
            return found[0] if len(f.results) == 1 else found

        call_function.__name__ = call_function.__qualname__ = f.name
        return jax.jit(call_function)


def make_differentiable(jax: Any, f: AmbientFunction) -> Callable[..., Any]:
    """Return the function of arrays of one batch, or none; derivatives are those of the arguments that vary."""
    call, names = jax.custom_jvp(make_batched_call(jax, f)), [a.name for a in f.arguments]

    @lru_cache
    def slopes(by: tuple[str, ...]) -> Callable[..., Any]:
        return make_differentiable(jax, f.jacobian(*by))

    def jvp(values: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
        zero = jax.custom_derivatives.SymbolicZero
        varying = [i for i, t in enumerate(tangents) if type(t) is not zero]
        found = call(*values)
        slope = iter(slopes(tuple(names[i] for i in varying))(*values)) if varying else iter(())
        change = [jax.numpy.zeros_like(x) for x in found]
        for i in varying:
            rank = len(f.arguments[i].shape)
            flat = tangents[i].reshape(*tangents[i].shape[: tangents[i].ndim - rank], -1)
            for k, result in enumerate(f.results):
                entries = "abcdefgh"[: len(result.shape)]
                change[k] += jax.numpy.einsum(f"...{entries}z,...z->...{entries}", next(slope), flat)
        return found, tuple(change)

    call.defjvp(jvp, symbolic_zeros=True)
    return call


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


def broadcast_arguments(jax: Any, f: AmbientFunction, values: Sequence[Any]) -> list[Array]:
    """Return arrays of one batch; those without leading axes are left so. Raises InputError."""
    arrays = [_array(jax, f, argument, value) for argument, value in zip(f.arguments, values, strict=True)]
    shapes = [a.shape[: a.ndim - len(g.shape)] for a, g in zip(arrays, f.arguments, strict=True)]
    try:
        batch = np.broadcast_shapes(*shapes)
    except ValueError:
        listed = ", ".join(f"{g.name} {a.shape}" for g, a in zip(f.arguments, arrays, strict=True))
        raise InputError(
            f"{f.name}: the batches do not broadcast, {listed}", fix="give leading axes that NumPy can broadcast"
        ) from None
    return [
        a if not shape or shape == batch else jax.numpy.broadcast_to(a, (*batch, *g.shape))
        for a, g, shape in zip(arrays, f.arguments, shapes, strict=True)
    ]


def _array(jax: Any, f: AmbientFunction, argument: Argument, value: Any) -> Array:
    numbers = jax.numpy
    try:
        array = numbers.asarray(value)
    except (TypeError, ValueError):
        array = None
    kinds = (numbers.floating, numbers.integer, numbers.bool_)
    if array is None or not any(numbers.issubdtype(array.dtype, kind) for kind in kinds):
        raise InputError(f"{f.name}: {argument.name} is not an array of real numbers")
    check_precision(jax, f.name, f.dtype)  # again: it may be another one than when the function was made
    array = array.astype(f.dtype)
    core = len(argument.shape)
    if array.ndim < core or array.shape[array.ndim - core :] != argument.shape:
        expected = ", ".join(["...", *map(str, argument.shape)])
        raise InputError(f"{f.name}: {argument.name} has the shape {array.shape}, expected ({expected})")
    return array
