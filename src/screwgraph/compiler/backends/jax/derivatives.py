"""Functions of JAX arrays with derivatives, themselves such functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from screwgraph.compiler.backends.jax.call import make_batched_call
from screwgraph.compiler.derivatives.ambient_function import AmbientFunction


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
