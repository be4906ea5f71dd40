"""The table of the suite: rows of single tasks, summed by kind."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

Row = dict[str, str]


def by_kind(rows: Sequence[Row]) -> list[Row]:
    """Return one row for each kind of tasks, and one for all together."""
    kinds = sorted({row["kind"] for row in rows})
    return [*(_summed(kind, [row for row in rows if row["kind"] == kind]) for kind in kinds), _summed("all", rows)]


def _summed(kind: str, rows: Sequence[Row]) -> Row:
    theirs = [row for row in rows if row["ipopt"] == "solved"]
    ours = {end: [row for row in rows if row["ours"] == end] for end in ("solved", "coarse", "infeasible")}
    both = [row for row in ours["solved"] if row["ipopt"] == "solved"]
    ended = sum(map(len, ours.values()))
    errors = [float(row["error"]) for row in ours["solved"]]
    found = {
        "tasks": len(rows),
        "robots": len({row["robot"] for row in rows}),
        "IPOPT solved": len(theirs),
        "of these solved": len(both),
        "solved here only": len(ours["solved"]) - len(both),
        "infeasible": sum(row["ipopt"] != "solved" for row in ours["infeasible"]),
        "infeasible, though IPOPT solved": sum(row["ipopt"] == "solved" for row in ours["infeasible"]),
        "coarse": len(ours["coarse"]),
        "stalls, limits": len(rows) - ended,
        "largest error of solved": f"{np.nanmax(errors):.1e}" if np.isfinite(errors).any() else "",
        "ringing": sum(row["rings"] == "True" for row in rows),
        "time / IPOPT's": _ratio(both, "ipopt_seconds"),
        "time / IPOPT's without functions": _ratio(both, "ipopt_own_seconds"),
        "time / IPOPT's with compiled functions (tasks)": _of_sample(both),
    }
    return {"kind": kind} | {name: str(value) for name, value in found.items()}


def _of_sample(rows: Sequence[Row]) -> str:
    sample = [row for row in rows if np.isfinite(float(row["ipopt_compiled_seconds"]))]
    return f"{_ratio(sample, 'ipopt_compiled_seconds')} ({len(sample)})" if sample else ""


def _ratio(rows: Sequence[Row], name: str) -> str:
    """Return the median of ratios of times."""
    return f"{np.median([float(row['seconds']) / float(row[name]) for row in rows]):.2f}" if rows else ""
