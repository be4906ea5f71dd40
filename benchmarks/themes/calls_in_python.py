"""One call from Python, beside `pin` and MuJoCo."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.bench import Entry, Maybe, Tools
from benchmarks.subjects import PYTHON_GOAL
from benchmarks.tables import NOTHING, Remarks, Sheet, nanoseconds, times, verdict
from screwgraph.ui.bench import PYTHON_PEERS, QUESTIONS, time_single_call

NOTES = (
    "CPU time of the thread, the best of several rounds of calls with one state. `pin` computes in data allocated "
    "before; MuJoCo's mj_forward and mj_inverse find their inputs in place, collisions and constraints switched off.",
)
ASKED = ("inverse", "forward")
JUDGE = "pin"
"""The peer that the goal is about."""


def table(entries: Sequence[Entry], tools: Tools) -> Sheet:
    """Time calls."""
    names = [f"{peer.name}{what}" for peer in PYTHON_PEERS for what in (", ns", " / ours", ": error")]
    columns = ("robot (velocities)", "question", "ours, ns", *names, "at least", "reached")
    remarks, rows = Remarks(), []
    for entry in (e for e in entries if e.question in QUESTIONS):  # kinematics have a table of their own
        tools.say(f"calls from Python: {entry}")
        rows.append(_row(entry, remarks))
    return Sheet("One call from Python", columns, rows, [*NOTES, *remarks.notes()])


def _row(entry: Entry, remarks: Remarks) -> list[str]:
    cells = entry.names
    ours = time_single_call(entry.functions, entry.states, entry.tools.effort)
    cells.append(nanoseconds(ours))
    measured = {peer.name: entry.maybe(peer) for peer in PYTHON_PEERS}
    for name, theirs in measured.items():
        cells += _peer(entry, name, theirs, ours, remarks)
    return cells + _reached(entry, measured[JUDGE], ours)


def _peer(entry: Entry, name: str, theirs: Maybe, ours: float, remarks: Remarks) -> list[str]:
    if isinstance(theirs, str):
        return [remarks.cell(name, str(entry), theirs), NOTHING, NOTHING]
    return [nanoseconds(theirs.nanoseconds), times(theirs.nanoseconds / ours), f"{entry.error(theirs):.0e}"]


def _reached(entry: Entry, theirs: Maybe, ours: float) -> list[str]:
    if isinstance(theirs, str) or entry.question.name not in ASKED:
        return [NOTHING, NOTHING]
    return [times(PYTHON_GOAL), verdict(theirs.nanoseconds / ours >= PYTHON_GOAL)]
