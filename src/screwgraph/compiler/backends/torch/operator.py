"""Operators, by which PyTorch's compilers and modes know machine code: a name, shapes, derivatives, batches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from threading import RLock
from typing import Any

from screwgraph.compiler.backends.torch.batches import move_batch_first, sum_to_shapes
from screwgraph.compiler.backends.torch.call import make_tensor_call
from screwgraph.compiler.backends.torch.checks import check_tensors
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
