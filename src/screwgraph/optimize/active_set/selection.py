"""Choices among numbers of generated code, by pairs of pairs: as few as can be wait for each other."""

from __future__ import annotations

from collections.abc import Sequence

from screwgraph.optimize.dense_factors import flag
from screwgraph.spatial import minimum
from screwgraph.tape import Number

Candidate = tuple[Number, ...]
"""A number, and what goes with it."""


def find_least(candidates: Sequence[Candidate]) -> Candidate:
    """Return the candidate whose number is least; the first of equal ones."""
    left = list(candidates)
    while len(left) > 1:
        pairs = [_choose_less(*left[i : i + 2]) for i in range(0, len(left) - 1, 2)]
        left = pairs + left[2 * len(pairs) :]
    return left[0]


def _choose_less(first: Candidate, second: Candidate) -> Candidate:
    # Products choose what goes along: compilers of C branch where truths choose, and guess wrong half the time.
    is_less = flag(second[0] < first[0])
    others = (a + is_less * (b - a) for a, b in zip(first[1:], second[1:], strict=True))
    return (minimum(first[0], second[0]), *others)
