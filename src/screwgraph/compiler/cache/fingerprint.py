"""Values as bytes that differ where the values differ, the same in every process."""

from __future__ import annotations

import marshal
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from operator import attrgetter
from types import FunctionType
from typing import Any

import numpy as np

from screwgraph.compiler.cache.source_digest import PACKAGE

LEAVES = frozenset({bool, int, float, complex, str, bytes, type(None)})
BINARY = 2
"""The version of marshal's format that writes numbers exactly and does not regard which objects are shared."""
REAL_KINDS = "biufc"


class _UntoldError(Exception):
    """A value that may depend on code that is not ours."""


def fingerprint(value: object) -> bytes | None:
    """Return the bytes of numbers, texts, arrays, containers, and this package's frozen dataclasses and functions.

    Of functions inside of others, the values around them count that they use.

    None where there is anything else in it: what it does does not follow from what it holds.
    """
    try:
        return marshal.dumps(_plain(value), BINARY)
    except (_UntoldError, RecursionError):  # functions may use themselves
        return None


def _plain(value: Any) -> Any:
    """Return a value as nested tuples; each begins with what it was."""
    kind = type(value)
    if kind in LEAVES:
        return value
    if kind is tuple or kind is list:
        return ("", *_each(value))
    if kind is np.ndarray and value.dtype.kind in REAL_KINDS:
        return ("array", value.dtype.str, value.shape, value.tobytes())
    members = _members(kind)
    if members is not None:
        return (f"{kind.__module__}.{kind.__qualname__}", *_each(members(value)))
    return _rare(value, kind)


def _each(values: Any) -> list[Any]:
    return [v if type(v) in LEAVES else _plain(v) for v in values]


def _rare(value: Any, kind: type) -> tuple[Any, ...]:
    if isinstance(value, np.generic) and value.dtype.kind in REAL_KINDS:
        return ("number", value.dtype.str, value.tobytes())
    if isinstance(value, Mapping):
        return ("map", *_each(pair for item in value.items() for pair in item))
    if isinstance(value, (set, frozenset)):
        return ("set", *sorted(marshal.dumps(_plain(v), BINARY) for v in value))
    if isinstance(value, Enum) and _is_ours(kind):
        return (f"{kind.__module__}.{kind.__qualname__}", value.name)
    if isinstance(value, FunctionType) and _is_ours(value):
        about = (value.__module__, value.__qualname__, value.__code__.co_firstlineno, _body(value))
        return (
            "function",
            *about,
            *_each((value.__defaults__, value.__kwdefaults__)),
            *_each(_list_closure_values(value)),
        )
    raise _UntoldError


def _body(function: FunctionType) -> tuple[Any, ...]:
    """Return what tells functions apart that begin on the same line."""
    code = function.__code__
    return code.co_code, code.co_names, tuple(c for c in code.co_consts if type(c) in LEAVES)


def _list_closure_values(function: FunctionType) -> list[Any]:
    """Return the values of the functions around it that a function uses."""
    try:
        return [cell.cell_contents for cell in function.__closure__ or ()]
    except ValueError:  # one that has no value yet
        raise _UntoldError from None


@cache
def _members(kind: type) -> Callable[[Any], tuple[Any, ...]] | None:
    """Return what lists the members of a class of ours that cannot change; None for other classes."""
    if not _is_ours(kind):
        return None
    if issubclass(kind, tuple):
        return tuple
    if not (is_dataclass(kind) and kind.__dataclass_params__.frozen):  # pyright: ignore[reportAttributeAccessIssue]
        return None
    names = [f.name for f in fields(kind)]
    if len(names) > 1:
        return attrgetter(*names)
    return lambda value: tuple(getattr(value, name) for name in names)


def _is_ours(made: type | FunctionType) -> bool:
    return (made.__module__ or "").partition(".")[0] == PACKAGE
