"""Random numbers: reproducible, though others than NumPy's."""

from __future__ import annotations

import math
from random import Random
from typing import Any

from numpy.array import array, asarray, made, ndarray
from numpy.kinds import FLOAT


class Generator:
    """A source of random arrays."""

    def __init__(self, seed: Any = None) -> None:
        self._random = Random(repr(seed))

    def _filled(self, draw: Any, size: Any) -> Any:
        if size is None:
            return draw()
        shape = (size,) if isinstance(size, int) else tuple(size)
        return made([draw() for _ in range(math.prod(shape))], shape, FLOAT)

    def standard_normal(self, size: Any = None) -> Any:
        return self._filled(lambda: self._random.gauss(0.0, 1.0), size)

    def normal(self, loc: float = 0.0, scale: float = 1.0, size: Any = None) -> Any:
        return self._filled(lambda: self._random.gauss(loc, scale), size)

    def random(self, size: Any = None) -> Any:
        return self._filled(self._random.random, size)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        if isinstance(low, (ndarray, list, tuple)) or isinstance(high, (ndarray, list, tuple)):
            low, high = asarray(low), asarray(high)
            shape = (size,) if isinstance(size, int) else size or (low + high * 0.0).shape
            return low + (high - low) * self._filled(self._random.random, shape)
        return self._filled(lambda: self._random.uniform(low, high), size)

    def integers(self, low: int, high: int | None = None, size: Any = None) -> Any:
        first, end = (0, low) if high is None else (low, high)
        if size is None:
            return self._random.randrange(first, end)
        return array([self._random.randrange(first, end) for _ in range(size)])

    def choice(self, a: Any, size: int | None = None) -> Any:
        items = list(range(a)) if isinstance(a, int) else list(a)
        return self._random.choice(items) if size is None else array(self._random.choices(items, k=size))

    def permutation(self, n: Any) -> ndarray:
        items = list(range(n)) if isinstance(n, int) else list(n)
        self._random.shuffle(items)
        return array(items)


def default_rng(seed: Any = None) -> Any:
    """Return a generator; one that is given as it is."""
    return seed if isinstance(seed, Generator) else Generator(seed)
