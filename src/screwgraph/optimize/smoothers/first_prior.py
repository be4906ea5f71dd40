"""What is known of the first step of a first window."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.errors import InputError
from screwgraph.optimize.parameters import real_array
from screwgraph.optimize.smoothers.window import Window


def first_prior(window: Window, views: Mapping[str, np.ndarray], given: Mapping[str, Any]) -> Float[np.ndarray, " p"]:
    """Return the prior's numbers: information row by row, a vector of zeros, and the values where it is made.

    Raises:
        InputError: a family is unknown, or a covariance is none.
    """
    held = dict.fromkeys(name for name, _ in window.held)
    for name in given:
        if name not in held:
            raise InputError(f"the prior names {name!r}", fix=f"unknowns are {', '.join(held)}")
    n = window.held_size
    information, start = np.zeros((n, n)), 0
    dims = {v.name: v.manifold.dim for v in window.problem.families}
    for name, _ in window.held:
        end = start + dims[name]
        if name in given:
            information[start:end, start:end] = _information(name, given[name], dims[name])
        start = end
    return np.concatenate([information.ravel(), np.zeros(n), *(views[name][i].ravel() for name, i in window.held)])


def _information(name: str, given: Any, dim: int) -> Float[np.ndarray, "d d"]:
    array = real_array(f"the prior of {name}", given)
    if array.shape in ((), (dim,)):
        if not (array > 0.0).all():
            raise InputError(f"the prior of {name}: a standard deviation must be positive")
        return np.diag(np.broadcast_to(array, (dim,)) ** -2.0)
    if array.shape != (dim, dim):
        raise InputError(
            f"the prior of {name} has the shape {array.shape}", fix=f"give a number, ({dim},), or ({dim}, {dim})"
        )
    if not np.allclose(array, array.T) or np.linalg.eigvalsh(array)[0] <= 0.0:
        raise InputError(f"the prior of {name} is no covariance", why="it is not symmetric and positive definite")
    return np.linalg.inv(array)
