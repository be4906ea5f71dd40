"""Operations of straight-line code."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.bench import Entry, Tools
from benchmarks.tables import NOTHING, Sheet, verdict
from screwgraph.ui.bench import count_operations

COLUMNS = ("robot (velocities)", "question", "order", "operations", "Pinocchio on SX", "ratio", "at most", "reached")
NOTES = (
    "Operations: + - * / sqrt sin cos of the code; inputs, outputs and constants cost nothing. Derivatives: all "
    "three in one function. Pinocchio's RNEA, ABA and CRBA were counted on CasADi scalars, common subexpressions "
    "removed, rotations rounded as ours.",
)


def table(entries: Sequence[Entry], tools: Tools) -> Sheet:
    """Count, beside Pinocchio's algorithms on CasADi scalars."""
    rows = []
    for entry in entries:
        tools.say(f"operations: {entry}")
        rows.append(_row(entry))
    return Sheet("Operations", COLUMNS, rows, NOTES)


def _row(entry: Entry) -> list[str]:
    ours = count_operations(entry.functions)
    orders = ", ".join(dict.fromkeys(f.ordering for f in entry.functions))
    counts = entry.subject.counts.get(entry.question.name)
    cells = [*entry.names, orders, str(ours)]
    if counts is None:
        return [*cells, *[NOTHING] * 4]
    ratio, goal = ours / counts.total, entry.subject.goal.operations.get(entry.question.name)
    asked = [NOTHING, NOTHING] if goal is None else [f"{goal:.2f}", verdict(ratio <= goal)]
    return [*cells, str(counts.total), f"{ratio:.2f}", *asked]
