"""The block triangular form of a square matrix: blocks of rows, each after those that it needs. Duff & Reid (1978)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Bool, Int

Blocks = tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]
"""Rows and columns of each block; rows have entries in columns of their own block and of blocks before it."""


def find_blocks(pattern: Bool[np.ndarray, "n n"], together: Sequence[Sequence[int]] = ()) -> Blocks:
    """Return the blocks of a matrix with these entries, as small as they can be, in an order to solve them in.

    Columns that are `together` are of one block. There are no blocks where the matrix is singular whatever its entries.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components, maximum_bipartite_matching

    row_of = maximum_bipartite_matching(csr_array(pattern.astype(float)), perm_type="row")
    if (row_of < 0).any():
        return ()
    needs = pattern[row_of]  # row j: what the row that determines column j depends on
    for columns in together:
        needs[np.ix_(columns, columns)] = True
    _, label = connected_components(csr_array(needs.astype(float)), connection="strong")
    ordered = _sort_components(label, needs)
    return tuple((tuple(sorted(row_of[own].tolist())), tuple(own)) for own in ordered)


def _sort_components(label: Int[np.ndarray, " n"], needs: Bool[np.ndarray, "n n"]) -> list[list[int]]:
    """Return the members of each component, those first that others need."""
    waiting, done, found = dict.fromkeys(label.tolist()), set[int](), []
    while waiting:
        for own in waiting:
            members = np.flatnonzero(label == own)
            if set(np.flatnonzero(needs[members].any(axis=0)).tolist()) <= done | set(members.tolist()):
                found.append(members.tolist())
                done |= set(members.tolist())
                del waiting[own]
                break
    return found
