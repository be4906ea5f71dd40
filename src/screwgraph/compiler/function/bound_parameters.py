"""Functions whose parameters have values: what depends on these alone is computed when they are set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import describe_value
from screwgraph.base.errors import InputError
from screwgraph.compiler.argument_domains import parameter_places
from screwgraph.compiler.function.provenance import Provenance
from screwgraph.compiler.passes.parameter_hoisting import CARRIED, Split
from screwgraph.compiler.signature import PARAMETERS, Argument, Result, make_numbered_argument, order_values
from screwgraph.model.robot import make_unknown_name_error
from screwgraph.model.robot.parameters import check_values, numbers
from screwgraph.tape import Code

if TYPE_CHECKING:
    from screwgraph.compiler.function.function import Function


class Names:
    """The parameters of a function by name: where their numbers stand in its argument, and what the file says."""

    def __init__(self, function: str, argument: Argument) -> None:
        self.function, self.nominal = function, np.array(argument.nominal)
        self.places = parameter_places(argument)

    def vector(self, values: Mapping[str, Any]) -> Float[np.ndarray, "... k"]:
        """Return all numbers from values by name: see `Function.parameter_vector`. Raises InputError."""
        given = [(self._place(name), self._numbers(name, value)) for name, value in values.items()]
        found = self.nominal.copy()
        if any(value.ndim > 1 for _, value in given):
            shape = np.broadcast_shapes(*(value.shape[:-1] for _, value in given))
            found = np.broadcast_to(found, (*shape, len(found))).copy()
        for place, value in given:
            found[..., place] = value
        return found

    def _place(self, name: str) -> slice:
        if name not in self.places:
            raise make_unknown_name_error("parameter of the function", name, tuple(self.places))
        return self.places[name]

    def _numbers(self, name: str, value: Any) -> Float[np.ndarray, "... k"]:
        place = self.places[name]
        count = place.stop - place.start
        try:
            array = numbers(value)
        except (TypeError, ValueError):
            array = np.zeros(0)
        if array.shape[-1] != count:
            raise InputError(
                f"{self.function}: parameter {name!r} is {count} number{'s' * (count != 1)}, "
                f"got {describe_value(value)}",
                fix="a batch of values is an array (..., k)",
            )
        check_values(self.function, name, array)
        return array

    def check(self, vector: Any) -> None:
        """Check a whole vector (..., k). Raises InputError; vectors of another shape pass, functions refuse them."""
        try:
            array = np.asarray(vector)
        except ValueError:  # rows of different lengths
            return
        if array.ndim and array.shape[-1] == len(self.nominal) and array.dtype.kind in "iuf":
            for name, place in self.places.items():
                check_values(self.function, name, array[..., place])


def parameter_argument(f: Function) -> Argument:
    """Return the argument that holds the parameters. Raises InputError where there are none."""
    found = next((a for a in f.arguments if a.name == PARAMETERS), None)
    if found is None:
        raise InputError(f"{f.name} has no parameters", fix='make it with parameters=["link7", ...]')
    return found


def make_setting(f: Function, parts: Split) -> Function:
    """Return what parameters alone determine: see `Function.setting`."""
    carried = Result(CARRIED, (len(parts.before.outputs),))
    return _part(f, "setting", (parameter_argument(f),), (carried,), parts.before)


def make_core(f: Function, parts: Split) -> Function:
    """Return the function of the other arguments and of what is carried: see `Function.core`."""
    others = (a for a in f.arguments if a.name != PARAMETERS)
    return _part(
        f, "core", (*others, make_numbered_argument(CARRIED, len(parts.before.outputs))), f.results, parts.after
    )


def _part(f: Function, name: str, arguments: tuple[Argument, ...], results: tuple[Result, ...], code: Code) -> Function:
    origin = Provenance(f.origin.plain, dict)
    return replace(f, name=f"{f.name}_{name}", arguments=arguments, results=results, body=code, origin=origin)


class BoundFunction:
    """A function at values of its parameters; it is called with the other arguments, single states or batches.

    `whole` takes the `parameters` (..., k) as well, its `core` the numbers `carried` that these determine. Values for
    each state of a batch are possible: they broadcast.
    """

    __slots__ = ("_core", "carried", "parameters", "whole")

    def __init__(self, whole: Function, parameters: Any, carried: Any) -> None:
        self.whole, self.parameters, self._core, self.carried = whole, parameters, whole.core, carried

    def __repr__(self) -> str:
        return f"<{self.whole.name} at parameters {np.shape(self.parameters)}>"

    def __call__(self, *values: Any, out: Any = None, threads: int = 1, **named: Any) -> Any:
        """Evaluate as the function does. Raises InputError as it does."""
        if named:
            own = [argument for argument in self.whole.arguments if argument.name != PARAMETERS]
            values = order_values(self.whole.name, own, values, named)
        core = self._core
        if core.program.guarded:  # where a pivot vanishes, another order answers
            place = [argument.name for argument in self.whole.arguments].index(PARAMETERS)
            return self.whole(*values[:place], self.parameters, *values[place:], out=out, threads=threads)
        answer = core.quick(*values, self.carried) if out is None else None
        return core(*values, self.carried, out=out, threads=threads) if answer is None else answer

    def jacobian(self, *by: str) -> BoundFunction:
        """Return exact derivatives at the same values of the parameters: see `Function.jacobian`."""
        return self.whole.jacobian(*by).with_parameters(self.parameters)
