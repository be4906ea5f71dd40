"""A library of functions in another language, written to a folder."""

from __future__ import annotations

import re
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from screwgraph.api.deployment.export_folder import write_library
from screwgraph.base.argument_checks import check_arguments
from screwgraph.base.errors import InputError
from screwgraph.base.progress_report import report_progress
from screwgraph.compiler import Exportable, Library, library_code
from screwgraph.compiler.backends.c import make_identifiers

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
    return write_library(Path(folder), library_code(library, language), what, overwrite)


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
