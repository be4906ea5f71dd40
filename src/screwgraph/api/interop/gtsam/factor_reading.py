"""What a reader makes of a factor of GTSAM, and how it finds parameters that have no names in Python."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from screwgraph.api.interop.gtsam.gtsam_library import import_gtsam
from screwgraph.api.interop.gtsam.value_types import find_value_type
from screwgraph.base.errors import InputError
from screwgraph.spatial.manifolds import SE2, SE3, SO3, Manifold, Vector

Kind = tuple[str, Manifold]
"""Name of a family of unknowns, and the manifold of each."""
Reading = tuple[Any, tuple[Kind, ...], dict[str, Any]]
"""A template, the kinds of its unknowns, its parameters."""
Reader = Callable[[Any, str], Reading]
"""From a factor, and its name for messages."""
Place = Callable[[dict[str, Any]], Sequence[np.ndarray]]
"""From parameters to values of unknowns at which residuals are compared."""

POSE3, POSE2, ROT3 = ("pose3", SE3()), ("pose2", SE2()), ("rot3", SO3())
POINT3, POINT2, SCALAR = ("vector3", Vector(3)), ("vector2", Vector(2)), ("scalar", Vector(1))

_NUMBER = re.compile(r"(?<!\S)(?:-?\d\.\d+e[+-]\d+|-?inf|-?nan)(?!\S)")


def archived_numbers(factor: Any, name: str) -> np.ndarray:
    """Return all real numbers of a factor in the order in which GTSAM archives them, exact to the last bit.

    Raises:
        InputError: this GTSAM archives no such factor.
    """
    try:
        return np.array(_NUMBER.findall(factor.serialize()), dtype=float)
    except (AttributeError, RuntimeError) as error:
        why = f"some of its parameters have no names in Python, and GTSAM does not archive it: {error}"
        raise InputError(f"{name} cannot be read", why=why, fix="write it as a template of ours") from None


def choose_reading(factor: Any, name: str, readings: Iterable[Reading], place: Place | None = None) -> Reading:
    """Return the first reading whose residual is GTSAM's at random values of its unknowns, or where `place` puts them.

    Raises:
        InputError: none is.
    """
    rng = np.random.default_rng(0)
    for template, kinds, parameters in readings:
        at = [manifold.random(rng) for _, manifold in kinds] if place is None else place(parameters)[: len(kinds)]
        values = import_gtsam().Values()
        for (family, manifold), key, x in zip(kinds, factor.keys(), at, strict=True):
            values.insert(key, find_value_type(family, manifold).made(x))
        theirs = np.asarray(factor.unwhitenedError(values), dtype=float)
        ours = np.asarray(template(*at, **parameters), dtype=float)
        if np.abs(ours - theirs).max() < 1e-9 * (1.0 + np.abs(theirs).max()):
            return template, kinds, parameters
    raise InputError(f"{name}: its residual is not one that is known here", fix="write it as a template of ours")
