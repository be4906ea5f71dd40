"""Tables of numbers as comma-separated values."""

from __future__ import annotations

import csv
import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError, ModelError
from screwgraph.base.summary import one_line
from screwgraph.model.formats.diagnostics import quote_text
from screwgraph.model.formats.file_io import read_bytes


@dataclass(frozen=True, eq=False)
class Table(Mapping[str, Float[np.ndarray, " N"]]):
    """Columns of numbers by name, and the lines of the file that their names, and each row, stand in."""

    __repr__ = one_line

    file: str
    columns: Mapping[str, Float[np.ndarray, " N"]]
    lines: tuple[int, ...]
    first: int = 1

    def __getitem__(self, name: str) -> Float[np.ndarray, " N"]:
        """Return a column."""
        return self.columns[name]

    def __iter__(self) -> Iterator[str]:
        """Yield the names of the columns."""
        return iter(self.columns)

    def __len__(self) -> int:
        """Return the number of columns."""
        return len(self.columns)

    @property
    def heading(self) -> str:
        """File and line of the names."""
        return f"{self.file}:{self.first}"

    def place(self, row: int) -> str:
        """Return file and line of a row."""
        return f"{self.file}:{self.lines[row]}"


def read_table(source: str | os.PathLike[str], *, missing: bool = False) -> Table:
    """Read a table: a line of names, then as many numbers a line, with commas between; lines that begin with # pass.

    Where values may be `missing`, cells that are empty or `nan` are NaN.

    Raises:
        InputError: no such file, no names or a name twice, and, with the line: other than so many finite numbers.
    """
    file = os.fspath(source)
    try:
        text = read_bytes(Path(file), file).decode("utf-8-sig")
    except ModelError as error:
        fix = error.fix if error.fix.startswith("did you mean") else ""
        raise InputError(error.what, at=error.at, why=error.why, fix=fix) from error
    except UnicodeDecodeError as error:
        raise InputError("this is not UTF-8 text", at=file, fix="save it as CSV, UTF-8") from error
    listed = ((i, line) for i, line in enumerate(text.splitlines(), 1) if line.strip() and not line.startswith("#"))
    rows = [(i, [cell.strip() for cell in next(csv.reader([line]))]) for i, line in listed]
    if not rows:
        raise InputError("the table is empty", at=file, fix="begin with a line of names: t,theta")
    (first, names), body = rows[0], rows[1:]
    check_names(names, f"{file}:{first}")
    if not body:
        raise InputError("the table has names and no numbers", at=f"{file}:{first}")
    numbers = np.array([parse_row(names, cells, f"{file}:{line}", missing) for line, cells in body])
    return Table(file, dict(zip(names, numbers.T.copy(), strict=True)), tuple(line for line, _ in body), first)


def check_names(names: list[str], at: str) -> None:
    """Raise InputError where names of columns are missing, numbers, or the same twice."""
    for name in names:
        if not name:
            raise InputError("a column has no name", at=at, fix="begin with a line of names: t,theta")
        if _number(name) is not None:
            raise InputError(f"the first line holds the number {name}", at=at, fix="put a line of names before it")
        if names.count(name) > 1:
            raise InputError(f"two columns are called {quote_text(name)}", at=at)
    if len(names) == 1 and any(mark in names[0] for mark in ";\t "):
        raise InputError(
            f"there is one column, {quote_text(names[0])}", at=at, fix="put commas between names and numbers"
        )


def parse_row(names: list[str], cells: list[str], at: str, missing: bool) -> list[float]:
    """Return the numbers of a row of cells. Raises InputError where they are not so many finite numbers."""
    if len(cells) != len(names):
        raise InputError(f"{len(cells)} values stand in a line, and there are {len(names)} columns", at=at)
    values = [math.nan if missing and not cell else _number(cell) for cell in cells]
    for name, cell, value in zip(names, cells, values, strict=True):
        if value is None or not (math.isfinite(value) or (missing and math.isnan(value))):
            why = "" if value is None or missing else "missing values cannot be guessed"
            what = f"{name} is {quote_text(cell)}" if cell else f"{name} is left out"
            fix = "give a finite number, or nothing" if missing else "give a finite number, or remove the line"
            raise InputError(what, at=at, why=why, fix=fix)
    return [value for value in values if value is not None]


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
