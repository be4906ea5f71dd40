"""Kinds of numbers that arrays hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from operator import attrgetter
from typing import Any


class number(float):
    """Type of numbers of NumPy's own; there are none: entries of arrays are Python's."""


class integer(int):
    """Type of whole numbers of NumPy's own; there are none."""


class bool_(int):
    """Type of truth values of NumPy's own; there are none."""


class DType:
    """A kind of numbers, its letter in NumPy, and the Python type that stands for it."""

    def __init__(self, kind: str, type: type, convert: Callable[[Any], Any], names: tuple[str, ...]) -> None:
        self.kind, self.type, self.convert, self.names = kind, type, convert, names
        self.itemsize, self.rank = 8, "bifcOU".index(kind)
        self.name = names[0]

    def __eq__(self, other: object) -> bool:
        return self is other or other is self.type or (isinstance(other, str) and other in self.names)

    def __hash__(self) -> int:
        return hash(self.kind)

    def __repr__(self) -> str:
        return f"dtype('{self.name}')"

    def __reduce__(self) -> Any:
        return as_dtype, (self.name,)


BOOL = DType("b", bool, bool, ("bool",))
INT = DType("i", int, int, ("int64", "int32", "intp"))
FLOAT = DType("f", float, float, ("float64", "float32", "d"))
COMPLEX = DType("c", complex, complex, ("complex128",))
TEXT = DType("U", str, str, ("str",))
OBJECT = DType("O", object, lambda x: x, ("object", "O"))
ORDER = (BOOL, INT, FLOAT, COMPLEX, OBJECT)


def as_dtype(source: Any) -> DType:
    """Return the kind that a type, a name or a kind means."""
    if isinstance(source, DType):
        return source
    found = next((d for d in (*ORDER, TEXT) if d == source), None)
    if found is None:
        raise TypeError(f"no kind of numbers is called {source!r}")
    return found


def common(*kinds: DType) -> DType:
    """Return the kind that holds numbers of all kinds."""
    return max(kinds, key=_rank)


_rank = attrgetter("rank")
_BY_TYPE = {bool: BOOL, int: INT, float: FLOAT, complex: COMPLEX, str: TEXT}


def kind_of(values: Sequence[Any], otherwise: DType | None = None) -> DType:
    """Return the kind of some values; that of none is `otherwise`, by default floats. Objects stay objects."""
    if otherwise is OBJECT:
        return OBJECT
    if not values:
        return otherwise or FLOAT
    kinds = {_BY_TYPE.get(t) or _of_subclass(t) for t in set(map(type, values))}
    return max(kinds, key=_rank)


@cache
def _of_subclass(kind: type) -> DType:
    return next((d for t, d in _BY_TYPE.items() if issubclass(kind, t)), OBJECT)
