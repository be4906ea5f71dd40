"""Impulses along a path of increasing friction, where sweeps and Newton's method from the last step find none.

Without friction, laws of contacts are those of a convex problem, with one motion. From there the part of friction grows
to 1, each solution the start of the next; where Newton's method fails, the way becomes shorter. Where friction wedges,
a solution may end at some part: then the path goes on from one of more friction.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from screwgraph.motion.simulation.contacts.laws import nonmonotone_newton as steps
from screwgraph.motion.simulation.contacts.laws.laws import Numbers
from screwgraph.motion.simulation.contacts.laws.sweeps import ImpulseProblem, choose_vector
from screwgraph.spatial import choose
from screwgraph.tape import Memory, Number, Part, SettledWhen, SettlingLoop

PART = steps.STATE
"""Place of the part of friction in the state, behind it what is reached and the way along the path."""
FIRST, OTHER, MOST = 40.0, 15.0, 400.0
"""Passages of the first attempt, of others, and of all."""
BEGIN, NEXT, LONGER, SHORTER, SHORTEST = 0.25, 1.0, 2.0, 0.25, 1e-4
"""Ways along the path: the first, the whole, factors after success and failure, and the shortest."""
BEYOND = 1.5
"""Friction from which the path comes back where a solution ends before 1."""
ALL, NONE = -2.0, -1.0
"""In place of the part that is reached: the whole friction is tried at once; then none."""


def add_path(memory: Memory, names: Sequence[str], problem: Callable[..., ImpulseProblem]) -> list[Part]:
    """Return the parts after rounds that have failed; `names` are the problem's vectors, "tried" those of attempts."""
    memory.add("path", PART + 3)

    def ease(own: ImpulseProblem, state: Numbers) -> tuple[ImpulseProblem, ImpulseProblem]:
        eased = own.ease(state[PART])
        return eased, eased

    changes = ["tried", "swept", "path"]
    follow = memory.block("follow", [*steps.AHEAD, "state", *changes], changes, take_passage)
    passage = (*steps.list_passage(memory, names, problem, "path", ease), follow)
    begin = memory.block("set out", ["x", "state", "round"], changes, begin_path)
    arrive = memory.block("arrive", ["x", "state", "round", *changes[1:]], ["x", "state", "round"], end_path)
    first = memory.places("path").start
    return [begin, SettledWhen(first, (SettlingLoop(first, passage), arrive))]


def begin_path(x: Any, sweeps: Any, round_: Any) -> list[Number]:
    """Return impulses that are tried, those that are reached, and the state; sweeps' and rounds' states say whether."""
    return [*x, *x, *steps.begin_state(sweeps, round_), 1.0, ALL, BEGIN]


def take_passage(
    ahead: Numbers, trial: Numbers, sweeps: Numbers, y: Numbers, reached: Numbers, state: Numbers
) -> list[Number]:
    """Return impulses that are tried, those that are reached, and the state, after trials of a step."""
    attempt, (part, before, way) = steps.Attempt.read(state), state[PART:]
    whole = choose(before < ALL + 0.5, FIRST, OTHER)
    solved, fails, after = steps.judge_trials(trial, attempt, sweeps[2], whole)
    ends = (solved + fails) > 0.5
    onward, *place = find_next(solved, part, before, way)
    onward = choose(ends, onward, 1.0) * choose(attempt.count < MOST - 1.5, 1.0, 0.0)
    # A failure begins again where the path is; the first one without impulses.
    base = choose(before < NONE + 0.5, 0.0, 1.0)
    kept = [choose(solved > 0.5, new, base * old) for new, old in zip(ahead, reached, strict=True)]
    begun = choose_vector(ends, kept, ahead)
    kept = choose_vector(ends, kept, reached)
    moved = choose_vector(ends, place, (part, before, way))
    found = [*begun, *kept, onward, *after, *moved]
    return choose_vector(attempt.goes > 0.5, found, [*y, *reached, *state])


def find_next(solved: Number, part: Number, before: Number, way: Number) -> list[Number]:
    """Return whether there is another attempt, its part of friction, what is reached, and the way along the path."""
    is_solved, is_whole, is_back = solved > 0.5, part > 1.0 - 1e-12, before > 1.0
    starts, fails_first = before < NONE + 0.5, before < ALL + 0.5
    # Of an attempt that is solved: at the whole friction it is the last, beyond it the next is that of 1.
    longer = choose(starts, way, LONGER * way)
    ahead = choose(is_whole, 1.0, choose(part + longer > 1.0, 1.0, part + longer))
    more = choose(is_whole, choose(part > 1.0, 1.0, 0.0), 1.0)
    # Of one that fails: none, then shorter ways, at last one from beyond.
    shorter = SHORTER * way
    ended = shorter < SHORTEST
    nearer = choose(fails_first, 0.0, choose(ended, BEYOND, before + shorter))
    again = choose(fails_first, 1.0, choose(starts, 0.0, choose(part > 1.0, 0.0, choose(is_back, 0.0, 1.0))))
    return [
        choose(is_solved, more, again),
        choose(is_solved, ahead, nearer),
        choose(is_solved, part, choose(fails_first, NONE, before)),
        choose(is_solved, longer, choose(starts, way, shorter)),
    ]


def end_path(x: Any, sweeps: Any, round_: Any, reached: Any, state: Any) -> list[Number]:
    """Return impulses, and the states of sweeps and rounds, after the path: its own where it came to the end."""
    arrives = choose(abs(state[PART + 1] - 1.0) < 1e-12, 1.0, 0.0)
    return steps.end_attempts(arrives, reached, x, sweeps, round_, state[1])
