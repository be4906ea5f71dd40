"""Batches shared by threads: time of the clock beside that of one thread."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter

import numpy as np

import screwgraph as sg
from benchmarks.bench import Entry, Tools
from benchmarks.subjects import chosen
from benchmarks.tables import Sheet, verdict
from screwgraph.compiler import Function
from screwgraph.ui import bench

ROBOTS = ("ur5", "a1", "simple_humanoid")
MAKERS: dict[str, Callable[..., Function]] = {
    "inverse": sg.inverse_dynamics,
    "forward": sg.forward_dynamics,
    "mass_matrix": sg.mass_matrix,
}
SAMPLES, NUMBERS, SHARE = 2**18, 2**24, 0.85
"""States of a batch at most, numbers in its results at most, and at least so much of what all cores could do."""
COLUMNS = (
    "robot (velocities)",
    "question",
    "one thread, ns a sample",
    "threads",
    "all, ns a sample",
    "faster",
    f"at least {SHARE:g} x threads",
)
NOTES = (
    f"Batches of {SAMPLES} states in rows (fewer where results have more than {NUMBERS:.1g} numbers), with `out=` and "
    "`threads=`, as many as there are cores; time of the clock, both in turn, the best of each. Other programs on the "
    "machine lower the figures.",
)


def table(entries: Sequence[Entry], tools: Tools) -> Sheet:
    """Time the robots that are asked for."""
    asked = dict.fromkeys(entry.subject.name for entry in entries)
    rows = []
    with _all_cores():
        for subject, robot in chosen([name for name in ROBOTS if name in asked] or ROBOTS):
            for question in MAKERS:
                tools.say(f"threads: {subject.name} {question}")
                rows.append([f"{subject.name} ({robot.nv})", *row(robot, question, tools)])
    return Sheet("Batches on several threads", COLUMNS, rows, NOTES)


@contextmanager
def _all_cores() -> Iterator[None]:
    """Let this process use every core, where the bench holds it to one."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, range(os.cpu_count() or 1))
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def row(robot: sg.Robot, question: str, tools: Tools, samples: int = SAMPLES) -> list[str]:
    """Measure one question of a robot."""
    function, states = MAKERS[question](robot), bench.random_states(robot, tools.effort.states)
    samples = min(samples, NUMBERS // int(np.prod(function.result_shape)))
    arrays = [np.resize(a, (samples, a.shape[1])) for a in states.arguments(function)]
    out, threads = np.empty((samples, *function.result_shape)), os.cpu_count() or 1
    function(*arrays, out=out)
    best = [np.inf, np.inf]
    end = perf_counter() + 4.0 * tools.effort.seconds
    while perf_counter() < end or not np.isfinite(best).all():
        for k, count in enumerate((1, threads)):
            start = perf_counter()
            function(*arrays, out=out, threads=count)
            best[k] = min(best[k], (perf_counter() - start) / samples * 1e9)
    faster = best[0] / best[1]
    numbers = [f"{best[0]:.1f}", str(threads), f"{best[1]:.1f}", f"{faster:.2f} x"]
    return [question, *numbers, verdict(faster >= SHARE * threads)]
