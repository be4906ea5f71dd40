"""What is known of the first step of a first window."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.optimize.manifold_code import difference_values
from screwgraph.optimize.parameters import validate_array
from screwgraph.optimize.smoothers.window import Window

Prior = tuple[Float[np.ndarray, "k k"], Float[np.ndarray, " k"]]
"""Information and vector in the directions of what a window holds: d' information d / 2 + vector'd."""


def make_initial_prior(
    window: Window, views: Mapping[str, np.ndarray], given: Mapping[str, Any] | Prior
) -> Float[np.ndarray, " p"]:
    """Return the prior's numbers: information row by row, a vector, and the values where it is made.

    `given` tells by family how sure these values are, or information and vector.

    Raises:
        InputError: a family is unknown, or a covariance is none.
    """
    at = [views[name][i].ravel() for name, i in window.held]
    if isinstance(given, tuple):
        return np.concatenate([given[0].ravel(), given[1], *at])
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
    return np.concatenate([information.ravel(), np.zeros(n), *at])


def move_prior(
    window: Window, views: Mapping[str, np.ndarray], prior: Float[np.ndarray, " p"]
) -> tuple[Float[np.ndarray, "k k"], Float[np.ndarray, " k"], float]:
    """Return information and vector of a prior's numbers, about the values that are held now, and its cost there."""
    n = window.held_size
    information, vector, at = prior[: n * n].reshape(n, n), prior[n * n : n * n + n], prior[n * n + n :]
    manifolds = {v.name: v.manifold for v in window.problem.families}
    away, start = [], 0
    for name, i in window.held:
        end = start + views[name][i].size
        before = at[start:end].reshape(views[name][i : i + 1].shape)
        away.append(difference_values(manifolds[name], before, views[name][i : i + 1])[0])
        start = end
    d = np.concatenate(away)
    pull = information @ d
    return information.copy(), vector + pull, float(d @ (0.5 * pull + vector))


def _information(name: str, given: Any, dim: int) -> Float[np.ndarray, "d d"]:
    array = validate_array(f"the prior of {name}", given)
    if array.shape in ((), (dim,)):
        if not (array > 0.0).all():
            raise InputError(f"the prior of {name}: a standard deviation must be positive")
        return np.diag(np.broadcast_to(array, (dim,)) ** -2.0)
    if array.shape != (dim, dim):
        raise InputError(
            f"the prior of {name} has the shape {array.shape}", fix=f"give a number, ({dim},), or ({dim}, {dim})"
        )
    if not np.allclose(array, array.T) or np.linalg.eigvalsh(array)[0] <= 0.0:
        raise InputError(f"the prior of {name} is not a covariance", why="it is not symmetric and positive definite")
    return np.linalg.inv(array)
