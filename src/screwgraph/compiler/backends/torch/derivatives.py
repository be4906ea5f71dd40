"""Functions of tensors with derivatives: products with vectors, reverse and forward, themselves such functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from screwgraph.compiler.backends.torch.batches import move_batch_first, sum_to_shapes
from screwgraph.compiler.backends.torch.library import Tensor, make_transform_check
from screwgraph.compiler.backends.torch.operator import register_operator
from screwgraph.compiler.derivatives.ambient_function import AmbientFunction

Call = Callable[..., Any]


@dataclass(frozen=True, eq=False)
class Differentiable:
    """A function of tensors of the right type and shapes.

    It is a call of machine code alone where nothing follows it, a node of autograd where that does, and else what
    transforms of `torch.func` understand, and what traces operators sees as one of them.
    """

    call: Call
    noted: Call
    followed: Call
    is_enabled: Callable[[], bool]
    is_watched: Callable[[], bool]

    def __call__(self, *tensors: Tensor) -> Any:
        """Return the results, one or several."""
        if self.is_watched():
            return self.followed(*tensors)
        if self.is_enabled() and any([t.requires_grad for t in tensors]):  # noqa: C419 - a list is quicker
            return self.noted(*tensors)
        return self.call(*tensors)


def make_differentiable(torch: Any, f: AmbientFunction) -> Differentiable:
    """Return a function of tensors; its derivatives are by the arguments that need them."""
    known, is_enabled, is_watched = register_operator(torch, f), torch.is_grad_enabled, make_transform_check(torch)
    names, call, operator = [a.name for a in f.arguments], known.call, known.operator
    ranks, several = [len(a.shape) for a in f.arguments], len(f.results) > 1

    @lru_cache
    def pullback(by: tuple[int, ...]) -> Call:
        return make_differentiable(torch, f.pullback(*(names[i] for i in by)))

    @lru_cache
    def pushforward(by: tuple[int, ...]) -> Call:
        return make_differentiable(torch, f.pushforward(*(names[i] for i in by)))

    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        by, tensors = tuple([i for i, needed in enumerate(ctx.needs_input_grad) if needed]), ctx.saved_tensors
        return sum_to_shapes(pullback(by)(*tensors, *gradients), tensors, by)

    def compute_forward(ctx: Any, *tensors: Tensor) -> Any:
        ctx.save_for_backward(*tensors)
        return call(*tensors)

    def forward(*tensors: Tensor) -> Any:
        return operator(*tensors) if is_watched() else call(*tensors)

    def setup_context(ctx: Any, inputs: Sequence[Tensor], output: Any) -> None:
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    def jvp(ctx: Any, *changes: Tensor | None) -> Any:
        given = {i: change for i, change in enumerate(changes) if change is not None}
        return pushforward(tuple(given))(*ctx.saved_tensors, *given.values())

    def vmap(info: Any, in_dims: Sequence[int | None], *tensors: Tensor) -> tuple[Any, Any]:
        found = followed(*move_batch_first(tensors, in_dims, ranks, info.batch_size))
        return found, (0,) * len(f.results) if several else 0

    # Of a context that is set up later, PyTorch binds arguments anew at each call; before any, it looks for transforms.
    base = torch.autograd.Function
    noted = super(base, _function(base, f.name, forward=compute_forward, backward=backward)).apply
    methods = {"setup_context": setup_context, "backward": backward, "jvp": jvp, "vmap": vmap}
    followed = _function(base, f.name, forward=forward, **methods).apply

    return Differentiable(call, noted, followed, is_enabled, is_watched)


def _function(base: Any, name: str, **methods: Call) -> Any:
    """Return an `autograd.Function` of these methods."""
    return type(name, (base,), {n: staticmethod(m) for n, m in methods.items()})
