"""Cliques that stay while numbers change: factored one after the other in one front, what is needed later is packed.

Duff, Reid, The multifrontal solution of indefinite sparse symmetric linear equations (1983). Only columns of L and what
is left for cliques above are kept, so that the memory of most problems stays close to the processor.
"""

from __future__ import annotations

from math import sqrt

from screwgraph.compiler.kernels import Bundle, Ints, Reals, Record, Table, tail
from screwgraph.optimize.fronts.front_cholesky import (
    DENSE,
    add_products,
    factor_front,
    subtract_four,
    subtract_one,
)


class PackedClique(Record):
    """A clique; those below it come before it. Lists begin at one number and end before another."""

    own: int
    """Directions that are eliminated here."""
    dim: int
    """All directions, in the order of elimination."""
    members: int
    """Where they begin."""
    columns: int
    """Place at which its columns of L begin, each from its diagonal on, of which the reciprocal stands there."""
    rest: int
    """Where what is left begins, each column from its diagonal on."""
    runs: int
    runs_end: int
    """Runs of what is left that stand side by side in the front above."""
    parent: int
    child: int
    next: int
    """The clique above, the first one below, the next one of the same parent. -1 is none."""
    entries: int
    entries_end: int
    rows: int
    rows_middle: int
    rows_end: int
    """Hard rows: long ones, then short ones."""
    products: int
    """Number of the first place of products of short rows."""
    first: int
    last: int
    """Columns that long rows have entries in: from the first one on, before the last one."""


class Run(Record):
    """Directions that stand side by side in the front above, too."""

    to: int
    length: int


class PackedTables(Bundle):
    """Cliques, and where numbers go in their fronts."""

    cliques: Table[PackedClique]
    runs: Table[Run]
    members: Ints
    sources: Ints
    """Which values entries take, clique by clique."""
    places: Ints
    """Where in the front each of them goes."""
    row_order: Ints
    """Hard rows, clique by clique."""
    row_firsts: Ints
    """Where entries of hard rows begin."""
    row_at: Ints
    """Which column of the front of its row's clique each entry has; if its direction has none, the one behind all."""
    product_places: Ints
    """Places in the front for products of short rows: of each entry with itself and those after it."""
    front: Reals
    x: Reals
    """Directions of the clique at hand."""
    panel: Reals
    """Long rows of the clique at hand, spread over columns."""


def add_looked_up_row(tree: PackedTables, size: int, row: int, slopes: Reals, weight: float) -> None:
    """Add the products of a row's entries, times its weight, to a front: places are looked up."""
    first = tree.row_firsts[row]
    end = tree.row_firsts[row + 1]
    for a in range(first, end):
        at = tree.row_at[a]
        y = slopes[a] * weight
        for b in range(a, end):
            other = tree.row_at[b]
            place = at * (size + 1) + other
            if other < at:
                place = other * (size + 1) + at
            tree.front[place] = tree.front[place] + y * slopes[b]


def add_short_rows(tree: PackedTables, c: int, slopes: Reals, weights: Reals) -> None:
    """Add the products of the short rows of a clique, times their weights, to its front."""
    places = tail(tree.product_places, tree.cliques[c].products)
    k = 0
    for q in range(tree.cliques[c].rows_middle, tree.cliques[c].rows_end):
        row = tree.row_order[q]
        own = tail(slopes, tree.row_firsts[row])
        n = tree.row_firsts[row + 1] - tree.row_firsts[row]
        for a in range(n):
            y = own[a] * weights[row]
            b = a
            while b + 2 <= n:
                place = places[k]
                other = places[k + 1]
                tree.front[place] = tree.front[place] + y * own[b]
                tree.front[other] = tree.front[other] + y * own[b + 1]
                k = k + 2
                b = b + 2
            if b < n:
                place = places[k]
                tree.front[place] = tree.front[place] + y * own[b]
                k = k + 1


def add_rows(tree: PackedTables, c: int, slopes: Reals, weights: Reals) -> None:
    """Add the products of the rows of a clique, times their weights, to its front.

    Long rows are spread over the columns that they have entries in, and added together: products with zeros, side by
    side, take less than places looked up.
    """
    size = tree.cliques[c].dim
    j = tree.cliques[c].first
    last = tree.cliques[c].last
    count = 0
    middle = tree.cliques[c].rows_middle
    for q in range(tree.cliques[c].rows, middle):
        row = tree.row_order[q]
        if weights[row] < 0.0:
            add_looked_up_row(tree, size, row, slopes, weights[row])
            continue
        panel = tail(tree.panel, count * (size + 1))
        root = sqrt(weights[row])
        for i in range(j, last):
            panel[i] = 0.0
        for a in range(tree.row_firsts[row], tree.row_firsts[row + 1]):
            panel[tree.row_at[a]] = root * slopes[a]
        count = count + 1
    add_short_rows(tree, c, slopes, weights)
    while count > 0 and j < last:
        width = last - j
        if width > 4:
            width = 4
        add_products(tail(tree.front, j * (size + 2)), tail(tree.panel, j), size + 1, last - j, count, width)
        j = j + width


def add_to(to: Reals, a: Reals, n: int) -> None:
    """Add a."""
    for i in range(n):
        to[i] = to[i] + a[i]


def copy_to(to: Reals, a: Reals, n: int) -> None:
    """Copy a."""
    for i in range(n):
        to[i] = a[i]


def add_rest(tree: PackedTables, rests: Reals, size: int, c: int) -> None:
    """Add what is left of a clique to the front above."""
    at = tree.cliques[c].rest
    end = tree.cliques[c].runs_end
    for b in range(tree.cliques[c].runs, end):
        # Packed columns hold their lower triangle: first the rest of their own run, then those of runs below.
        width = tree.runs[b].length
        for j in range(width):
            column = (tree.runs[b].to + j) * (size + 1)
            add_to(tail(tree.front, column + tree.runs[b].to + j), tail(rests, at), width - j)
            at = at + width - j
            for a in range(b + 1, end):
                add_to(tail(tree.front, column + tree.runs[a].to), tail(rests, at), tree.runs[a].length)
                at = at + tree.runs[a].length


def assemble_front(
    tree: PackedTables, c: int, values: Reals, diagonal: Reals, slopes: Reals, weights: Reals, rests: Reals
) -> None:
    """Write H + J'WJ of a clique's factors to the front, what is left below added."""
    size = tree.cliques[c].dim
    for i in range(size * (size + 1)):
        tree.front[i] = 0.0
    for e in range(tree.cliques[c].entries, tree.cliques[c].entries_end):
        place = tree.places[e]
        tree.front[place] = tree.front[place] + values[tree.sources[e]]
    for j in range(tree.cliques[c].own):
        place = j * (size + 2)
        tree.front[place] = tree.front[place] + diagonal[tree.members[tree.cliques[c].members + j]]
    add_rows(tree, c, slopes, weights)
    below = tree.cliques[c].child
    while below >= 0:
        add_rest(tree, rests, size, below)
        below = tree.cliques[below].next


def factor_cliques(
    tree: PackedTables,
    count: int,
    values: Reals,
    diagonal: Reals,
    slopes: Reals,
    weights: Reals,
    changed: Ints,
    columns: Reals,
    rests: Reals,
    pivots: Reals,
    tiny: float,
) -> int:
    """Factor cliques that have changed, and those above; return the direction of a pivot that is rounding, or -1.

    `pivots` are the diagonal of L; where a direction fails, what was left of its own. Which others change is written.
    """
    for c in range(count):
        if changed[c] == 0:
            continue
        # What is left of it changes, so its parent does; cliques stand in the order children first.
        if tree.cliques[c].parent >= 0:
            changed[tree.cliques[c].parent] = 1
        assemble_front(tree, c, values, diagonal, slopes, weights, rests)
        size = tree.cliques[c].dim
        own = tree.cliques[c].own
        first = tree.cliques[c].members
        bad = factor_front(tree.front, own, size, tiny)
        if bad >= 0:
            pivots[tree.members[first + bad]] = tree.front[bad * (size + 2)]
            return tree.members[first + bad]
        at = tree.cliques[c].columns
        for j in range(own):
            pivot = tree.front[j * (size + 2)]
            pivots[tree.members[first + j]] = pivot
            columns[at] = 1.0 / pivot  # substitutions do not wait for divisions
            copy_to(tail(columns, at + 1), tail(tree.front, j * (size + 2) + 1), size - j - 1)
            at = at + size - j
        at = tree.cliques[c].rest
        for j in range(own, size):
            copy_to(tail(rests, at), tail(tree.front, j * (size + 2)), size - j)
            at = at + size - j
    return -1


def eliminate_right(tree: PackedTables, c: int, columns: Reals, right: Reals) -> None:
    """Take a clique's own directions from a right side: four columns of L at once."""
    own = tree.cliques[c].own
    size = tree.cliques[c].dim
    x = tree.x
    members = tail(tree.members, tree.cliques[c].members)
    for i in range(size):
        x[i] = right[members[i]]
    at = tree.cliques[c].columns
    j = 0
    while j < own:
        n = size - j
        a = tail(columns, at)
        x[j] = x[j] * a[0]
        if j + 4 <= own:
            b = tail(a, n)
            d = tail(b, n - 1)
            e = tail(d, n - 2)
            x[j + 1] = (x[j + 1] - a[1] * x[j]) * b[0]
            x[j + 2] = (x[j + 2] - a[2] * x[j] - b[1] * x[j + 1]) * d[0]
            x[j + 3] = (x[j + 3] - a[3] * x[j] - b[2] * x[j + 1] - d[1] * x[j + 2]) * e[0]
            to = tail(x, j + 4)
            subtract_four(to, tail(a, 4), tail(b, 3), tail(d, 2), tail(e, 1), x[j], x[j + 1], x[j + 2], x[j + 3], n - 4)
            # Columns from their diagonals on are n, n - 1, n - 2 and n - 3 long.
            at = at + 4 * n - 6
            j = j + 4
        else:
            subtract_one(tail(x, j + 1), tail(a, 1), x[j], n - 1)
            at = at + n
            j = j + 1
    for i in range(size):
        right[members[i]] = x[i]


def substitute_back(tree: PackedTables, c: int, columns: Reals, right: Reals) -> None:
    """Solve for a clique's own directions, those above being known: four columns of L at once."""
    own = tree.cliques[c].own
    size = tree.cliques[c].dim
    x = tree.x
    members = tail(tree.members, tree.cliques[c].members)
    for i in range(size):
        x[i] = right[members[i]]
    # Behind the last column; columns are size, size - 1, ... long.
    at = tree.cliques[c].columns + own * size - own * (own - 1) // 2
    j = own
    while j > 0:
        sum0 = 0.0
        sum1 = 0.0
        sum2 = 0.0
        sum3 = 0.0
        if j % 4 == 0:
            j = j - 4
            n = size - j
            at = at - (4 * n - 6)
            a = tail(columns, at)
            b = tail(a, n)
            d = tail(b, n - 1)
            e = tail(d, n - 2)
            for i in range(4, n):
                y = x[j + i]
                sum0 = sum0 + a[i] * y
                sum1 = sum1 + b[i - 1] * y
                sum2 = sum2 + d[i - 2] * y
                sum3 = sum3 + e[i - 3] * y
            x[j + 3] = (x[j + 3] - sum3) * e[0]
            x[j + 2] = (x[j + 2] - sum2 - d[1] * x[j + 3]) * d[0]
            x[j + 1] = (x[j + 1] - sum1 - b[1] * x[j + 2] - b[2] * x[j + 3]) * b[0]
            x[j] = (x[j] - sum0 - a[1] * x[j + 1] - a[2] * x[j + 2] - a[3] * x[j + 3]) * a[0]
        else:
            j = j - 1
            n = size - j
            at = at - n
            a = tail(columns, at)
            for i in range(1, n):
                sum0 = sum0 + a[i] * x[j + i]
            x[j] = (x[j] - sum0) * a[0]
    for i in range(own):
        right[members[i]] = x[i]


def solve_packed(tree: PackedTables, count: int, columns: Reals, right: Reals) -> None:
    """Solve L L'x = right in place."""
    for c in range(count):
        eliminate_right(tree, c, columns, right)
    for back in range(count):
        substitute_back(tree, count - 1 - back, columns, right)


PACKED = (
    *DENSE,
    add_looked_up_row,
    add_short_rows,
    add_rows,
    add_to,
    copy_to,
    add_rest,
    assemble_front,
    factor_cliques,
    eliminate_right,
    substitute_back,
    solve_packed,
)
