"""Why an elimination does not give every unknown: named variables and equations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from screwgraph.base.errors import EliminationError
from screwgraph.elimination.engine import Elimination
from screwgraph.graph import Column, FactorGraph, Row

SHOWN = 6
"""How many names a message lists."""


def check_determined(graph: FactorGraph, rows: Sequence[Row], elimination: Elimination) -> None:
    """Raise EliminationError if unknowns are left, or equations that contradict."""
    if elimination.undetermined:
        columns = len({c for v in graph.unknowns for c in ((v.key, i) for i in range(v.dim))})
        spare = f"; left over: {_factors(elimination.left)}" if elimination.left else ""
        kind = "underdetermined" if columns > len(rows) else "singular"
        raise EliminationError(
            f"the problem is {kind}: no equation determines {_variables(elimination.undetermined)}",
            why=f"{columns} unknown numbers, {len(rows)} equations{spare}",
            fix="give more knowns, or give the bodies that these move mass and inertia",
        )
    if left := elimination.left:
        raise EliminationError(
            f"the problem is overdetermined: all unknowns are found, and {_factors(left)} is left",
            why=f"{len(rows)} equations, {len(elimination.steps)} unknown numbers",
            fix="give fewer knowns, or let equations hold only nearly, for the weighted least-squares solution: "
            f"sg.with_soft(graph, {_factor_name(left[0])!r}, sigma=...)",
        )


def _factor_name(row: Row) -> str:
    """Return the name by which a factor is asked for."""
    template, key = row.factor.law
    return f"{template}:{key.name}"


def _variables(columns: Iterable[Column]) -> str:
    return _format_names(dict.fromkeys(str(column[0]) for column in columns))


def _factors(rows: Iterable[Row]) -> str:
    return _format_names(dict.fromkeys(f"equation {row.factor.name!r}" for row in rows))


def _format_names(names: Iterable[str]) -> str:
    names = list(names)
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more
