"""A Bayes tree of linear factors on unknowns, edited in place by machine code.

Kaess et al., iSAM2: Incremental smoothing and mapping using the Bayes tree (2012).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np
from jaxtyping import Bool, Int

from screwgraph.compiler.backends.llvm.loops import Loops, compiled_loops
from screwgraph.optimize.incremental import records as r
from screwgraph.optimize.incremental.affected import AFFECTED_CLIQUES
from screwgraph.optimize.incremental.conditionals import Stored
from screwgraph.optimize.incremental.degrees import DEGREES
from screwgraph.optimize.incremental.dense import DENSE
from screwgraph.optimize.incremental.elimination import ELIMINATION
from screwgraph.optimize.incremental.few import FEW, FewCalls
from screwgraph.optimize.incremental.grouping import GROUPING
from screwgraph.optimize.incremental.linking import LINKING
from screwgraph.optimize.incremental.ordering import ORDERING
from screwgraph.optimize.incremental.renewal import RENEWAL
from screwgraph.optimize.incremental.substitution import SUBSTITUTION
from screwgraph.optimize.linear import SingularError

TINY = 1e-15
"""Pivots that are left of their diagonal, relative: less is rounding."""


@cache
def code() -> Loops:
    """Return the machine code of all trees."""
    return compiled_loops(
        (
            *DENSE,
            *LINKING,
            *AFFECTED_CLIQUES,
            *DEGREES,
            *ORDERING,
            *GROUPING,
            *ELIMINATION,
            *SUBSTITUTION,
            *RENEWAL,
            *FEW,
        )
    )


class Tree:
    """Factors, given as J'J and J'r, and the Bayes tree of those that are eliminated.

    A factor's numbers stand in `data` from `where(f)` on: columns of J'J, its lower triangle, with the entry of J'r
    below each, (k, k + 1). `eliminate` wants to be told of the unknowns whose factors have changed.
    """

    def __init__(self, dims: Int[np.ndarray, " n"]) -> None:
        self.count = n = len(dims)
        self.delta = np.zeros(int(dims.sum()))
        self.data = np.zeros(0)
        self._V = np.zeros((n, r.VAR), dtype=np.int64)
        self._V[:, r.DIM] = dims
        self._V[:, r.OFFSET] = np.cumsum(dims) - dims
        self._V[:, r.CLIQUE] = self._V[:, r.HEAD] = -1
        self._C = np.zeros((n + 2, r.CLQ), dtype=np.int64)
        self._C[0, [r.PARENT, r.CHILD, r.NEXT, r.PREV]] = -1
        self._S = np.zeros(r.COUNTERS, dtype=np.int64)
        self._S[[r.USED_CLIQUES, r.FREE_CLIQUE]] = 1, -1
        self._S[r.CLASSES :] = -1
        self._L = np.zeros((n, r.LOC), dtype=np.int64)
        self._G = np.zeros((n, r.GRP), dtype=np.int64)
        self._B = np.zeros((n + 4, 2), dtype=np.int64)
        self._order, self._cliques, self._orphans, self._stack, self._found, self._far = np.zeros(
            (6, n + 2), dtype=np.int64
        )
        self._x = np.zeros(int(dims.sum()) + 1)
        self._A = np.zeros((0, r.FAC), dtype=np.int64)
        self._I = np.zeros((0, r.INC), dtype=np.int64)
        self._tops = np.zeros(0, dtype=np.int64)
        self._E = np.zeros((0, r.ELE), dtype=np.int64)
        self._N = np.zeros((64 + 8 * n, 2), dtype=np.int64)
        self._W = np.zeros(64 + 8 * n, dtype=np.int64)
        self._pool = np.zeros(1024)
        self._factors = self._incidences = self._used = 0
        self._late = 1
        self._functions = code().functions
        self._remembered()

    @property
    def cliques(self) -> int:
        """How many cliques were made by the last elimination."""
        return int(self._S[r.GROUPS])

    @property
    def free(self) -> Bool[np.ndarray, " n"]:
        """Which unknowns no factor touches."""
        return self._V[:, r.HEAD] < 0

    def are_free(self, unknowns: Int[np.ndarray, " k"]) -> Bool[np.ndarray, " k"]:
        """Return which of some unknowns no factor touches."""
        return self._V[unknowns, r.HEAD] < 0

    @property
    def is_lost(self) -> bool:
        """Whether the last solution is not finite."""
        return bool(self._S[r.LOST])

    @property
    def is_finite(self) -> bool:
        """Whether the numbers of all factors are finite."""
        own = self._A[self.touching(np.arange(self.count))]
        begins, sizes = own[:, r.DATA], own[:, r.SIZE] * (own[:, r.SIZE] + 1)
        return all(
            np.isfinite(self.data[b : b + n]).all() for b, n in zip(begins.tolist(), sizes.tolist(), strict=True)
        )

    def compute(self, few: FewCalls, rows: Int[np.ndarray, " n"]) -> None:
        """Call a kernel for some rows, and put what it returns into the numbers of their factors."""
        self._functions["computed"](*few.calling, *self._numbers, *few.putting, rows.ctypes.data, len(rows))

    @property
    def stored(self) -> Stored:
        """Its cliques, to be read."""
        return Stored(self._V, self._C, self._pool)

    def where(self, factors: Any) -> Any:
        """Return where the numbers of factors begin in `data`."""
        return self._A[factors, r.DATA]

    def add(self, unknowns: Int[np.ndarray, "N a"], size: int, bent: int) -> Int[np.ndarray, " N"]:
        """Add N factors on `a` unknowns each, which have `size` directions; return their numbers.

        What they say is zero yet. `bent` is 1 where they are not linear, else 0.
        """
        count, width = unknowns.shape
        first, incidence, at = self._factors, self._incidences, self._used
        self._factors += count
        self._incidences += count * width
        self._used += count * size * (size + 1)
        if self._factors > len(self._A) or self._incidences > len(self._I) or self._used > self.data.size:
            self._make_room()
        added = np.arange(first, first + count)
        self._functions["factors_made"](self._numbers[0], first, count, incidence, width, at, size)
        self.link(added, unknowns, bent)
        return added

    def link(self, factors: Int[np.ndarray, " N"], unknowns: Int[np.ndarray, "N a"], bent: int) -> None:
        """Let factors that were removed touch unknowns of the same sizes."""
        touched = np.ascontiguousarray(unknowns)
        arrays = (*self._incidence, factors.ctypes.data, touched.ctypes.data)
        self._functions["factors_linked"](*arrays, len(factors), bent)

    def remove(self, factors: Int[np.ndarray, " N"], bent: int) -> None:
        """Let factors touch nothing."""
        self._functions["factors_unlinked"](*self._incidence, factors.ctypes.data, len(factors), bent)

    def touching(self, unknowns: Int[np.ndarray, " k"]) -> Int[np.ndarray, " N"]:
        """Return the factors that touch some unknowns."""
        arrays = (*self._incidence, self._S.ctypes.data, unknowns.ctypes.data)
        count = self._functions["factors_of"](*arrays, len(unknowns), self._tops.ctypes.data)
        return self._tops[:count].copy()

    def touched(self, factors: Int[np.ndarray, " N"]) -> Int[np.ndarray, " k"]:
        """Return the unknowns that some factors touch."""
        arrays = (*self._incidence, self._S.ctypes.data, factors.ctypes.data)
        count = self._functions["unknowns_of"](*arrays, len(factors), self._stack.ctypes.data)
        return self._stack[:count].copy()

    def set_late(self, unknowns: Int[np.ndarray, " k"]) -> None:
        """Have some unknowns, and no others, eliminated last from now on."""
        self._late += 1
        self._V[unknowns, r.LATE] = self._late

    def eliminate(self, unknowns: Int[np.ndarray, " k"]) -> None:
        """Eliminate anew what depends on factors of some unknowns.

        Raises:
            SingularError: an unknown is not determined; the tree is then of no use.
        """
        touched, functions = unknowns.ctypes.data, self._functions
        while functions["planned"](*self._all, touched, len(unknowns), self._W.size, self._late) < 0:
            self._W, self._N = np.zeros(2 * self._W.size, dtype=np.int64), np.zeros((2 * self._W.size, 2), np.int64)
            self._remembered()
        need = int(self._S[r.USED_POOL] + self._S[r.NEED])
        if need > self._pool.size:
            self._pool = _longer(self._pool, 2 * need)
            self._remembered()
        if not functions["renewed"](*self._all, TINY):
            bad = int(self._S[r.BAD])
            raise SingularError(int(self._V[bad, r.OFFSET]), bad)

    def solve(self, threshold: float, limit: float) -> Int[np.ndarray, " k"]:
        """Solve for `delta` wherever cliques changed, or what they depend on did by more than a threshold.

        Return the unknowns of factors that are not linear, which changed and are beyond a limit.
        """
        return self._far[: self._functions["solved"](*self._solution, threshold, limit)].copy()

    def solve_for(self, unknowns: Int[np.ndarray, " n"], threshold: float, limit: float) -> Int[np.ndarray, " k"]:
        """Solve for some unknowns, and what they depend on, alone; else as `solve`."""
        wanted = (unknowns.ctypes.data, len(unknowns))
        return self._far[: self._functions["solved_in_part"](*self._solution, *wanted, threshold, limit)].copy()

    def _make_room(self) -> None:
        if self._factors > len(self._A):
            self._A = _longer(self._A, 2 * self._factors)
            self._tops = np.zeros(2 * self._factors, dtype=np.int64)
            self._E = np.zeros((2 * self._factors + 2 * self.count + 8, r.ELE), dtype=np.int64)
        if self._incidences > len(self._I):
            self._I = _longer(self._I, 2 * self._incidences)
        if self._used > self.data.size:
            self.data = _longer(self.data, 2 * self._used)
        self._remembered()

    def _remembered(self) -> None:
        """Keep where arrays begin, which NumPy takes a microsecond each to tell."""
        incidence = (self._V, self._A, self._I)
        solution = (self._V, self._C, self._S, self._pool, self.delta, self._x, self._stack, self._found, self._far)
        renewal = (self._L, self._S, self._E, self._W, self._N, self._B, self._G, self._pool, self.data)
        order = (self._cliques, self._orphans, self._tops, self._order)
        self._numbers = self._A.ctypes.data, self.data.ctypes.data
        self._incidence, self._solution = _addresses(incidence), _addresses(solution)
        self._all = _addresses((self._V, self._C, self._A, self._I, *renewal, *order))


def _addresses(arrays: Iterable[np.ndarray]) -> tuple[int, ...]:
    return tuple(a.ctypes.data for a in arrays)


def _longer(array: np.ndarray, length: int) -> np.ndarray:
    grown = np.zeros((length, *array.shape[1:]), dtype=array.dtype)
    grown[: len(array)] = array
    return grown
