"""Rounds of a search for impulses: sweeps, then Newton's method from there, until laws hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from screwgraph.motion.simulation.contacts.laws import newton
from screwgraph.motion.simulation.contacts.laws.sweeps import begin_again, choose_vector
from screwgraph.spatial import choose
from screwgraph.tape import Block, Memory, Number

ROUND, ROUNDS = 3, 1 + len(newton.FORCED)
"""Numbers of the state of rounds (whether to go on, rounds done, m/s by which laws are not obeyed), and how many."""


def judge_round(left: Any, x: Any, state: Any, round_: Any, terms: Sequence[float] = newton.TERMS) -> list[Number]:
    """Return Newton's state, the impulses beside it, and the states of sweeps and rounds.

    |F|^2 and the largest of F are `left` after sweeps; `terms` are proximal terms of rounds.
    """
    (square, worst), (goes, done, before) = left, round_
    begun = newton.begin_newton(square, worst, list(state), goes, done, terms)
    more, is_on = choose(done < ROUNDS - 1.5, begun[0], 0.0), goes > 0.5
    ahead = [choose(is_on, done + 1.0, done), choose(is_on, worst, before)]
    return [*begun, *x, *begin_again(list(state), more), more, *ahead]


def add_acceptance(memory: Memory) -> Block:
    """Return the part that takes impulses after Newton's method, those before it where these obey the laws better."""
    return memory.block("accept", ["x", "swept", "newton", "state", "round"], ["x", "state", "round"], accept_impulses)


def accept_impulses(x: Any, swept: Any, method: Any, state: Any, round_: Any) -> list[Number]:
    """Return the impulses, and the states of sweeps and rounds."""
    _, passages, _, _, left = method
    is_nearer = left < round_[2]
    kept = choose_vector(is_nearer, x, swept)
    left = choose(is_nearer, left, round_[2])
    more = choose(left > newton.UNSOLVED * state[2], round_[0], 0.0)
    return [*kept, more, state[1] + passages, *state[2:], more, round_[1], left]
