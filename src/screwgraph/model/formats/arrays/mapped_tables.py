"""Tables and archives of arrays that are larger than memory: numbers stay on the disk until they are asked for."""

from __future__ import annotations

import csv
import math
import os
import shutil
import struct
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from jaxtyping import Float, Int

from screwgraph.base.errors import InputError, ModelError
from screwgraph.base.summary import one_line
from screwgraph.model.formats.diagnostics import quote_text
from screwgraph.model.formats.file_io import find_file, read_bytes

PIECE = 1 << 23
"""Characters of a table that are read at once."""


def read_long_table(source: str | os.PathLike[str]) -> tuple[tuple[str, ...], Float[np.ndarray, "N k"]]:
    """Return the names and rows of a table of comma-separated values, of any length; empty cells are NaN.

    Rows are in a temporary file that is mapped to memory, and is gone when nobody uses it.

    Raises:
        InputError: as `read_table`.
    """
    file = os.fspath(source)
    path = find_file(Path(file), file)
    names: tuple[str, ...] = ()
    count = 0
    with tempfile.TemporaryFile() as store:
        try:
            with path.open(encoding="utf-8-sig") as text:
                for number, lines in _pieces(text):
                    listed = [(i, line) for i, line in enumerate(lines, number) if line.strip() and line[0] != "#"]
                    if listed and not names:
                        at, first = listed.pop(0)
                        names = tuple(cell.strip() for cell in first.split(","))
                        check_names(list(names), f"{file}:{at}")
                    if listed:
                        rows = _rows(names, listed, file)
                        store.write(rows.tobytes())
                        count += len(rows)
        except UnicodeDecodeError as error:
            raise InputError("this is not UTF-8 text", at=file, fix="save it as CSV, UTF-8") from error
        except OSError as error:
            raise InputError("the table cannot be read", at=file, why=error.strerror or str(error)) from error
        if not names:
            raise InputError("the table is empty", at=file, fix="begin with a line of names: t,theta")
        if not count:
            raise InputError("the table has names and no numbers", at=file)
        store.flush()
        return names, np.memmap(store, dtype=np.float64, mode="r", shape=(count, len(names)))


def _pieces(text: IO[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield lines, some thousand at a time, and the number of the first."""
    number = 1
    while lines := text.readlines(PIECE):
        yield number, lines
        number += len(lines)


def _rows(names: tuple[str, ...], listed: list[tuple[int, str]], file: str) -> Float[np.ndarray, "N k"]:
    commas = len(names) - 1
    try:
        if all(line.count(",") == commas for _, line in listed):
            found = np.array(",".join(line for _, line in listed).split(","), dtype=np.float64)
            if not np.isinf(found).any():
                return found.reshape(len(listed), len(names))
    except ValueError:
        pass  # a cell is empty, or no number: the slow way finds out which
    cells = ((i, [cell.strip() for cell in line.split(",")]) for i, line in listed)
    return np.array([parse_row(list(names), own, f"{file}:{i}", True) for i, own in cells])


def read_long_arrays(source: str | os.PathLike[str]) -> dict[str, np.ndarray]:
    """Return the arrays of real numbers of an .npz file by name, mapped to memory: of any size.

    Raises:
        InputError: no such file, or no archive of arrays.
    """
    file = os.fspath(source)
    path = find_file(Path(file), file)
    try:
        with zipfile.ZipFile(path) as archive:
            members = [m for m in archive.infolist() if m.filename.endswith(".npy")]
            found = {m.filename.removesuffix(".npy"): _map_member(path, archive, m) for m in members}
    except OSError as error:
        raise InputError("the log cannot be read", at=file, why=error.strerror or str(error)) from error
    except Exception as error:
        raise InputError("this is not an .npz file, or it is damaged", at=file, fix="save q, tau, t") from error
    return {name: array for name, array in found.items() if array is not None}


def _map_member(path: Path, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> np.ndarray | None:
    """Return an array of an archive: where it is stored as it is, in the archive itself, else in a temporary file."""
    with path.open("rb") if member.compress_type == zipfile.ZIP_STORED else tempfile.TemporaryFile() as stream:
        if member.compress_type == zipfile.ZIP_STORED:
            stream.seek(member.header_offset + 26)
            name, extra = struct.unpack("<HH", stream.read(4))
            stream.seek(name + extra, os.SEEK_CUR)
        else:
            with archive.open(member) as packed:
                shutil.copyfileobj(packed, stream)
            stream.flush()
            stream.seek(0)
        return _array(stream)


def _array(stream: IO[bytes]) -> np.ndarray | None:
    """Return the array that begins at this place of a file, mapped to memory; None where it has no real numbers."""
    version = np.lib.format.read_magic(stream)
    header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, is_fortran, dtype = header(stream)
    if dtype.kind not in "fiub":
        return None
    if 0 in shape or shape == ():
        return np.fromfile(stream, dtype, int(np.prod(shape))).reshape(shape)
    mapped: Any = stream
    return np.memmap(mapped, dtype, "r", stream.tell(), shape, "F" if is_fortran else "C")


# Tables of numbers as comma-separated values.


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


@contextmanager
def locate_names(table: Any) -> Iterator[None]:
    """Say of errors where the names of a table stand, if it was read from a file."""
    try:
        yield
    except InputError as error:
        if error.at is not None or not isinstance(table, Table):
            raise
        raise InputError(error.what, at=table.heading, why=error.why, fix=error.fix) from error


def check_increasing(
    t: Float[np.ndarray, " k"], table: Mapping[str, Any], of: str, rows: Int[np.ndarray, " k"]
) -> None:
    """Raise InputError where times, of some rows of a table, do not grow."""
    steps = np.diff(t)
    if not (steps > 0.0).all():
        k = int(np.argmin(steps > 0.0))
        raise InputError(
            f"the times of the {of} do not grow after sample {rows[k]}",
            at=table.place(int(rows[k + 1])) if isinstance(table, Table) else None,
            why=f"t = {t[k + 1]:.6g} s follows on t = {t[k]:.6g} s",
            fix="sort the samples by time, one a time",
        )


def load_table(given: Any, *, missing: bool = False) -> Any:
    """Return a table of columns; where a file is named, what it holds, as `read_table` does. Raises InputError."""
    return read_table(given, missing=missing) if isinstance(given, (str, os.PathLike)) else given


def read_table(source: str | os.PathLike[str], *, missing: bool = False, names: Sequence[str] = ()) -> Table:
    """Read a table: a line of names, then as many numbers a line, with commas or blanks between them.

    Lines that begin with # or % pass. Where values may be `missing`, cells that are empty or `nan` are NaN. A table of
    as many columns as `names` needs no line of names.

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
    listed = ((i, line) for i, line in enumerate(text.splitlines(), 1) if line.strip() and line[0] not in "#%")
    rows = [(i, _split(line)) for i, line in listed]
    if not rows:
        raise InputError("the table is empty", at=file, fix="begin with a line of names: t,theta")
    (first, heads), body = rows[0], rows[1:]
    if len(heads) == len(names) and all(_number(cell) is not None for cell in heads):
        heads, body = list(names), rows
    check_names(heads, f"{file}:{first}")
    if not body:
        raise InputError("the table has names and no numbers", at=f"{file}:{first}")
    numbers = np.array([parse_row(heads, cells, f"{file}:{line}", missing) for line, cells in body])
    return Table(file, dict(zip(heads, numbers.T.copy(), strict=True)), tuple(line for line, _ in body), first)


def _split(line: str) -> list[str]:
    """Return the cells of a line: between commas; of numbers without commas between blanks."""
    cells = line.split()
    if "," not in line and all(_number(cell) is not None for cell in cells):
        return cells
    return [cell.strip() for cell in next(csv.reader([line]))]


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
