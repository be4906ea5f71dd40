"""Priors of variables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from screwgraph.spatial.manifolds import Manifold


def prior(x: Any, *, mean: Any) -> Any:
    """A variable less its expected value. Blanco-Claraco et al. (2021), eq. (21)."""
    return x - mean


@dataclass(frozen=True)
class SelectedPrior:
    """Chosen entries of a variable less their expected values. Blanco-Claraco et al. (2021), eq. (21), section 5.3.

    `manifold` is that of these entries, None of vectors.
    """

    entries: tuple[int, ...]
    manifold: Manifold | None = None

    def __call__(self, x: Any, *, mean: Any) -> Any:
        """Residual, one number for each direction of the entries."""
        own = x[list(self.entries)]
        return own - mean if self.manifold is None else self.manifold.defect(mean, own)
