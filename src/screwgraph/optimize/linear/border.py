"""The border's own matrix, once the chain is eliminated: small and dense."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from screwgraph.optimize.linear.dense import SMALLEST, count_negative_pivots, load_lapack


@dataclass(frozen=True, eq=False)
class Border:
    """L D L^T of `S` scaled by `size` on both sides; `bad` is the unknown without a pivot, or -1."""

    lower: Float[np.ndarray, "b b"]
    swaps: Int[np.ndarray, " b"]
    size: Float[np.ndarray, " b"]
    negative: int
    bad: int

    def solve(self, right: Float[np.ndarray, " b"]) -> Float[np.ndarray, " b"]:
        """Solve for one right side."""
        return load_lapack("sytrs")(self.lower, self.swaps, right * self.size, lower=1)[0].reshape(-1) * self.size


def factor_border(S: Float[np.ndarray, "b b"], scales: Float[np.ndarray, " b"]) -> Border:
    """Factor the lower triangle of S, scaled so that a pivot tells how much is left of what stood there."""
    size = 1.0 / np.sqrt(np.where(scales > 0, scales, 1.0))
    lower, swaps, info = load_lapack("sytrf")(S * np.outer(size, size), lower=1)
    negative, smallest, first = count_negative_pivots(lower, swaps)
    singular = info > 0 or not smallest > SMALLEST
    return Border(lower, swaps, size, negative, (info - 1 if info > 0 else first) if singular else -1)
