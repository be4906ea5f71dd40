"""Templates of ours for factors whose residual is a function in Python, or of a type that is not known here."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from screwgraph.api.interop.gtsam.factor_reading import POSE2, POSE3, ROT3, Kind, Reading
from screwgraph.api.interop.gtsam.gtsam_library import import_gtsam
from screwgraph.api.interop.gtsam.value_types import NAMED, find_value_type, read_values
from screwgraph.base.errors import InputError
from screwgraph.spatial.manifolds import Vector

KINDS: tuple[Kind, ...] = (POSE3, POSE2, ROT3, *((name, manifold) for name, (manifold, _) in NAMED.items()))


def read_custom_factor(factor: Any, name: str, template: Callable[..., Any], values: Any) -> Reading:
    """Return a factor as a template of ours, parameters included where it is a `functools.partial`.

    Raises:
        InputError: a value is missing or of no known type, or the template's residual there is not GTSAM's.
    """
    if not isinstance(factor, import_gtsam().NoiseModelFactor):
        raise InputError(f"{name} has no residual", fix="leave it out")
    function, parameters = (template.func, template.keywords) if isinstance(template, partial) else (template, {})
    read = [_read_value(key, name, values) for key in list(factor.keys())]
    theirs = np.asarray(factor.unwhitenedError(values), dtype=float)
    try:
        ours = np.atleast_1d(np.asarray(template(*(x for _, x in read)), dtype=float))
    except (TypeError, ValueError, IndexError) as error:
        kinds = ", ".join(family for (family, _), _ in read)
        raise InputError(f"{name}: the template does not take {kinds}", why=str(error)) from None
    if ours.shape != theirs.shape or not np.abs(ours - theirs).max() < 1e-9 * (1.0 + np.abs(theirs).max()):
        raise InputError(f"{name}: the template returns {ours} where GTSAM has {theirs}", fix="mend the template")
    return function, tuple(kind for kind, _ in read), dict(parameters)


def _read_value(key: int, name: str, values: Any) -> tuple[Kind, np.ndarray]:
    """Return what kind a value is of, and the value."""
    for family, manifold in KINDS:
        try:
            return (family, manifold), read_values(find_value_type(family, manifold), family, values, [key])[0]
        except InputError:
            pass
    try:
        x = np.asarray(values.atVector(key), dtype=float)
    except (RuntimeError, ValueError, TypeError) as error:
        known = ", ".join([*(family for family, _ in KINDS), "vectors"])
        raise InputError(f"{name}: the value {key} is of no known type", why=str(error), fix=f"use {known}") from None
    return (f"vector{len(x)}", Vector(len(x))), x
