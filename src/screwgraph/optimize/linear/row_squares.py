"""J'WJ of a matrix with sparse rows: the products of entries that stand in one row, summed where they meet."""

from __future__ import annotations

from functools import cache

import numpy as np
from jaxtyping import Float, Int

from screwgraph.compiler.kernels import Ints, Kernels, Reals, address_of, compile_kernels


def add_squares(to: Reals, values: Reals, weights: Reals, firsts: Ints, targets: Ints, count: int) -> None:
    """Add the weighted products of entries in one row, each pair of entries once."""
    pair = 0
    for row in range(count):
        first = firsts[row]
        end = firsts[row + 1]
        weight = weights[row]
        if weight == 0.0:
            pair = pair + (end - first) * (end - first + 1) // 2
        else:
            for a in range(first, end):
                x = weight * values[a]
                for b in range(first, a + 1):
                    to[targets[pair]] = to[targets[pair]] + x * values[b]
                    pair = pair + 1


@cache
def _compile_squares() -> Kernels:
    return compile_kernels((add_squares,))


class RowSquares:
    """Places of J'WJ, lower triangle, each once (`rows`, `columns`); W is diagonal.

    Row i of J has the entries from `_firsts[i]` to `_firsts[i + 1]`; pairs of entries a >= b stand in this order, row
    by row, and are added at `_targets`.
    """

    def __init__(self, rows: Int[np.ndarray, " e"], columns: Int[np.ndarray, " e"], count: int) -> None:
        """Look at a matrix of `count` rows with entries there, row by row; none names a column twice."""
        counts = np.bincount(rows, minlength=count)
        self._firsts = np.concatenate([[0], np.cumsum(counts)])
        self._pairs = np.concatenate([[0], np.cumsum(counts * (counts + 1) // 2)])
        first, second = self._list_pairs(counts)
        one, other = columns[first], columns[second]
        most = int(columns.max(initial=0)) + 1
        keys, self._targets = np.unique(np.maximum(one, other) * most + np.minimum(one, other), return_inverse=True)
        self.rows, self.columns = np.divmod(keys, most)
        self.count = count
        arrays = (self._firsts, self._targets)
        self._addresses = tuple(a.ctypes.data for a in arrays)

    def _list_pairs(self, counts: Int[np.ndarray, " m"]) -> tuple[Int[np.ndarray, " p"], Int[np.ndarray, " p"]]:
        """Return the places of both entries of each pair."""
        found = np.zeros((2, int(self._pairs[-1])), dtype=np.intp)
        for length in np.unique(counts[counts > 0]).tolist():
            rows, corner = np.flatnonzero(counts == length), np.tril_indices(length)
            places = self._pairs[rows][:, None] + np.arange(len(corner[0]))
            found[:, places] = self._firsts[rows][:, None] + np.array(corner)[:, None]
        return found[0], found[1]

    def evaluate(self, values: Float[np.ndarray, " e"], weights: Float[np.ndarray, " m"]) -> Float[np.ndarray, " s"]:
        """Return the entries of J'WJ; `values` are J's."""
        found = np.empty(self.rows.size)
        self.write(values, weights, found)
        return found

    def write(
        self, values: Float[np.ndarray, " e"], weights: Float[np.ndarray, " m"], found: Float[np.ndarray, " s"]
    ) -> None:
        """Write the entries of J'WJ to a contiguous array; `values` are J's."""
        found.fill(0.0)
        addresses = map(address_of, (found, values, np.ascontiguousarray(weights)))
        _compile_squares().functions["add_squares"](*addresses, *self._addresses, self.count)

    def find_touched(self, chosen: Int[np.ndarray, " k"]) -> Int[np.ndarray, " t"]:
        """Return the entries of J'WJ that some rows have a share in."""
        parts = [self._targets[a:b] for a, b in zip(self._pairs[chosen], self._pairs[chosen + 1], strict=True)]
        return np.unique(np.concatenate(parts)) if parts else np.zeros(0, dtype=np.intp)
