"""A function as PyTorch calls it: what it is given is checked, and goes the shortest way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import methodcaller
from typing import Any, Protocol

from screwgraph.base.errors import InputError
from screwgraph.compiler.backends.torch.library import Tensor, import_torch, make_transform_check
from screwgraph.compiler.backends.torch.operator import (
    check_tensors,
    move_batch_first,
    register_operator,
    sum_to_shapes,
)
from screwgraph.compiler.derivatives.ambient_function import AmbientFunction
from screwgraph.compiler.signature import check_count

REFUSALS = (AttributeError, RuntimeError, TypeError, ValueError)
"""What values raise that are no tensors of the right type and shape."""

Call = Callable[..., Any]


class Source(Protocol):
    """Source of a PyTorch function: compiles it, and can be pickled."""

    def torch(self) -> TorchFunction:
        """Return it."""
        ...


def make_torch_function(f: AmbientFunction, source: Source) -> TorchFunction:
    """Return a function of tensors on the processor, which pickles as what `source` makes.

    Raises:
        InputError: PyTorch is not installed.
    """
    torch = import_torch()
    way, operator = make_differentiable(torch, f), register_operator(torch, f).operator
    return TorchFunction(f, source, torch, way, operator, getattr(torch, f.dtype), f.name)


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


@dataclass(frozen=True, eq=False)
class TorchFunction:
    """A function of tensors `(..., *shape)` on the processor, which broadcast; it returns a tensor, or several.

    It raises InputError for a wrong number, shape, type or device of arguments.
    """

    f: AmbientFunction
    source: Source
    torch: Any
    way: Differentiable
    operator: Call
    number: Any
    __name__: str

    def __repr__(self) -> str:
        return f"<{self.f.name} of PyTorch tensors>"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle what made it: operators belong to a process."""
        return methodcaller("torch"), (self.source,)

    def __deepcopy__(self, memo: Any) -> TorchFunction:
        """Return itself: it never changes."""
        return self

    def __call__(self, *values: Any) -> Any:
        """Return the results, tensors of all leading axes, of the function's type."""
        if self.torch.compiler.is_compiling():  # Dynamo traces operators, and no functions with forward derivatives
            return self.operator(*[self._tensor(value) for value in values])
        found = self._at_once(values)
        if found is not None:
            return found
        check_count(self.f.name, self.f.arguments, values)
        tensors = [self._tensor(value, a.name) for value, a in zip(values, self.f.arguments, strict=True)]
        check_tensors(self.torch, self.f, tensors)
        return self.way(*tensors)

    def _at_once(self, values: Sequence[Any]) -> Any:
        """Return the results of values that need no conversion, or None: NumPy checks the shapes."""
        way, number = self.way, self.number
        try:
            if way.is_watched():
                return None
            if not (way.is_enabled() and any([x.requires_grad for x in values])):  # noqa: C419 - a list is quicker
                return way.call(*values)
            return way.noted(*values) if all([x.dtype is number for x in values]) else None  # noqa: C419 - a list is quicker
        except REFUSALS:
            return None

    def _tensor(self, value: Any, name: str = "an argument") -> Tensor:
        """Return a tensor of the function's type; what a compiler reads here, it guards at each call."""
        try:
            tensor = self.torch.as_tensor(value)
        except REFUSALS:
            raise InputError(f"{self.__name__}: {name} is not an array of real numbers") from None
        if tensor.is_complex():
            raise InputError(f"{self.__name__}: {name} is not a tensor of real numbers")
        if tensor.layout != self.torch.strided:
            raise InputError(f"{self.__name__}: {name} is not dense", fix=f"{name}.to_dense()")
        return tensor.to(self.number).resolve_neg()
