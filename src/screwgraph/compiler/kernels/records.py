"""Records and bundles: rows of tables, tables that belong together, and how kernels name them in annotations.

Kernels and NumPy read the same memory.
A field is 8 bytes: an integer or a double. A field of several, `classes: Ints = entries(256)`, is an array within the
record. Fields stand in memory in the order in which the class names them, without gaps.

Kinds of values: `i64`, `double`; of what addresses point to, `ptr.i64` and `ptr.double` (entries of an array),
`row.NAME` (a record), `table.NAME` (rows of a record); `bundle.NAME` (several addresses).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar, get_args

import numpy as np

_DTYPES = {"int": "i8", "float": "f8", "Ints": "i8", "Reals": "f8"}

_KINDS = {"int": "i64", "float": "double", "Ints": "ptr.i64", "Reals": "ptr.double"}

_TABLE = re.compile(r"Table\[(\w+)\]")


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


@dataclass(frozen=True)
class Layouts:
    """Records and bundles by name."""

    records: Mapping[str, np.dtype]
    bundles: Mapping[str, Mapping[str, str]]
    """Of each, annotations by name."""

    @property
    def key(self) -> tuple[object, ...]:
        """All that code depends on, for the cache."""
        records = tuple((name, str(dtype.descr)) for name, dtype in sorted(self.records.items()))
        return records, tuple((name, tuple(fields.items())) for name, fields in sorted(self.bundles.items()))

    def kind_of(self, annotation: str) -> str:
        """Return the kind of an argument or of a bundle's field. Raises SyntaxError where there is none."""
        table = _TABLE.fullmatch(annotation)
        if annotation in _KINDS:
            return _KINDS[annotation]
        if table and table[1] in self.records:
            return f"table.{table[1]}"
        if annotation in self.records:
            return f"row.{annotation}"
        if annotation in self.bundles:
            return f"bundle.{annotation}"
        raise SyntaxError(f"{annotation or 'an argument without annotation'} is no kind of argument")

    def list_fields(self, name: str) -> list[tuple[str, str]]:
        """Return names and kinds of the fields of a bundle. Raises SyntaxError of fields that are no arrays."""
        found = [(field, self.kind_of(text)) for field, text in self.bundles[name].items()]
        for field, kind in found:
            if not kind.startswith(("ptr.", "row.", "table.")):
                raise SyntaxError(f"{name}.{field} is no array")
        return found

    def field(self, record: str, name: str) -> tuple[int, str] | None:
        """Return where a field begins, counted in entries of 8 bytes, and its kind; None where there is none."""
        fields: Any = self.records[record].fields or {}
        if name not in fields:
            return None
        found = fields[name]
        dtype, offset = found[:2]
        entry = "double" if dtype.base.kind == "f" else "i64"
        return offset // 8, f"ptr.{entry}" if dtype.shape else entry

    def width(self, record: str) -> int:
        """Return how many entries of 8 bytes a row has."""
        return self.records[record].itemsize // 8


def find_layouts(kernels: Sequence[Callable[..., Any]]) -> Layouts:
    """Return the records and bundles that annotations of kernels name. Raises SyntaxError for two of one name."""
    records, bundles = dict[str, np.dtype](), dict[str, Mapping[str, str]]()
    for kernel in kernels:
        _add_layouts(annotations_of(kernel).values(), kernel.__globals__, records, bundles)
    return Layouts(records, bundles)


def _add_layouts(
    annotations: Iterable[str],
    names: Mapping[str, Any],
    records: dict[str, np.dtype],
    bundles: dict[str, Mapping[str, str]],
) -> None:
    for text in annotations:
        table = _TABLE.fullmatch(text)
        name = table[1] if table else text
        found = names.get(name)
        if not isinstance(found, type):
            continue  # one of `_KINDS`, or what `kind_of` refuses
        if issubclass(found, Record) and records.setdefault(name, found.dtype) != found.dtype:
            raise SyntaxError(f"{name} is the name of two records")
        if issubclass(found, Bundle):
            if bundles.setdefault(name, found.fields) != found.fields:
                raise SyntaxError(f"{name} is the name of two bundles")
            _add_layouts(found.fields.values(), {**names, **vars(sys.modules[found.__module__])}, records, bundles)
