"""What pushes a mechanism, told by energies and powers; forces are their derivatives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from screwgraph.mechanism.constraints import at
from screwgraph.mechanism.mechanism import Mechanism


@dataclass(frozen=True, eq=False)
class Motion:
    """A mechanism's coordinates and velocities, of any kind of number."""

    mechanism: Mechanism
    q: Any
    qd: Any

    def point(self, i: int) -> tuple[Any, Any]:
        """Return where a point is (m)."""
        x, y = self.mechanism.point_slots[i]
        return at(self.q, x), at(self.q, y)

    def velocity(self, i: int) -> tuple[Any, Any]:
        """Return the velocity of a point (m/s); that of a fixed one is zero."""
        x, y = (self.qd[slot] if isinstance(slot, int) else 0.0 for slot in self.mechanism.point_slots[i])
        return x, y

    def way(self, points: tuple[int, int]) -> tuple[Any, Any]:
        """Return the way from one point to another (m)."""
        (xi, yi), (xj, yj) = (self.point(i) for i in points)
        return xj - xi, yj - yi

    def relative_velocity(self, points: tuple[int, int]) -> tuple[Any, Any]:
        """Return the velocity of a second point less that of the first (m/s)."""
        (xi, yi), (xj, yj) = (self.velocity(i) for i in points)
        return xj - xi, yj - yi

    def angle(self, i: int) -> Any:
        """Return an angle (rad)."""
        return self.q[self.mechanism.angle_slots[i]]

    def angular_velocity(self, i: int) -> Any:
        """Return the rate of an angle (rad/s)."""
        return self.qd[self.mechanism.angle_slots[i]]


def nothing(motion: Motion) -> Any:
    """Return no energy and no power."""
    return 0.0


@dataclass(frozen=True)
class Influence:
    """Something that pushes: a function each of the motion of a mechanism.

    Generalised forces are minus the derivative of `potential` (J) by q, minus that of half the `dissipation` (W) by
    qd, and that of `power` (W), which is linear in qd, by qd.
    """

    potential: Callable[[Motion], Any] = field(default=nothing)
    dissipation: Callable[[Motion], Any] = field(default=nothing)
    power: Callable[[Motion], Any] = field(default=nothing)
