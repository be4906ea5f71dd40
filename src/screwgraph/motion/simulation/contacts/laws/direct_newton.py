"""Newton's method for impulses of contacts that slide or change, by elimination: as code of a loop.

A passage is a sweep, which finds the contacts that press and slip, then a step of Newton's method from there, by
elimination without pivots of F' + p D, with the velocities F that are zero where laws hold, the diagonal D of the
Delassus matrix, and a proximal term p for impulses that hardly move the bodies. Steps with the same factors follow,
each kept where it is nearer: they are a fifth of a passage's work, and gain a power of the first error. Shamanskii
(1967), "A modification of Newton's method". What a few do not solve, as feet that jam, is left as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from screwgraph.motion.simulation.contacts.laws.laws import Numbers
from screwgraph.motion.simulation.contacts.laws.row_factors import factor_rows, solve_rows
from screwgraph.motion.simulation.contacts.laws.sweeps import ImpulseProblem, choose_vector, largest
from screwgraph.spatial import choose
from screwgraph.tape import Memory, Number, Part, SettlingLoop
from screwgraph.tape.sparse_rows import add_entry, subtract

MOST = 5
"""Passages at most."""
MOST_ROWS = 36
"""Impulses at most: code of an elimination grows with their cube."""
PROXIMAL = 10.0
"""The proximal term, by the change that ends sweeps in m/s, which knows the rounding of numbers."""
AGAIN = 2
"""Steps with the same factors."""
STATE = 2
"""Numbers of the state: whether to go on, and passages."""


def list_parts(memory: Memory, names: Sequence[str], problem: Callable[..., ImpulseProblem], rows: int) -> list[Part]:
    """Return the loop, none of too many rows; `names` are the problem's vectors."""
    if rows > MOST_ROWS:
        return []
    changes = ["x", "tried", "direct", "state", "round"]

    def go(*vectors: Any) -> list[Number]:
        given = [list(vector) for vector in vectors]
        return take_passage(problem(*given[: len(names)]), *given[len(names) :])

    return [SettlingLoop(memory.places("direct").start, (memory.block("direct", [*names, *changes], changes, go),))]


def take_passage(
    problem: ImpulseProblem, x: Numbers, tried: Numbers, method: Numbers, state: Numbers, round_: Numbers
) -> list[Number]:
    """Return impulses, those that are tried, the state of this method, and those of sweeps and of rounds.

    Impulses become those that are tried where these obey the laws to the change that ends sweeps.
    """
    (goes, count), (_, _, smallest, *_) = method, state
    is_on = goes > 0.5
    swept, _ = problem.sweep(tried, 1.0)
    factors = factor_slopes(problem, swept, PROXIMAL * smallest)
    ahead = subtract(swept, solve_rows(*factors, problem.residuals(swept)))
    rest = problem.residuals(ahead)
    left = largest(rest)
    for _ in range(AGAIN):
        after = subtract(ahead, solve_rows(*factors, rest))
        next_rest = problem.residuals(after)
        next_left = largest(next_rest)
        is_nearer = next_left < left
        ahead, rest = choose_vector(is_nearer, after, ahead), choose_vector(is_nearer, next_rest, rest)
        left = choose(is_nearer, next_left, left)
    solves = choose(left <= smallest, goes, 0.0)
    is_solved = solves > 0.5
    more = choose(is_solved, 0.0, choose(count < MOST - 1.5, goes, 0.0))
    found = choose_vector(is_solved, ahead, x)
    next_tried = choose_vector(is_on, ahead, tried)
    going = choose(is_solved, 0.0, round_[0])
    round_ = [going, choose(is_solved, 1.0, round_[1]), choose(is_solved, left, round_[2])]
    sweeps = [choose(is_solved, 0.0, state[0]), state[1] + goes + goes, *state[2:]]  # a sweep, and a step
    return [*found, *next_tried, more, count + goes, *sweeps, *round_]


def factor_slopes(problem: ImpulseProblem, x: Numbers, share: Number) -> tuple[list[list[Number]], list[list[Number]]]:
    """Return the factors of the system of a step from impulses x; p is a `share` of 1."""
    slopes = problem.slopes(x)
    for i, row in enumerate(slopes):
        add_entry(row, i, share * problem.G[i][i])
    return factor_rows([[row.get(j, 0.0) for j in range(len(x))] for row in slopes])
