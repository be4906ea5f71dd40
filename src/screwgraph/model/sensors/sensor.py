"""A sensor of a robot or of a planar mechanism, and the columns that it fills."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.model.sensors import SENSORS
from screwgraph.model.sensors.base import QUATERNION, XY, XYZ, SensorForm, SensorKind, SensorPlace

OPTIONS = {
    "delay": "has no delay",
    "bias": "has no bias",
    "walk": "has no bias that walks",
    "huber": "has no robust loss",
    "slip": "does not slip",
}
"""Entries of sensors beside their standard deviation, and what to say where their kind has none."""


@dataclass(frozen=True)
class Sensor:
    """Sensor of a motion: a key of `SENSORS`, the part that it is on, and its standard deviation.

    Targets are names of joints or frames of robots, numbers of bodies, points, angles or coordinates of mechanisms, or
    of a line's two points. `sigma` is one number (SI units), or one for each row of the residual; `at` a place (m) on
    the target or near it. It reads what was `delay` (s) before its times. `bias` is the standard deviation of a
    constant that it is off by, 0: none; with `walk` that changes at random, by so much in the root of a second.
    Residuals beyond `huber` standard deviations weigh less, 0: all count fully. A contact whose foot is further from
    rest than `slip` standard deviations slips, 0: none does. `in_space`: its mechanism is one in space; it reads what
    it does on robots.
    """

    __repr__ = one_line

    name: str
    kind: str
    target: Any
    sigma: tuple[float, ...]
    at: tuple[float, ...] = (0.0, 0.0, 0.0)
    delay: float = 0.0
    bias: float = 0.0
    walk: float = 0.0
    huber: float = 0.0
    slip: float = 0.0
    in_space: bool = False

    def __post_init__(self) -> None:
        """Check the kind and its options; one number is a standard deviation, too. Raises InputError."""
        object.__setattr__(self, "sigma", tuple(np.atleast_1d(self.sigma).tolist()))
        for option, missing in OPTIONS.items():
            value = getattr(self, option)
            if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not 0.0 <= value < np.inf:
                raise InputError(f"{option} = {value!r} of sensor {self.name!r} is not a positive number")
            if value and option not in self.entry.options:
                raise InputError(f"sensor {self.name!r} {missing}", why=f"it is one of {self.kind}", fix="leave it out")
        if self.walk and not self.bias:
            raise InputError(f"the bias of sensor {self.name!r} walks from nowhere", fix="give bias, how large it is")

    @property
    def entry(self) -> SensorKind:
        """Its kind. Raises InputError where there is none."""
        if self.kind not in SENSORS:
            raise InputError(f"no kind of sensor is called {self.kind!r}", fix=f"there are {', '.join(SENSORS)}")
        return SENSORS[self.kind]

    @property
    def form(self) -> SensorForm:
        """Its kind on models of its own sort."""
        found = self.entry.robot if isinstance(self.target, str) else self.entry.mechanism
        assert found is not None  # as read
        if not self.in_space:
            return found
        alike = self.entry.robot.suffixes if self.entry.robot else XYZ if found.suffixes == XY else found.suffixes
        return replace(found, suffixes=alike)

    @property
    def place(self) -> SensorPlace:
        """The arguments of its residual."""
        return SensorPlace(self.kind, self.target, self.at, len(set(self.sigma)) == 1)

    @property
    def spread(self) -> Any:
        """Its standard deviation: a number, or one for each row (m,)."""
        return np.array(self.sigma) if len(self.sigma) > 1 else sum(self.sigma)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns that it fills in a table of measurements."""
        return tuple(self.name + suffix for suffix in self.form.suffixes)

    @cached_property
    def rows(self) -> dict[str, tuple[str, ...]]:
        """By name of each row of its residual, the columns that the row needs."""
        rows = self.form.rows or {suffix: (suffix,) for suffix in self.form.suffixes}
        return {self.name + row: tuple(self.name + suffix for suffix in of) for row, of in rows.items()}

    @cached_property
    def unit_columns(self) -> tuple[str, ...]:
        """Columns of a unit quaternion, if it reads one."""
        return tuple(self.name + suffix for suffix in self.form.suffixes if suffix in QUATERNION)


def list_pushed(sensors: Sequence[Sensor]) -> tuple[Any, ...]:
    """Return the targets that contacts push on, as sensors tell: frames of robots, numbers of points of mechanisms."""
    pushed = [s.target for s in sensors if s.entry.is_contact or "forces" in s.form.of]
    return tuple(dict.fromkeys(pushed))
