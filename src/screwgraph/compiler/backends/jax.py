"""Functions as JAX functions: XLA calls the machine code, derivatives are exact and compiled."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from screwgraph.compiler.backends.llvm import Interface, MachineCode, compiled_loop, xla_handler
from screwgraph.compiler.plain import Plain
from screwgraph.compiler.signature import Argument, check_count
from screwgraph.errors import InputError

if TYPE_CHECKING:
    from jax import Array

HEADER = "xla/ffi/api/c_api.h"


def jax_module() -> Any:
    """Return JAX.

    Raises:
        InputError: it is not installed.
    """
    try:
        import jax
    except ImportError:
        raise InputError("JAX is not installed", fix="pip install 'screwgraph[jax]'") from None
    return jax


def jax_function(f: Plain) -> Callable[..., Any]:
    """Return a function of JAX arrays `(..., *shape)` that broadcast, made of machine code for this processor.

    Raises:
        InputError: JAX is not installed, or computes with single precision only where `f` has double.
    """
    jax = jax_module()
    _check_precision(jax, f)
    apply = _with_derivatives(jax, f)

    def called(*values: Any) -> Any:
        check_count(f.name, f.arguments, values)
        found = apply(*_broadcast(jax, f, values))
        return found[0] if len(f.results) == 1 else found

    called.__name__ = called.__qualname__ = f.name
    called.__doc__ = f"{f!r}, of JAX arrays."
    return jax.jit(called)


def _check_precision(jax: Any, f: Plain) -> None:
    if f.dtype == "float64" and not jax.config.jax_enable_x64:
        raise InputError(
            f"{f.name} computes in double precision, JAX in single",
            fix='jax.config.update("jax_enable_x64", True), or f.astype("float32").jax()',
        )


def _broadcast(jax: Any, f: Plain, values: Sequence[Any]) -> list[Array]:
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


def _array(jax: Any, f: Plain, argument: Argument, value: Any) -> Array:
    numbers = jax.numpy
    try:
        array = numbers.asarray(value)
    except (TypeError, ValueError):
        array = None
    kinds = (numbers.floating, numbers.integer, numbers.bool_)
    if array is None or not any(numbers.issubdtype(array.dtype, kind) for kind in kinds):
        raise InputError(f"{f.name}: {argument.name} is not an array of real numbers")
    _check_precision(jax, f)  # again: it may be another one than when the function was made
    array = array.astype(f.dtype)
    core = len(argument.shape)
    if array.ndim < core or array.shape[array.ndim - core :] != argument.shape:
        expected = ", ".join(["...", *map(str, argument.shape)])
        raise InputError(f"{f.name}: {argument.name} has the shape {array.shape}, expected ({expected})")
    return array


def _with_derivatives(jax: Any, f: Plain) -> Callable[..., Any]:
    """Return the function of arrays of one batch, or none; derivatives are those of the arguments that vary."""
    call, names = jax.custom_jvp(_batched(jax, f)), [a.name for a in f.arguments]

    @lru_cache
    def slopes(by: tuple[str, ...]) -> Callable[..., Any]:
        return _with_derivatives(jax, f.jacobian(*by))

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


def _batched(jax: Any, f: Plain) -> Callable[..., Any]:
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
    def over(size: int, batched: Sequence[bool], *arrays: Any) -> tuple[Any, Any]:
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


def _target(jax: Any, f: Plain) -> str:
    """Return the name by which XLA finds the machine code, the same in every process."""
    (shapes, results), name = f.operands, f"screwgraph_{f.code_name}"
    if name not in _registered():
        loop = compiled_loop(f.program, shapes, results, f.dtype)
        handler = xla_handler(loop.address, [s for s, _ in shapes], results, f.dtype, _interface(jax))
        capsule = ctypes.pythonapi.PyCapsule_New
        capsule.restype, capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        jax.ffi.register_ffi_target(name, capsule(handler.address, None, None), platform="cpu")
        _registered()[name] = loop, handler
    return name


@cache
def _registered() -> dict[str, tuple[MachineCode, MachineCode]]:
    """Machine code by the names that XLA knows it by: it forgets none while the process lasts."""
    return {}


def _interface(jax: Any) -> Interface:
    """Return the version of XLA's interface, which its header tells."""
    text = (Path(jax.ffi.include_dir()) / HEADER).read_text(encoding="utf-8")
    major, minor = (int(re.findall(rf"#define XLA_FFI_API_{part} (\d+)", text)[0]) for part in ("MAJOR", "MINOR"))
    return Interface(major, minor)
