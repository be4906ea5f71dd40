"""A compiled function: its arguments, its results, what it costs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from screwgraph.compiler import Function
from screwgraph.ui.notebook.html_elements import make_remark, make_table

MOST_NAMES = 8
"""Names of an argument's entries that are shown."""


def title(function: Function) -> str:
    """Name it."""
    return function.name


def tables(function: Function) -> Iterator[str]:
    """Yield the arguments and results, and the operations of its code."""
    rows = [("argument", a.name, _shape(a.shape), _names(a.names)) for a in function.arguments]
    rows += [("result", r.name, _shape(r.shape), "") for r in function.results]
    yield make_table(("", "name", "shape", "entries"), rows)
    counts = {**function.operations.counts, "total": function.operations.total}
    yield make_table(tuple(counts), [tuple(counts.values())])
    yield make_remark(f"operations of one call; ordering {function.ordering}, {function.dtype}")


def pictures(function: Function) -> tuple[Callable[[], str], ...]:
    """Return none: the elimination behind it is `function.dag`."""
    return ()


def _shape(shape: Sequence[int]) -> str:
    return f"({', '.join(['...', *map(str, shape)])})"


def _names(names: Sequence[str]) -> str:
    shown = ", ".join(names[:MOST_NAMES])
    return shown if len(names) <= MOST_NAMES else f"{shown}, ... {names[-1]}"
