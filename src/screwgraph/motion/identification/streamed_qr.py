"""Streamed QR of tall equations: each coordinate's rows become triangles of blocks of time. Demmel et al. (2012).

A triangle R of [Y, tau] keeps what least squares need: |Y x - tau| = |R [x; -1]| for all x.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Bool, Float
from scipy.linalg import get_lapack_funcs

LEAVES = 100
"""Blocks of time that stay apart, whose differences tell how certain a result is: up to twice as many."""
MEMORY = 2.0e8
"""Bytes that triangles may take; large robots get fewer blocks of time."""
FEWEST = 16
(_GEQRF,) = get_lapack_funcs(("geqrf",), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class TriangleBlock:
    """A block of time: of each coordinate a triangle of its own columns, tau's last, and the number of its rows."""

    triangles: tuple[Float[np.ndarray, "m m"], ...]
    counts: tuple[int, ...]


@dataclass(eq=False)
class TriangleAccumulator:
    """Collects blocks of equations; `columns` says which columns the rows of each coordinate have, tau's among them."""

    columns: tuple[Bool[np.ndarray, " k"], ...]
    held_out: int
    leaves: list[TriangleBlock] = field(default_factory=list)
    others: TriangleBlock | None = None
    _size: int = 1
    _open: list[TriangleBlock] = field(default_factory=list)
    _count: int = 0

    def add(self, Y: Float[np.ndarray, "N n k"], tau: Float[np.ndarray, "N n"]) -> None:
        """Take the equations of a block of time; every `held_out`th block is kept for validation."""
        leaf = _leaf(self.columns, Y, tau)
        self._count += 1
        if self.held_out and self._count % self.held_out == 0:
            self.others = leaf if self.others is None else merge_blocks([self.others, leaf])
            return
        self._open.append(leaf)
        if len(self._open) == self._size:
            self._close()
            if len(self.leaves) >= 2 * self.most:
                self.leaves = [merge_blocks(self.leaves[i : i + 2]) for i in range(0, len(self.leaves), 2)]
                self._size *= 2

    def finish(self) -> list[TriangleBlock]:
        """Return the blocks of time."""
        self._close()
        return self.leaves

    @property
    def most(self) -> int:
        """Blocks of time that memory has room for."""
        size = 8.0 * sum(int(own.sum()) ** 2 for own in self.columns)
        return int(np.clip(MEMORY / (2.0 * size), FEWEST, LEAVES))

    def _close(self) -> None:
        if self._open:
            self.leaves.append(merge_blocks(self._open))
            self._open = []


def merge_blocks(leaves: Sequence[TriangleBlock]) -> TriangleBlock:
    """Return one block of time for several."""
    if len(leaves) == 1:
        return leaves[0]
    rows = zip(*(leaf.triangles for leaf in leaves), strict=True)
    counts = zip(*(leaf.counts for leaf in leaves), strict=True)
    return TriangleBlock(tuple(reduce_to_triangle(np.concatenate(own)) for own in rows), tuple(map(sum, counts)))


def reduce_to_triangle(rows: Float[np.ndarray, "N k"]) -> Float[np.ndarray, "k k"]:
    """Return R (k, k) of a QR decomposition, with rows of zeros where there are fewer than k."""
    k = rows.shape[1]
    if len(rows) < k:
        rows = np.concatenate([rows, np.zeros((k - len(rows), k))])
    found = _GEQRF(np.asfortranarray(rows), overwrite_a=1)[0][:k]
    return np.triu(found)


def normalise_columns(A: Float[np.ndarray, "n k"]) -> tuple[Float[np.ndarray, "n k"], Float[np.ndarray, " k"]]:
    """Return a matrix with columns of length 1, and their lengths; columns of zeros stay, and count as 1."""
    size = np.linalg.norm(A, axis=0)
    size = np.where(size > 0.0, size, 1.0)
    return A / size, size


def _leaf(
    columns: Sequence[Bool[np.ndarray, " k"]], Y: Float[np.ndarray, "N n k"], tau: Float[np.ndarray, "N n"]
) -> TriangleBlock:
    triangles, counts = [], []
    for i, own in enumerate(columns):
        seen = np.isfinite(tau[:, i])
        rows = np.empty((len(tau), int(own.sum())), order="F")
        rows[:, :-1], rows[:, -1] = Y[:, i, own[:-1]], tau[:, i]
        triangles.append(reduce_to_triangle(rows if seen.all() else rows[seen]))
        counts.append(int(seen.sum()))
    return TriangleBlock(tuple(triangles), tuple(counts))
