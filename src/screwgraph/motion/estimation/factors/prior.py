"""Priors of variables."""

from __future__ import annotations

from typing import Any


def prior(x: Any, *, mean: Any) -> Any:
    """A variable less its expected value. Blanco-Claraco et al. (2021), eq. (21)."""
    return x - mean
