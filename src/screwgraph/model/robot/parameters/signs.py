"""Values that no body and no joint has: negative masses, dampings, and what is no number."""

from __future__ import annotations

import numpy as np

from screwgraph.base.errors import InputError

NEVER_NEGATIVE = (".mass", ".damping", ".friction", ".armature", ".stiffness")
"""Ends of names of a robot's parameters."""
OF_MECHANISMS = ("mass:", "I0:", "I0_xx:", "I0_yy:", "I0_zz:", "friction:")
"""Beginnings of names of a mechanism's parameters."""
INERTIA = 10
"""Numbers of an inertia, of which the mass is the first."""


def is_never_negative(name: str, count: int) -> bool:
    """Return whether a parameter of so many numbers, or the mass of an inertia, is never negative."""
    return bool(name) and (count == INERTIA or name.endswith(NEVER_NEGATIVE) or name.startswith(OF_MECHANISMS))


def check_values(function: str, name: str, values: np.ndarray) -> None:
    """Raise InputError where values (..., k) of a parameter are none that a model has; those of tapes pass."""
    if values.dtype == object or not values.size:
        return
    if not np.isfinite(values).all():
        raise InputError(f"{function}: parameter {name!r} is not finite")
    least = float(values[..., 0].min())
    if least < 0.0 and is_never_negative(name, values.shape[-1]):
        what = f"the mass of parameter {name!r}" if values.shape[-1] == INERTIA else f"parameter {name!r}"
        raise InputError(f"{function}: {what} is {least:g}", why="it cannot be negative")
