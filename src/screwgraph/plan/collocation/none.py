"""Points that only costs tie together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from screwgraph.optimize import Manifold
from screwgraph.plan.collocation.base import Point


@dataclass(frozen=True)
class Untied:
    """No law joins the points: a smoothness prior does, as in Xie et al. (2020) and GPMP2."""

    weights: tuple[float, ...] = (0.5, 0.5)

    def defects(self, positions: Manifold, points: list[Point], h: Any) -> Any:
        """Return nothing."""
        return None

    def between(self, positions: Manifold, points: list[Point], h: Any, part: Any) -> tuple[Any, Any]:
        """Return what is most probable between two states if accelerations are white noise: cubic polynomials.

        GPMP2 (2018), eqs. (25), (26). Of rotation vectors, where joints turn in space.
        """
        (q, v, _), (q_end, v_end, _) = points
        found = [_most_probable(positions, *row) for row in zip(q, v, q_end, v_end, h[:, 0], part[:, 0], strict=True)]
        return np.array([a for a, _ in found]), np.array([b for _, b in found])


def _most_probable(positions: Manifold, q: Any, v: Any, q_end: Any, v_end: Any, h: float, s: float) -> tuple[Any, Any]:
    from screwgraph.plan.priors.chain import interpolation  # priors are made of steps, which know collocations
    from screwgraph.plan.priors.local import place, position, rate

    d = place(positions, q, q_end)
    start, end = h * v, h * rate(positions, d, v_end)
    w = interpolation(2, s)
    moved = w[1][0, 0] * d + w[0][0, 1] * start + w[1][0, 1] * end
    speed = (w[1][1, 0] * d + w[0][1, 1] * start + w[1][1, 1] * end) / h
    turning = np.stack([np.asarray(rate(positions, moved, e), dtype=float) for e in np.eye(len(v))], axis=1)
    return position(positions, q, moved), np.linalg.solve(turning, speed)
