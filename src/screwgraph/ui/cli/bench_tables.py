"""Measurements of `bench` as a table and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from screwgraph.ui.bench import Budget, Machine, PeerComparison, Roofline, SurveyResult, group_by_reason
from screwgraph.ui.cli.console import make_output_console
from screwgraph.ui.cli.table_style import make_table

OWN = ("operations", "compile", "cached", "call", "rows", "columns", "GFLOP/s")


def print_survey(machine: Machine, roofline: Roofline, effort: Budget, surveyed: Sequence[SurveyResult]) -> None:
    """Print one line a robot and problem."""
    console = make_output_console()
    console.print(f"{machine.processor}, {machine.cores} cores; {', '.join(machine.versions)}", style="bold")
    console.print(
        f"one core: {roofline.vector:.0f} GFLOP/s in vectors of {roofline.width} doubles, "
        f"{roofline.scalar:.0f} in single ones; batches of {effort.batch}\n"
    )
    peers = list(dict.fromkeys(name for line in surveyed for name in line.peers))
    beside = [f"{name}{what}" for name in peers for what in ("", " / ours", " differs")]
    table = make_table("", "robot", "problem", *OWN, *beside)
    for line in surveyed:
        cells = [cell for name in peers for cell in _peer(line, name)]
        table.add_row(f"{line.robot} ({line.velocities})", line.question, *_own(line), *cells)
    console.print(table)
    missing = [
        (f"{name} not measured: {reason}", f"{line.robot} {line.question}")
        for line in surveyed
        for name, reason in line.peers.items()
        if isinstance(reason, str)
    ]
    for line in group_by_reason(missing):
        console.print(line)


def to_json(machine: Machine, roofline: Roofline, effort: Budget, surveyed: Sequence[SurveyResult]) -> dict[str, Any]:
    """Return measurements in values that JSON has: seconds of compilation, nanoseconds of all else."""
    return {
        "machine": asdict(machine),
        "roofline": asdict(roofline),
        "batch": effort.batch,
        "measurements": [
            {
                "robot": line.robot,
                "velocities": line.velocities,
                "problem": line.question,
                **asdict(line.own),
                "gigaflops": line.own.gigaflops,
                "peers": {
                    name: asdict(found) if isinstance(found, PeerComparison) else {"not_measured": found}
                    for name, found in line.peers.items()
                },
            }
            for line in surveyed
        ],
    }


def _own(line: SurveyResult) -> list[str]:
    f = line.own
    times = [f"{f.compile:.2f} s", f"{1e3 * f.cached:.0f} ms", *(_time(t) for t in (f.call, f.rows, f.columns))]
    return [str(f.operations), *times, f"{f.gigaflops:.1f}"]


def _peer(line: SurveyResult, name: str) -> list[str]:
    found = line.peers.get(name)
    if not isinstance(found, PeerComparison):
        return ["-", "", ""]
    return [_time(found.nanoseconds), f"{found.nanoseconds / line.own.call:.1f} x", f"{found.difference:.0e}"]


def _time(nanoseconds: float) -> str:
    return f"{nanoseconds:.1f} ns" if nanoseconds < 100 else f"{nanoseconds:.0f} ns"
