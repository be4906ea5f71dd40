"""How exactly an adaptive method is to integrate."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Tolerances:
    """Errors that an adaptive method may make in one step: relative to each coordinate, and absolute (SI units)."""

    rtol: float
    atol: float
