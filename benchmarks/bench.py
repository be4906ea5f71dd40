"""One robot and one question on the bench: everything is measured when a table asks for it, once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from time import process_time
from typing import TypeVar

import numpy as np

import screwgraph as sg
from benchmarks.native import find_compiler
from benchmarks.peers.casadi_sx import CasadiSx, CasadiSxInBlocks
from benchmarks.peers.cppadcg import CppADCodeGen
from benchmarks.peers.generated_code import Maker
from benchmarks.peers.ours_in_c import OursInC
from benchmarks.peers.pinocchio_cpp import PinocchioInCpp
from benchmarks.questions import asked
from benchmarks.subjects import Subject
from benchmarks.turns import take_turns
from screwgraph.compiler import Function, is_tiering_up, wait_for_optimised
from screwgraph.ui import bench
from screwgraph.ui.bench import BenchmarkQuery, Budget, Case, NotMeasuredError, Peer, PeerResult, Roofline, States

Found = TypeVar("Found")
Maybe = PeerResult | str
"""What was measured, or why not."""


@dataclass(frozen=True, eq=False)
class Tools:
    """What is measured with."""

    effort: Budget
    compiler: str | None
    say: Callable[[str], None]
    patience: float = 300.0
    """Seconds that generating code, or compiling it, may take."""

    @cached_property
    def roofline(self) -> Roofline:
        """What one core can do."""
        return bench.measure_roofline()

    def maker(self) -> Maker:
        """Return what builds generated code. Raises NotMeasuredError without a compiler."""
        return Maker(find_compiler(self.compiler), self.say, self.patience)


@dataclass(frozen=True, eq=False)
class Entry:
    """A subject and a question; times are CPU times."""

    subject: Subject
    robot: sg.Robot
    question: BenchmarkQuery
    tools: Tools

    def __str__(self) -> str:
        return f"{self.subject.name} {self.question.name}"

    @property
    def names(self) -> list[str]:
        """What the first two columns of tables show."""
        return [f"{self.subject.name} ({self.robot.nv})", self.question.name.replace("_", " ")]

    @cached_property
    def functions(self) -> Sequence[Function]:
        """Our functions."""
        return self.question.functions(self.robot)

    @cached_property
    def states(self) -> States:
        """The states that all compute at."""
        return bench.random_states(self.robot, self.tools.effort.states)

    @cached_property
    def cpp(self) -> Maybe:
        """A call of Pinocchio's from C++."""
        return tried(lambda: self.peer(PinocchioInCpp(find_compiler(self.tools.compiler), self.tools.say)))

    @cached_property
    def cppadcg(self) -> Maybe:
        """A call of the code that CppADCodeGen makes of Pinocchio's algorithm."""
        return tried(lambda: self.peer(CppADCodeGen(self.tools.maker())))

    @cached_property
    def sx(self) -> Maybe:
        """A call of Pinocchio's algorithm on CasADi's expressions."""
        return tried(lambda: self.peer(CasadiSx(self.tools.maker())))

    @cached_property
    def sx_in_blocks(self) -> Maybe:
        """A sample of a batch of the same code in vectors over samples."""
        return tried(lambda: self.peer(CasadiSxInBlocks(self.tools.maker())))

    @property
    def calls(self) -> Mapping[str, Maybe]:
        """One call of each peer without Python, by its name."""
        return {"Pinocchio C++": self.cpp, "CppADCodeGen": self.cppadcg, "CasADi SX": self.sx}

    @cached_property
    def c_code(self) -> Maybe:
        """A call of our C99 source."""
        return tried(lambda: self._in_c().c_code(self.functions, self.states, self.tools.effort))

    @cached_property
    def machine_code(self) -> Maybe:
        """A call of our machine code, from C."""
        return tried(lambda: self._in_c().machine_code(self.functions, self.states, self.tools.effort))

    @cached_property
    def has_less(self) -> bool:
        """Whether some entries of our results are always zero, or the mirror images of others."""
        entries = sum(prod(result.shape) for f in self.functions for result in f.results)
        return sum(len(sparsity.places) for f in self.functions for sparsity in f.sparsities) < entries

    @cached_property
    def packed(self) -> Sequence[Function]:
        """Our functions, with results without these entries."""
        return [f.packed() for f in self.functions]

    @cached_property
    def packed_c_code(self) -> Maybe:
        """A call of our C99 source with packed results."""
        return tried(lambda: self._in_c().c_code(self.packed, self.states, self.tools.effort))

    @cached_property
    def packed_machine_code(self) -> Maybe:
        """A call of our machine code with packed results, from C."""
        return tried(lambda: self._in_c().machine_code(self.packed, self.states, self.tools.effort))

    def maybe(self, peer: Peer) -> Maybe:
        """Return what a peer takes, or why it was not measured."""
        return tried(lambda: self.peer(peer))

    def peer(self, peer: Peer) -> PeerResult:
        """Return what a peer takes."""
        return peer.measure(Case(self.robot, self.question, self.states), self.tools.effort)

    def error(self, theirs: PeerResult) -> float:
        """Return the largest relative difference between a peer's answers and ours."""
        return bench.relative_error(
            bench.evaluate_functions(self.functions, self.states.first(len(theirs.answers))), theirs.answers
        )

    def _in_c(self) -> OursInC:
        return OursInC(find_compiler(self.tools.compiler), self.tools.say, self.tools.patience)


def entries(
    subjects: Iterable[tuple[Subject, sg.Robot]], questions: Sequence[BenchmarkQuery], tools: Tools
) -> list[Entry]:
    """Return every question that is asked about every subject."""
    return [
        Entry(subject, robot, question, tools)
        for subject, robot in subjects
        for question in questions
        if asked(robot, question)
    ]


def tried(measure: Callable[[], PeerResult]) -> Maybe:
    """Return what is measured, or why it is not."""
    try:
        return measure()
    except NotMeasuredError as reason:
        return str(reason)


def fastest(peers: Mapping[str, Maybe]) -> tuple[str, PeerResult] | None:
    """Return the peer that takes least, by its name; None where none was measured."""
    measured = [(found.nanoseconds, name, found) for name, found in peers.items() if not isinstance(found, str)]
    if not measured:
        return None
    _, name, found = min(measured, key=lambda each: each[0])
    return name, found


def best_of(call: Callable[[], Found], rounds: int) -> tuple[Found, float]:
    """Return what a call returns, and its least CPU time (s) by fast code; calls that make it are not timed."""
    found, best = call(), np.inf
    while is_tiering_up():  # a thread that makes fast code takes CPU time, too, and the draft answers meanwhile
        wait_for_optimised()
        found = call()
    for _ in take_turns(rounds):
        began = process_time()
        found = call()
        best = min(best, process_time() - began)
    return found, best
