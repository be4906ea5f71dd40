"""Vectors: lengths, velocities, forces, and angles that count their turns."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float

from screwgraph.base.errors import InputError
from screwgraph.spatial.generic_math import Array
from screwgraph.spatial.manifolds.base import TOLERANCE


@dataclass(frozen=True)
class Vector:
    """`size` real numbers; random ones are standard normal, or uniform within +- `reach` (size,)."""

    size: int
    reach: tuple[float, ...] = field(default=(), compare=False, repr=False)
    kind = "a vector"
    quaternions = ()

    def __post_init__(self) -> None:
        if not isinstance(self.size, int | np.integer) or isinstance(self.size, bool) or self.size < 1:
            raise InputError(f"a vector of {self.size!r} numbers", fix="give a positive whole number")
        if len(self.reach) not in (0, self.size):
            raise InputError(f"a vector of {self.size} numbers and {len(self.reach)} bounds", fix="give one for each")

    @property
    def shape(self) -> tuple[int, ...]:
        return (int(self.size),)

    @property
    def dim(self) -> int:
        return int(self.size)

    def identity(self) -> Float[np.ndarray, " n"]:
        return np.zeros(self.size)

    def random(self, rng: np.random.Generator) -> Float[np.ndarray, " n"]:
        if not self.reach:
            return rng.standard_normal(self.size)
        lowest, width = self._range
        return lowest + width * rng.random(self.size)

    @cached_property
    def _range(self) -> tuple[Float[np.ndarray, " n"], Float[np.ndarray, " n"]]:
        """The least random values, and how much more the largest are."""
        reach = np.array(self.reach)
        return -reach, 2.0 * reach

    def retract(self, x: Float[Array, " n"], d: Float[Array, " n"]) -> Float[Array, " n"]:
        return x + d

    near = retract

    def difference(self, x: Float[Array, " n"], y: Float[Array, " n"]) -> Float[Array, " n"]:
        return y - x

    defect = difference

    def rate(self, x: Float[Array, " n"], v: Float[Array, " n"]) -> Float[Array, " n"]:
        return v

    def step_rate(self, d: Float[Array, " n"], v: Float[Array, " n"]) -> Float[Array, " n"]:
        return v

    def turns(self, d: Float[Array, " n"]) -> list:
        return []

    def normalise(self, x: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
        return x

    def is_off(self, x: Float[np.ndarray, "N n"], tolerance: float = TOLERANCE) -> Bool[np.ndarray, " N"]:
        return np.zeros(len(x), dtype=bool)
