"""Records and bundles: what rows of tables hold, and which tables belong together, by name.

Kernels and NumPy read the same memory.
A field is 8 bytes: an integer or a double. A field of several, `classes: Ints = entries(256)`, is an array within the
record. Fields stand in memory in the order in which the class names them, without gaps.
"""

from __future__ import annotations

from typing import Any, ClassVar, Generic, TypeVar, get_args

import numpy as np

_DTYPES = {"int": "i8", "float": "f8", "Ints": "i8", "Reals": "f8"}


class Record:
    """The layout of a row: a subclass names its fields by annotations `int`, `float`, `Ints` or `Reals`."""

    dtype: ClassVar[np.dtype]

    def __init_subclass__(cls) -> None:
        fields: list[Any] = []
        for name, kind in annotations_of(cls).items():
            if hasattr(np.recarray, name):
                raise TypeError(f"{cls.__name__}.{name}: arrays have an attribute of that name")
            count = getattr(cls, name, None)
            fields.append((name, _DTYPES[kind]) if count is None else (name, _DTYPES[kind], (count,)))
        cls.dtype = np.dtype(fields)


R = TypeVar("R", bound=Record)


class Table(Generic[R]):
    """Rows of a record, as kernels see them: `table[i].field`. `new_table` makes one."""

    def __getitem__(self, i: int) -> R:
        raise TypeError("tables are made by new_table")


class Bundle:
    """Arrays and tables that go from kernel to kernel as one argument: a subclass names them by annotations.

    Compiled kernels take the addresses of all of them, in the order in which the class names them.
    """

    fields: ClassVar[dict[str, str]]
    """Annotations by name."""

    def __init_subclass__(cls) -> None:
        cls.fields = annotations_of(cls)

    def __init__(self, **arrays: Any) -> None:
        if arrays.keys() != self.fields.keys():
            raise TypeError(f"{type(self).__name__} has {', '.join(self.fields)}")
        vars(self).update(arrays)

    @property
    def addresses(self) -> tuple[int, ...]:
        """Addresses of its arrays; NumPy takes a microsecond for each."""
        return tuple(getattr(self, name).ctypes.data for name in self.fields)


def annotations_of(named: Any) -> dict[str, str]:
    """Return the annotations of a class or function as texts, with or without `from __future__ import annotations`."""
    return {name: _text(value) for name, value in named.__annotations__.items()}


def _text(annotation: Any) -> str:
    if isinstance(annotation, str) or annotation is None:
        return str(annotation)
    of = ", ".join(map(_text, get_args(annotation)))
    return f"{annotation.__name__}[{of}]" if of else annotation.__name__


def entries(count: int) -> Any:
    """Return what makes a field of a record an array of so many entries."""
    return count


def new_table(record: type[Record], rows: int) -> Any:
    """Return rows of zeros, a structured array: `table["field"]` is a column (rows,), or (rows, n)."""
    return np.zeros(rows, dtype=record.dtype)


def as_python(table: Any) -> Any:
    """Return a table as kernels see it that run in Python: `table[i].field` reads and writes the same memory."""
    return table.view(np.recarray)


def offset_of(record: type[Record], name: str) -> int:
    """Return where a field begins in its record, counted in fields of 8 bytes."""
    fields: Any = record.dtype.fields
    return fields[name][1] // 8
