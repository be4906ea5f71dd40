"""Where a symmetric matrix over blocks of unknowns may have entries."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Int

from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line


@dataclass(frozen=True, eq=False)
class Pattern:
    """Sizes of blocks, numbered one after the other, and places (row >= column) of the lower triangle.

    Places may repeat: what is written there is summed. The diagonal always exists. The last `multipliers` blocks are
    Lagrange multipliers: the matrix is [[H, A^T], [A, -d]] with d >= 0. `steps` suggests a chain, which then is not
    searched for: a step for each block that is no multiplier, -1 for the border.
    Raises InputError for negative sizes, places outside of the lower triangle, more multipliers than blocks.
    """

    __repr__ = one_line

    sizes: Int[np.ndarray, " B"]
    rows: Int[np.ndarray, " E"]
    cols: Int[np.ndarray, " E"]
    multipliers: int = 0
    steps: Int[np.ndarray, " P"] | None = None

    def __post_init__(self) -> None:
        for name in ("sizes", "rows", "cols"):
            object.__setattr__(self, name, np.ascontiguousarray(getattr(self, name), dtype=np.int64).reshape(-1))
        if self.sizes.size and self.sizes.min() < 0:
            raise InputError("sizes of blocks", why="a size is negative")
        if self.rows.shape != self.cols.shape:
            raise InputError("rows and cols", why=f"{self.rows.size} rows, but {self.cols.size} columns")
        inside = (self.cols >= 0) & (self.cols <= self.rows) & (self.rows < self.count)
        if not bool(inside.all()):
            first = int(np.argmin(inside))
            place = f"({self.rows[first]}, {self.cols[first]})"
            raise InputError(f"place {place}", why=f"not in the lower triangle of {self.count} unknowns")
        if not 0 <= self.multipliers <= self.sizes.size:
            raise InputError("multipliers", why=f"{self.multipliers} of {self.sizes.size} blocks")

    @cached_property
    def starts(self) -> Int[np.ndarray, " B_1"]:
        """First unknown of each block; at the end, their number."""
        return np.concatenate([[0], np.cumsum(self.sizes)])

    @cached_property
    def count(self) -> int:
        """Number of unknowns."""
        return int(self.starts[-1])

    @cached_property
    def primal(self) -> int:
        """Number of unknowns that are no multipliers; these come first."""
        return int(self.starts[self.sizes.size - self.multipliers])

    @cached_property
    def block_of(self) -> Int[np.ndarray, " n"]:
        """Block of each unknown."""
        return np.repeat(np.arange(self.sizes.size), self.sizes)
