"""One robot, one question: measurements of our functions, and those of peers in the same run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from screwgraph.base.progress_report import report_progress
from screwgraph.base.summary import one_line
from screwgraph.model.robot import Robot, check_moves
from screwgraph.ui.bench.benchmark_query import BenchmarkQuery, random_states
from screwgraph.ui.bench.measure import Budget, fast_code
from screwgraph.ui.bench.own_functions import Measurement, evaluate_functions, measure_functions, relative_error
from screwgraph.ui.bench.peers import Case, NotMeasuredError, Peer

SHOWN = 3
"""More places than these are counted, not named."""


@dataclass(frozen=True)
class PeerComparison:
    """A peer's CPU time of a call (ns), and the largest relative difference between its answers and ours."""

    nanoseconds: float
    difference: float


@dataclass(frozen=True)
class SurveyResult:
    """Measurements of our functions; by peer what it took, or why it was not measured."""

    __repr__ = one_line

    robot: str
    velocities: int
    question: str
    own: Measurement
    peers: Mapping[str, PeerComparison | str]


@fast_code()
def measure_query(robot: Robot, question: BenchmarkQuery, peers: Iterable[Peer], effort: Budget) -> SurveyResult:
    """Measure everything that needs no C compiler. Raises what our own functions raise for the robot."""
    check_moves(robot)
    states = random_states(robot, effort.states)
    ours, functions = measure_functions(robot, question, states, effort)
    case = Case(robot, question, states)
    found: dict[str, PeerComparison | str] = {}
    for peer in peers:
        report_progress(f"measuring {peer.name}")
        try:
            theirs = peer.measure(case, effort)
        except NotMeasuredError as reason:
            found[peer.name] = str(reason)
            continue
        own = evaluate_functions(functions, states.first(len(theirs.answers)))
        found[peer.name] = PeerComparison(theirs.nanoseconds, relative_error(own, theirs.answers))
    return SurveyResult(robot.name, robot.nv, question.name, ours, found)


def group_by_reason(found: Iterable[tuple[str, str]]) -> list[str]:
    """Return one line a reason, from (reason, place) pairs."""
    places: dict[str, list[str]] = {}
    for reason, place in found:
        places.setdefault(reason, []).append(place)
    return [f"{reason} ({_format_places(list(dict.fromkeys(here)))})" for reason, here in places.items()]


def _format_places(places: list[str]) -> str:
    more = f" and {len(places) - SHOWN} more" if len(places) > SHOWN else ""
    return ", ".join(places[:SHOWN]) + more
