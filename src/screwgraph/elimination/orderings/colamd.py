"""Column approximate minimum degree, as SuperLU computes it. Davis, Gilbert, Larimore & Ng (2004)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from screwgraph.elimination.orderings.base import is_other
from screwgraph.graph import FactorGraph, Key


@dataclass(frozen=True)
class Colamd:
    """COLAMD on the block matrix (one row a factor, one column an unknown)."""

    def suits(self, graph: FactorGraph) -> bool:
        """Whether "auto" tries it."""
        return is_other(graph)

    def order(self, graph: FactorGraph) -> list[Key]:
        from scipy.sparse import csc_matrix
        from scipy.sparse.linalg import splu

        keys = [v.key for v in graph.unknowns]
        column = {key: i for i, key in enumerate(keys)}
        held = [[column[k] for k in graph.unknown_keys(f)] for f in graph.factors]
        size = max(len(keys), len(held))
        # A heavy diagonal keeps SuperLU's numbers regular; columns and rows beyond the graph's are a bare diagonal.
        matrix = np.zeros((size, size))
        for row, columns in enumerate(held):
            matrix[row, columns] = 1.0
        row_of = _matching(matrix != 0)
        matrix = matrix[row_of] + np.diag(np.full(size, float(size)))
        order = splu(csc_matrix(matrix), permc_spec="COLAMD").perm_c
        # perm_c[j] is the place of column j.
        places = np.asarray(order)
        return [keys[j] for j in np.argsort(places) if j < len(keys)]


def _matching(pattern: np.ndarray) -> np.ndarray:
    """Return rows such that as many diagonal entries as possible are in the pattern; the rest in any order."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import maximum_bipartite_matching

    row_of = maximum_bipartite_matching(csr_matrix(pattern), perm_type="row")
    free = iter(sorted(set(range(len(pattern))) - set(row_of[row_of >= 0].tolist())))
    return np.array([r if r >= 0 else next(free) for r in row_of])


def colamd() -> Colamd:
    """Return this order."""
    return Colamd()
