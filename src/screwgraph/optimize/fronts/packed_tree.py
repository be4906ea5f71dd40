"""The Bayes tree of a matrix whose numbers change while its pattern stays."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from screwgraph.compiler.kernels import Kernels, address_of, compile_kernels, new_table
from screwgraph.optimize.fronts.bayes_tree import BayesTree
from screwgraph.optimize.fronts.packed_cliques import PACKED, PackedClique, PackedTables, Run


@cache
def compile_packed_code() -> Kernels:
    """Return the machine code of all such trees."""
    return compile_kernels(PACKED)


@dataclass(frozen=True, eq=False)
class SparseRows:
    """Rows of a matrix, one after the other: the columns of each from `firsts` on, none twice."""

    columns: Int[np.ndarray, " a"]
    firsts: Int[np.ndarray, " m_1"]

    @property
    def count(self) -> int:
        """Number of rows."""
        return len(self.firsts) - 1


@dataclass(frozen=True, eq=False)
class CliqueMembers:
    """Unknowns of all cliques, leaves first: own ones, then those above, all in the order of elimination.

    Arrays of all unknowns (`dims`, `clique_of`), of all members (up to `columns`), and of all cliques.
    """

    dims: Int[np.ndarray, " u"]
    clique_of: Int[np.ndarray, " u"]
    """Where each unknown is eliminated."""
    unknowns: Int[np.ndarray, " k"]
    cliques: Int[np.ndarray, " k"]
    columns: Int[np.ndarray, " k"]
    """The first column of each in the front of its clique."""
    own: Int[np.ndarray, " c"]
    size: Int[np.ndarray, " c"]
    """Directions that are eliminated, and all."""
    parents: Int[np.ndarray, " c"]

    @classmethod
    def from_tree(cls, tree: BayesTree) -> CliqueMembers:
        """Read the cliques of a tree that was prepared."""
        tables = tree.storage.tables
        dims, cliques, pool = tables.unknowns["dim"].copy(), tables.cliques, tables.pool
        order = _order_cliques(cliques)
        rank = np.full(len(cliques), -1)
        rank[order] = np.arange(len(order))
        chosen = cliques[order]
        counts, frontals = chosen["unknowns"], chosen["frontals"]
        clique = np.repeat(np.arange(len(order)), counts)
        within = np.arange(len(clique)) - np.repeat(np.cumsum(counts) - counts, counts)
        unknowns = pool[np.repeat(chosen["block"], counts) + within].astype(np.int64)
        is_own = within < frontals[clique]
        position, clique_of = np.zeros((2, len(dims)), dtype=np.int64)
        position[unknowns[is_own]], clique_of[unknowns[is_own]] = np.arange(int(is_own.sum())), clique[is_own]
        sort = np.lexsort((position[unknowns], clique))  # own ones come first, as they are eliminated first
        unknowns = unknowns[sort]
        ends = np.cumsum(dims[unknowns])
        columns = ends - dims[unknowns]
        columns -= np.repeat(columns[np.cumsum(counts) - counts], counts)
        return cls(
            dims, clique_of, unknowns, clique, columns, chosen["own_dim"], chosen["dim"],
            np.where(chosen["parent"] > 0, rank[chosen["parent"]], -1),
        )  # fmt: skip

    def find_columns(self, cliques: Int[np.ndarray, " k"], unknowns: Int[np.ndarray, " k"]) -> Int[np.ndarray, " k"]:
        """Return the first columns of unknowns in the fronts of cliques that have them."""
        count = len(self.dims)
        keys = self.cliques * count + self.unknowns
        order = np.argsort(keys)
        return self.columns[order[np.searchsorted(keys, cliques * count + unknowns, sorter=order)]]


@dataclass(frozen=True, eq=False)
class CholeskyFactors:
    """Columns of L, what is left of cliques for those above, and the diagonal of L.

    Where a direction fails, what is left of its diagonal stands there.
    """

    columns: Float[np.ndarray, " L"]
    rests: Float[np.ndarray, " r"]
    pivots: Float[np.ndarray, " n"]

    @cached_property
    def addresses(self) -> tuple[int, int, int]:
        """Addresses of the three arrays, as NumPy takes half a microsecond for each."""
        return self.columns.ctypes.data, self.rests.ctypes.data, self.pivots.ctypes.data

    def copy_from(self, other: CholeskyFactors) -> None:
        """Take over other factors' numbers."""
        self.columns[:], self.rests[:], self.pivots[:] = other.columns, other.rests, other.pivots


class PackedTree:
    """Cholesky's factors of H + J'WJ, H given by entries at places (i, j), J by sparse rows.

    `operations` are multiplications of a factorisation, `products` those of J'WJ.
    """

    def __init__(
        self,
        tree: BayesTree,
        sources: Int[np.ndarray, " e"],
        i: Int[np.ndarray, " e"],
        j: Int[np.ndarray, " e"],
        rows: SparseRows,
    ) -> None:
        """Look up places of entries, and columns of rows, in the fronts of a tree that was prepared.

        `sources` tells which of the values each entry is.
        """
        self.members = members = CliqueMembers.from_tree(tree)
        self.rows, self.count = rows, len(members.size)
        self.operations, self.widest = tree.operations, tree.widest
        size, own = members.size, members.own
        entry_cliques, places = _place(members, i, j)
        order = np.argsort(entry_cliques, kind="stable")
        self._entry_cliques = entry_cliques
        row_cliques, row_order, row_at = _place_rows(members, rows)
        cliques, runs = new_table(PackedClique, self.count), _find_runs(members)
        rest = size - own
        held, left = own * size - own * (own - 1) // 2, rest * (rest + 1) // 2
        cliques["own"], cliques["dim"] = own, size
        for name, lengths in (("members", size), ("columns", held), ("rest", left)):
            cliques[name] = np.cumsum(lengths) - lengths
        every = np.arange(self.count)
        for name, of in (("entries", entry_cliques[order]), ("rows", row_cliques), ("runs", runs[0])):
            cliques[name] = np.searchsorted(of, every)
            cliques[f"{name}_end"] = np.searchsorted(of, every, side="right")
        _link_cliques(cliques, members.parents)
        self.sizes = (int(held.sum()), int(left.sum()), int(members.dims.sum()))
        lengths = np.diff(rows.firsts)
        self.products = int((lengths * (lengths + 1) // 2).sum())
        self.tables: Any = PackedTables(
            cliques=cliques,
            runs=runs[1],
            members=_find_directions(members),
            sources=sources[order],
            places=places[order],
            row_order=row_order,
            row_firsts=np.ascontiguousarray(rows.firsts),
            row_columns=np.ascontiguousarray(rows.columns),
            row_at=row_at,
            front=np.zeros(int(((size + 1) * size).max(initial=0))),
            x=np.zeros(int(size.max(initial=0)) + 1),
            panel=np.zeros(int((np.bincount(row_cliques, minlength=self.count) * (size + 1)).max(initial=0))),
        )
        self.addresses = self.tables.addresses
        self._functions: Any = compile_packed_code().functions

    def find_changed(self, entries: Int[np.ndarray, " d"]) -> Int[np.ndarray, " c"]:
        """Return 1 for cliques to which entries go that have changed, 0 for others."""
        found = np.zeros(self.count, dtype=np.int64)
        found[self._entry_cliques[entries]] = 1
        return found

    def make_factors(self) -> CholeskyFactors:
        """Return memory for factors."""
        return CholeskyFactors(*map(np.empty, self.sizes))

    def factor(
        self,
        values: Float[np.ndarray, " E"],
        diagonal: Float[np.ndarray, " n"],
        slopes: Float[np.ndarray, " a"],
        weights: Float[np.ndarray, " m"],
        factors: CholeskyFactors,
        tiny: float,
        changed: Int[np.ndarray, " c"] | None = None,
    ) -> int:
        """Write factors; return the direction whose pivot is not positive beyond a `tiny` part, or -1.

        Args:
            values: of H's entries.
            diagonal: added to H.
            slopes: values of J.
            weights: of its rows.
            factors: are written.
            tiny: relative to the diagonal.
            changed: 1 for cliques whose numbers differ from those that `factors` belong to, else 0; those above follow.
        """
        dirty = np.ones(self.count, dtype=np.int64) if changed is None else changed
        given = map(address_of, (values, diagonal, slopes, weights, dirty))
        return self._functions["factor_cliques"](*self.addresses, self.count, *given, *factors.addresses, tiny)

    def solve(
        self,
        factors: CholeskyFactors,
        slopes: Float[np.ndarray, " a"],
        weights: Float[np.ndarray, " m"],
        right: Float[np.ndarray, " n"],
        multipliers: Float[np.ndarray, " m"],
    ) -> None:
        """Solve [[H, J'], [J, -1 / W]] [right, multipliers] in place."""
        given = (factors.addresses[0], slopes.ctypes.data, weights.ctypes.data)
        self.solve_at(given, right.ctypes.data, multipliers.ctypes.data)

    def solve_at(self, given: tuple[int, int, int], right: int, multipliers: int) -> None:
        """Solve as `solve`, with addresses: of columns of L, slopes and weights; of what is solved in place."""
        self._functions["solve_with_rows"](*self.addresses, self.count, *given, self.rows.count, right, multipliers)


def _order_cliques(cliques: Any) -> list[int]:
    """Return the numbers of all cliques, those below one just before it."""
    order, stack = list[int](), [0]
    children, following = cliques["child"].tolist(), cliques["next"].tolist()
    while stack:
        c = stack.pop()
        order.append(c)
        below = children[c]
        while below >= 0:
            stack.append(below)
            below = following[below]
    return order[:0:-1]


def _link_cliques(cliques: Any, parents: Int[np.ndarray, " c"]) -> None:
    """Tell cliques their parents, and make lists of those below each one."""
    first, following = [-1] * len(parents), [-1] * len(parents)
    for c, parent in enumerate(parents.tolist()):
        if parent >= 0:
            following[c], first[parent] = first[parent], c
    cliques["parent"], cliques["child"], cliques["next"] = parents, first, following


def _find_directions(members: CliqueMembers) -> Int[np.ndarray, " d"]:
    """Return the directions of all members."""
    dims = members.dims[members.unknowns]
    offsets = np.cumsum(members.dims) - members.dims
    within = np.arange(int(dims.sum())) - np.repeat(np.cumsum(dims) - dims, dims)
    return np.repeat(offsets[members.unknowns], dims) + within


def _find_runs(members: CliqueMembers) -> tuple[Int[np.ndarray, " r"], Any]:
    """Return runs of members that are not eliminated in their clique, and the clique of each run."""
    above = np.flatnonzero(members.columns >= members.own[members.cliques])
    clique, unknowns = members.cliques[above], members.unknowns[above]
    to, dims = members.find_columns(members.parents[clique], unknowns), members.dims[unknowns]
    goes_on = (np.diff(clique, prepend=-1) == 0) & (to == np.roll(to + dims, 1))
    firsts = np.flatnonzero(~goes_on)
    runs = new_table(Run, len(firsts))
    runs["to"] = to[firsts]
    runs["length"] = np.add.reduceat(dims, firsts) if len(firsts) else 0
    return clique[firsts], runs


def _place(
    members: CliqueMembers, i: Int[np.ndarray, " e"], j: Int[np.ndarray, " e"]
) -> tuple[Int[np.ndarray, " e"], Int[np.ndarray, " e"]]:
    """Return the cliques that entries (i, j) go to, and places in their fronts."""
    of = _find_unknowns(members)
    clique = np.minimum(members.clique_of[of[i]], members.clique_of[of[j]])  # the first one is a leaf's
    a, b = (_find_columns(members, clique, d) for d in (i, j))
    return clique, np.minimum(a, b) * (members.size[clique] + 1) + np.maximum(a, b)


def _place_rows(
    members: CliqueMembers, rows: SparseRows
) -> tuple[Int[np.ndarray, " r"], Int[np.ndarray, " r"], Int[np.ndarray, " a"]]:
    """Return cliques of rows with entries, these rows in the cliques' order, and columns of entries in the fronts."""
    sizes = np.diff(rows.firsts)
    used = np.flatnonzero(sizes)
    of_entries = members.clique_of[_find_unknowns(members)[rows.columns]]
    clique = np.minimum.reduceat(of_entries, rows.firsts[used]) if len(used) else used
    order = np.argsort(clique, kind="stable")
    columns = _find_columns(members, np.repeat(clique, sizes[used]), rows.columns)
    return clique[order], used[order], np.ascontiguousarray(columns, dtype=np.int64)


def _find_unknowns(members: CliqueMembers) -> Int[np.ndarray, " n"]:
    """Return the unknown of each direction."""
    return np.repeat(np.arange(len(members.dims)), members.dims)


def _find_columns(
    members: CliqueMembers, cliques: Int[np.ndarray, " k"], directions: Int[np.ndarray, " k"]
) -> Int[np.ndarray, " k"]:
    """Return the columns of directions in the fronts of cliques that have them."""
    of = _find_unknowns(members)
    within = np.arange(len(of)) - (np.cumsum(members.dims) - members.dims)[of]
    return members.find_columns(cliques, of[directions]) + within[directions]
