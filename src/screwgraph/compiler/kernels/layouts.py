"""The records and bundles that kernels name in their annotations, and the kinds of values that annotations mean.

Kinds: `i64`, `double`; of what addresses point to, `ptr.i64` and `ptr.double` (entries of an array), `row.NAME` (a
record), `table.NAME` (rows of a record); `bundle.NAME` (several addresses).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from screwgraph.compiler.kernels.records import Bundle, Record, annotations_of

_KINDS = {"int": "i64", "float": "double", "Ints": "ptr.i64", "Reals": "ptr.double"}
_TABLE = re.compile(r"Table\[(\w+)\]")


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
