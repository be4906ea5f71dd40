"""Selected parts of an inverse: each step's own block, by recursion from the last step to the first.

Takahashi, Fagan, Chen, Formation of a sparse bus impedance matrix and its application to short circuit study (1973):
with K = L D L^T, S = K^-1 obeys S = D^-1 L^-1 + (I - L^T) S, so that known blocks below give those above.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from screwgraph.optimize.linear.chain import ChainFactored


def select_covariances(factored: ChainFactored, solve: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a function from unknowns of one step, or of the border, to their part of the inverse.

    `solve` solves the whole system: for the border's share.
    """
    slot, d = factored.method.places.slot, max(factored.method.shape.d, 1)
    own = _own_blocks(factored)
    edge = np.flatnonzero(slot < 0)
    unit = np.zeros((slot.size, edge.size))
    unit[edge, np.arange(edge.size)] = 1.0
    across = solve(unit) if edge.size else unit
    corner = across[edge]

    def part(unknowns: Int[np.ndarray, " k"]) -> Float[np.ndarray, "k k"]:
        step, column = np.divmod(slot[unknowns], d)
        share = across[unknowns]
        if (slot[unknowns] < 0).all():
            return share[:, np.searchsorted(edge, unknowns)]
        block = own[step[:1]][0][np.ix_(column, column)]
        return block + share @ np.linalg.solve(corner, share.T) if edge.size else block

    return part


def is_of_one_step(factored: ChainFactored, unknowns: Int[np.ndarray, " k"]) -> bool:
    """Return whether unknowns are of one step, or all of the border."""
    slot = factored.method.places.slot[unknowns]
    steps = np.where(slot < 0, -1, slot // max(factored.method.shape.d, 1))
    return bool((steps == steps[0]).all())


def _own_blocks(factored: ChainFactored) -> Float[np.ndarray, "N d d"]:
    """Return S[i, i] of the chain alone, without its border, with padding."""
    shape, count = factored.method.shape, factored.method.steps.count
    d, p = shape.d, shape.step
    panels = factored.storage[: count * shape.panel].reshape(count, d, shape.height)
    inverse_turned = np.linalg.inv(panels[:, :, :d] + np.eye(d))  # L^-T: columns stand as rows
    tied = slice(shape.skipped, d)
    gains = inverse_turned @ panels[:, :, p : p + d - shape.skipped]
    own = (inverse_turned * factored.inverses[:, None, :d]) @ inverse_turned.transpose(0, 2, 1)
    for i in reversed(range(count - 1)):
        own[i] += gains[i] @ own[i + 1][tied, tied] @ gains[i].T
    return own
