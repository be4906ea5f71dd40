"""The trapezoidal rule between two steps."""

from __future__ import annotations

from typing import Any


def trapezoidal(x: Any, ahead: Any, rate: Any, rate_ahead: Any, *, dt: Any) -> Any:
    """What a variable changes by beyond the mean of its rates times dt (s). Blanco-Claraco et al. (2021), eq. (23)."""
    return ahead - x - (dt / 2.0) * (rate + rate_ahead)
