"""Newton's method whose steps need not fall each time, for searches that begin far from a solution.

It has a proximal term and steps of a few lengths, the longest after which |F|^2 is less than the most of the last five.
Grippo, Lampariello & Lucidi (1986), "A nonmonotone line search technique".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from screwgraph.motion.simulation.contacts.laws import newton
from screwgraph.motion.simulation.contacts.laws.laws import FAR, Numbers
from screwgraph.motion.simulation.contacts.laws.sweeps import ImpulseProblem, choose_vector
from screwgraph.spatial import choose, maximum
from screwgraph.tape import Memory, Number, Part, StageLoop

UNSOLVED = 10.0
"""How many times as large as the change that ends sweeps a residual is that is not left."""
MEMORY = 5
"""Sizes of F that a step is compared with."""
STATE = 4 + MEMORY
"""Numbers of a state, in order those of `Attempt`: those of searches stand behind them."""
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


class Attempt(NamedTuple):
    """Numbers of a state: whether to go on, passages, those of this attempt, its proximal term, the last |F|^2."""

    goes: Number
    count: Number
    tries: Number
    proximal: Number
    sizes: Numbers

    @classmethod
    def read(cls, state: Any) -> Attempt:
        """Return what is in the first numbers of a state; the latest |F|^2 stands first."""
        goes, count, tries, proximal, *sizes = state[:STATE]
        return cls(goes, count, tries, proximal, sizes)


def list_passage(
    memory: Memory, names: Sequence[str], problem: Callable[..., ImpulseProblem], state: str
) -> list[Part]:
    """Return the parts from impulses "tried" to those "ahead" and "trial"; `names` are the problem's vectors.

    |F|^2 and slopes are those of `ImpulseProblem.search_problem`; whether laws hold says the problem itself.
    """
    rows = len(memory.places("tried"))
    for name, size in (("step", rows), ("ahead", rows), ("trial", TRIAL)):
        memory.add(name, size)

    def linearise(*vectors: Any) -> list[Number]:
        *own, y, state = vectors
        searched = problem(*own).search_problem
        F = searched.residuals(list(y))
        return [*newton.linearise_residuals(searched, list(y), state[3]), *begin_trials(F, Attempt.read(state))]

    def find_step(triangle: Any, lengths: Any, y: Any) -> list[Number]:
        return [*newton.scale_step(triangle, lengths), *y]

    def try_length(*vectors: Any) -> list[Number]:
        *own, step, y, sweeps, ahead, trial = vectors
        return advance_trial(problem(*own), y, step, ahead, trial, sweeps[2])

    trial = memory.block("try", [*names, "step", "tried", "state", *AHEAD], AHEAD, try_length)
    return [
        memory.block("linearise start", [*names, "tried", state], [*newton.SIZES, "trial"], linearise),
        newton.add_rotation(memory, rows),
        memory.block("find step", ["triangle", "lengths", "tried"], ["step", "ahead"], find_step),
        StageLoop(LENGTHS, (trial,), ()),
    ]


def begin_state(sweeps: Any, round_: Any) -> list[Number]:
    """Return the state with which attempts begin; the states of sweeps and rounds say whether."""
    goes = choose(round_[1] > 0.5, choose(round_[2] > UNSOLVED * sweeps[2], 1.0, 0.0), 0.0)
    return [goes, 0.0, 0.0, NEAR, *[FAR] * MEMORY]


def begin_trials(F: Numbers, state: Attempt) -> list[Number]:
    """Return the state of trials: a length, that which is taken, the largest of F there, |F|^2, and the most of these.

    |F|^2 are those of the state, in the first passage of an attempt those of F.
    """
    size = sum((f * f for f in F), start=0.0)
    most: Number = choose(state.tries < 0.5, size, 0.0)
    for before in state.sizes:
        most = maximum(most, choose(state.tries < 0.5, 0.0, before))
    return [1.0, 0.0, FAR, size, most]


def advance_trial(
    problem: ImpulseProblem, y: Numbers, step: Numbers, ahead: Numbers, trial: Numbers, smallest: Number
) -> list[Number]:
    """Return impulses ahead and the state of trials after one of a length of the step."""
    length, taken, left, now, most = trial
    tried = [a - length * d for a, d in zip(y, step, strict=True)]
    F = problem.search_problem.residuals(tried)
    worst, square = problem.residual(tried), sum((f * f for f in F), start=0.0)
    falls = choose(worst <= smallest, 1.0, choose(square < (1.0 - LESS * length) * most, 1.0, 0.0))
    is_taken = choose(taken > 0.0, 0.0, falls) > 0.5
    found = choose_vector(is_taken, tried, ahead)
    return [*found, length * CUT, *choose_vector(is_taken, [length, worst, square], [taken, left, now]), most]


def judge_trials(trial: Numbers, state: Attempt, smallest: Number, most: Number) -> tuple[Number, Number, list[Number]]:
    """Return whether the attempt is solved, whether it fails after `most` passages at last, and the state after it.

    The state goes on; an attempt that is solved or fails is followed by the first passage of the next.
    """
    _, taken, left, now, largest = trial
    sizes = [choose(state.tries < 0.5, largest, size) for size in state.sizes]
    is_moved = taken > 0.0
    easier = choose(taken > 0.5, maximum(EASIER * state.proximal, LEAST), state.proximal)
    proximal = choose(is_moved, easier, maximum(HARDER * state.proximal, SMALL))
    sizes = choose_vector(is_moved, [now, *sizes[:-1]], sizes)
    solved = choose(left <= smallest, 1.0, 0.0)
    fails = choose(proximal > LARGE, 1.0, choose(state.tries > most - 1.5, 1.0, 0.0)) * (1.0 - solved)
    ends = (solved + fails) > 0.5
    after = [state.count + 1.0, choose(ends, 0.0, state.tries + 1.0), choose(ends, NEAR, proximal), *sizes]
    return solved, fails, after
