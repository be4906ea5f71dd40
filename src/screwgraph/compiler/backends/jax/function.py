"""A function as JAX calls it: what it is given is checked, then XLA calls the machine code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from screwgraph.base.errors import InputError
from screwgraph.compiler.backends.jax.call import make_batched_call
from screwgraph.compiler.backends.jax.library import check_precision, import_jax
from screwgraph.compiler.derivatives.ambient_function import AmbientFunction
from screwgraph.compiler.signature import Argument, check_count

if TYPE_CHECKING:
    from jax import Array


def make_jax_function(name: str, plain: Callable[[], AmbientFunction]) -> JaxFunction:
    """Return a function of JAX arrays `(..., *shape)` that broadcast, made of machine code for this processor.

    `plain` returns the function of plain numbers, and can be pickled.

    Raises:
        InputError: JAX is not installed, or computes with single precision only where the function has double.
    """
    check_precision(import_jax(), name, plain().dtype)
    return JaxFunction(plain, name)


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
