"""The fastest way along a path whose speed is limited: reachability analysis.

A motion along q(s) has s' = sqrt(x) and s'' = u, constant over each interval of s, so that x grows by 2 u for each unit
of s. Limits of velocities, accelerations and torques are rows a u + b x <= c. Pham & Pham (2018), "A new approach to
time-optimal path parameterization based on reachability analysis".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

ROUNDING = 1e-12
ROUNDS = 200
SOONEST = 1e-5
"""Time (s) in which the whole way would be passed at the largest speed that is looked at, where nothing limits it."""
Pair = tuple[float, float]


@dataclass(frozen=True, eq=False)
class Rows:
    """Limits a u + b x <= c of one interval, where x stands at its beginning."""

    a: Float[np.ndarray, " r"]
    b: Float[np.ndarray, " r"]
    c: Float[np.ndarray, " r"]

    def with_end(self, length: float, end: Pair) -> Rows:
        """Return these, and that x + 2 length u is within `end`."""
        rise = 2.0 * length
        more = ([rise, -rise], [1.0, -1.0], [end[1], -end[0]])
        return Rows(*(np.append(x, y) for x, y in zip((self.a, self.b, self.c), more, strict=True)))

    def bounds(self, x: float) -> Pair:
        """Return the lowest and the highest u at x."""
        low, high = self._lines()
        return float((low[0] * x + low[1]).max(initial=-np.inf)), float((high[0] * x + high[1]).min(initial=np.inf))

    def range(self, most: float) -> Pair | None:
        """Return the smallest and the largest x from 0 to `most` at which some u keeps the limits, None if none does.

        The lowest u is a convex function of x, the highest one concave: where they meet is found by Newton's method,
        exactly, since both are straight piece by piece.
        """
        flat = np.abs(self.a) <= ROUNDING
        b, c = self.b[flat], self.c[flat]
        largest = min(most, float((c[b > ROUNDING] / b[b > ROUNDING]).min(initial=np.inf)))
        smallest = max(0.0, float((c[b < -ROUNDING] / b[b < -ROUNDING]).max(initial=0.0)))
        if (c[np.abs(b) <= ROUNDING] < -ROUNDING).any():
            return None
        above, below = self._meet(largest, 1.0), self._meet(smallest, -1.0)
        if above is None or below is None or below > above + ROUNDING * max(1.0, abs(above)):
            return None
        return min(below, above), above

    def _lines(self) -> tuple[np.ndarray, np.ndarray]:
        """Return slopes and offsets, by x, of lower and of upper bounds of u."""
        lower, upper = self.a < -ROUNDING, self.a > ROUNDING
        return tuple(np.array([-self.b[k] / self.a[k], self.c[k] / self.a[k]]) for k in (lower, upper))  # pyright: ignore[reportReturnType]

    def _meet(self, x: float, side: float) -> float | None:
        """Return the first x from here, downwards (side 1) or upwards (-1), at which some u keeps the limits."""
        low, high = self._lines()
        if not low.size or not high.size:
            return x
        for _ in range(ROUNDS):
            i, j = int((low[0] * x + low[1]).argmax()), int((high[0] * x + high[1]).argmin())
            gap = (low[0, i] - high[0, j]) * x + low[1, i] - high[1, j]
            if gap <= ROUNDING * max(1.0, abs(low[1, i]), abs(high[1, j])):
                return x
            slope = side * (low[0, i] - high[0, j])
            if slope <= 0.0:
                return None
            x -= side * gap / slope
        return x


@dataclass(frozen=True, eq=False)
class PathProfile:
    """x = s'^2 at the edges of intervals, and u = s'' in them; or the interval in which no speed keeps the limits."""

    x: Float[np.ndarray, " n"]
    u: Float[np.ndarray, " m"]
    stuck: int | None = None


def find_fastest_profile(s: Float[np.ndarray, " n"], intervals: list[Rows], ends: Pair) -> PathProfile:
    """Return the profile that passes the path s soonest; `ends` are x at the beginning and at the end.

    Backwards, the x from which the rest can be passed are found; forwards, the largest u that leads to such an x.
    """
    lengths, most = np.diff(s), ((s[-1] - s[0]) / SOONEST) ** 2
    reachable: list[Pair] = [(ends[1], ends[1])]
    for i in range(len(lengths) - 1, -1, -1):
        found = intervals[i].with_end(lengths[i], reachable[0]).range(most)
        if found is None:
            return PathProfile(np.zeros(len(s)), np.zeros(len(lengths)), i)
        reachable.insert(0, found)
    x, u = np.zeros(len(s)), np.zeros(len(lengths))
    x[0] = ends[0]
    slack = ROUNDING * max(1.0, reachable[0][1])
    if not reachable[0][0] - slack <= x[0] <= reachable[0][1] + slack:
        return PathProfile(x, u, 0)
    for i, length in enumerate(lengths):
        _, u[i] = intervals[i].with_end(length, reachable[i + 1]).bounds(x[i])
        x[i + 1] = np.clip(x[i] + 2.0 * length * u[i], *reachable[i + 1])
        u[i] = (x[i + 1] - x[i]) / (2.0 * length)
    return PathProfile(x, u)
