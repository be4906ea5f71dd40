"""Arrays that users give a function: numbers in other types, results that would overwrite each other."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np

from screwgraph.base.errors import InputError
from screwgraph.compiler.signature import Result

SEARCH = 100_000
"""Numbers of an array of unusual strides that are looked at one by one."""


def as_numbers(values: Sequence[Any]) -> tuple[Any, ...] | None:
    """Return values whose objects are real numbers as arrays of floats; None where there are no such objects."""
    found = []
    for value in values:
        array = value if isinstance(value, np.ndarray) else None
        if array is not None and array.dtype == object and all(isinstance(x, Real) for x in array.flat):
            try:
                value = array.astype(float)
            except (OverflowError, TypeError, ValueError):
                return None
        found.append(value)
    return tuple(found) if any(a is not b for a, b in zip(found, values, strict=True)) else None


def check_unmasked(function: str, values: Sequence[Any]) -> None:
    """Raise InputError where numbers of an array are masked: nothing says what a function is to make of them."""
    if any(isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value) for value in values):
        raise InputError(
            f"{function}: numbers of an argument are masked", why="there is no result for them", fix="x.filled(np.nan)"
        )


def check_separate(function: str, results: Sequence[Result], out: Sequence[Any]) -> None:
    """Raise InputError where arrays for results share memory: one would overwrite the other."""
    if len(out) == 2 and out[0] is not out[1] and getattr(out[0], "base", out) is getattr(out[1], "base", out) is None:
        return  # as most often: arrays that own their memory share none
    for j, x in enumerate(out):
        for i in range(j):
            if x is out[i] or (_is_view(x, out[i]) and np.shares_memory(x, out[i])):
                names = [results[k].name if k < len(results) else f"result {k}" for k in (i, j)]
                raise InputError(
                    f"{function}: the arrays in out for {names[0]!r} and {names[1]!r} share memory",
                    why="one would overwrite the other",
                    fix="give each result an array of its own",
                )


def check_unfolded(function: str, out: Sequence[Any]) -> None:
    """Raise InputError where several numbers of an array for results are at one place: all but one would be lost."""
    for x in out:
        if isinstance(x, np.ndarray) and not x.flags.forc and _folds(x):
            raise InputError(
                f"{function}: an array in out has several numbers at one place in memory",
                why=f"its strides are {x.strides}, as np.broadcast_to makes them",
                fix="give np.empty(shape)",
            )


def _is_view(x: Any, y: Any) -> bool:
    """Return whether two things are arrays that may share memory: such that own theirs do not."""
    if not (isinstance(x, np.ndarray) and isinstance(y, np.ndarray)) or (x.base is None and y.base is None):
        return False
    return bool(np.may_share_memory(x, y))


def _folds(x: np.ndarray) -> bool:
    """Return whether two numbers of an array are at one place."""
    reach = x.itemsize
    for stride, count in sorted((abs(s), n) for s, n in zip(x.strides, x.shape, strict=True) if n > 1):
        if stride < reach:
            break
        reach = stride * count
    else:
        return False
    if x.size > SEARCH or 0 in x.strides:
        return bool(x.size)
    places = sum(
        np.arange(n).reshape(-1, *[1] * (x.ndim - i - 1)) * s
        for i, (n, s) in enumerate(zip(x.shape, x.strides, strict=True))
    )
    return len(np.unique(places)) < x.size
