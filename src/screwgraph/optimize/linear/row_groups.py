"""Products with the slopes of many equal factors, and their J'WJ, as machine code; see `compiler.kernels`.

Rows and entries stand side by side: row r of all factors of a group, entry e of all factors. So products of all
factors are made together, in vectors, and only what goes to unknowns is gathered and spread, once for each factor.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int

from screwgraph.base.summary import one_line
from screwgraph.compiler.kernels import (
    Bundle,
    Ints,
    Reals,
    Record,
    Table,
    address_of,
    assembled,
    compile_kernels,
    new_table,
    tail,
)
from screwgraph.compiler.kernels.dense import emit_product_sums


class Group(Record):
    """Factors of one pattern: how many there are, and of each how many rows, unknowns, entries of J'WJ.

    Then where its own begin: rows, entries, and numbers in the tables.
    """

    factors: int
    rows: int
    width: int
    squares: int
    first_row: int
    first_entry: int
    row_firsts: int
    entries: int
    width_firsts: int
    square_firsts: int
    pairs: int
    columns: int
    targets: int


class GroupTables(Bundle):
    """Groups, and the products that are summed."""

    groups: Table[Group]
    row_firsts: Ints
    row_entries: Ints
    row_unknowns: Ints
    """Entries of each row of a factor, and their unknowns."""
    width_firsts: Ints
    width_entries: Ints
    width_rows: Ints
    """Entries of each unknown of a factor, and their rows."""
    square_firsts: Ints
    pair_one: Ints
    pair_other: Ints
    pair_rows: Ints
    """Pairs of entries that make an entry of J'WJ, and their rows."""
    columns: Ints
    """Direction of each unknown of all factors."""
    targets: Ints
    """Where each entry of a factor's J'WJ is added."""
    local: Reals
    """What all factors of the group at hand have of their own."""


@assembled(lambda name: emit_product_sums(name, 2))
def sum_products(to: Reals, a: Reals, b: Reals, firsts: Ints, ia: Ints, ib: Ints, count: int, n: int) -> None:
    """Write sums of products of two numbers, for all columns."""
    for o in range(count):
        for k in range(n):
            total = 0.0
            for p in range(firsts[o], firsts[o + 1]):
                total = total + a[ia[p] * n + k] * b[ib[p] * n + k]
            to[o * n + k] = total


@assembled(lambda name: emit_product_sums(name, 3))
def sum_triples(
    to: Reals, a: Reals, b: Reals, c: Reals, firsts: Ints, ia: Ints, ib: Ints, ic: Ints, count: int, n: int
) -> None:
    """Write sums of products of three numbers, for all columns."""
    for o in range(count):
        for k in range(n):
            total = 0.0
            for p in range(firsts[o], firsts[o + 1]):
                total = total + a[ia[p] * n + k] * b[ib[p] * n + k] * c[ic[p] * n + k]
            to[o * n + k] = total


def multiply_groups(to: Reals, x: Reals, values: Reals, tables: GroupTables, count: int) -> None:
    """Write the product of each row with x."""
    local = tables.local
    for g in range(count):
        own = tables.groups[g]
        n = own.factors
        columns = tail(tables.columns, own.columns)
        for a in range(own.width * n):
            local[a] = x[columns[a]]
        firsts = tail(tables.row_firsts, own.row_firsts)
        entries = tail(tables.row_entries, own.entries)
        unknowns = tail(tables.row_unknowns, own.entries)
        own_to = tail(to, own.first_row)
        sum_products(own_to, tail(values, own.first_entry), local, firsts, entries, unknowns, own.rows, n)


def add_groups(to: Reals, y: Reals, values: Reals, tables: GroupTables, count: int) -> None:
    """Add the rows, each times its entry of y."""
    local = tables.local
    for g in range(count):
        own = tables.groups[g]
        n = own.factors
        firsts = tail(tables.width_firsts, own.width_firsts)
        entries = tail(tables.width_entries, own.entries)
        rows = tail(tables.width_rows, own.entries)
        own_y = tail(y, own.first_row)
        sum_products(local, tail(values, own.first_entry), own_y, firsts, entries, rows, own.width, n)
        columns = tail(tables.columns, own.columns)
        for a in range(own.width * n):
            to[columns[a]] = to[columns[a]] + local[a]


def square_groups(to: Reals, weights: Reals, values: Reals, tables: GroupTables, count: int, size: int) -> None:
    """Write the sums of weighted products of entries in one row."""
    local = tables.local
    for i in range(size):
        to[i] = 0.0
    for g in range(count):
        own = tables.groups[g]
        n = own.factors
        own_values = tail(values, own.first_entry)
        own_weights = tail(weights, own.first_row)
        firsts = tail(tables.square_firsts, own.square_firsts)
        one = tail(tables.pair_one, own.pairs)
        other = tail(tables.pair_other, own.pairs)
        rows = tail(tables.pair_rows, own.pairs)
        sum_triples(local, own_values, own_values, own_weights, firsts, one, other, rows, own.squares, n)
        targets = tail(tables.targets, own.targets)
        for a in range(own.squares * n):
            to[targets[a]] = to[targets[a]] + local[a]


GROUPED = (sum_products, sum_triples, multiply_groups, add_groups, square_groups)


@cache
def _compile_groups() -> Any:
    return compile_kernels(GROUPED).functions


@dataclass(frozen=True, eq=False)
class RowPattern:
    """N equal factors of some rows: entry e stands in row `i[e]`, at unknown `j[e]` of `directions` (N, d)."""

    __repr__ = one_line

    rows: int
    i: Int[np.ndarray, " e"]
    j: Int[np.ndarray, " e"]
    directions: Int[np.ndarray, "N d"]


class RowGroups:
    """Rows of J, group by group: first row 0 of all factors, then row 1, ...; entries likewise.

    `rows` and `columns` are places of J'WJ, lower triangle, each once; W is diagonal.
    """

    def __init__(self, patterns: Sequence[RowPattern], width: int) -> None:
        """Look at patterns, none of whose rows names an unknown twice; there are `width` directions."""
        self.width = width
        lists = [_list_products(p, width) for p in patterns]
        groups = new_table(Group, len(lists))
        for g, (p, own) in enumerate(zip(patterns, lists, strict=True)):
            n = len(p.directions)
            groups["factors"][g], groups["rows"][g] = n, p.rows
            groups["width"][g], groups["squares"][g] = len(own["width_firsts"]) - 1, len(own["square_firsts"]) - 1
        sizes = [len(p.i) * len(p.directions) for p in patterns]
        own_rows = groups["rows"] * groups["factors"]
        groups["first_row"], groups["first_entry"] = np.cumsum(own_rows) - own_rows, _begin(sizes)
        for field, name in PLACES.items():
            groups[field] = _begin([len(own[name]) for own in lists])
        joined = {name: _join([own[name] for own in lists]) for name in LISTS}
        keys, joined["targets"] = np.unique(joined["targets"], return_inverse=True)
        self.rows, self.columns = np.divmod(keys, max(width, 1))
        self.count = int(own_rows.sum())
        most = (np.maximum(groups["width"], groups["squares"]) * groups["factors"]).max(initial=0)
        self.tables: Any = GroupTables(groups=groups, local=np.empty(int(most)), **joined)
        self._functions = _compile_groups()

    @cached_property
    def _known(self) -> tuple[int, ...]:
        """Addresses of the tables that stay."""
        return self.tables.addresses[:-1]

    def new_memory(self) -> Float[np.ndarray, " l"]:
        """Return memory for a product; two threads that multiply at once have their own."""
        return np.empty_like(self.tables.local)

    def list_addresses(self, memory: Float[np.ndarray, " l"]) -> tuple[int, ...]:
        """Return addresses of the tables and of memory, and the number of groups, as kernels take them."""
        return (*self._known, address_of(memory), len(self.tables.groups))

    def multiply_transposed(
        self, values: Float[np.ndarray, " e"], y: Float[np.ndarray, " m"]
    ) -> Float[np.ndarray, " n"]:
        """Return J'y."""
        return self._call("add_groups", np.zeros(self.width), y, values)

    def evaluate_squares(
        self, values: Float[np.ndarray, " e"], weights: Float[np.ndarray, " m"]
    ) -> Float[np.ndarray, " s"]:
        """Return the entries of J'WJ; `values` are J's."""
        return self._call("square_groups", np.empty(self.rows.size), weights, values, self.rows.size)

    def _call(self, name: str, to: np.ndarray, x: np.ndarray, values: np.ndarray, *sizes: int) -> np.ndarray:
        x, memory = np.ascontiguousarray(x), self.new_memory()
        self._functions[name](*map(address_of, (to, x, values)), *self.list_addresses(memory), *sizes)
        return to

    def find_touched(self, chosen: Int[np.ndarray, " k"]) -> Int[np.ndarray, " t"]:
        """Return the entries of J'WJ that some rows have a share in."""
        found, groups, targets = [np.zeros(0, dtype=np.intp)], self.tables.groups, self.tables.targets
        for own, shares in zip(groups, self._shares, strict=True):
            n, first, place = int(own["factors"]), int(own["first_row"]), int(own["targets"])
            inside = chosen[(chosen >= first) & (chosen < first + int(own["rows"]) * n)] - first
            row, factor = np.divmod(inside, n)
            which, square = np.nonzero(shares[row])
            found.append(targets[place + square * n + factor[which]])
        return np.unique(np.concatenate(found))

    @cached_property
    def _shares(self) -> list[Bool[np.ndarray, "r s"]]:
        """Which entries of a factor's J'WJ each of its rows has a share in, group by group."""
        found = []
        for own in self.tables.groups:
            squares, pairs = int(own["squares"]), int(own["pairs"])
            firsts = self.tables.square_firsts[int(own["square_firsts"]) :][: squares + 1]
            shares = np.zeros((int(own["rows"]), squares), dtype=bool)
            rows = self.tables.pair_rows[pairs : pairs + int(firsts[-1])]
            shares[rows, np.repeat(np.arange(squares), np.diff(firsts))] = True
            found.append(shares)
        return found


def _list_products(p: RowPattern, width: int) -> dict[str, np.ndarray]:
    """Return the lists of a group; targets as numbers of the entry in the whole of J'WJ."""
    used, unknown = np.unique(p.j, return_inverse=True)
    one, other = _list_pairs(p)
    high, low = np.maximum(unknown[one], unknown[other]), np.minimum(unknown[one], unknown[other])
    squares, square = np.unique(high * max(len(used), 1) + low, return_inverse=True)
    columns = p.directions[:, used].T
    first, second = (columns[x] for x in np.divmod(squares, max(len(used), 1)))
    by_row, by_unknown, by_square = (np.argsort(x, kind="stable") for x in (p.i, unknown, square))
    return {
        "row_firsts": np.searchsorted(p.i[by_row], np.arange(p.rows + 1)),
        "row_entries": by_row,
        "row_unknowns": unknown[by_row],
        "width_firsts": np.searchsorted(unknown[by_unknown], np.arange(len(used) + 1)),
        "width_entries": by_unknown,
        "width_rows": p.i[by_unknown],
        "square_firsts": np.searchsorted(square[by_square], np.arange(len(squares) + 1)),
        "pair_one": one[by_square],
        "pair_other": other[by_square],
        "pair_rows": p.i[one[by_square]],
        "columns": columns.ravel(),
        "targets": (np.maximum(first, second) * width + np.minimum(first, second)).ravel(),
    }


LISTS = tuple(name for name in GroupTables.fields if name not in ("groups", "local"))
PLACES = {
    "row_firsts": "row_firsts",
    "entries": "row_entries",
    "width_firsts": "width_firsts",
    "square_firsts": "square_firsts",
    "pairs": "pair_one",
    "columns": "columns",
    "targets": "targets",
}
"""Which list tells where a group's own begin, by field of `Group`."""


def _list_pairs(p: RowPattern) -> tuple[Int[np.ndarray, " q"], Int[np.ndarray, " q"]]:
    """Return both entries of each pair of entries in one row."""
    order = np.argsort(p.i, kind="stable")
    firsts = np.searchsorted(p.i[order], np.arange(p.rows + 1))
    counts, found = np.diff(firsts), [np.zeros((2, 0), dtype=np.intp)]
    for length in np.unique(counts[counts > 0]).tolist():
        begins, corner = firsts[:-1][counts == length], np.array(np.tril_indices(length))
        found.append((begins[None, :, None] + corner[:, None, :]).reshape(2, -1))
    one, other = np.concatenate(found, axis=1)
    return order[one], order[other]


def _begin(sizes: Sequence[int]) -> Int[np.ndarray, " g"]:
    """Return where each of some parts begins."""
    return np.cumsum(sizes, dtype=np.int64) - np.array(sizes, dtype=np.int64)


def _join(parts: Sequence[np.ndarray]) -> Int[np.ndarray, " n"]:
    return np.concatenate([np.zeros(0, dtype=np.int64), *parts]).astype(np.int64)
