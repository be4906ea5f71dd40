"""Functions of JAX arrays beside libraries written in JAX: one state, batches, and the time until a result is there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.bench import Entry, Tools
from benchmarks.jax_probe import BATCH, STEPS
from benchmarks.subjects import chosen
from benchmarks.tables import NOTHING, Remarks, Sheet, times, verdict
from screwgraph.compiler.problem.ordering_search import SECONDS
from screwgraph.ui.bench import fresh_cache

ROOT = Path(__file__).resolve().parents[2]
ROBOTS = ("ur5", "panda7", "a1")
QUESTIONS = ("inverse", "forward", "mass_matrix")
OURS, PEERS = "screwgraph", ("frax", "adam", "jaxsim")
FASTER, READY = 10.0, 2.0
"""Least ratio of a peer's time to ours, and longest time to our first result (s), that are asked for."""
WAYS = {"call": "one", "loop": "step", "batch": "many"}
"""Ways to call, and by what names times of them are measured."""
COLUMNS = (
    "robot (velocities)",
    "question",
    "library",
    "ready, s",
    "batch ready, s",
    "one call from Python, us",
    "of it JAX's own, us",
    "call: faster",
    "one call in a compiled loop, us",
    "in the loop: faster",
    "sample of a batch, ns",
    "sample: faster",
    "error",
    f"at least {FASTER:g} x, ready in {READY:g} s",
)
NOTES = (
    "CPU time of fresh processes on one core, double precision, results waited for; the best of ten rounds. Ready: "
    "from the robot's file to the first result, with JAX started, our cache empty and without search (with it, the "
    "first process that compiles forward dynamics takes two seconds more); batch ready: to that of "
    f"{BATCH} states, too. JAX's own: a call of a compiled function that adds some numbers of the same arguments. In a "
    f"compiled loop: {STEPS} calls within one `jit` (`lax.fori_loop`), as in a simulation or a controller; the sum of "
    "one call's results is added to all arguments of the next one. "
    "Faster: the peer's time over ours. Error: largest difference from our results relative to the largest number. "
    "adam knows floating bases only: arms take the joints' part of its mass matrix and bias forces; its forward "
    "dynamics of arms is a solve with these. Inverse dynamics is their sum, as adam has no other.",
)


def table(entries: Sequence[Entry], tools: Tools) -> Sheet:
    """Measure the robots that are asked for."""
    asked, remarks = dict.fromkeys(entry.subject.name for entry in entries), Remarks()
    rows: list[list[str]] = []
    for subject, robot in chosen([name for name in ROBOTS if name in asked] or ROBOTS):
        for question in QUESTIONS:
            for row in lines(subject.name, question, tools, remarks):
                rows.append([f"{subject.name} ({robot.nv})", question.replace("_", " "), *row])
    return Sheet("Functions of JAX arrays", COLUMNS, rows, [*NOTES, *remarks.notes()], named=3)


def lines(robot: str, question: str, tools: Tools, remarks: Remarks) -> Iterator[list[str]]:
    """Yield what ours and each peer take for one question."""
    ours = _found(robot, question, OURS, tools)
    blank = [NOTHING] * (len(COLUMNS) - 4)
    if "reason" in ours:
        yield [OURS, remarks.cell(OURS, f"{robot} {question}", ours["reason"]), *blank]
        return
    own = f"{1e6 * ours['floor']:.1f}"
    calls = _call(ours), own, NOTHING, _step(ours), NOTHING, _sample(ours), NOTHING
    yield [OURS, *_ready(ours), *calls, NOTHING, NOTHING]
    for peer in PEERS:
        theirs = _found(robot, question, peer, tools)
        if "reason" in theirs:
            yield [peer, remarks.cell(peer, f"{robot} {question}", theirs["reason"]), *blank]
            continue
        ratios = {way: theirs[key] / ours[key] for way, key in WAYS.items()}
        answers, expected = np.array(theirs["answers"]), np.array(ours["answers"])
        error = np.abs(answers - expected).max() / np.abs(expected).max()
        call, step, sample = map(times, ratios.values())
        calls = _call(theirs), NOTHING, call, _step(theirs), step, _sample(theirs), sample
        yield [peer, *_ready(theirs), *calls, f"{error:.0e}", _reached(ratios, ours["ready"])]


def _reached(ratios: Mapping[str, float], ready: float) -> str:
    """Return the verdict, and what is not reached."""
    missed = [way for way, ratio in ratios.items() if ratio < FASTER] + ["ready"] * (ready > READY)
    return ": ".join([verdict(not missed), *([", ".join(missed)] if missed else [])])


def _ready(found: Mapping[str, Any]) -> tuple[str, str]:
    return f"{found['ready']:.2f}", f"{found['batch ready']:.2f}"


def _call(found: Mapping[str, Any]) -> str:
    return f"{1e6 * found['one']:.1f}"


def _step(found: Mapping[str, Any]) -> str:
    return f"{1e6 * found['step']:.2f}"


def _sample(found: Mapping[str, Any]) -> str:
    return f"{1e9 * found['many'] / BATCH:.1f}"


def _found(robot: str, question: str, library: str, tools: Tools) -> Mapping[str, Any]:
    """Return what a process of its own measures, or the reason why it does not."""
    if find_spec("jax") is None:
        return {"reason": "JAX is not installed (pip install jax)"}
    tools.say(f"functions of JAX: {robot} {question}, {library}")
    command = [sys.executable, "-m", "benchmarks.jax_probe", robot, question, library, str(tools.effort.seconds)]
    try:
        with fresh_cache() as said:
            environment = {**os.environ, **said, SECONDS: "0"}
            done = subprocess.run(
                command, cwd=ROOT, capture_output=True, text=True, env=environment, timeout=tools.patience
            )
    except subprocess.TimeoutExpired:
        return {"reason": f"it took more than {tools.patience:g} s"}
    if done.returncode:
        return {"reason": done.stderr.strip().splitlines()[-1]}
    return json.loads(done.stdout.splitlines()[-1])
