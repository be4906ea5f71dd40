"""Impulses along a path of increasing friction, where sweeps and Newton's method from the last step find none.

Without friction, laws of contacts are those of a convex problem, with one motion. From there the part of friction grows
to 1, each solution the start of the next; where Newton's method fails, the way becomes shorter. Where friction wedges,
a solution may end at some part: then the path goes on from one of more friction. Newton's method has a proximal term
and steps of a few lengths, the longest after which |F| is less than the most of the last five. Grippo, Lampariello &
Lucidi (1986), "A nonmonotone line search technique".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from screwgraph.motion.simulation.contacts.laws import newton
from screwgraph.motion.simulation.contacts.laws.laws import FAR, Numbers
from screwgraph.motion.simulation.contacts.laws.sweeps import ImpulseProblem, choose_vector, largest
from screwgraph.spatial import choose, maximum
from screwgraph.tape import Memory, Number, Part, SettledWhen, SettlingLoop, StageLoop

UNSOLVED = 10.0
"""How many times as large as the change that ends sweeps a residual is that is not left."""
MEMORY = 5
"""Sizes of F that a step is compared with."""
STATE = 7 + MEMORY
"""Numbers of the state, in order those of `PathState` and the last |F|^2."""
LENGTHS, CUT = 4, 0.3
"""Lengths of a step of Newton's method that are tried, from 1 on, and their factor."""
TRIAL, AHEAD = 5, ["ahead", "trial"]
"""Numbers of the state of trials, see `begin_trials`, and vectors that trials change."""
LESS = 1e-4
"""Part of |F|^2 by which a whole step makes it less, at least."""
NEAR, LEAST, SMALL, LARGE = 1e-14, 1e-18, 1e-12, 1e-2
"""The proximal term: at first, at least, at least where no length is taken, and where an attempt ends."""
EASIER, HARDER = 0.1, 100.0
"""Its factors."""
FIRST, OTHER, MOST = 40.0, 15.0, 400.0
"""Passages of the first attempt, of others, and of all."""
BEGIN, NEXT, LONGER, SHORTER, SHORTEST = 0.25, 1.0, 2.0, 0.25, 1e-4
"""Ways along the path: the first, the whole, factors after success and failure, and the shortest."""
BEYOND = 1.5
"""Friction from which the path comes back where a solution ends before 1."""
ALL, NONE = -2.0, -1.0
"""In place of the part that is reached: the whole friction is tried at once; then none."""


def add_path(memory: Memory, names: Sequence[str], problem: Callable[..., ImpulseProblem], rows: int) -> list[Part]:
    """Return the parts after rounds that have failed; `names` are the problem's vectors, "tried" those of attempts."""
    for name, size in (("path", STATE), ("step", rows), ("ahead", rows), ("trial", TRIAL)):
        memory.add(name, size)

    def linearise(*vectors: Any) -> list[Number]:
        *own, y, state = vectors
        eased = problem(*own).ease(state[4])
        return [*newton.linearise_residuals(eased, list(y), state[3]), *begin_trials(eased.residuals(list(y)), state)]

    def find_step(triangle: Any, lengths: Any, y: Any) -> list[Number]:
        return [*newton.scale_step(triangle, lengths), *y]

    def try_length(*vectors: Any) -> list[Number]:
        *own, step, y, state, sweeps, ahead, trial = vectors
        return advance_trial(problem(*own).ease(state[4]), y, step, ahead, trial, sweeps[2])

    changes = ["tried", "swept", "path"]
    trial = memory.block("try", [*names, "step", "tried", "path", "state", *AHEAD], AHEAD, try_length)
    passage = (
        memory.block("ease", [*names, "tried", "path"], [*newton.SIZES, "trial"], linearise),
        newton.add_rotation(memory, rows),
        memory.block("find step", ["triangle", "lengths", "tried"], ["step", "ahead"], find_step),
        StageLoop(LENGTHS, (trial,), ()),
        memory.block("follow", [*AHEAD, "state", *changes], changes, take_passage),
    )
    begin = memory.block("set out", ["x", "state", "round"], changes, begin_path)
    arrive = memory.block("arrive", ["x", "state", "round", *changes], ["x", "state", "round"], end_path)
    first = memory.places("path").start
    return [begin, SettledWhen(first, (SettlingLoop(first, passage), arrive))]


def begin_path(x: Any, sweeps: Any, round_: Any) -> list[Number]:
    """Return impulses that are tried, those that are reached, and the state; sweeps' and rounds' states say whether."""
    goes = choose(round_[1] > 0.5, choose(round_[2] > UNSOLVED * sweeps[2], 1.0, 0.0), 0.0)
    return [*x, *x, goes, 0.0, 0.0, NEAR, 1.0, ALL, BEGIN, *[FAR] * MEMORY]


def begin_trials(F: Numbers, state: Any) -> list[Number]:
    """Return the state of trials: a length, that which is taken, the largest of F there, |F|^2, and the most of these.

    |F|^2 are those of the state of the path, in its first passage of an attempt those of F.
    """
    size = sum((f * f for f in F), start=0.0)
    most: Number = choose(state[2] < 0.5, size, 0.0)
    for before in state[7:]:
        most = maximum(most, choose(state[2] < 0.5, 0.0, before))
    return [1.0, 0.0, FAR, size, most]


def advance_trial(
    problem: ImpulseProblem, y: Numbers, step: Numbers, ahead: Numbers, trial: Numbers, smallest: Number
) -> list[Number]:
    """Return impulses ahead and the state of trials after one of a length of the step."""
    length, taken, left, now, most = trial
    tried = [a - length * d for a, d in zip(y, step, strict=True)]
    F = problem.residuals(tried)
    worst, square = largest(F), sum((f * f for f in F), start=0.0)
    falls = choose(worst <= smallest, 1.0, choose(square < (1.0 - LESS * length) * most, 1.0, 0.0))
    is_taken = choose(taken > 0.0, 0.0, falls) > 0.5
    found = choose_vector(is_taken, tried, ahead)
    after = zip((length, worst, square), (taken, left, now), strict=True)
    return [*found, length * CUT, *(choose(is_taken, new, old) for new, old in after), most]


def take_passage(
    ahead: Numbers, trial: Numbers, sweeps: Numbers, y: Numbers, reached: Numbers, state: Numbers
) -> list[Number]:
    """Return impulses that are tried, those that are reached, and the state, after trials of a step.

    The state is whether to go on, passages, those of this attempt, its proximal term, its part of friction, the part
    that is reached, the way along the path, and the last |F|^2, the latest one first.
    """
    goes, count, tries, proximal, part, before, way, *sizes = state
    _, taken, left, now, most = trial
    sizes = [choose(tries < 0.5, most, size) for size in sizes]
    is_moved = taken > 0.0
    easier = choose(taken > 0.5, maximum(EASIER * proximal, LEAST), proximal)
    proximal = choose(is_moved, easier, maximum(HARDER * proximal, SMALL))
    sizes = choose_vector(is_moved, [now, *sizes[:-1]], sizes)
    solved = choose(left <= sweeps[2], 1.0, 0.0)
    whole = choose(before < ALL + 0.5, FIRST, OTHER)
    fails = choose(proximal > LARGE, 1.0, choose(tries > whole - 1.5, 1.0, 0.0)) * (1.0 - solved)
    ends = (solved + fails) > 0.5
    onward, *place = find_next(solved, part, before, way)
    onward = choose(ends, onward, 1.0) * choose(count < MOST - 1.5, 1.0, 0.0)
    # A failure begins again where the path is; the first one without impulses.
    base = choose(before < NONE + 0.5, 0.0, 1.0)
    kept = [choose(solved > 0.5, new, base * old) for new, old in zip(ahead, reached, strict=True)]
    begun = choose_vector(ends, kept, ahead)
    kept = choose_vector(ends, kept, reached)
    moved = choose_vector(ends, place, (part, before, way))
    after = [onward, count + 1.0, choose(ends, 0.0, tries + 1.0), choose(ends, NEAR, proximal), *moved, *sizes]
    pairs = zip((*begun, *kept, *after), (*y, *reached, *state), strict=True)
    return [choose(goes > 0.5, new, old) for new, old in pairs]


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


def end_path(x: Any, sweeps: Any, round_: Any, y: Any, reached: Any, state: Any) -> list[Number]:
    """Return impulses, and the states of sweeps and rounds, after the path: its own where it came to the end."""
    arrives = abs(state[5] - 1.0) < 1e-12
    kept = choose_vector(arrives, reached, x)
    left = choose(arrives, sweeps[2], round_[2])
    return [*kept, sweeps[0], sweeps[1] + state[1], *sweeps[2:], *round_[:2], left]
