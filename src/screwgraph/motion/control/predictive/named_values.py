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

MOST = 40
"""Names that a message has; a humanoid's, but not those of a chain of a thousand links."""


def expand_values(
    places: Mapping[str, slice],
    values: Values | None,
    others: Float[np.ndarray, " n"],
    what: str,
    kind: str = "joint",
    fix: str = "",
) -> Float[np.ndarray, " n"]:
    """Return n numbers, those of a name at its place; `others` where none is given. Raises InputError.

    `fix` is what is said of lists of another length beside the names in their order.
    """
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
                f"{what}: expected a number, {len(found)} numbers, or numbers by the names of {kind}s, got {values!r}",
                why=f"numbers are of {list_in_order(places)}",
                fix=fix,
            )
        found[:] = given
    for name, place in places.items():
        if np.isnan(found[place]).any():
            raise InputError(f"{what} of {name!r} is NaN", why="that is no number")
    return found


def list_in_order(names: Mapping[str, slice] | Sequence[str]) -> str:
    """Return the names of what has numbers, in their order, with how many these are where it is not one each."""
    sizes = {name: own.stop - own.start for name, own in names.items()} if isinstance(names, Mapping) else {}
    words = [name if sizes.get(name, 1) == 1 else f"{name} ({sizes[name]})" for name in names]
    return ", ".join(words if len(words) <= MOST else (*words[:MOST], f"... {words[-1]}"))
