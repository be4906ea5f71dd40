"""A library of functions in another language, written to a folder: only files of an earlier export are replaced."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from hashlib import sha256
from os import PathLike
from pathlib import Path
from typing import Any

from screwgraph.base.argument_checks import check_arguments
from screwgraph.base.errors import InputError
from screwgraph.base.progress_report import report_progress
from screwgraph.compiler import Exportable, Library, library_code
from screwgraph.compiler.backends.c import make_identifiers
from screwgraph.model.formats import write_atomically

RECORD = "screwgraph.json"
"""The file that says what was written, with a checksum of each file."""
TAKEN = ("examples", "nominal", "parameters", "test", "wrapped")
"""Names of functions that stand for other things behind the prefix."""
BUILT = (
    *("all", "clean", "help", "install", "m", "package", "test", "c", "pthread", "dl", "rt", "stdc__"),
    *("std", "eigen", "linux", "unix", "math", "core", "alloc", "null", "aux", "con", "nul", "prn", "rclcpp"),
    *("gamma", "index", "nan", "time", "signal", "remove", "rename", "abs", "div", "exit", "system", "remainder"),
    *("j0", "j1", "jn", "y0", "y1", "yn", "random", "select", "read", "write", "link", "close", "open", "free"),
)
"""Prefixes that mean something to CMake, the linker, compilers, C's library or Windows."""
LONGEST = 120
"""Characters of a prefix or name: files are called so."""


@check_arguments
def export_library(
    functions: Mapping[str, Exportable],
    folder: Any,
    *,
    prefix: str,
    language: str = "c",
    about: str = "",
    overwrite: bool = False,
) -> list[Path]:
    """Write functions, by their names in code, as one library; return the paths of its files.

    Names begin with the prefix, so that libraries of several robots link together: `ur5_forward` in C, `ur5::forward`
    in C++ and Rust. Live parameters become a structure. The library comes with what builds it, and with a test that
    compares it with numbers computed here.

    Args:
        functions: all of one type of numbers; see `Function.astype`.
        folder: created if missing; an earlier export of this prefix and language is replaced.
        prefix: an identifier.
        language: one of `screwgraph.compiler.BACKENDS`.
        about: what the library is, for its comments.
        overwrite: whether files may be replaced that are no such export, or were changed since.

    Raises:
        InputError: a prefix or name that is no identifier, different types of numbers, an unknown language, a folder
            that cannot be written to or holds other files of these names.
    """
    if not isinstance(folder, str | PathLike):
        raise InputError(f"expected a folder (str or Path), got {folder!r}", fix="give its path")
    if not functions:
        raise InputError("no functions are given", fix='give some by name: {"forward": sg.forward_dynamics(robot)}')
    check_prefix(prefix)
    for name, f in functions.items():
        check_name(name)
        if f.dtype != next(iter(functions.values())).dtype:
            raise InputError(f"{name} computes with {f.dtype}, others do not", fix="use astype to make all the same")
    listings = []
    for number, (name, f) in enumerate(functions.items()):
        report_progress(f"listing {name}", number / len(functions))
        listings.append(f.listing(name))
    library = Library(prefix, tuple(listings), about)
    report_progress(f"writing {language}")
    what = {"prefix": prefix, "language": language, "dtype": library.dtype, "functions": list(functions)}
    return _write_library(Path(folder), library_code(library, language), what, overwrite)


def check_prefix(prefix: str) -> None:
    """Raise InputError where a prefix is no identifier, or means something else in C or CMake."""
    _check("prefix", prefix, BUILT)


def check_name(name: str) -> None:
    """Raise InputError where a function's name is no identifier, or means something else behind the prefix."""
    _check("function's name", name, TAKEN)


def _check(what: str, name: Any, taken: tuple[str, ...]) -> None:
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name):
        raise InputError(
            f"the {what} {name!r} is no identifier", fix="use letters, digits and underscores, a letter first"
        )
    if len(name) > LONGEST:
        raise InputError(
            f"the {what} has {len(name)} characters", why=f"at most {LONGEST} are allowed", fix="choose a shorter one"
        )
    if name in taken or make_identifiers([name]) != [name]:
        raise InputError(f"the {what} {name!r} has another meaning", fix="choose another")


def _write_library(folder: Path, files: Mapping[str, str], what: Mapping[str, Any], overwrite: bool) -> list[Path]:
    """Write the files of a library, and a record of them; files of an earlier export that are no longer made go.

    Raises:
        InputError: the folder cannot be written to; it holds other files of these names, or another library.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        known = _read_record(folder)
        earlier = known.get("files", {})
        if not overwrite:
            _check_same(folder, known, what)
            _check_untouched(folder, files, earlier)
        data = {path: text.encode() for path, text in files.items()}
        for path in data:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = error.strerror or str(error)
        raise InputError("the folder cannot be written to", at=str(folder), why=why, fix="choose another") from error
    record = {"made by": "screwgraph", **what, "files": {path: _sum(content) for path, content in data.items()}}
    for path, content in data.items():
        write_atomically(folder / path, content, str(folder / path))
    for path in set(earlier) - set(data):
        if _is_as_written(folder / path, earlier[path]):
            (folder / path).unlink(missing_ok=True)
    write_atomically(folder / RECORD, json.dumps(record, indent=1).encode(), str(folder / RECORD))
    return [folder / path for path in data]


def _read_record(folder: Path) -> dict[str, Any]:
    """Return the record of an earlier export; empty where there is none, or one that nobody can read."""
    try:
        found = json.loads((folder / RECORD).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
    is_record = isinstance(found, dict) and isinstance(found.get("files"), dict)
    inside = is_record and all(_is_inside(path) for path in found["files"])
    return found if inside else {}


def _is_inside(path: str) -> bool:
    return not Path(path).is_absolute() and ".." not in Path(path).parts


def _check_same(folder: Path, known: Mapping[str, Any], what: Mapping[str, Any]) -> None:
    for key in ("prefix", "language"):
        if known and known.get(key) != what[key]:
            raise InputError(
                f"the folder holds a library of the {key} {known.get(key)!r}",
                at=str(folder),
                fix="choose another folder, or overwrite=True (--overwrite)",
            )


def _check_untouched(folder: Path, files: Mapping[str, str], earlier: Mapping[str, str]) -> None:
    for path, text in files.items():
        target = folder / path
        if not target.exists() or (target.is_file() and target.read_bytes() == text.encode()):
            continue
        if path not in earlier:
            why = "it is no file of an earlier export"
        elif not _is_as_written(target, earlier[path]):
            why = "it was changed since it was written"
        else:
            continue
        raise InputError(
            "the file would be lost",
            at=str(target),
            why=why,
            fix="choose another folder, or overwrite=True (--overwrite)",
        )


def _is_as_written(path: Path, checksum: str) -> bool:
    return path.is_file() and _sum(path.read_bytes()) == checksum


def _sum(content: bytes) -> str:
    return sha256(content).hexdigest()
