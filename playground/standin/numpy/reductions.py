"""Functions that are called as Python's own are: a file of their own, in which nothing else needs those."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy.array import array, asarray, ndarray


def abs(x: Any) -> Any:
    """Return sizes of numbers."""
    return x.__abs__() if not isinstance(x, (list, tuple)) else array(x).__abs__()


def round(x: Any, decimals: int = 0) -> Any:
    """Return rounded numbers."""
    return asarray(x).round(decimals) if isinstance(x, (ndarray, list)) else x.__round__(decimals)


def _method(name: str) -> Callable[..., Any]:
    return lambda x, *args, **named: getattr(asarray(x), name)(*args, **named)


sum, mean, prod, argmax, argmin = (_method(n) for n in ("sum", "mean", "prod", "argmax", "argmin"))
any, all, max, min, argsort = (_method(n) for n in ("any", "all", "max", "min", "argsort"))
