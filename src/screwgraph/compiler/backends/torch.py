"""Functions as PyTorch operators: machine code on the tensors' memory, derivatives exact and compiled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from importlib import import_module
from typing import Any

from screwgraph.compiler.backends.llvm import compiled
from screwgraph.compiler.plain import Plain
from screwgraph.compiler.signature import check_count
from screwgraph.errors import InputError

Tensor = Any
"""A `torch.Tensor`."""
LETTERS = "abcdefghijklmnopqrstuvwxy"


def torch_module() -> Any:
    """Return PyTorch.

    Raises:
        InputError: it is not installed.
    """
    try:
        return import_module("torch")
    except ImportError:
        raise InputError("PyTorch is not installed", fix="pip install 'screwgraph[torch]'") from None


def torch_function(f: Plain) -> Callable[..., Any]:
    """Return a function of tensors `(..., *shape)` on the processor, which broadcast.

    Raises:
        InputError: PyTorch is not installed.
    """
    torch = torch_module()
    apply, operator, number = _with_derivatives(torch, f), _operator(torch, f), getattr(torch, f.dtype)
    expected, several = [(a.name, a.shape) for a in f.arguments], len(f.results) > 1

    def called(*values: Any) -> Tensor | tuple[Tensor, ...]:
        if len(values) != len(expected):
            check_count(f.name, f.arguments, values)
        tensors = []
        for (name, shape), value in zip(expected, values, strict=True):
            tensor = torch.as_tensor(value)
            if tensor.is_complex() or tensor.device.type != "cpu":
                raise InputError(f"{f.name}: {name} is not a tensor of real numbers on the processor")
            core = tuple(tensor.shape[tensor.ndim - len(shape) :]) if tensor.ndim >= len(shape) else None
            if core != shape:
                wanted = ", ".join(["...", *map(str, shape)])
                raise InputError(f"{f.name}: {name} has the shape {tuple(tensor.shape)}, expected ({wanted})")
            tensors.append(tensor.to(number))
        # Dynamo traces operators, and no functions that have derivatives forward; these know more in turn.
        found = operator(*tensors) if torch.compiler.is_compiling() else apply(*tensors)
        return tuple(found) if several else found[0]

    called.__name__ = called.__qualname__ = f.name
    called.__doc__ = f"{f!r}, of PyTorch tensors."
    return called


def _with_derivatives(torch: Any, f: Plain) -> Callable[..., tuple[Tensor, ...]]:
    """Return the function of tensors with its derivatives, those of the arguments that need them."""
    operator, ranks = _operator(torch, f), [len(a.shape) for a in f.arguments]

    @lru_cache
    def slopes(by: tuple[int, ...]) -> Any:
        return _with_derivatives(torch, f.jacobian(*(f.arguments[i].name for i in by)))

    def forward(*tensors: Tensor) -> tuple[Tensor, ...]:
        return tuple(operator(*tensors))

    def setup_context(ctx: Any, inputs: Sequence[Tensor], output: Any) -> None:
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        return _pulled_back(torch, f, slopes, ctx, gradients)

    def jvp(ctx: Any, *tangents: Any) -> tuple[Tensor, ...]:
        by = tuple(i for i, tangent in enumerate(tangents) if tangent is not None)
        slope, changes = iter(slopes(by)(*ctx.saved_tensors)), list[Any]([0.0] * len(f.results))
        for i in by:
            tangent = tangents[i]
            flat = tangent.reshape(*tangent.shape[: tangent.ndim - ranks[i]], -1)
            for k, result in enumerate(f.results):
                entries = LETTERS[: len(result.shape)]
                changes[k] = changes[k] + torch.einsum(f"...{entries}z,...z->...{entries}", next(slope), flat)
        return tuple(changes)

    def vmap(info: Any, in_dims: Sequence[int | None], *tensors: Tensor) -> tuple[tuple[Tensor, ...], tuple[int, ...]]:
        whole = _leading(tensors, in_dims, ranks, info.batch_size)
        return function.apply(*whole), (0,) * len(f.results)

    written: list[Any] = [forward, setup_context, backward, jvp, vmap]
    methods = {method.__name__: staticmethod(method) for method in written}
    function = type(f.name, (torch.autograd.Function,), methods)
    return function.apply


def _pulled_back(
    torch: Any, f: Plain, slopes: Callable[..., Any], ctx: Any, gradients: Sequence[Tensor]
) -> tuple[Tensor | None, ...]:
    """Return gradients by the arguments that need them from those by the results."""
    tensors = ctx.saved_tensors
    by = tuple(i for i, needed in enumerate(ctx.needs_input_grad) if needed)
    slope, found = iter(slopes(by)(*tensors)), list[Any]([None] * len(tensors))
    for i in by:
        parts = []
        for result, gradient in zip(f.results, gradients, strict=True):
            entries = LETTERS[: len(result.shape)]
            parts.append(torch.einsum(f"...{entries},...{entries}z->...z", gradient, next(slope)))
        total = sum(parts[1:], start=parts[0])
        found[i] = total.reshape(*total.shape[:-1], *f.arguments[i].shape).sum_to_size(tensors[i].shape)
    return tuple(found)


def _leading(tensors: Sequence[Tensor], places: Sequence[int | None], ranks: Sequence[int], count: int) -> list[Tensor]:
    """Return tensors whose mapped axis comes first; the others broadcast as they are."""
    most = max(t.ndim - rank - (p is not None) for t, p, rank in zip(tensors, places, ranks, strict=True))
    whole = []
    for tensor, place, rank in zip(tensors, places, ranks, strict=True):
        if place is not None:
            moved = tensor.movedim(place, 0)
            own = moved.shape[1:]
            tensor = moved.reshape(count, *[1] * (most - len(own) + rank), *own)
        whole.append(tensor)
    return whole


def _operator(torch: Any, f: Plain) -> Any:
    """Return the operator by which PyTorch knows the machine code; the name is the same in every process."""
    if f.code_name not in _registered():
        _registered()[f.code_name] = _registration(torch, f)
    return getattr(torch.ops.screwgraph, f.code_name)


@cache
def _registered() -> dict[str, Any]:
    """Libraries by the names of their operators, of which PyTorch, too, has one of each in a process."""
    return {}


def _registration(torch: Any, f: Plain) -> Any:
    name, (operands, results) = f.code_name, f.operands
    shapes = [shape for shape, _ in operands]
    number, ranks = getattr(torch, f.dtype), [len(shape) for shape in shapes]

    @lru_cache
    def code() -> Any:
        return compiled(f.name, f.program, operands, results, f.dtype).ufunc

    def fake(*tensors: Tensor) -> list[Tensor]:
        leading = (t.shape[: t.ndim - rank] for t, rank in zip(tensors, ranks, strict=True))
        batch = torch.broadcast_shapes(*leading)
        return [torch.empty((*batch, *shape), dtype=number) for shape in results]

    def compute(*tensors: Tensor) -> list[Tensor]:
        found = code()(*(t.numpy() for t in tensors))
        return [torch.from_numpy(x) for x in (found if len(results) > 1 else (found,))]

    @lru_cache
    def slopes(by: tuple[int, ...]) -> Any:
        return _operator(torch, f.jacobian(*(f.arguments[i].name for i in by)))

    def setup_context(ctx: Any, inputs: Sequence[Tensor], output: Any) -> None:
        ctx.save_for_backward(*inputs)

    def backward(ctx: Any, gradients: Sequence[Tensor]) -> tuple[Tensor | None, ...]:
        return _pulled_back(torch, f, slopes, ctx, gradients)

    taken = ", ".join(f"Tensor x{i}" for i in range(len(shapes)))
    library, whole_name = torch.library.Library("screwgraph", "FRAGMENT"), f"screwgraph::{name}"
    library.define(f"{name}({taken}) -> Tensor[]")
    library.impl(name, compute, "CPU")
    torch.library.register_fake(whole_name, fake)
    torch.library.register_autograd(whole_name, backward, setup_context=setup_context)
    return library
