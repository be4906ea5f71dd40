"""Impulses from other starts, where sweeps and Newton's method from the last step find none.

|F| of contacts that slip has least values that are no zero, so that Newton's method may end away from a solution. It
begins without impulses, then with some of any signs, until laws hold. F is that of `ImpulseLaw.search_law`, of which
more starts lead to a solution.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from screwgraph.motion.simulation.contacts.laws import nonmonotone_newton as steps
from screwgraph.motion.simulation.contacts.laws.laws import FIXED, Numbers
from screwgraph.motion.simulation.contacts.laws.sweeps import ImpulseProblem, choose_vector, largest
from screwgraph.spatial import choose, maximum
from screwgraph.tape import Memory, Number, Part, SettledWhen, SettlingLoop

SOLVED = steps.STATE
"""Place in the state of whether laws hold, behind it the largest impulse of a start."""
EACH, MOST = 15.0, 600.0
"""Passages of an attempt, and of all."""
SPREAD = 3.0
"""Largest impulse of a start, by what rounds have left, or stops a row that yields most, the larger of both."""


def add_starts(memory: Memory, names: Sequence[str], problem: Callable[..., ImpulseProblem]) -> list[Part]:
    """Return the parts after rounds that have failed; `names` are the problem's vectors, "tried" those of attempts."""
    memory.add("attempt", SOLVED + 2)
    changes = ["tried", "swept", "attempt"]

    def begin_all(*vectors: Any) -> list[Number]:
        *own, x, sweeps, round_ = vectors
        return begin_starts(problem(*own), x, sweeps, round_)

    trials = steps.list_passage(memory, names, problem, "attempt")
    follow = memory.block("follow start", [*steps.AHEAD, "state", *changes], changes, take_passage)
    begin = memory.block("begin starts", [*names, "x", "state", "round"], changes, begin_all)
    arrive = memory.block("end starts", ["x", "state", "round", *changes[::2]], ["x", "state", "round"], end_starts)
    first = memory.places("attempt").start
    return [begin, SettledWhen(first, (SettlingLoop(first, (*trials, follow)), arrive))]


def begin_starts(problem: ImpulseProblem, x: Any, sweeps: Any, round_: Any) -> list[Number]:
    """Return impulses that are tried, those of the next start, and the state; sweeps' and rounds' states say whether.

    The first start is without impulses; the next ones are by the largest of one.
    """
    none = [0.0 for _ in x]
    yields = largest(row[i] for i, row in enumerate(problem.G))
    scale = SPREAD * maximum(largest(x), largest(problem.b) / maximum(yields, FIXED))
    return [*none, *find_next_start(none), *steps.begin_state(sweeps, round_), 0.0, scale]


def take_passage(
    ahead: Numbers, trial: Numbers, sweeps: Numbers, y: Numbers, start: Numbers, state: Numbers
) -> list[Number]:
    """Return impulses that are tried, those of the next start, and the state, after trials of a step."""
    attempt, scale = steps.Attempt.read(state), state[SOLVED + 1]
    solved, fails, after = steps.judge_trials(trial, attempt, sweeps[2], EACH)
    begun = choose_vector(fails > 0.5, [scale * x for x in start], ahead)
    following = choose_vector(fails > 0.5, find_next_start(start), start)
    onward = choose(attempt.count < MOST - 1.5, 1.0 - solved, 0.0)
    found = [*begun, *following, onward, *after, solved, scale]
    return choose_vector(attempt.goes > 0.5, found, [*y, *start, *state])


def find_next_start(start: Numbers) -> list[Number]:
    """Return impulses from -1 to 1 after others: each row goes on by its own part of 2, any number, and so on."""
    ways = 2.0 * np.random.default_rng(0).uniform(size=len(start))
    ahead = [y + float(way) for y, way in zip(start, ways, strict=True)]
    return [choose(y > 1.0, y - 2.0, y) for y in ahead]


def end_starts(x: Any, sweeps: Any, round_: Any, y: Any, state: Any) -> list[Number]:
    """Return impulses, and the states of sweeps and rounds, after attempts: those of the last one where laws hold."""
    arrives = state[SOLVED] > 0.5
    left = choose(arrives, sweeps[2], round_[2])
    return [*choose_vector(arrives, y, x), sweeps[0], sweeps[1] + state[1], *sweeps[2:], *round_[:2], left]
