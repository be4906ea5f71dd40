"""The Bayes tree of a matrix whose numbers change while its pattern stays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, Int

from screwgraph.compiler.kernels import new_table
from screwgraph.optimize.fronts.bayes_tree import BayesTree
from screwgraph.optimize.fronts.packed_cliques import PackedClique, PackedTables, Run


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


class PackedTree:
    """Cholesky's factors of H + J'WJ, H given by entries at places (i, j), J by sparse rows.

    `operations` are multiplications of a factorisation, `products` those of J'WJ. The tree may have less unknowns than
    the matrix has: `directions` are those that it has, in its order.
    """

    def __init__(
        self,
        tree: BayesTree,
        sources: Int[np.ndarray, " e"],
        i: Int[np.ndarray, " e"],
        j: Int[np.ndarray, " e"],
        rows: SparseRows,
        directions: Int[np.ndarray, " d"],
    ) -> None:
        """Look up places of entries, and columns of rows, in the fronts of a tree that was prepared.

        `sources` tells which of the values each entry is. Entries of J at other directions are left out.
        """
        self.members = members = CliqueMembers.from_tree(tree)
        self.rows, self.count = rows, len(members.size)
        self.operations, self.widest = tree.operations, tree.widest
        size, own = members.size, members.own
        numbers = np.full(max((int(a.max(initial=-1)) + 1 for a in (directions, rows.columns)), default=0), -1)
        numbers[directions] = np.arange(len(directions))
        entry_cliques, places = _place(members, numbers[i], numbers[j])
        order = np.argsort(entry_cliques, kind="stable")
        placed = _place_rows(members, numbers[rows.columns], np.diff(rows.firsts))
        self._entry_cliques, self._row_cliques = entry_cliques, np.full(rows.count, -1)
        self._row_cliques[placed.order] = placed.cliques
        cliques, runs = new_table(PackedClique, self.count), _find_runs(members)
        rest = size - own
        held, left = own * size - own * (own - 1) // 2, rest * (rest + 1) // 2
        cliques["own"], cliques["dim"] = own, size
        for name, lengths in (("members", size), ("columns", held), ("rest", left)):
            cliques[name] = np.cumsum(lengths) - lengths
        every = np.arange(self.count)
        for name, of in (("entries", entry_cliques[order]), ("rows", placed.cliques), ("runs", runs[0])):
            cliques[name] = np.searchsorted(of, every)
            cliques[f"{name}_end"] = np.searchsorted(of, every, side="right")
        long = placed.cliques[placed.are_long]
        cliques["rows_middle"], cliques["first"] = cliques["rows"] + np.bincount(long, minlength=self.count), size
        np.minimum.at(cliques["first"], long, placed.firsts[placed.are_long])
        np.maximum.at(cliques["last"], long, placed.lasts[placed.are_long] + 1)
        _link_cliques(cliques, members.parents)
        cliques["products"], product_places = _place_products(placed, size, rows.firsts)
        self.sizes = (int(held.sum()), int(left.sum()), int(members.dims.sum()))
        self.products = int((placed.lengths * (placed.lengths + 1) // 2).sum())
        self.tables: Any = PackedTables(
            cliques=cliques,
            runs=runs[1],
            members=np.ascontiguousarray(directions[_find_directions(members)]),
            sources=sources[order],
            places=places[order],
            row_order=placed.order,
            row_firsts=np.ascontiguousarray(rows.firsts),
            row_at=placed.columns,
            product_places=product_places,
            front=np.zeros(int(((size + 1) ** 2).max(initial=0))),
            x=np.zeros(int(size.max(initial=0)) + 1),
            panel=np.zeros(int((np.bincount(long, minlength=self.count) * (size + 1)).max(initial=0))),
        )

    def new_tables(self) -> PackedTables:
        """Return the tables with memory of their own for a front, so that two threads can factor at once."""
        own = {name: np.empty_like(getattr(self.tables, name)) for name in ("front", "x", "panel")}
        return PackedTables(**{**vars(self.tables), **own})

    def find_changed(self, entries: Int[np.ndarray, " d"], rows: Int[np.ndarray, " r"]) -> Int[np.ndarray, " c"]:
        """Return 1 for cliques to which entries go that have changed, or rows whose weights have, 0 for others."""
        found = np.zeros(self.count + 1, dtype=np.int64)
        found[self._entry_cliques[entries]] = found[self._row_cliques[rows]] = 1
        return found[:-1]  # the last one is that of rows that go to none


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
    return clique, _find_places(a, b, members.size[clique])


def _find_places(a: np.ndarray, b: np.ndarray, sizes: np.ndarray) -> Int[np.ndarray, "..."]:
    """Return where entries of two columns stand in fronts of these sizes: in the first column, lower triangle alone."""
    return np.minimum(a, b) * (sizes + 1) + np.maximum(a, b)


@dataclass(frozen=True, eq=False)
class PlacedRows:
    """Rows that have entries in a tree, by cliques, in each of which long ones come first."""

    order: Int[np.ndarray, " r"]
    cliques: Int[np.ndarray, " r"]
    are_long: Bool[np.ndarray, " r"]
    lengths: Int[np.ndarray, " r"]
    firsts: Int[np.ndarray, " r"]
    lasts: Int[np.ndarray, " r"]
    """How many entries a row has in the front, and their outer columns."""
    columns: Int[np.ndarray, " a"]
    """Of all entries; those that are left out get the one behind the last."""


def _place_rows(members: CliqueMembers, directions: Int[np.ndarray, " a"], sizes: Int[np.ndarray, " m"]) -> PlacedRows:
    """Find cliques of rows of these sizes, and columns of entries in the fronts; direction -1 is left out."""
    row, inside = np.repeat(np.arange(len(sizes)), sizes), directions >= 0
    own, at = row[inside], directions[inside]
    used, begins = np.unique(own, return_index=True)
    of_row, lengths = np.zeros(len(sizes), dtype=np.int64), np.diff(begins, append=len(own))
    if len(used):
        of_row[used] = np.minimum.reduceat(members.clique_of[_find_unknowns(members)[at]], begins)
    columns = np.ascontiguousarray(np.append(members.size, 0)[of_row][row], dtype=np.int64)
    columns[inside] = _find_columns(members, of_row[own], at)
    firsts, lasts = (f.reduceat(columns[inside], begins) if len(used) else used for f in (np.minimum, np.maximum))
    are_long = _choose_long(of_row[used], lengths, firsts, lasts)
    order = np.lexsort((~are_long, of_row[used]))
    return PlacedRows(
        used[order], of_row[used][order], are_long[order], lengths[order], firsts[order], lasts[order], columns
    )


def _place_products(
    placed: PlacedRows, sizes: Int[np.ndarray, " c"], firsts: Int[np.ndarray, " m_1"]
) -> tuple[Int[np.ndarray, " c"], Int[np.ndarray, " p"]]:
    """Return where products of short rows go in the fronts, which have these sizes, and where those of cliques begin.

    Of each row, entries go with themselves and those after them.
    """
    row, clique = placed.order[~placed.are_long], placed.cliques[~placed.are_long]
    lengths = firsts[row + 1] - firsts[row]
    counts = lengths * (lengths + 1) // 2
    begins = np.cumsum(counts) - counts
    places = np.empty(int(counts.sum()), dtype=np.int64)
    for n in np.unique(lengths).tolist():
        own = np.flatnonzero(lengths == n)
        columns = placed.columns[firsts[row[own]][:, None] + np.arange(n)]
        a, b = (columns[:, which] for which in np.triu_indices(n))
        places[begins[own, None] + np.arange(a.shape[1])] = _find_places(a, b, sizes[clique[own], None])
    return np.append(begins, places.size)[np.searchsorted(clique, np.arange(len(sizes)))], places


def _choose_long(
    cliques: Int[np.ndarray, " r"],
    lengths: Int[np.ndarray, " r"],
    firsts: Int[np.ndarray, " r"],
    lasts: Int[np.ndarray, " r"],
) -> Bool[np.ndarray, " r"]:
    """Return which rows have entries in half of the columns that those as long as the longest one of a clique span."""
    count = int(cliques.max(initial=-1)) + 1
    longest, first, last = np.zeros(count, dtype=np.int64), np.full(count, np.iinfo(np.int64).max), np.zeros(count)
    np.maximum.at(longest, cliques, lengths)
    alike = 2 * lengths >= longest[cliques]
    np.minimum.at(first, cliques[alike], firsts[alike])
    np.maximum.at(last, cliques[alike], lasts[alike])
    return alike & (2 * lengths > last[cliques] - first[cliques])


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
