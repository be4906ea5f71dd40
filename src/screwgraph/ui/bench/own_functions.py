"""What is measured of our own functions."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from screwgraph.base.progress_report import report_progress
from screwgraph.compiler import Function
from screwgraph.model.robot import Robot
from screwgraph.ui.bench.benchmark_query import BenchmarkQuery, States
from screwgraph.ui.bench.measure import Budget, measure_nanoseconds, time_call

CACHE = {"SCREWGRAPH_CACHE": "on"}
"""What the environment says besides the folder."""

FOLDER = "SCREWGRAPH_CACHE_DIR"


@dataclass(frozen=True)
class Measurement:
    """Operations of the code; CPU time from robot to machine code (s), first and from the cache; of a call (ns).

    `rows` and `columns` are times a sample (ns) in batches of either layout.
    """

    operations: int
    compile: float
    cached: float
    call: float
    rows: float
    columns: float

    @property
    def gigaflops(self) -> float:
        """Operations a nanosecond, in the faster layout of batches."""
        return self.operations / min(self.rows, self.columns)


def measure_functions(
    robot: Robot, question: BenchmarkQuery, states: States, effort: Budget
) -> tuple[Measurement, Sequence[Function]]:
    """Make the functions that answer a question, and measure them; sums, where there are several."""
    with fresh_cache():
        cold, (functions, _) = time_call(lambda: _compile_functions(robot, question))
        report_progress("compiling again, from the cache")
        cached, _ = time_call(lambda: _compile_functions(robot, question))
    report_progress("timing calls and batches")
    found = Measurement(
        count_operations(functions),
        cold,
        cached,
        time_single_call(functions, states, effort),
        time_batch(functions, states, effort, to_rows),
        time_batch(functions, states, effort, to_columns),
    )
    return found, functions


@contextmanager
def fresh_cache() -> Iterator[dict[str, str]]:
    """Keep compiled code in an empty folder for a while; yields what the environment of other processes has to say."""
    with tempfile.TemporaryDirectory(prefix="screwgraph-bench-") as folder:
        said = {**CACHE, FOLDER: folder}
        before = {name: os.environ.get(name) for name in said}
        os.environ.update(said)
        try:
            yield said
        finally:
            for name, value in before.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value


def _compile_functions(robot: Robot, question: BenchmarkQuery) -> tuple[Sequence[Function], Sequence[np.ufunc]]:
    """Make functions, and their machine code."""
    functions = question.functions(robot)
    return functions, [f.ufunc for f in functions]


def count_operations(functions: Sequence[Function]) -> int:
    """Return the operations of all functions together."""
    return sum(f.operations.total for f in functions)


def evaluate_functions(functions: Sequence[Function], states: States) -> np.ndarray:
    """Return the results of all functions at each state, side by side."""
    found = [f(*states.arguments(f)) for f in functions]
    arrays = [array for each in found for array in (each if isinstance(each, tuple) else (each,))]
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays, axis=-1)


def time_single_call(functions: Sequence[Function], states: States, effort: Budget) -> float:
    """Return the time (ns) of a call with one state, from Python."""
    return sum(measure_nanoseconds(effort, f, *(a[0] for a in states.arguments(f))) for f in functions)


GAP = 8
"""Doubles in a cache line."""

Layout = Callable[[np.ndarray], np.ndarray]


def to_rows(array: np.ndarray) -> np.ndarray:
    """Return an array (N, n) with the numbers of a sample side by side."""
    return np.ascontiguousarray(array)


def to_columns(array: np.ndarray) -> np.ndarray:
    """Return an array (N, n) with the same number of all samples side by side, as in `x.T` of an (n, N) array."""
    return np.asfortranarray(array)


def to_padded_columns(array: np.ndarray) -> np.ndarray:
    """Return `columns` with a cache line between them, so that their addresses do not differ by powers of two."""
    place = np.empty((array.shape[0] + GAP, *array.shape[1:]), order="F")[: array.shape[0]]
    place[:] = array
    return place


def time_batch(functions: Sequence[Function], states: States, effort: Budget, layout: Layout) -> float:
    """Return the time (ns) a sample in batches as large as `effort.batch`, on one thread, with `out=` given."""
    total = 0.0
    for f in functions:
        arrays = [layout(np.resize(a, (effort.batch, a.shape[1]))) for a in states.arguments(f)]
        out = tuple(layout(np.empty((effort.batch, *result.shape))) for result in f.results)
        total += measure_nanoseconds(effort, lambda f=f, arrays=arrays, out=out: f(*arrays, out=out)) / effort.batch
    return total


def time_blocked_batch(functions: Sequence[Function], states: States, effort: Budget) -> float:
    """Return the same for arguments and results in blocks: see `Function.blocked`."""
    total = 0.0
    for f in functions:
        g = f.blocked()
        arrays = [g.blocks(np.resize(a, (effort.batch, a.shape[1]))) for a in states.arguments(f)]
        out = g.empty(effort.batch)
        total += measure_nanoseconds(effort, lambda g=g, arrays=arrays, out=out: g(*arrays, out=out)) / effort.batch
    return total


def relative_error(found: np.ndarray, expected: np.ndarray) -> float:
    """Return the largest difference relative to the largest number of the same state's answer."""
    axes = tuple(range(1, expected.ndim))
    scale = np.abs(expected).max(axis=axes)
    return float((np.abs(found - expected).max(axis=axes) / np.where(scale > 0, scale, 1.0)).max())
