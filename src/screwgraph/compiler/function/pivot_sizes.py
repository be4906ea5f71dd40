"""How far the pivots of an elimination are from zero, at states: they are what its code divides by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import islice

import numpy as np

from screwgraph.compiler.signature import Argument
from screwgraph.tape import Program

SEED, STATES = 5, 64
"""The random states at which a pivot's usual size is measured."""
GUARDED = 2e-3
"""Relative pivots below which code may already give no number."""


@dataclass(frozen=True, eq=False)
class PivotSizes:
    """The pivots that depend on the state: code that computes each, then the `counts[i]` terms of the sum that it is.

    `usual` are their usual sizes.
    """

    program: Program
    counts: tuple[int, ...]
    usual: tuple[float, ...]

    def smallest(self, values: Sequence[np.ndarray]) -> np.ndarray:
        """Return the smallest relative pivot, at most 1, for values of the program's inputs.

        Each pivot is compared with its usual size, and with the largest term of the sum that it is.
        """
        sizes = iter(_sizes(self.program, values))
        smallest = np.ones(np.broadcast_shapes(*(np.shape(value) for value in values)))
        with np.errstate(all="ignore"):
            for count, usual in zip(self.counts, self.usual, strict=True):
                relative = next(sizes) / reduce(np.maximum, islice(sizes, count), usual)
                # Behind a pivot that vanished, others are not numbers: the first is the one to tell about.
                behind = (smallest == 0.0) | (np.isnan(relative) & (smallest < GUARDED))
                smallest = np.where(behind, smallest, np.minimum(smallest, relative))
        return smallest


def find_pivots(program: Program, arguments: Sequence[Argument]) -> PivotSizes:
    """Find what a program divides by; a pivot's usual size is its median over random states."""
    found = (_strip_guard(program, i[-1]) for i in program.instructions if i[0] in ("div", "inv"))
    divisors = tuple(dict.fromkeys(found))
    sizes = _sizes(replace(program, outputs=divisors), _random_states(arguments))
    sums = [_terms(program, divisor) for divisor in divisors]
    outputs = (value for divisor, terms in zip(divisors, sums, strict=True) for value in (divisor, *terms))
    usual = tuple(float(np.median(size)) for size in sizes)
    return PivotSizes(replace(program, outputs=tuple(outputs)), tuple(map(len, sums)), usual)


def _strip_guard(program: Program, divisor: int) -> int:
    """Return a divisor as it is where it vanishes."""
    operation, *operands = program.instructions[divisor]
    return _strip_guard(program, operands[0]) if operation in ("guard", "neg") else divisor


def _terms(program: Program, divisor: int) -> list[int]:
    """Return the values that a divisor is a sum of."""
    terms, sums, stack = [], set(), [divisor]
    while stack:
        i = stack.pop()
        operation, *operands = program.instructions[i]
        if operation not in ("add", "sub", "neg"):
            terms.append(i)
        elif i not in sums:
            sums.add(i)
            stack += operands
    return terms


def _sizes(program: Program, values: Sequence[np.ndarray]) -> list[np.ndarray]:
    with np.errstate(all="ignore"):
        return [np.abs(value) for value in program.evaluate(values)]


def _random_states(arguments: Sequence[Argument]) -> list[np.ndarray]:
    """Return values of all numbers of all arguments, one for each state."""
    rng = np.random.default_rng(SEED)
    columns: list[np.ndarray] = []
    for argument in arguments:
        states = rng.standard_normal((STATES, len(argument.names)))
        if argument.spaces:
            states = np.array([np.concatenate([s.random(rng) for s in argument.spaces]) for _ in range(STATES)])
        columns += list(states.T)
    return columns
