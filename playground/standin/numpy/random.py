"""NumPy's random numbers, but for rounding: so the page writes the same code as the library.

A seed becomes a state as NumPy's `SeedSequence` makes it (O'Neill's seed_seq_fe); PCG64 draws (O'Neill, 2014);
normal numbers are drawn by the ziggurat of Marsaglia & Tsang (2000) with 256 layers.
"""

from __future__ import annotations

import math
from typing import Any

from numpy.array import array, asarray, made, ndarray
from numpy.kinds import FLOAT, INT

_32, _64, _128 = 2**32 - 1, 2**64 - 1, 2**128 - 1
MULTIPLIER = 0x2360ED051FC65DA44385DF649FCCF645
RIGHT = 3.6541528853610087963519472518
AREA = RIGHT * math.exp(-0.5 * RIGHT**2) + math.sqrt(0.5 * math.pi) * math.erfc(RIGHT / math.sqrt(2.0))
"""Where the ziggurat's lowest layer ends, and the area of each layer: the tail's is that of the others."""


def _pool(seed: int) -> list[int]:
    """Return four words of 32 bits into which a seed is mixed."""
    words = [seed >> 32 * i & _32 for i in range(max(1, -(-seed.bit_length() // 32)))]
    constant = 0x43B0D7E5

    def hashed(value: int) -> int:
        nonlocal constant
        value ^= constant
        constant = constant * 0x931E8875 & _32
        value = value * constant & _32
        return value ^ value >> 16

    def mixed(x: int, y: int) -> int:
        found = (0xCA01F9DD * x - 0x4973F715 * y) & _32
        return found ^ found >> 16

    pool = [hashed(words[i] if i < len(words) else 0) for i in range(4)]
    for source in range(4):
        for target in range(4):
            if source != target:
                pool[target] = mixed(pool[target], hashed(pool[source]))
    for word in words[4:]:
        for target in range(4):
            pool[target] = mixed(pool[target], hashed(word))
    return pool


def _state(seed: int) -> list[int]:
    """Return four words of 64 bits of a seed."""
    pool, constant, found = _pool(seed), 0x8B51F9DD, []
    for i in range(8):
        value = pool[i % 4] ^ constant
        constant = constant * 0x58F38DED & _32
        value = value * constant & _32
        found.append(value ^ value >> 16)
    return [found[2 * i] | found[2 * i + 1] << 32 for i in range(4)]


def _layers() -> tuple[list[int], list[float], list[float]]:
    """Return, for each layer of the ziggurat, whole numbers that lie inside, its width's unit, and the density."""
    unit, x, before = 2.0**52, RIGHT, RIGHT
    base = AREA / math.exp(-0.5 * x * x)
    inside, units, density = [0] * 256, [0.0] * 256, [0.0] * 256
    inside[0], inside[1] = int(x / base * unit), 0
    units[0], units[255] = base / unit, x / unit
    density[0], density[255] = 1.0, math.exp(-0.5 * x * x)
    for i in range(254, 0, -1):
        x = math.sqrt(-2.0 * math.log(AREA / x + math.exp(-0.5 * x * x)))
        inside[i + 1], before = int(x / before * unit), x
        units[i], density[i] = x / unit, math.exp(-0.5 * x * x)
    return inside, units, density


_INSIDE, _UNITS, _DENSITY = _layers()


class Generator:
    """A source of random arrays: PCG64."""

    def __init__(self, seed: Any = None) -> None:
        high, low, first, second = _state(0 if seed is None else int(seed))
        self._increment = ((first << 64 | second) << 1 | 1) & _128
        self._state = self._increment
        self._state = ((self._state + (high << 64 | low)) * MULTIPLIER + self._increment) & _128
        self._half: int | None = None

    def _word(self) -> int:
        self._state = (self._state * MULTIPLIER + self._increment) & _128
        value, turn = (self._state >> 64 ^ self._state) & _64, self._state >> 122
        return (value >> turn | value << (64 - turn)) & _64

    def _half_word(self) -> int:
        """Return 32 bits; every word serves twice."""
        if self._half is not None:
            found, self._half = self._half, None
            return found
        word = self._word()
        self._half = word >> 32
        return word & _32

    def _uniform(self) -> float:
        return (self._word() >> 11) * 2.0**-53

    def _normal(self) -> float:
        while True:
            word = self._word()
            layer, sign, rest = word & 255, word >> 8 & 1, word >> 9 & (2**52 - 1)
            x = rest * _UNITS[layer]
            if rest < _INSIDE[layer]:
                return -x if sign else x
            if layer == 0:
                while True:
                    x = -math.log1p(-self._uniform()) / RIGHT
                    y = -math.log1p(-self._uniform())
                    if y + y > x * x:
                        return -(RIGHT + x) if rest >> 8 & 1 else RIGHT + x
            y = (_DENSITY[layer - 1] - _DENSITY[layer]) * self._uniform() + _DENSITY[layer]
            if y < math.exp(-0.5 * x * x):
                return -x if sign else x

    def _below(self, count: int) -> int:
        """Return a whole number below another one (Lemire, 2019)."""
        if count == 1:
            return 0
        product = self._half_word() * count
        if product & _32 < count:
            least = (2**32 - count) % count
            while product & _32 < least:
                product = self._half_word() * count
        return product >> 32

    def _filled(self, draw: Any, size: Any) -> Any:
        if size is None:
            return draw()
        shape = (size,) if isinstance(size, int) else tuple(size)
        return made([draw() for _ in range(math.prod(shape))], shape, FLOAT)

    def standard_normal(self, size: Any = None) -> Any:
        return self._filled(self._normal, size)

    def normal(self, loc: float = 0.0, scale: float = 1.0, size: Any = None) -> Any:
        return self._filled(lambda: loc + scale * self._normal(), size)

    def random(self, size: Any = None) -> Any:
        return self._filled(self._uniform, size)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        if isinstance(low, (ndarray, list, tuple)) or isinstance(high, (ndarray, list, tuple)):
            low, high = asarray(low), asarray(high)
            return low + (high - low) * self._filled(self._uniform, (low + high * 0.0).shape if size is None else size)
        return self._filled(lambda: low + (high - low) * self._uniform(), size)

    def integers(self, low: int, high: int | None = None, size: Any = None) -> Any:
        first, end = (0, low) if high is None else (low, high)
        if size is None:
            return first + self._below(end - first)
        return made([first + self._below(end - first) for _ in range(size)], (size,), INT)

    def choice(self, a: Any, size: int | None = None) -> Any:
        items = list(range(a)) if isinstance(a, int) else list(a)
        found = self.integers(0, len(items), size)
        return items[found] if size is None else array([items[i] for i in found])


def default_rng(seed: Any = None) -> Any:
    """Return a generator; one that is given as it is."""
    return seed if isinstance(seed, Generator) else Generator(seed)
