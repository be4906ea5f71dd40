"""Least squares over time: a chain of steps, assembled, factored and solved; beside other ways to do so."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmarks.bench import Entry, Tools
from benchmarks.chain_methods import WAYS
from benchmarks.tables import NOTHING, Sheet
from screwgraph.optimize.linear import Pattern, analyse, make_gram
from screwgraph.ui.bench import Budget, measure_nanoseconds

COLUMNS = (
    "unknowns a step",
    "steps",
    "J'J, ms",
    "factor, ms",
    "solve, ms",
    "together, ms",
    *(f"{way}, ms" for way in WAYS),
)
SIZES = ((4, 1000), (12, 1000), (36, 1000), (12, 5000))
NOTES = (
    "Factors between neighbouring steps with dense Jacobians (d, 2 d), one right side, one core, CPU time. J'J: all "
    "factors' J^T J and J^T r. Factor: sums all entries into place, then L D L^T. Other ways start with finished "
    "blocks, so that they are to be compared with factor and solve; their answers agree.",
)


def table(entries: Sequence[Entry], tools: Tools) -> Sheet:
    """Time chains; the subjects play no part."""
    rows = []
    for d, count in SIZES:
        tools.say(f"chain of {count} steps of {d}")
        rows.append([str(d), str(count), *(f"{t:.3g}" if t else NOTHING for t in milliseconds(d, count, tools.effort))])
    return Sheet("Least squares on a chain", COLUMNS, rows, NOTES)


def milliseconds(d: int, count: int, effort: Budget) -> list[float]:
    """Return the CPU time (ms) of J'J, factor, solve, these together, and each other way."""
    rng = np.random.default_rng(0)
    J, r = rng.standard_normal((count - 1, d, 2 * d)), rng.standard_normal((count - 1, d))
    cols, rows = np.triu_indices(2 * d)
    make = make_gram(d, 2 * d, rows, cols)
    entries, gradient = np.empty((count - 1, rows.size)), np.empty((count - 1, 2 * d))
    make(J, r, entries, gradient)
    shift = d * np.arange(count - 1)[:, None]
    system = analyse(Pattern(np.full(count, d), (rows + shift).reshape(-1), (cols + shift).reshape(-1)), "chain")
    values, b = entries.reshape(-1), rng.standard_normal(count * d)
    factored = system.factor(values, 1.0)
    x = factored.solve(b)
    ours = [
        measure_nanoseconds(effort, make, J, r, entries, gradient),
        measure_nanoseconds(effort, system.factor, values, 1.0),
        measure_nanoseconds(effort, factored.solve, b),
    ]
    D, E = _blocks(J)
    for way in WAYS.values():
        np.testing.assert_allclose(way(D, E, b.reshape(count, d)).reshape(-1), x, rtol=1e-6, atol=1e-9)
    others = [measure_nanoseconds(effort, way, D, E, b.reshape(count, d)) for way in WAYS.values()]
    return [1e-6 * t for t in (*ours, sum(ours), *others)]


def _blocks(J: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the diagonal blocks, 1 added to the diagonal, and those below them."""
    d = J.shape[1]
    H = np.swapaxes(J, 1, 2) @ J
    D = np.tile(np.eye(d), (J.shape[0] + 1, 1, 1))
    D[:-1] += H[:, :d, :d]
    D[1:] += H[:, d:, d:]
    return D, np.ascontiguousarray(H[:, d:, :d])
