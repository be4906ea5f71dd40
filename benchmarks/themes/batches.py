"""One sample in a batch on one core, in both memory layouts, beside a C++ call of Pinocchio's."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.bench import Entry, Tools
from benchmarks.tables import NOTHING, Remarks, Sheet, nanoseconds, times, verdict
from screwgraph.bench import GAP, columns, columns_apart, operations, rows, sample

COLUMNS = (
    "robot (velocities)",
    "question",
    "rows, ns",
    "columns, ns",
    "columns apart, ns",
    "Pinocchio C++, ns",
    "rows: faster",
    "columns: faster",
    "at least",
    "reached",
    "GFLOP/s",
    "of the roofline",
)
ASKED = ("inverse", "forward")


def table(entries: Sequence[Entry], tools: Tools) -> Sheet:
    """Time batches."""
    remarks, cells = Remarks(), []
    for entry in entries:
        tools.say(f"batches: {entry}")
        cells.append(_row(entry, remarks))
    roof = tools.roofline
    notes = (
        f"Batches of {tools.effort.batch}, one thread, CPU time, `out=` given. Rows: arrays (N, n), a sample's numbers "
        "side by side. Columns: the same number of all samples side by side, as in `x.T` of an (n, N) array. Reached: "
        "by the better of these two. GFLOP/s: operations of the code times samples, in the better of them. Columns "
        f"apart: {GAP} unused numbers between columns, for where N is a power of two all columns fall upon the same "
        "lines of the cache. "
        f"Roofline of one core, measured: {roof.vector:.0f} GFLOP/s in fused multiply-adds of {roof.width} doubles, "
        f"{roof.scalar:.1f} of single ones; code that cannot fuse reaches half.",
    )
    return Sheet("One sample in a batch", COLUMNS, cells, [*notes, *remarks.notes()])


def _row(entry: Entry, remarks: Remarks) -> list[str]:
    cells = entry.names
    ours = [sample(entry.functions, entry.states, entry.tools.effort, layout) for layout in (rows, columns)]
    apart = sample(entry.functions, entry.states, entry.tools.effort, columns_apart)
    cells += [nanoseconds(t) for t in (*ours, apart)] + _beside(entry, ours, remarks)
    speed = operations(entry.functions) / min(ours)
    return [*cells, f"{speed:.1f}", f"{speed / entry.tools.roofline.vector:.0%}"]


def _beside(entry: Entry, ours: Sequence[float], remarks: Remarks) -> list[str]:
    cpp = entry.cpp
    if isinstance(cpp, str):
        return [remarks.cell("Pinocchio C++", str(entry), cpp), *[NOTHING] * 4]
    ratios = [cpp.nanoseconds / t for t in ours]
    goal = entry.subject.goal.sample if entry.question.name in ASKED else None
    asked = [NOTHING, NOTHING] if goal is None else [times(goal), verdict(max(ratios) >= goal)]
    return [nanoseconds(cpp.nanoseconds), *(times(r) for r in ratios), *asked]
