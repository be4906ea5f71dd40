"""Sparse matrices of floats and scalars: a list of rows, each a mapping from columns to entries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from screwgraph.tape.scalar import Number, is_zero

Row = dict[int, Number]


def dot(a: Iterable[Number], b: Iterable[Number]) -> Number:
    """Return a'b of two lists; what is zero for its place costs nothing."""
    total: Number = 0.0
    for x, y in zip(a, b, strict=True):
        if not (is_zero(x) or is_zero(y)):
            total = x * y if is_zero(total) else total + x * y
    return total


def subtract(a: Iterable[Number], b: Iterable[Number]) -> list[Number]:
    """Return a - b of two lists."""
    return [x - y for x, y in zip(a, b, strict=True)]


def add_entry(row: Row, column: int, term: Number) -> None:
    """Add a term to an entry of a row; what becomes zero leaves it."""
    total = row[column] + term if column in row else term
    if not is_zero(total):
        row[column] = total
    else:
        row.pop(column, None)


def to_sparse_rows(rows: Iterable[Iterable[Number]]) -> list[Row]:
    """Return a dense matrix as sparse rows."""
    return [{j: entry for j, entry in enumerate(row) if not is_zero(entry)} for row in rows]


def list_entries(rows: Iterable[Row], columns: int) -> list[Number]:
    """Return all entries of a matrix of so many columns, row by row."""
    return [row.get(j, 0.0) for row in rows for j in range(columns)]


def multiply_rows(a: Sequence[Row], b: Sequence[Row]) -> list[Row]:
    """Return the product of two matrices."""
    found: list[Row] = []
    for row in a:
        total: Row = {}
        for k, x in row.items():
            for j, y in b[k].items():
                add_entry(total, j, x * y)
        found.append(total)
    return found


def transpose_rows(rows: Sequence[Row], columns: int) -> list[Row]:
    """Return the transpose of a matrix of so many columns."""
    found: list[Row] = [{} for _ in range(columns)]
    for i, row in enumerate(rows):
        for j, x in row.items():
            found[j][i] = x
    return found


def multiply_lower(a: Sequence[Row], b: Sequence[Row], columns: int) -> list[Row]:
    """Return the lower triangle of the symmetric matrix a'b; a and b have so many columns."""
    found: list[Row] = [{} for _ in range(columns)]
    for left, right in zip(a, b, strict=True):
        for i, x in left.items():
            for j, y in right.items():
                if j <= i:
                    add_entry(found[i], j, x * y)
    return found


def dot_row(row: Row, vector: Sequence[Number]) -> Number:
    """Return the product of a sparse row and a vector."""
    return sum((x * vector[j] for j, x in row.items()), start=0.0)


def multiply_vector(rows: Sequence[Row], vector: Sequence[Number]) -> list[Number]:
    """Return a v."""
    return [dot_row(row, vector) for row in rows]


def multiply_transposed(rows: Sequence[Row], vector: Iterable[Number], columns: int) -> list[Number]:
    """Return a'v of a matrix of so many columns."""
    found: list[Number] = [0.0] * columns
    for row, v in zip(rows, vector, strict=True):
        for j, x in row.items():
            found[j] = found[j] + x * v
    return found


def scale_rows(rows: Sequence[Row], factor: Number) -> list[Row]:
    """Return a matrix times a number."""
    return [{j: factor * x for j, x in row.items()} for row in rows]
