"""Euler's method between two steps."""

from __future__ import annotations

from typing import Any


def euler(x: Any, ahead: Any, rate: Any, *, dt: Any) -> Any:
    """What a variable changes by beyond its rate at the beginning times dt (s).

    Blanco-Claraco et al. (2021), eq. (22).
    """
    return ahead - x - dt * rate
