"""Loops over pairs of a coordinate and one that carries it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from screwgraph.tape.parts import Products, Span, find_spans


@dataclass(frozen=True)
class Pairs:
    """Coordinates (`size` of them) and, for each, the `carriers`: coordinates of joints nearer to the base."""

    size: int
    carriers: Sequence[Sequence[int]]

    @cached_property
    def to_base(self) -> tuple[Span, ...]:
        """The carriers of each coordinate."""
        return tuple(span for i, columns in enumerate(self.carriers) for span in find_spans(i, columns))

    @cached_property
    def to_tips(self) -> tuple[Span, ...]:
        """The coordinates that each one carries."""
        carried: list[list[int]] = [[] for _ in self.carriers]
        for i, columns in enumerate(self.carriers):
            for j in columns:
                carried[j].append(i)
        return tuple(span for j, columns in enumerate(carried) for span in find_spans(j, columns))

    @property
    def is_full(self) -> bool:
        """Whether of each two coordinates one carries the other."""
        return 2 * sum(map(len, self.carriers)) == self.size * (self.size - 1)

    def below(self, terms: int, carried: int, carrying: int, target: int, width: int = 0) -> Products:
        """Return the entries (i, j) of a matrix where j carries i: products of vectors of i and of j.

        Its rows are `width` apart, by default neighbours.
        """
        return Products(terms, carried, carrying, self.size, target, width or self.size, self.to_base)

    def above(self, terms: int, carrying: int, carried: int, target: int) -> Products:
        """Return the entries (j, i) of a matrix where j carries i."""
        return Products(terms, carrying, carried, self.size, target, self.size, self.to_tips)
