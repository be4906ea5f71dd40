"""First use: what a fresh process takes before the first answer, with an empty cache and with what it left there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.bench import Entry, Tools
from benchmarks.first_uses import USES, Use
from benchmarks.subjects import chosen
from benchmarks.tables import NOTHING, Sheet, verdict
from screwgraph.compiler.backends.llvm.tiering import VARIABLE
from screwgraph.compiler.problem.ordering_search import SECONDS
from screwgraph.ui.bench import fresh_cache

ROOT = Path(__file__).resolve().parents[2]
BYTECODE, UNSAID = "PYTHONPYCACHEPREFIX", ("PYTHONDONTWRITEBYTECODE", VARIABLE)
"""Where Python keeps bytecode; what the environment does not say here: drafts are what people call first."""
COLUMNS = (
    "use",
    "cold, CPU s",
    "cold, s",
    "at most, CPU s",
    "reached",
    "cached, CPU s",
    "without imports",
    "at most, CPU s",
    "reached",
)
NOTES = (
    "Fresh processes, from their start to the answer, import and threads included, without search. Cold: the cache "
    "of code is empty, the better one of two; cached: a later process finds what that left. Bytecode of Python is "
    "there. Dynamics: a function is made and called with one state. Chains: random revolute joints.",
)


def table(entries: Sequence[Entry], tools: Tools) -> Sheet:
    """Time first uses; the entries play no part."""
    return uses_table(USES, tools)


def uses_table(uses: Mapping[str, Use], tools: Tools) -> Sheet:
    """Time these uses."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        bytecode = {name: text for name, text in os.environ.items() if name not in UNSAID} | {BYTECODE: folder}
        for name, use in uses.items():
            if _is_here(name):
                tools.say(f"first use: {name}")
                rows.append(_row(name, use, bytecode))
    return Sheet("First use", COLUMNS, rows, NOTES, named=1)


def _is_here(name: str) -> bool:
    """Tell whether the robot that a use names is here; chains, plans and smoothers need none."""
    robot, _, question = name.partition(" ")
    return not question or robot in ("plan", "smoother", "chain") or bool(chosen([robot]))


def _row(name: str, use: Use, bytecode: Mapping[str, str]) -> list[str]:
    colds, cached = list[Mapping[str, float]](), dict[str, float]()
    for _ in range(2):
        with fresh_cache() as said:
            environment = {**bytecode, **said, SECONDS: "0"}
            colds.append(taken(name, environment))
            cached = taken(name, environment)
    cold = min(colds, key=lambda t: t["cpu"])
    return [
        name,
        f"{cold['cpu']:.2f}",
        f"{cold['clock']:.2f}",
        *_beside(cold["cpu"], use.cold),
        f"{cached['cpu']:.2f}",
        f"{cached['own']:.3f}" if use.imports else NOTHING,
        *_beside(cached["own"], use.cached),
    ]


def _beside(seconds: float, goal: float | None) -> list[str]:
    return [NOTHING, NOTHING] if goal is None else [f"{goal:g}", verdict(seconds <= goal)]


def taken(name: str, environment: Mapping[str, str]) -> Mapping[str, float]:
    """Return what a use takes in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.first_uses", name]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, env=environment)
    return json.loads(done.stdout)
