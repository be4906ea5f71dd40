"""Arguments as JAX arrays of the right type and shapes, and of one batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from screwgraph.base.errors import InputError
from screwgraph.compiler.backends.jax.library import check_precision
from screwgraph.compiler.derivatives.ambient_function import AmbientFunction
from screwgraph.compiler.signature import Argument

if TYPE_CHECKING:
    from jax import Array


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
