"""Kinds of sensors: what each is on, its columns, its residual, its usual noise, and what its first reading says."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from screwgraph.base.summary import one_line

XY, XYZ = ("_x", "_y"), ("_x", "_y", "_z")
QUATERNION = ("_qx", "_qy", "_qz", "_qw")


@dataclass(frozen=True, eq=False)
class SensorForm:
    """A kind of sensor on one sort of model: the part that it is on, what it depends on, the suffixes of its columns.

    On robots `on` is "joint" or "frame", on planar mechanisms "body", "point", "angle", "coordinate", "motor", "bar"
    (a body) or "pin" (a body and a point of it). It depends on the families of unknowns `of`: q, qd, qdd, tau (of
    inputs), forces (of contacts), of mechanisms also the multipliers of constraints. `rows` are the
    suffixes of the residual's rows, each with those of the columns that it needs; by default each column is a row.
    `has_place` says whether sensors have an entry `at` (m). `text` says what `on` is to it in the pages on files,
    `unit` what it reads.
    """

    __repr__ = one_line

    on: str
    of: tuple[str, ...]
    suffixes: tuple[str, ...] = ("",)
    rows: Mapping[str, tuple[str, ...]] | None = None
    has_place: bool = False
    text: str = ""
    unit: str = ""


@dataclass(frozen=True, eq=False)
class SensorKind:
    """A kind of sensor, on robots, on planar mechanisms, or on both.

    `residual(motion, place, measured)` is what the sensor would read less what it did, in SI units: `motion` has what
    can be measured of a model (`RobotMotion`, `MechanismMotion`), `place` is a `SensorPlace`. `usual` are entries of
    sensors that a column KIND:TARGET declares. `base_motion(gravity, T, reading)` is the motion (4, 4) of a floating
    base that brings a frame from its pose T to the first reading. `is_contact`: it reads 1 where a foot stands still, 0
    where no force acts on it. Where the residual of zeros is not what it reads, `reading(motion, place)` is; `disturb`
    adds errors of the residual's rows (N, rows) to readings (N, columns).
    """

    __repr__ = one_line

    residual: Callable[[Any, SensorPlace, Any], Any]
    robot: SensorForm | None = None
    mechanism: SensorForm | None = None
    usual: Mapping[str, float] = field(default_factory=dict)
    base_motion: Callable[[Any, Any, Any], Any] | None = None
    is_contact: bool = False
    reading: Callable[[Any, SensorPlace], Any] | None = None
    disturb: Callable[[np.ndarray, np.ndarray], np.ndarray] = operator.add

    def find_reading(self, motion: Any, place: SensorPlace) -> Any:
        """Return what it reads on a robot (columns,)."""
        if self.reading is not None:
            return self.reading(motion, place)
        return self.residual(motion, place, np.zeros(len(self.robot.suffixes if self.robot else ())))

    @property
    def options(self) -> tuple[str, ...]:
        """Entries that sensors may have beside their standard deviation."""
        return ("delay", "huber", "slip") if self.is_contact else ("delay", "bias", "walk", "huber")


@dataclass(frozen=True)
class SensorPlace:
    """The arguments of a sensor's residual: its kind, the part `target` that it is on, and its place `at` (m).

    `is_isotropic`: its standard deviation is the same along all axes.
    """

    kind: str
    target: Any
    at: tuple[float, ...] = (0.0, 0.0, 0.0)
    is_isotropic: bool = True
