"""One sample in a batch on one core, in both memory layouts, beside the strongest peers: calls, and vectors."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.bench import Entry, Tools, fastest
from benchmarks.subjects import PEER_GOAL
from benchmarks.tables import NOTHING, Remarks, Sheet, nanoseconds, times, verdict
from screwgraph.bench import GAP, columns, columns_apart, operations, rows, sample

COLUMNS = (
    "robot (velocities)",
    "question",
    "rows, ns",
    "columns, ns",
    "columns apart, ns",
    "packed, ns",
    "Pinocchio C++, ns",
    "rows: faster",
    "columns: faster",
    "CasADi SX in blocks, ns",
    "best peer",
    "ratio",
    "at least",
    "reached",
    "rel. error",
    "GFLOP/s",
    "of the roofline",
)


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
        'zero or mirrored, the better of rows and columns. Ratio: the time of the fastest peer, those of "One call '
        'in C" included, to the best of rows, columns and packed. Error: beside the blocks. GFLOP/s: operations of '
        f"the code times samples, in the better of them. Roofline of one core, measured: {roof.vector:.0f} GFLOP/s in "
        f"fused multiply-adds of {roof.width} doubles, {roof.scalar:.1f} of single ones; code that cannot fuse "
        "reaches half.",
    )
    return Sheet("One sample in a batch", COLUMNS, cells, [*notes, *remarks.notes()])


def _row(entry: Entry, remarks: Remarks) -> list[str]:
    cells = entry.names
    ours = [sample(entry.functions, entry.states, entry.tools.effort, layout) for layout in (rows, columns)]
    apart = sample(entry.functions, entry.states, entry.tools.effort, columns_apart)
    packed = _packed(entry)
    cells += [*(nanoseconds(t) for t in (*ours, apart)), NOTHING if packed is None else nanoseconds(packed)]
    cells += _beside(entry, ours, min(*ours, packed or ours[0]), remarks)
    speed = operations(entry.functions) / min(ours)
    return [*cells, f"{speed:.1f}", f"{speed / entry.tools.roofline.vector:.0%}"]


def _packed(entry: Entry) -> float | None:
    """Return the time (ns) of a sample without zeros and mirrored entries, if there are some."""
    if not entry.has_less:
        return None
    return min(sample(entry.packed, entry.states, entry.tools.effort, layout) for layout in (rows, columns))


def _beside(entry: Entry, ours: Sequence[float], least: float, remarks: Remarks) -> list[str]:
    cpp, blocks = entry.cpp, entry.sx_in_blocks
    if isinstance(cpp, str):
        cells = [remarks.cell("Pinocchio C++", str(entry), cpp), NOTHING, NOTHING]
    else:
        cells = [nanoseconds(cpp.nanoseconds), *(times(cpp.nanoseconds / t) for t in ours)]
    if isinstance(blocks, str):
        cells, error = [*cells, remarks.cell("CasADi SX in blocks", str(entry), blocks)], NOTHING
    else:
        cells, error = [*cells, nanoseconds(blocks.nanoseconds)], f"{entry.error(blocks):.0e}"
    best = fastest({**entry.calls, "CasADi SX in blocks": blocks})
    if best is None:
        return [*cells, *[NOTHING] * 5]
    ratio = best[1].nanoseconds / least
    return [*cells, best[0], times(ratio), times(PEER_GOAL), verdict(ratio >= PEER_GOAL), error]
