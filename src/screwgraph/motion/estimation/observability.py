"""What measurements determine, and how well they agree with the model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.motion.estimation.measurements import Samples
from screwgraph.motion.estimation.mechanism_templates import SymbolicMechanism
from screwgraph.motion.estimation.parameters import Parameters
from screwgraph.optimize import Result, Variables
from screwgraph.optimize.linear import SingularError

WEAK = 0.5
"""Part of the prior's standard deviation that is left where measurements say little."""
DAMPING = 3e-13
"""Part of the diagonal of the normal equations below which rounding leaves no digits."""
SHARE = 0.3
"""Entry of a unit direction from which on a coordinate has a share in it."""


def find_unobserved(covariance: Float[np.ndarray, "n n"], prior_sigma: float, names: Sequence[str]) -> list[str]:
    """Return the names of entries with a share in a direction that hardly anything but a prior determines."""
    variance, directions = np.linalg.eigh(covariance)
    weak = np.abs(directions[:, np.sqrt(np.maximum(variance, 0.0)) > WEAK * prior_sigma])
    return [name for name, shares in zip(names, weak, strict=True) if (shares > SHARE).any()]


def compute_damped_covariances(result: Result, families: Sequence[Variables]) -> dict[str, Float[np.ndarray, "N n n"]]:
    """Return covariances where a search ended, of families by name; none where these are not finite there.

    Directions that nothing determines get large ones: the matrix is damped by what rounding takes away.
    """
    assembly, layout = result.problem.assembly, result.problem.layout
    _, gradient, entries = assembly.linearise(result.iterate.x)
    if not np.isfinite(gradient).all():
        return {}
    try:
        factored = assembly.normal.factor(entries, DAMPING * assembly.diagonal(entries))
        found = {}
        for family in families:
            first, dim = layout.directions[family.name].start, family.manifold.dim
            found[family.name] = factored.covariance(range(first, first + dim))[None]
    except SingularError:
        return {}
    return found


def rms_residual(samples: Samples, residuals: Float[np.ndarray, "k rows"], sigma: Any) -> float:
    """Return the root mean square of a sensor's residuals in its standard deviations."""
    off = samples.fill_rows(residuals / sigma)
    return float(np.sqrt(np.nanmean(off * off)))


def find_undetermined(
    shared: Parameters | SymbolicMechanism,
    values: Float[np.ndarray, " k"],
    covariance: Float[np.ndarray, "k k"],
    prior_sigma: float,
) -> tuple[str, ...]:
    """Return the names of parameters that hardly anything but priors determines, or that may be zero or twice as large.

    `prior_sigma` is relative to their scales.
    """
    sigma = np.sqrt(np.diag(covariance))
    weak = sigma > np.minimum(WEAK * prior_sigma * shared.scale, np.maximum(np.abs(values), shared.scale))
    return tuple(name for name, is_weak in zip(shared.names, weak, strict=True) if is_weak)
