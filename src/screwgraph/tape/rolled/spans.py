"""Which columns belong to a row, as stretches of neighbours."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Span(NamedTuple):
    """The columns from `first` on, `count` of them, of a row."""

    row: int
    first: int
    count: int

    @property
    def columns(self) -> range:
        """The columns."""
        return range(self.first, self.first + self.count)


def find_spans(row: int, columns: Iterable[int]) -> list[Span]:
    """Return the stretches of columns of a row, the first columns first."""
    found: list[Span] = []
    for column in sorted(columns):
        if found and column == found[-1].first + found[-1].count:
            found[-1] = found[-1]._replace(count=found[-1].count + 1)
        else:
            found.append(Span(row, column, 1))
    return found
