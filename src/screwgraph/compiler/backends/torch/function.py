"""A function as PyTorch calls it: what it is given is checked, and goes the shortest way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import methodcaller
from typing import Any, Protocol

from screwgraph.base.errors import InputError
from screwgraph.compiler.backends.torch.checks import check_tensors
from screwgraph.compiler.backends.torch.derivatives import Call, Differentiable, make_differentiable
from screwgraph.compiler.backends.torch.library import Tensor, import_torch
from screwgraph.compiler.backends.torch.operator import register_operator
from screwgraph.compiler.derivatives.ambient_function import AmbientFunction
from screwgraph.compiler.signature import check_count

REFUSALS = (AttributeError, RuntimeError, TypeError, ValueError)
"""What values raise that are no tensors of the right type and shape."""


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
