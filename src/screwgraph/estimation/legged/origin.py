"""What is known where a window begins: a quadratic in displacements from where it was made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from screwgraph.estimation.legged.chain import BIAS, OWN, packed, unpacked
from screwgraph.estimation.legged.steps import Base, Foothold
from screwgraph.spatial.exponential import log3, log_rate


@dataclass(frozen=True, eq=False)
class Origin:
    """A carry, and the values that it is about."""

    carry: np.ndarray
    base: Base
    bias: Float[np.ndarray, "6"]
    stands: tuple[tuple[int, Float[np.ndarray, "3"]], ...]

    @staticmethod
    def of(carry: np.ndarray, base: Base, bias: np.ndarray, held: Sequence[Foothold]) -> Origin:
        """Return a carry about where these are linearised now."""
        stands = tuple((s.foot, s.p) for s in held)
        return Origin(carry, Base(base.time, base.R, base.v, base.p), bias, stands)

    def about(self, base: Base, bias: np.ndarray, held: Sequence[Foothold]) -> np.ndarray:
        """Return the carry about other values: of a rotation d away, to the first order in what is beyond d."""
        n = int((np.sqrt(9 + 8 * len(self.carry)) - 3) // 2)
        information, vector = unpacked(self.carry, n)
        d, before = np.zeros(n), dict(self.stands)
        d[:3] = turned = np.asarray(log3(self.base.R.T @ base.R), dtype=float)
        d[3:6], d[6:OWN], d[OWN : OWN + BIAS] = base.v - self.base.v, base.p - self.base.p, bias - self.bias
        for s in held:
            k = OWN + BIAS + 3 * s.foot
            d[k : k + 3] = s.p - before[s.foot]
        slope = np.eye(n)
        slope[:3, :3] = np.array([log_rate(turned, e) for e in np.eye(3)], dtype=float).T
        return packed(slope.T @ information @ slope, slope.T @ (vector + information @ d))
