"""Forward dynamics of closed chains, beside Pinocchio's two ways for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

import screwgraph as sg
from benchmarks.bench import Entry, Maybe, Tools, tried
from benchmarks.closed_subjects import ClosedSubject, closed_case, closed_subjects, violation
from benchmarks.native import find_compiler
from benchmarks.peers.loops import CONVERGED, WAYS, LoopsFromPython, LoopsInCpp
from benchmarks.peers.ours_in_c import OursInC
from benchmarks.tables import NOTHING, Remarks, Sheet, nanoseconds, times, verdict
from screwgraph.compiler import Function
from screwgraph.ui.bench import (
    Budget,
    Case,
    PeerResult,
    relative_error,
    time_batch,
    time_single_call,
    to_columns,
    to_rows,
)

COLUMNS = (
    "robot (velocities)",
    "order",
    "operations",
    "Python",
    "C",
    "batch",
    *(heading for way in ("pin lcaba", "pin cD", "C++ lcaba", "C++ cD") for heading in (way, "faster")),
    "at least",
    "reached",
    "difference",
    "violation",
    "theirs",
)
NOTES = (
    "Accelerations from efforts at states that keep the loops closed: the chain of four-bars and the robots of "
    "Chignoli et al. (2023), and Cassie. Times in ns, CPU time of the thread. Python: a call, beside `pin`; C: the "
    "better of our C99 and our machine code, one sample a call, beside C++; batch: a sample of many, the better "
    "layout. cD: constraintDynamics. Both of Pinocchio's ways with mu = 1e-6 and one proximal iteration, their "
    "fastest. Difference: between our "
    f"answers and constraintDynamics after {CONVERGED} iterations, relative to the state's largest acceleration; "
    "violation: |K qdd - k| of ours, likewise; theirs: the smallest of the ways that were timed. Where a file rounds, "
    "rows that our code leaves out as redundant are off by that rounding, and iterations run after it (cassie_v2).",
)


@dataclass(frozen=True, eq=False)
class Chain:
    """A closed chain on the bench: everything is measured when the table asks for it, once."""

    subject: ClosedSubject
    tools: Tools

    @cached_property
    def case(self) -> Case:
        """The robot and its states."""
        return closed_case(self.subject.load(), self.tools.effort.states)

    @cached_property
    def function(self) -> Function:
        """Our function."""
        return sg.forward_dynamics(self.case.robot)

    @cached_property
    def answers(self) -> np.ndarray:
        """Our accelerations."""
        return self.function(*self.case.states.arguments(self.function))

    @property
    def name(self) -> str:
        """What the first column shows."""
        return f"{self.subject.name} ({self.case.robot.nv})"

    def ours(self) -> list[Maybe]:
        """Return what a call takes from Python and, without it, in our faster way."""
        states, effort, f = self.case.states, self.tools.effort, self.function
        python = PeerResult(time_single_call([f], states, effort), self.answers, "Python")

        def in_c() -> PeerResult:
            ways = OursInC(find_compiler(self.tools.compiler), self.tools.say)
            return min((w([f], states, effort) for w in (ways.c_code, ways.machine_code)), key=lambda m: m.nanoseconds)

        return [python, tried(in_c)]

    def peers(self) -> list[Maybe]:
        """Return what Pinocchio's ways take, from Python, then from C++."""
        effort, tools = self.tools.effort, self.tools
        python = [tried(lambda w=way: LoopsFromPython(w).measure(self.case, effort)) for way in WAYS]
        cpp = [
            tried(lambda w=way: LoopsInCpp(w, find_compiler(tools.compiler), tools.say).measure(self.case, effort))
            for way in WAYS
        ]
        return [*python, *cpp]

    def difference(self) -> float:
        """Return by how much Pinocchio's answers differ from ours once its iterations have converged."""
        theirs = LoopsFromPython("constraintDynamics", CONVERGED).measure(self.case, Budget(0.0, 1)).answers
        return relative_error(theirs, self.answers[: len(theirs)])


def table(entries: Sequence[Entry], tools: Tools) -> Sheet:
    """Time calls and batches; the subjects of the other tables, which have no loops, play no part."""
    remarks, cells = Remarks(), []
    for subject in closed_subjects():
        tools.say(f"closed chains: {subject.name}")
        cells.append(_row(Chain(subject, tools), remarks))
    return Sheet("Closed chains, forward dynamics", COLUMNS, cells, [*NOTES, *remarks.notes()])


def _row(chain: Chain, remarks: Remarks) -> list[str]:
    f, states, effort = chain.function, chain.case.states, chain.tools.effort
    ours, theirs = chain.ours(), chain.peers()
    cells = [chain.name, f.ordering, str(f.operations.total)]
    cells += [_time("ours", chain, own, remarks) for own in ours]
    cells.append(nanoseconds(min(time_batch([f], states, effort, layout) for layout in (to_rows, to_columns))))
    beside = list(zip(theirs, (own for own in ours for _ in WAYS), strict=True))
    for peer, own in beside:
        ratio = _ratio(peer, own)
        cells += [_time("Pinocchio", chain, peer, remarks), times(ratio[0]) if ratio else NOTHING]
    ratios = [r for peer, own in beside for r in _ratio(peer, own)]
    return cells + _reached(chain.subject, ratios) + _errors(chain, [m for m in theirs if isinstance(m, PeerResult)])


def _time(what: str, chain: Chain, measured: Maybe, remarks: Remarks) -> str:
    if isinstance(measured, str):
        return remarks.cell(what, chain.name, measured)
    return nanoseconds(measured.nanoseconds)


def _ratio(theirs: Maybe, ours: Maybe) -> list[float]:
    """Return how many times faster ours is; nothing where either was not measured."""
    if isinstance(theirs, str) or isinstance(ours, str):
        return []
    return [theirs.nanoseconds / ours.nanoseconds]


def _reached(subject: ClosedSubject, ratios: Sequence[float]) -> list[str]:
    if subject.least is None or not ratios:
        return [NOTHING, NOTHING]
    return [times(subject.least), verdict(min(ratios) >= subject.least)]


def _errors(chain: Chain, measured: Sequence[PeerResult]) -> list[str]:
    """Return the difference between answers, and how far either violate the constraints."""
    ours = f"{violation(chain.case, chain.answers):.0e}"
    if not measured:
        return [NOTHING, ours, NOTHING]
    return [
        f"{chain.difference():.0e}",
        ours,
        f"{min(violation(chain.case, theirs.answers) for theirs in measured):.0e}",
    ]
