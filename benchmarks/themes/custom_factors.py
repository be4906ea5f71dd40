"""Our factors inside GTSAM, beside its own custom factors in Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.bench import Entry, Tools
from benchmarks.custom_factors import Case, arm, chain
from benchmarks.tables import Sheet
from screwgraph.api.interop.gtsam import to_gtsam, to_values
from screwgraph.ui.bench import NotMeasuredError, import_peer

TITLE = "Factors of Python inside GTSAM"
COLUMNS = ("problem", "factors", "linearise, ms", "cost, ms", "optimise, ms", "ratio", "cost at the end")
NOTES = (
    "GTSAM linearises, costs and optimises (Gauss-Newton, wall time, best of three) graphs whose factors are Python "
    "functions. Its own: poses by its C++ operations with their Jacobians, the arm by its product of exponentials. "
    "Ours: 8 neighbours in one factor. Ratios: its time over ours, of linearising and of optimising.",
)
CHAIN, ARM = 1000, 500


def table(entries: Sequence[Entry], tools: Tools) -> Sheet:
    """Optimise and time; the subjects play no part."""
    rows: list[list[str]] = []
    try:
        import_peer("gtsam", "gtsam")
    except NotMeasuredError as reason:
        return Sheet(TITLE, COLUMNS, rows, (f"GTSAM is not measured: {reason}.",))
    for case in (chain(CHAIN), arm(ARM)):
        tools.say(case.name)
        rows += compared(case)
    return Sheet(TITLE, COLUMNS, rows, NOTES)


def compared(case: Case) -> list[list[str]]:
    """Return a row of GTSAM's factors, and one of ours."""
    name = case.problem.families[0].name
    keys = {name: range(case.problem.families[0].count)}
    values = to_values(case.problem, case.start, keys)
    theirs = _figures(case.theirs(), values)
    ours = _figures(to_gtsam(case.problem, keys), values)
    ratio = f"{theirs[0] / ours[0]:.1f}, {theirs[2] / ours[2]:.1f}"
    rows = (("Python", theirs, ""), ("screwgraph", ours, ratio))
    return [[case.name, who, *(f"{x:.3g}" for x in f[:3]), r, f"{f[3]:.6g}"] for who, f, r in rows]


def _figures(graph: Any, values: Any) -> tuple[float, float, float, float]:
    """Return ms of linearising, of the cost, and of optimising; the cost at the end."""
    gtsam: Any = import_module("gtsam")
    graph.linearize(values)  # makes our code
    found = [
        _best(lambda: graph.linearize(values)),
        _best(lambda: graph.error(values)),
        _best(lambda: gtsam.GaussNewtonOptimizer(graph, values).optimize()),
    ]
    return *found, float(graph.error(gtsam.GaussNewtonOptimizer(graph, values).optimize()))  # pyright: ignore[reportReturnType]


def _best(call: Callable[[], Any]) -> float:
    times = []
    for _ in range(3):
        began = perf_counter()
        call()
        times.append(perf_counter() - began)
    return 1e3 * float(np.min(times))
