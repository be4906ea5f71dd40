"""One sample in a batch on one core, in all layouts of memory, beside the strongest peers: calls, and vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchmarks.bench import Entry, Tools, fastest
from benchmarks.subjects import PEER_GOAL
from benchmarks.tables import NOTHING, Remarks, Sheet, nanoseconds, times, verdict
from screwgraph.ui.bench import (
    GAP,
    count_operations,
    time_batch,
    time_blocked_batch,
    to_columns,
    to_padded_columns,
    to_rows,
)

COLUMNS = (
    "robot (velocities)",
    "question",
    "rows, ns",
    "columns, ns",
    "columns apart, ns",
    "packed, ns",
    "blocks, ns",
    "packed blocks, ns",
    "Pinocchio C++, ns",
    "rows: faster",
    "columns: faster",
    "CasADi SX in blocks, ns",
    "best peer",
    "compared",
    "ratio",
    "at least",
    "reached",
    "rel. error",
    "GFLOP/s",
    "of the roofline",
)

LAYOUTS = {"rows": to_rows, "columns": to_columns, "columns apart": to_padded_columns}


def table(entries: Sequence[Entry], tools: Tools) -> Sheet:
    """Time batches."""
    remarks, cells = Remarks(), []
    for entry in entries:
        tools.say(f"batches: {entry}")
        cells.append(_row(entry, remarks))
    roof = tools.roofline
    notes = (
        f"Batches of {tools.effort.batch}, one thread, CPU time, `out=` given. Rows: arrays (N, n), a sample's "
        "numbers side by side. Columns: the same number of all samples side by side, as in `x.T` of an (n, N) array. "
        f"Columns apart: {GAP} unused numbers between columns, for where N is a power of two all columns fall upon "
        "the same lines of the cache. Faster: than Pinocchio C++. CasADi SX in blocks: expressions of Pinocchio's "
        "algorithm, written over vectors of samples and built with -O3 -march=native -ffast-math, sines of glibc's "
        "libmvec; arguments and results lie block by block, of results only what is not zero and one triangle, "
        "stored past the caches where they are large. Packed: such results of ours, `f.packed()`, where some are "
        "zero or mirrored, the better of rows and columns. Blocks: `f.blocked()`, arguments and results as those of "
        'CasADi\'s blocks, called from Python. Ratio: the time of the fastest peer, those of "One call in C" included, '
        "to that of our fastest layout, which is named under compared. Error: beside the blocks. GFLOP/s: operations "
        f"of the code times samples, in that layout. Roofline of one core, measured: {roof.vector:.0f} GFLOP/s in "
        f"fused multiply-adds of {roof.width} doubles, {roof.scalar:.1f} of single ones; code that cannot fuse "
        "reaches half.",
    )
    return Sheet("One sample in a batch", COLUMNS, cells, [*notes, *remarks.notes()])


def _row(entry: Entry, remarks: Remarks) -> list[str]:
    functions, states, effort = entry.functions, entry.states, entry.tools.effort
    ours = {name: time_batch(functions, states, effort, layout) for name, layout in LAYOUTS.items()}
    ours["blocks"] = time_blocked_batch(functions, states, effort)
    if entry.has_less:
        ours["packed"] = min(time_batch(entry.packed, states, effort, layout) for layout in (to_rows, to_columns))
        ours["packed blocks"] = time_blocked_batch(entry.packed, states, effort)
    order = (*LAYOUTS, "packed", "blocks", "packed blocks")
    cells = [*entry.names, *(nanoseconds(ours[name]) if name in ours else NOTHING for name in order)]
    cells += _beside(entry, ours, remarks)
    speed = count_operations(functions) / min(ours.values())
    return [*cells, f"{speed:.1f}", f"{speed / entry.tools.roofline.vector:.0%}"]


def _beside(entry: Entry, ours: Mapping[str, float], remarks: Remarks) -> list[str]:
    cpp, blocks = entry.cpp, entry.sx_in_blocks
    if isinstance(cpp, str):
        cells = [remarks.cell("Pinocchio C++", str(entry), cpp), NOTHING, NOTHING]
    else:
        cells = [nanoseconds(cpp.nanoseconds), *(times(cpp.nanoseconds / ours[name]) for name in ("rows", "columns"))]
    if isinstance(blocks, str):
        cells, error = [*cells, remarks.cell("CasADi SX in blocks", str(entry), blocks)], NOTHING
    else:
        cells, error = [*cells, nanoseconds(blocks.nanoseconds)], f"{entry.error(blocks):.0e}"
    best = fastest({**entry.calls, "CasADi SX in blocks": blocks})
    if best is None:
        return [*cells, *[NOTHING] * 6]
    layout = min(ours, key=lambda name: ours[name])
    ratio = best[1].nanoseconds / ours[layout]
    return [*cells, best[0], layout, times(ratio), times(PEER_GOAL), verdict(ratio >= PEER_GOAL), error]
