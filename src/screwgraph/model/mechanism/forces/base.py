"""What pushes a mechanism, given by energies and powers; forces are their derivatives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from screwgraph.model.mechanism.constraints import coordinate_value
from screwgraph.spatial import gradient

if TYPE_CHECKING:
    from screwgraph.model.mechanism.mechanism import Mechanism


@dataclass(frozen=True, eq=False)
class Motion:
    """A mechanism's coordinates and velocities, by place in q, of any kind of number."""

    mechanism: Mechanism
    q: Any
    qd: Any

    def point(self, i: int) -> tuple[Any, Any]:
        """Return where a point is (m)."""
        x, y = self.mechanism.point_slots[i]
        return coordinate_value(self.q, x), coordinate_value(self.q, y)

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


def coordinate_slots(mechanism: Mechanism, points: Sequence[int] = (), angle: int | None = None) -> tuple[int, ...]:
    """Return the places in q of points that are not fixed and of an angle."""
    own = [slot for i in points for slot in mechanism.point_slots[i] if isinstance(slot, int)]
    return tuple(dict.fromkeys([*own, *([] if angle is None else [mechanism.angle_slots[angle]])]))


def no_effect(motion: Motion, part: Any) -> Any:
    """Return no energy and no power."""
    return 0.0


@dataclass(frozen=True)
class Influence:
    """Something that pushes: functions of a motion and of one part of the mechanism, `parts` names these.

    Generalised forces are minus the derivative of `potential` (J) by q, minus that of half the `dissipation` (W) by
    qd, and that of `power` (W), which is linear in qd, by qd. `slots` are the coordinates that it depends on.
    """

    parts: Callable[[Mechanism], Sequence[Any]]
    slots: Callable[[Mechanism, Any], tuple[int, ...]]
    potential: Callable[[Motion, Any], Any] = no_effect
    dissipation: Callable[[Motion, Any], Any] = no_effect
    power: Callable[[Motion, Any], Any] = no_effect

    @property
    def depends_on_velocity(self) -> bool:
        """Whether its forces depend on velocities."""
        return self.dissipation is not no_effect

    def forces(self, motion: Motion, part: Any, by: Sequence[int] | None = None) -> dict[int, Any]:
        """Return the generalised forces (N, N m) of a part, by coordinate; all of its own by default."""
        own = self.slots(motion.mechanism, part)
        by = own if by is None else by
        q, qd = {i: motion.q[i] for i in own}, {i: motion.qd[i] for i in own}

        def potential(x: Mapping[int, Any]) -> list[Any]:
            return [self.potential(Motion(motion.mechanism, x, qd), part)]

        def work(x: Mapping[int, Any]) -> list[Any]:
            moving = Motion(motion.mechanism, q, x)
            return [self.power(moving, part), self.dissipation(moving, part)]

        pull = gradient(potential, q, by)[0]
        push, drag = gradient(work, qd, by)
        return {i: b - 0.5 * c - a for i, a, b, c in zip(by, pull, push, drag, strict=True)}
