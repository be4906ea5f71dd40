"""Priors of variables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


def prior(x: Any, *, mean: Any) -> Any:
    """A variable less its expected value. Blanco-Claraco et al. (2021), eq. (21)."""
    return x - mean


@dataclass(frozen=True)
class SelectedPrior:
    """Chosen entries of a variable less their expected values. Blanco-Claraco et al. (2021), eq. (21), section 5.3."""

    entries: tuple[int, ...]

    def __call__(self, x: Any, *, mean: Any) -> Any:
        """Residual, one number for each entry."""
        return x[list(self.entries)] - mean
