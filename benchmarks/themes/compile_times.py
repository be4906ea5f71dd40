"""Compile time, cold and from the cache, and the time to import: each in a fresh process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.bench import Entry, Tools
from benchmarks.tables import NOTHING, Sheet, verdict
from screwgraph.compiler.problem.ordering_search import SECONDS
from screwgraph.ui.bench import fresh_cache

ROOT = Path(__file__).resolve().parents[2]
ASKED = ("inverse", "forward", "mass_matrix", "inverse_derivatives", "forward_derivatives")
GOALS_FOR = ("inverse", "forward", "mass_matrix")
COLD_GOALS = {7: 1.0, 38: 10.0}
"""Seconds by number of velocities: up to so many."""
CACHED_GOAL, IMPORT_GOAL = 0.05, 0.6
IMPORTS, CACHED = 5, 2
COLUMNS = (
    "robot (velocities)",
    "question",
    "elimination, s",
    "machine code, s",
    "cold, s",
    "at most",
    "reached",
    "with search, s",
    "cached, s",
    "at most",
    "reached",
)
NOTES = (
    "CPU time of fresh processes: from the robot to the function, and its first call. Cold: the object cache is empty; "
    "cached: a later process finds what the first one left, the best of two. Cold code is the cheapest of the named "
    'orders; with search: what the first process takes in which "auto" searches for its two seconds.',
)


def table(entries: Sequence[Entry], tools: Tools) -> Sheet:
    """Time compilation."""
    rows = []
    for entry in (e for e in entries if e.question.name in ASKED):
        tools.say(f"compile time: {entry}")
        rows.append(_row(entry))
    tools.say("import time")
    taken = min(_probe([])["import"] for _ in range(IMPORTS))
    reached = verdict(taken <= IMPORT_GOAL)
    note = f"`import screwgraph`: {taken:.2f} s (the best of {IMPORTS}), at most {IMPORT_GOAL} s: {reached}."
    return Sheet("Compile time", COLUMNS, rows, [*NOTES, note])


def _row(entry: Entry) -> list[str]:
    arguments = [entry.subject.name, entry.question.name]
    with fresh_cache():
        cold = _probe(arguments, {SECONDS: "0"})
    with fresh_cache():
        searched = _probe(arguments)
        later = [_probe(arguments) for _ in range(CACHED)]
    total = _total(cold)
    cached = min(_total(taken) for taken in later)
    asked_for = entry.question.name in GOALS_FOR
    goal = next((s for size, s in COLD_GOALS.items() if asked_for and entry.robot.nv <= size), None)
    asked = [NOTHING, NOTHING] if goal is None else [f"{goal:g}", verdict(total <= goal)]
    return [
        *entry.names,
        f"{cold['elimination']:.2f}",
        f"{cold['machine code']:.2f}",
        f"{total:.2f}",
        *asked,
        f"{_total(searched):.2f}",
        f"{cached:.3f}",
        f"{CACHED_GOAL:g}",
        verdict(cached <= CACHED_GOAL),
    ]


def _total(taken: Mapping[str, float]) -> float:
    return taken["elimination"] + taken["machine code"]


def _probe(arguments: Sequence[str], more: Mapping[str, str] | None = None) -> Mapping[str, float]:
    """Run `benchmarks.probe` in a process of its own, with more in its environment."""
    command = [sys.executable, "-m", "benchmarks.probe", *arguments]
    environment = {**os.environ, **(more or {})}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, env=environment)
    return json.loads(done.stdout)
