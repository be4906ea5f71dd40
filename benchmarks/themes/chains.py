"""Long serial chains and a tree with branches: operations, cold compile time, one call, beside the strongest peers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import numpy as np

from benchmarks.bench import Entry, Maybe, Tools, fastest
from benchmarks.chains import CHAINS, SERIAL
from benchmarks.native import LateError, find_compiler
from benchmarks.peers.cppadcg import CppADCodeGen
from benchmarks.peers.pinocchio_cpp import PinocchioInCpp
from benchmarks.tables import NOTHING, Remarks, Sheet, nanoseconds, times, verdict
from screwgraph.compiler.problem.ordering_search import SECONDS
from screwgraph.ui.bench import (
    QUESTIONS,
    BenchmarkQuery,
    Case,
    NotMeasuredError,
    PeerResult,
    fresh_cache,
    random_states,
    relative_error,
)

ROOT = Path(__file__).resolve().parents[2]
AT_LEAST, AT_MOST = 1.0, 10.0
"""Ratio of the best peer's time to ours; seconds of a cold compilation."""
NUMBERS = 100_000
"""Of answers that are stored: fewer states of larger robots."""
COLUMNS = (
    "robot",
    "question",
    "operations",
    "cold, s",
    "at most, s",
    "reached",
    "ours, ns",
    "Pinocchio C++, ns",
    "CppADCodeGen, ns",
    "best peer",
    "ratio",
    "at least",
    "reached",
    "rel. error",
)


T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Ours:
    """Our function: its operations, CPU time (s) from the robot to its first call, and its calls."""

    operations: int
    cold: float
    call: PeerResult


@dataclass(frozen=True, eq=False)
class Attempts:
    """What one question takes; `late` has who was not done in time, and what is shown of longer chains."""

    question: str
    tools: Tools
    remarks: Remarks
    late: dict[str, str] = field(default_factory=dict)

    def tried(self, who: str, name: str, measure: Callable[[], T]) -> T | str:
        """Return what is measured, or what the cell shows instead."""
        if who in self.late and name in SERIAL:
            return self.late[who]
        try:
            return measure()
        except LateError:
            shown = f"> {self.tools.patience:g} s"
            if name in SERIAL:
                self.late[who] = f"not tried ({name}: {shown})"
            return shown
        except NotMeasuredError as reason:
            return self.remarks.cell(who, f"{name} {self.question}", str(reason))


def table(entries: Sequence[Entry], tools: Tools) -> Sheet:
    """Time chains by the questions that entries ask; their robots play no part."""
    asked = {entry.question.name for entry in entries}
    return chains_table(list(CHAINS), [q for q in QUESTIONS if q.name in asked], tools)


def chains_table(names: Sequence[str], questions: Sequence[BenchmarkQuery], tools: Tools) -> Sheet:
    """Time these chains by these questions."""
    remarks, rows = Remarks(), []
    for question in questions:
        attempts = Attempts(question.name, tools, remarks)
        for name in names:
            tools.say(f"chains: {name} {question.name}")
            rows.append(_row(name, question, attempts))
    notes = (
        "Random revolute joints, one after the other, or (tree) in limbs of ten on random links. Cold: CPU time of a "
        "fresh process with an empty cache from the robot to the function's first call, without search. One call: "
        'machine code from C, and peers in the same loop, as in "One call in C". Each step of making code, ours and '
        f"generated code's, may take {tools.patience:g} s: what takes longer is shown so, and longer chains of "
        "the same question are not tried. Ratio: the best peer's time to ours. Error: largest difference to any peer, "
        "relative to the state's largest number; long chains have large condition numbers."
    )
    return Sheet("Chains", COLUMNS, rows, [notes, *remarks.notes()])


def _row(name: str, question: BenchmarkQuery, attempts: Attempts) -> list[str]:
    tools, robot = attempts.tools, CHAINS[name]()
    states = random_states(robot, max(4, min(tools.effort.states, NUMBERS // robot.nv**2)))
    case = Case(robot, question, states)
    own = attempts.tried("ours", name, lambda: ours(name, question.name, len(states.q), tools))
    calls: dict[str, Callable[[], PeerResult]] = {
        "Pinocchio C++": lambda: PinocchioInCpp(find_compiler(tools.compiler), tools.say).measure(case, tools.effort),
        "CppADCodeGen": lambda: CppADCodeGen(tools.maker()).measure(case, tools.effort),
    }
    peers = {who: attempts.tried(who, name, measure) for who, measure in calls.items()}
    shown = [p if isinstance(p, str) else nanoseconds(p.nanoseconds) for p in peers.values()]
    if isinstance(own, str):
        cells = [NOTHING, own, f"{AT_MOST:g}", verdict(False), NOTHING]
    else:
        cells = [str(own.operations), f"{own.cold:.1f}", f"{AT_MOST:g}", verdict(own.cold <= AT_MOST)]
        cells.append(nanoseconds(own.call.nanoseconds))
    return [name, question.name.replace("_", " "), *cells, *shown, *_beside(own, peers)]


def _beside(own: Ours | str, peers: Mapping[str, Maybe]) -> list[str]:
    best = fastest(peers)
    if best is None:
        return [NOTHING] * 5
    if isinstance(own, str):
        return [best[0], NOTHING, times(AT_LEAST), verdict(False), NOTHING]
    ratio = best[1].nanoseconds / own.call.nanoseconds
    off = max(relative_error(own.call.answers, p.answers) for p in peers.values() if not isinstance(p, str))
    return [best[0], times(ratio), times(AT_LEAST), verdict(ratio >= AT_LEAST), f"{off:.0e}"]


def ours(name: str, question: str, count: int, tools: Tools) -> Ours:
    """Measure our function in a process of its own. Raises LateError if it is not done in time."""
    with tempfile.TemporaryDirectory() as folder, fresh_cache() as said:
        answers = Path(folder) / "answers.npy"
        words = [name, question, str(count), str(tools.effort.seconds), tools.compiler or "", str(answers)]
        command = [sys.executable, "-m", "benchmarks.chain_probe", *words]
        environment = {**os.environ, **said, SECONDS: "0"}
        try:
            done = subprocess.run(
                command, cwd=ROOT, capture_output=True, text=True, env=environment, timeout=tools.patience, check=False
            )
        except subprocess.TimeoutExpired as late:
            raise LateError("our compiler", tools.patience) from late
        if done.returncode:
            raise NotMeasuredError(f"our process failed: {done.stderr.strip().splitlines()[-1]}")
        taken = json.loads(done.stdout)
        call = PeerResult(taken["nanoseconds"], np.load(answers), "LLVM")
    return Ours(taken["operations"], taken["cold"], call)
