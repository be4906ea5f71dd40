"""Limits of joints that a controller keeps: efforts, accelerations, velocities, positions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from screwgraph.base.argument_checks import check_fields
from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.model.model import Model
from screwgraph.model.robot import make_unknown_name_error
from screwgraph.motion.control.limits.base import Limit
from screwgraph.motion.control.models import CoordinateRange, Motors, as_controlled
from screwgraph.spatial import maximum, minimum, sqrt
from screwgraph.tape import Number

GLIDE = 0.01
"""Part of the speed of a contact that glides which a tick takes, by default."""


@dataclass(frozen=True)
class ControlLimits:
    """Which limits of the robot's file a controller keeps, and how.

    Args:
        dt: time (s) for which a command is held.
        acceleration: with which joints can brake at least, whatever they carry (rad/s^2, m/s^2), and accelerate at
            most. Velocities and positions are kept so that this is enough to stop before the end of the range: Del
            Prete (2018), "Joint position and velocity bounds in discrete-time acceleration/torque control".
        normal_force: least force (N) on contacts that are on.
        glide_damping: rate (1/s) at which contacts that glide stop; by default 0.01 / dt, which takes a hundredth of
            their speed a tick. Springs and dampers of a simulation's contacts, or of soles, are faster than that; rates
            like theirs make light feet rattle.
        effort: keep efforts within those of the file.
        velocity: keep velocities within those of the file.
        position: keep positions within those of the file.
        round_cones: forces of points and balls stay within Coulomb's round cones, instead of pyramids in them, by
            programs one after the other; soles keep pyramids of forces at their corners.
        efforts: largest efforts (N m, N) of motors by name, in the place of the file's: mechanisms' files have none.
        others: further limits, such as `sg.control.PowerLimit`.
    """

    __repr__ = one_line

    dt: float = 1e-3
    acceleration: float = 100.0
    normal_force: float = 0.0
    glide_damping: float | None = None
    effort: bool = True
    velocity: bool = True
    position: bool = True
    round_cones: bool = False
    efforts: Mapping[str, float] = field(default_factory=dict)
    others: Sequence[Limit] = ()

    def __post_init__(self) -> None:
        check_fields(self)
        for name in ("dt", "acceleration"):
            value = getattr(self, name)
            if not 0.0 < value < np.inf:
                raise InputError(f"{name} of the limits is {value!r}", why="it must be finite and positive")
        for name, value in (("normal_force", self.normal_force), ("glide_damping", self.glide_rate)):
            if not 0.0 <= value < np.inf:
                raise InputError(f"{name} of the limits is {value!r}", why="it must be finite, from 0 on")
        for name, most in self.efforts.items():
            if not most > 0.0:
                raise InputError(f"the largest effort of {name!r} is {most!r}", why="it must be positive (N m, N)")

    @property
    def glide_rate(self) -> float:
        """The rate (1/s) at which contacts that glide stop."""
        return GLIDE / self.dt if self.glide_damping is None else self.glide_damping

    def list_bounds(self, model: Model) -> Iterator[CoordinateRange]:
        """Yield the coordinates with limits of position or velocity that are kept."""
        for own in as_controlled(model).ranges:
            kept = own if self.position else replace(own, lower=-np.inf, upper=np.inf)
            kept = kept if self.velocity else replace(kept, velocity=np.inf)
            if np.isfinite([kept.lower, kept.upper, kept.velocity]).any():
                yield kept

    def bound_efforts(self, motors: Motors) -> list[tuple[float, float]]:
        """Return the least and the largest effort of each motor. Raises InputError for unknown motors."""
        for name in self.efforts:
            if name not in motors.names:
                raise make_unknown_name_error("motor", name, motors.names)
        return [
            (-self.efforts[name], self.efforts[name]) if name in self.efforts else own
            for name, own in zip(motors.names, motors.bounds, strict=True)
        ]

    def bound_acceleration(self, bounds: CoordinateRange, q: Number, v: Number) -> tuple[Number, Number]:
        """Return the least and the largest acceleration; what is beyond a range already brakes as it can."""
        most = self.acceleration
        above = bounds.upper - q if bounds.upper < np.inf else None
        below = q - bounds.lower if bounds.lower > -np.inf else None
        up = minimum(self._bound_by_braking(above, v, bounds.velocity), most)
        low = -minimum(self._bound_by_braking(below, -v, bounds.velocity), most)
        up, low = maximum(up, -most), minimum(low, most)
        return minimum(low, 0.5 * (low + up)), maximum(up, 0.5 * (low + up))

    def _bound_by_braking(self, distance: Number | None, v: Number, speed: float) -> Number:
        """Return the acceleration a with which braking from v + a dt on just stops within the distance left then.

        (v + a dt)^2 = 2 A (distance - v dt - a dt^2 / 2) with A of braking; -v / dt without a root.
        """
        h, most, found = self.dt, self.acceleration, self.acceleration
        if speed < np.inf:
            found = minimum(found, (speed - v) * (1.0 / h))
        if distance is None:
            return found
        half = 0.5 * (2.0 * v + most * h)
        under = half * half - v * v + 2.0 * most * (distance - h * v)
        stops = (sqrt(maximum(under, 0.0)) - half) * (1.0 / h)
        return minimum(found, maximum(stops, -v * (1.0 / h)))
