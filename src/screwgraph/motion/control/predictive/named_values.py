"""Numbers of joints, or of actuators: one for all, one each, or some by names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import validate_numbers
from screwgraph.base.errors import InputError
from screwgraph.model.robot import make_unknown_name_error

Values = float | Sequence[float] | np.ndarray | Mapping[str, float]
"""One number for all, one each, or some by names."""


def expand_values(
    places: Mapping[str, slice],
    values: Values | None,
    others: Float[np.ndarray, " n"],
    what: str,
    kind: str = "joint",
) -> Float[np.ndarray, " n"]:
    """Return n numbers, those of a name at its place; `others` where none is given. Raises InputError."""
    found = np.array(others, dtype=float)
    if values is None:
        return found
    if isinstance(values, Mapping):
        for name, value in values.items():
            if name not in places:
                raise make_unknown_name_error(kind, name, list(places))
            found[places[name]] = value
    else:
        given = validate_numbers(what, values)
        if given.shape not in ((), found.shape):
            raise InputError(
                f"{what}: expected a number, {len(found)} numbers, or numbers by the names of {kind}s, got {values!r}"
            )
        found[:] = given
    if np.isnan(found).any():
        raise InputError(f"{what}: there are numbers that are none (NaN)")
    return found
