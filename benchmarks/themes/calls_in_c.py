"""One call without Python: our C99 source and our machine code, beside the strongest peers in the same loop."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.bench import Entry, Maybe, Tools, fastest
from benchmarks.subjects import PEER_GOAL
from benchmarks.tables import NOTHING, Remarks, Sheet, nanoseconds, times, verdict
from screwgraph.ui.bench import PeerResult, relative_error

COLUMNS = (
    "robot (velocities)",
    "question",
    "Pinocchio C++, ns",
    "way",
    "our C99, ns",
    "faster",
    "our LLVM, ns",
    "faster",
    "packed, ns",
    "CppADCodeGen, ns",
    "CasADi SX, ns",
    "best peer",
    "ratio",
    "at least",
    "reached",
    "rel. error",
)
NOTES = (
    "CPU time of the thread, the best pass over stored random states; every call writes its results to the same place, "
    "ours and the peers'. The same compiler builds all; Pinocchio -O3 -march=native, our C99 besides "
    "-ffp-contract=fast -fno-math-errno, code that CppADCodeGen and CasADi make of Pinocchio's algorithms besides "
    "-ffast-math; of symmetric matrices peers store one triangle, generated code only what is not zero, as our packed "
    "results are (`f.packed()`, the better of C99 and LLVM), where some are zero or mirrored. "
    "LLVM: the machine code behind the NumPy function, one sample a call. Faster: than Pinocchio C++. Ratio: the best "
    "peer's time to the better of ours. Derivatives: one call each that returns all three. The frame of kinematics is "
    "the link of the last joint. Error: largest difference between ours and any peer at these states, relative to the "
    "state's largest number.",
)


def table(entries: Sequence[Entry], tools: Tools) -> Sheet:
    """Time calls."""
    remarks, rows = Remarks(), []
    for entry in entries:
        tools.say(f"calls in C: {entry}")
        rows.append(_row(entry, remarks))
    return Sheet("One call in C", COLUMNS, rows, [*NOTES, *remarks.notes()])


def _row(entry: Entry, remarks: Remarks) -> list[str]:
    peers, cpp = entry.calls, entry.cpp
    ours = {"our C99": entry.c_code, "our LLVM": entry.machine_code}
    shown = {name: _time(name, found, entry, remarks) for name, found in {**peers, **ours}.items()}
    way = NOTHING if isinstance(cpp, str) else cpp.way
    cells = [*entry.names, shown["Pinocchio C++"], way]
    for name, own in ours.items():
        cells += [shown[name], _ratio(cpp, own)]
    packed = _packed(entry)
    cells.append(NOTHING if packed is None else nanoseconds(packed[1].nanoseconds))
    cells += [shown["CppADCodeGen"], shown["CasADi SX"]]
    peer, own = fastest(peers), min((x for x in (fastest(ours), packed) if x), key=_nanoseconds, default=None)
    if peer is None or own is None:
        return [*cells, *[NOTHING] * 5]
    ratio = peer[1].nanoseconds / own[1].nanoseconds
    asked = [times(PEER_GOAL), verdict(ratio >= PEER_GOAL)]
    return [*cells, peer[0], times(ratio), *asked, f"{_difference(list(ours.values()), list(peers.values())):.0e}"]


def _packed(entry: Entry) -> tuple[str, PeerResult] | None:
    """Return our faster code of results without zeros and mirrored entries, if there are some."""
    return fastest({"C99": entry.packed_c_code, "LLVM": entry.packed_machine_code}) if entry.has_less else None


def _nanoseconds(found: tuple[str, PeerResult]) -> float:
    return found[1].nanoseconds


def _time(name: str, found: Maybe, entry: Entry, remarks: Remarks) -> str:
    return remarks.cell(name, str(entry), found) if isinstance(found, str) else nanoseconds(found.nanoseconds)


def _difference(ours: Sequence[Maybe], theirs: Sequence[Maybe]) -> float:
    """Return the largest error of any of ours beside any peer."""
    return max(
        relative_error(own.answers, peer.answers)
        for own in ours
        for peer in theirs
        if not isinstance(own, str) and not isinstance(peer, str)
    )


def _ratio(theirs: Maybe, ours: Maybe) -> str:
    return NOTHING if isinstance(theirs, str) or isinstance(ours, str) else times(theirs.nanoseconds / ours.nanoseconds)
