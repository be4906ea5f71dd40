"""Parameters of a window's factors, of which some are each step's own: they move on with the window."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.optimize.parameters import validate_array

Given = Mapping[str, Mapping[str, Any]]
"""Values of parameters that each step has of its own, {factors: {parameter: value}}."""


@dataclass(frozen=True, eq=False)
class StepParameters:
    """All parameters as one vector, which changes in place, and where those that each step has of its own stand in it.

    `places` are first places and shapes (W, ...) by factors and parameter.
    """

    vector: Float[np.ndarray, " p"]
    places: Mapping[tuple[str, str], tuple[int, tuple[int, ...]]]

    def shift(self, given: Given) -> None:
        """Let those of the first step go, and give the last step these.

        Raises:
            InputError: a name or a shape is wrong.
        """
        for rows, array in self._rows(given):
            rows[:-1] = rows[1:]
            rows[-1] = array

    def revise(self, given: Given) -> None:
        """Give the last step others.

        Raises:
            InputError: a name or a shape is wrong.
        """
        for rows, array in self._rows(given):
            rows[-1] = array

    def copy(self) -> StepParameters:
        """Return parameters that change by themselves."""
        return StepParameters(self.vector.copy(), self.places)

    def _rows(self, given: Given) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Return, of each parameter that is given, its values at all steps, to write to, and the one that is given."""
        for group, named in given.items():
            for name, value in named.items():
                yield self._at_steps(group, name), self._read_value(group, name, value)

    def _at_steps(self, group: str, name: str) -> np.ndarray:
        if (group, name) not in self.places:
            known = ", ".join(f"{g}.{n}" for g, n in self.places)
            raise InputError(f"no factor has its own {group}.{name}", fix=f"there are {known or 'none'}")
        start, shape = self.places[group, name]
        return self.vector[start : start + int(np.prod(shape))].reshape(shape)

    def _read_value(self, group: str, name: str, value: Any) -> np.ndarray:
        array, shape = validate_array(f"{group}: {name}", value), self.places[group, name][1][1:]
        if array.shape != shape:
            raise InputError(f"{group}: {name} has the shape {array.shape}, expected {shape}")
        return array
