"""What compiled steps work on: one array, in which vectors have names."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from jaxtyping import Float


class Memory:
    """Names of vectors and where they stand; grows while code is put together."""

    def __init__(self) -> None:
        self._places: dict[str, range] = {}
        self._size = 0

    @property
    def names(self) -> Iterable[str]:
        """The vectors, in order."""
        return self._places.keys()

    def add(self, name: str, size: int) -> range:
        """Allocate a vector; return its places."""
        self._places[name] = range(self._size, self._size + size)
        self._size += size
        return self._places[name]

    def places(self, name: str) -> range:
        """Return where a vector stands."""
        return self._places[name]

    def filled(self, **vectors: Float[np.ndarray, " n"]) -> Float[np.ndarray, " size"]:
        """Return the array with some vectors in it, zero elsewhere."""
        numbers = np.zeros(self._size)
        for name, vector in vectors.items():
            place = self._places[name]
            numbers[place.start : place.stop] = vector
        return numbers
