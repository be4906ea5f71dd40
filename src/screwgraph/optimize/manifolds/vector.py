"""Vectors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from screwgraph.errors import InputError
from screwgraph.spatial import Array


@dataclass(frozen=True)
class Vector:
    """n real numbers."""

    size: int

    def __post_init__(self) -> None:
        if not isinstance(self.size, int | np.integer) or isinstance(self.size, bool) or self.size < 1:
            raise InputError(f"a vector of {self.size!r} numbers", fix="give a positive whole number")

    @property
    def shape(self) -> tuple[int, ...]:
        """(n,)."""
        return (int(self.size),)

    @property
    def dim(self) -> int:
        """As many directions as numbers."""
        return int(self.size)

    def identity(self) -> Float[np.ndarray, " n"]:
        """Zero."""
        return np.zeros(self.size)

    def retract(self, x: Float[Array, " n"], d: Float[Array, " n"]) -> Float[Array, " n"]:
        """Add."""
        return x + d

    def local(self, x: Float[Array, " n"], y: Float[Array, " n"]) -> Float[Array, " n"]:
        """Subtract."""
        return y - x

    near = retract

    def moved(self, x: Float[np.ndarray, "N n"], d: Float[np.ndarray, "N n"]) -> Float[np.ndarray, "N n"]:
        """Add."""
        return x + d

    def fault(self, x: np.ndarray) -> str:
        """Any numbers will do."""
        return ""
