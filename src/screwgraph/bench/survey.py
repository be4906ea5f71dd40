"""One robot, one question: measurements of our functions, and those of peers in the same run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from screwgraph.bench.fast_code import fast_code
from screwgraph.bench.measure import Effort
from screwgraph.bench.own_functions import Measurement, answers, error, measured
from screwgraph.bench.peers import Case, NotMeasuredError, Peer
from screwgraph.bench.question import Question, random_states
from screwgraph.doing import say
from screwgraph.robot import Robot, check_moves
from screwgraph.summary import one_line


@dataclass(frozen=True)
class Compared:
    """A peer's CPU time of a call (ns), and the largest relative difference between its answers and ours."""

    nanoseconds: float
    difference: float


@dataclass(frozen=True)
class Surveyed:
    """Measurements of our functions; by peer what it took, or why it was not measured."""

    __repr__ = one_line

    robot: str
    velocities: int
    question: str
    own: Measurement
    peers: Mapping[str, Compared | str]


@fast_code()
def survey(robot: Robot, question: Question, peers: Iterable[Peer], effort: Effort) -> Surveyed:
    """Measure everything that needs no C compiler. Raises what our own functions raise for the robot."""
    check_moves(robot)
    states = random_states(robot, effort.states)
    ours, functions = measured(robot, question, states, effort)
    case = Case(robot, question, states)
    found: dict[str, Compared | str] = {}
    for peer in peers:
        say(f"measuring {peer.name}")
        try:
            theirs = peer.measure(case, effort)
        except NotMeasuredError as reason:
            found[peer.name] = str(reason)
            continue
        own = answers(functions, states.first(len(theirs.answers)))
        found[peer.name] = Compared(theirs.nanoseconds, error(own, theirs.answers))
    return Surveyed(robot.name, robot.nv, question.name, ours, found)
