"""Operators, by which PyTorch's compilers and modes know machine code: a name, shapes, derivatives, batches."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from threading import RLock
from typing import Any

import numpy as np

from screwgraph.base.errors import InputError
from screwgraph.compiler.backends.llvm import compile_program
from screwgraph.compiler.backends.torch.library import Tensor
from screwgraph.compiler.derivatives.ambient_function import AmbientFunction

NAMESPACE = "screwgraph"


@dataclass(frozen=True, eq=False)
class RegisteredOperator:
    """Machine code on tensors: its `call`, which nothing sees, the `operator` that PyTorch knows, and what keeps it."""

    call: Callable[..., Any]
    operator: Callable[..., Any]
    library: Any


def register_operator(torch: Any, f: AmbientFunction) -> RegisteredOperator:
    """Return the operator of a function; the name is the same in every process, and stands for one operator in it."""
    with _lock():
        if f.code_name not in _operators():
            _operators()[f.code_name] = _registration(torch, f)
        return _operators()[f.code_name]


@cache
def _operators() -> dict[str, RegisteredOperator]:
    """Operators by their names, of which PyTorch, too, has one of each in a process."""
    return {}


@cache
def _lock() -> RLock:
    return RLock()


def _registration(torch: Any, f: AmbientFunction) -> RegisteredOperator:
    name, ranks, shapes = f.code_name, [len(a.shape) for a in f.arguments], [r.shape for r in f.results]
    compute, number, several = make_tensor_call(torch, f), getattr(torch, f.dtype), len(shapes) > 1

    def fake(*tensors: Tensor) -> Any:
        check_tensors(torch, f, tensors, ("cpu", "meta"))
        batch = torch.broadcast_shapes(*(t.shape[: t.ndim - rank] for t, rank in zip(tensors, ranks, strict=True)))
        found = tuple(torch.empty((*batch, *shape), dtype=number) for shape in shapes)
        return found if several else found[0]

    @lru_cache
    def pullback(by: tuple[int, ...]) -> Callable[..., Any]:
        return register_operator(torch, f.pullback(*(f.arguments[i].name for i in by))).operator

    def setup_context(ctx: Any, inputs: Sequence[Tensor], output: Any) -> None:
        ctx.save_for_backward(*inputs)

    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        by, tensors = tuple(i for i, needed in enumerate(ctx.needs_input_grad) if needed), ctx.saved_tensors
        return sum_to_shapes(pullback(by)(*tensors, *gradients), tensors, by)

    def vmap(info: Any, in_dims: Sequence[int | None], *tensors: Tensor) -> tuple[Any, Any]:
        found = operator(*move_batch_first(tensors, in_dims, ranks, info.batch_size))
        return found, (0,) * len(shapes) if several else 0

    library, whole_name = torch.library.Library(NAMESPACE, "FRAGMENT"), f"{NAMESPACE}::{name}"
    taken = ", ".join(f"Tensor x{i}" for i in range(len(ranks)))
    given = ", ".join(["Tensor"] * len(shapes))
    library.define(f"{name}({taken}) -> {f'({given})' if several else given}", tags=(torch.Tag.pt2_compliant_tag,))
    library.impl(name, compute, "CPU")
    torch.library.register_fake(whole_name, fake, lib=library)
    torch.library.register_autograd(whole_name, backward, setup_context=setup_context, lib=library)
    torch.library.register_vmap(whole_name, vmap, lib=library)
    operator = getattr(getattr(torch.ops, NAMESPACE), name).default

    def call(*tensors: Tensor) -> Any:
        try:
            return compute(*tensors)
        except RuntimeError:  # gradients of a batch of gradients have no memory of their own
            return operator(*tensors)

    return RegisteredOperator(call, operator, library)


def check_tensors(
    torch: Any, f: AmbientFunction, tensors: Sequence[Tensor], devices: Collection[str] = ("cpu",)
) -> None:
    """Raise InputError unless tensors are on one of the devices, have the arguments' shapes, and broadcast."""
    batches = []
    for argument, tensor in zip(f.arguments, tensors, strict=True):
        name, shape, rank = f"{f.name}: {argument.name}", argument.shape, len(argument.shape)
        if tensor.device.type not in devices:
            raise InputError(
                f"{name} is on the device {tensor.device}",
                why="f.torch() computes on the processor",
                fix=f"{argument.name}.cpu(), or f.cuda()",
            )
        if tensor.ndim < rank or tuple(tensor.shape[tensor.ndim - rank :]) != shape:
            expected = ", ".join(["...", *map(str, shape)])
            raise InputError(f"{name} has the shape {tuple(tensor.shape)}, expected ({expected})")
        batches.append(tensor.shape[: tensor.ndim - rank])
    try:
        torch.broadcast_shapes(*batches)
    except (RuntimeError, ValueError):
        listed = ", ".join(f"{a.name} {tuple(t.shape)}" for a, t in zip(f.arguments, tensors, strict=True))
        raise InputError(
            f"{f.name}: the batches do not broadcast, {listed}", fix="give leading axes that PyTorch can broadcast"
        ) from None


def move_batch_first(
    tensors: Sequence[Tensor], places: Sequence[int | None], ranks: Sequence[int], count: int
) -> list[Tensor]:
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


def sum_to_shapes(found: Any, tensors: Sequence[Tensor], by: Sequence[int]) -> tuple[Tensor | None, ...]:
    """Return gradients of the tensors' shapes, of those in `by`, from one or several that have all leading axes."""
    gradients: list[Tensor | None] = [None] * len(tensors)
    for i, gradient in zip(by, found if len(by) > 1 else (found,), strict=True):
        shape = tensors[i].shape
        gradients[i] = gradient if gradient.shape == shape else gradient.sum_to_size(shape)
    return tuple(gradients)


def make_tensor_call(torch: Any, f: AmbientFunction) -> Callable[..., Any]:
    """Return a function of tensors of the right type and shapes, which returns a tensor, or several.

    Autograd does not see it. Its machine code is made at the first call.
    """
    from_numpy, several, numbers = torch.from_numpy, len(f.results) > 1, not f.results[0].shape

    @cache
    def code() -> Callable[..., Any]:
        arguments, results = f.operands
        made = compile_program(f.name, f.program, arguments, results, f.dtype)

        def batches(*arrays: np.ndarray) -> Any:
            with np.errstate(all="ignore"):  # NaN goes through, as in PyTorch's own operators
                return made.ufunc(*arrays)

        return made.whole(batches)

    def call(*tensors: Tensor) -> Any:
        found = code()(*[t.numpy() for t in tensors])
        if several:
            return tuple([from_numpy(np.asarray(x)) for x in found])
        return from_numpy(np.asarray(found) if numbers else found)

    return call
