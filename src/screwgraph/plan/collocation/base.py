"""What joins the points of a trajectory."""

from __future__ import annotations

from typing import Any, Protocol

from screwgraph.optimize import Manifold

Point = tuple[Any, Any, Any]
"""Position, velocity and acceleration at a time, columns."""


class Collocation(Protocol):
    """How the points of a step hang together; implementations are frozen dataclasses."""

    @property
    def weights(self) -> tuple[float, ...]:
        """Quadrature weights of the points of a step of length 1, the last one that of the next step's first."""
        ...

    def defects(self, positions: Manifold, points: list[Point], h: Any) -> Any:
        """Return what vanishes where the points of a step of length h (s) hang together, a column."""
        ...

    def between(self, positions: Manifold, points: list[Point], h: Any, part: Any) -> tuple[Any, Any]:
        """Return positions (N, nq) and velocities (N, nv) at the parts 0..1 (N, 1) of N steps of lengths h (N, 1).

        `points` are those of the steps, with N rows each; accelerations are None where there are none.
        """
        ...
