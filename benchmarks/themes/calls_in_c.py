"""One call without Python: our C99 source and our machine code, beside Pinocchio's C++ in the same loop."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.bench import Entry, Maybe, Tools
from benchmarks.tables import NOTHING, Remarks, Sheet, nanoseconds, times, verdict

COLUMNS = (
    "robot (velocities)",
    "question",
    "Pinocchio C++, ns",
    "way",
    "our C99, ns",
    "faster",
    "our LLVM, ns",
    "faster",
    "at least",
    "reached",
    "rel. error",
)
NOTES = (
    "CPU time of the thread, the best pass over stored random states. The same compiler and flags build Pinocchio and "
    "our C99; LLVM: the machine code behind the NumPy function, one sample a call. Reached: by the better of the two. "
    "Derivatives: one call each that returns all three. Error: largest difference at these states, relative to "
    "the state's largest number.",
)
ASKED = ("inverse", "forward")


def table(entries: Sequence[Entry], tools: Tools) -> Sheet:
    """Time calls."""
    remarks, rows = Remarks(), []
    for entry in entries:
        tools.say(f"calls in C: {entry}")
        rows.append(_row(entry, remarks))
    return Sheet("One call in C", COLUMNS, rows, [*NOTES, *remarks.notes()])


def _row(entry: Entry, remarks: Remarks) -> list[str]:
    cpp, ours = entry.cpp, [entry.c_code, entry.machine_code]
    cells = entry.names
    if isinstance(cpp, str):
        cells += [remarks.cell("Pinocchio C++", str(entry), cpp), NOTHING]
    else:
        cells += [nanoseconds(cpp.nanoseconds), cpp.way]
    for name, own in zip(("our C99", "our LLVM"), ours, strict=True):
        if isinstance(own, str):
            cells += [remarks.cell(name, str(entry), own), NOTHING]
        else:
            cells += [nanoseconds(own.nanoseconds), _ratio(cpp, own.nanoseconds)]
    measured = [own for own in ours if not isinstance(own, str)]
    if isinstance(cpp, str) or not measured:
        return [*cells, *[NOTHING] * 3]
    best = cpp.nanoseconds / min(own.nanoseconds for own in measured)
    goal = entry.subject.goal.call if entry.question.name in ASKED else None
    asked = [NOTHING, NOTHING] if goal is None else [times(goal), verdict(best >= goal)]
    return [*cells, *asked, f"{max(_differences(entry, cpp, measured)):.0e}"]


def _differences(entry: Entry, cpp: Maybe, measured: Sequence[Maybe]) -> list[float]:
    from screwgraph.bench import error

    return [
        error(own.answers, cpp.answers) for own in measured if not isinstance(own, str) and not isinstance(cpp, str)
    ]


def _ratio(theirs: Maybe, ours: float) -> str:
    return NOTHING if isinstance(theirs, str) else times(theirs.nanoseconds / ours)
