"""Rows that have their first columns in common: products take four of them at once, and read each column once."""

from __future__ import annotations

import numpy as np
from jaxtyping import Int

LEAST = 4
"""So many columns are worth it."""


def count_shared_columns(
    columns: Int[np.ndarray, " a"], begins: Int[np.ndarray, " r"], ends: Int[np.ndarray, " r"]
) -> Int[np.ndarray, " r"]:
    """Return how many first columns each row and the three after it have in common; 0 where these are few.

    Row r stands from `begins[r]` on and ends before `ends[r]`.
    """
    found, sizes = np.zeros(len(ends), dtype=np.int64), ends - begins
    pairs, alike, k = np.arange(len(ends) - 1), np.zeros(max(len(ends) - 1, 0), dtype=np.int64), 0
    while len(pairs):
        pairs = pairs[np.minimum(sizes[pairs], sizes[pairs + 1]) > k]
        pairs = pairs[columns[begins[pairs] + k] == columns[begins[pairs + 1] + k]]
        k += 1
        alike[pairs] = k
    if len(alike) > 2:
        common = np.minimum(np.minimum(alike[:-2], alike[1:-1]), alike[2:])
        found[: len(common)] = np.where(common < LEAST, 0, common)
    return found
