"""What parts of a routine work on: one array, in which vectors have names."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

import numpy as np
from jaxtyping import Float

from screwgraph.tape.parts import Block
from screwgraph.tape.program import Program, program
from screwgraph.tape.scalar import Number
from screwgraph.tape.tape import Tape


class Memory:
    """Names of vectors and where they stand; grows while code is put together."""

    def __init__(self) -> None:
        self._places: dict[str, range] = {}
        self._scattered: dict[str, tuple[int, ...]] = {}
        self._size = 0

    @property
    def names(self) -> Collection[str]:
        """The vectors, in order; those whose numbers do not stand side by side come last."""
        return {**self._places, **self._scattered}

    def add(self, name: str, size: int) -> range:
        """Allocate a vector; return its places.

        Raises:
            ValueError: another vector has its name.
        """
        if name in self.names:
            raise ValueError(f"two vectors of a memory are called {name!r}")
        self._places[name] = range(self._size, self._size + size)
        self._size += size
        return self._places[name]

    def alias(self, name: str, places: range) -> range:
        """Name places that other vectors have, as a stage of a vector of all stages; return them."""
        self._places[name] = places
        return places

    def scatter(self, name: str, places: Iterable[int]) -> None:
        """Name places that other vectors have, which need not stand side by side: for blocks alone."""
        self._scattered[name] = tuple(places)

    def places(self, name: str) -> range:
        """Return where a vector stands."""
        return self._places[name]

    @property
    def size(self) -> int:
        """How many numbers it holds."""
        return self._size

    def block(
        self, name: str, reads: Sequence[str], writes: Sequence[str], expression: Callable[..., Sequence[Number]]
    ) -> Block:
        """Return the program of an expression of some vectors, whose numbers go to others, one after the other."""
        tape = Tape(merge="form")
        names = [[f"{vector}[{i}]" for i in range(len(self._list(vector)))] for vector in reads]
        vectors = [np.array([tape.input(n) for n in own], dtype=object) for own in names]
        code = program(tape, list(expression(*vectors)), [n for own in names for n in own])
        return self.placed(name, code, reads, writes)

    def placed(self, name: str, code: Program, reads: Sequence[str], writes: Sequence[str]) -> Block:
        """Return a program of some vectors, one after the other, whose outputs go to others."""
        given, found = (tuple(i for vector in side for i in self._list(vector)) for side in (reads, writes))
        return Block(name, code, given, found)

    def _list(self, name: str) -> Sequence[int]:
        return self._scattered[name] if name in self._scattered else self._places[name]

    def fill(self, **vectors: Float[np.ndarray, " n"]) -> Float[np.ndarray, " size"]:
        """Return the array with some vectors in it, zero elsewhere."""
        numbers = np.zeros(self._size)
        for name, vector in vectors.items():
            place = self._places[name]
            numbers[place.start : place.stop] = vector
        return numbers
