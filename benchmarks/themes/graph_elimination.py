"""The same graph, eliminated numerically by GTSAM at each state, and once for all states by us."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.bench import Entry, Tools
from benchmarks.peers.gtsam import KNOWN, Gtsam
from benchmarks.tables import NOTHING, Remarks, Sheet, nanoseconds, times
from screwgraph.ui.bench import time_single_call

COLUMNS = ("robot (velocities)", "question", "GTSAM, ns", "order", "ours from Python, ns", "faster", "rel. error")
NOTES = (
    "GTSAM: sequential elimination and back-substitution of linear factors that are there already, the better of its "
    "own COLAMD order and ours; making the factors is not counted. Ours: the whole call, trigonometry included.",
)


def table(entries: Sequence[Entry], tools: Tools) -> Sheet:
    """Time eliminations."""
    remarks, rows = Remarks(), []
    for entry in (e for e in entries if e.question.name in KNOWN):
        tools.say(f"elimination by GTSAM: {entry}")
        rows.append(_row(entry, remarks))
    return Sheet("Elimination of the same graph", COLUMNS, rows, [*NOTES, *remarks.notes()])


def _row(entry: Entry, remarks: Remarks) -> list[str]:
    name = entry.names
    theirs = entry.maybe(Gtsam())
    ours = time_single_call(entry.functions, entry.states, entry.tools.effort)
    if isinstance(theirs, str):
        return [*name, remarks.cell("GTSAM", str(entry), theirs), NOTHING, nanoseconds(ours), NOTHING, NOTHING]
    ratio = times(theirs.nanoseconds / ours)
    return [*name, nanoseconds(theirs.nanoseconds), theirs.way, nanoseconds(ours), ratio, f"{entry.error(theirs):.0e}"]
