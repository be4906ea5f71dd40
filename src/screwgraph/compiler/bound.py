"""Functions whose parameters have values: what depends on these alone is computed when they are set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

from screwgraph.arguments import shown
from screwgraph.compiler.signature import Argument
from screwgraph.errors import InputError
from screwgraph.robot import unknown
from screwgraph.robot.parameters import numbers

if TYPE_CHECKING:
    from screwgraph.compiler.function import Function


def parameter_vector(function: str, argument: Argument, values: Mapping[str, Any]) -> Float[np.ndarray, "... k"]:
    """Return all parameters of a function from values by name: see `Function.parameter_vector`. Raises InputError."""
    places: dict[str, list[int]] = {}
    for i, name in enumerate(argument.names):
        places.setdefault(name.partition(":")[2].rpartition("[")[0], []).append(i)
    given = {}
    for name, value in values.items():
        if name not in places:
            raise unknown("parameter", name, tuple(places))
        count = len(places[name])
        try:
            given[name] = numbers(value)
        except (TypeError, ValueError):
            given[name] = np.zeros(0)
        if given[name].shape[-1:] != (count,):
            raise InputError(
                f"{function}: parameter {name!r} is {count} number{'s' * (count != 1)}, got {shown(value)}",
                fix="a batch of values is an array (..., k)",
            )
    shape = np.broadcast_shapes(*(value.shape[:-1] for value in given.values()))
    vector = np.broadcast_to(np.array(argument.nominal), (*shape, len(argument.nominal))).copy()
    for name, value in given.items():
        vector[..., places[name]] = value
    return vector


class BoundFunction:
    """A function at values of its parameters; it is called with the other arguments, single states or batches.

    `whole` takes the `parameters` (..., k) as well. Values for each state of a batch are possible: they broadcast.
    """

    __slots__ = ("_carried", "parameters", "whole")

    def __init__(self, whole: Function, parameters: Any, carried: Any) -> None:
        self.whole, self.parameters, self._carried = whole, parameters, carried

    def __repr__(self) -> str:
        return f"<{self.whole.name} at parameters {np.shape(self.parameters)}>"

    def __call__(self, *values: Any, out: Any = None) -> Any:
        """Evaluate as the function does. Raises InputError as it does."""
        core = self.whole.core
        if core.program.guarded:  # where a pivot vanishes, another order answers
            return self.whole(*values, self.parameters, out=out)
        return core(*values, self._carried, out=out)

    def jacobian(self, *by: str) -> BoundFunction:
        """Return exact derivatives at the same values of the parameters: see `Function.jacobian`."""
        return self.whole.jacobian(*by).with_parameters(self.parameters)
