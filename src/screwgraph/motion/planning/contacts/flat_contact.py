"""Flat feet: a rectangular sole that neither slips, turns nor tilts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import validate_numbers
from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.model.formats.yaml_values import Value
from screwgraph.motion.planning.contacts.base import (
    make_cone_factors,
    make_contact_factors,
    normalise_direction,
    validate_positive,
)
from screwgraph.motion.planning.contacts.contact_parser import read_common
from screwgraph.motion.planning.contacts.foot import Foot
from screwgraph.motion.planning.contacts.friction import SolePyramid
from screwgraph.motion.planning.contacts.stance import find_stances
from screwgraph.motion.planning.items import Wrench
from screwgraph.motion.planning.keys import FLAT_CONTACT
from screwgraph.motion.planning.task_parser import TaskParser
from screwgraph.motion.planning.trajectory_unknowns import TrajectoryUnknowns
from screwgraph.optimize import Factors, Variables, Vector
from screwgraph.spatial import concatenate, skew


@dataclass(frozen=True)
class SoleWrench:
    """A wrench at the centre of a sole."""

    centre: tuple[float, float, float]

    def __call__(self, q: Any, T: Any, w: Any) -> Any:
        """Return it at the frame's origin."""
        return concatenate(w[:3] + skew(np.array(self.centre)) @ w[3:], w[3:])


@dataclass(frozen=True, eq=False)
class FlatContact:
    """A sole stands on a plane: one wrench, which neither slips, turns nor tilts it. See `PointContact`.

    The sole is a rectangle about `centre` (m) in the frame, `length` (m) along its x axis and `width` along y; z points
    along the plane's normal. The wrench's cone is Caron, Pham and Nakamura's (2015), of a pyramid of four faces.
    """

    __repr__ = one_line

    frame: str
    length: float
    width: float
    phases: Sequence[str | int] | str | None = None
    friction: float = 0.7
    centre: Sequence[float] = (0.0, 0.0, 0.0)
    ground: float = 0.0
    normal: Sequence[float] = (0.0, 0.0, 1.0)
    at: Any = None
    sigma: float | None = None
    threshold: float = 0.0
    level: str = "auto"
    settling: float = 0.02
    clearance: bool = True
    swing: float = 0.0

    @classmethod
    def read(cls, value: Value, reading: TaskParser) -> FlatContact:
        """Read {frame, length, width, centre, phases, friction, ...}. Raises ModelError."""
        entries, found = read_common(value, reading, FLAT_CONTACT, ("length", "width"))
        found |= {key: reading.number(entries[key]) for key in ("length", "width")}
        if "centre" in entries:
            found["centre"] = tuple(reading.vector(entries["centre"], 3))
        return cls(**found)

    def wrenches(self, steps: TrajectoryUnknowns, name: str) -> Sequence[Wrench]:
        """Return the one on the frame. Raises InputError."""
        samples = np.concatenate([run.samples for run in find_stances(steps, self.phases)])
        x, y, z = self._centre()
        return [
            Wrench(
                steps.mechanics.robot.frame(self.frame).name,
                samples,
                self._wrench(name, len(samples)),
                SoleWrench((x, y, z)),
                (5,),
            )
        ]

    def factors(self, steps: TrajectoryUnknowns, name: str) -> Iterable[Factors]:
        """Return laws of the cone, of not slipping, and of staying above the ground. Raises InputError."""
        foot, runs = self._foot(steps), find_stances(steps, self.phases)
        sizes = {
            "friction": validate_positive(f"friction of {self.frame!r}", self.friction),
            "half_length": 0.5 * validate_positive(f"length of {self.frame!r}", self.length),
            "half_width": 0.5 * validate_positive(f"width of {self.frame!r}", self.width),
        }
        wrench = self._wrench(name, sum(len(run.samples) for run in runs))
        yield make_cone_factors(SolePyramid(), wrench, self.sigma, self.threshold, name, **sizes)
        yield from make_contact_factors(steps, foot, runs, self, name)

    def _wrench(self, name: str, count: int) -> Variables:
        return Variables(f"{name} force", Vector(6), count)

    def _centre(self) -> Float[np.ndarray, "3"]:
        centre = validate_numbers(f"centre of {self.frame!r}", self.centre)
        if centre.shape != (3,) or not np.isfinite(centre).all():
            raise InputError(f"centre of {self.frame!r} is {self.centre!r}", fix="give three lengths (m)")
        return centre

    def _foot(self, steps: TrajectoryUnknowns) -> Foot:
        name = steps.mechanics.robot.frame(self.frame).name
        x, y = (
            0.5 * validate_positive(f"length of {name!r}", self.length),
            0.5 * validate_positive(f"width of {name!r}", self.width),
        )
        c = self._centre()
        corners = [c + np.array([sx * x, sy * y, 0.0]) for sx, sy in ((1, 1), (1, -1), (-1, -1), (-1, 1))]
        found = tuple((float(p[0]), float(p[1]), float(p[2])) for p in corners)
        return Foot(steps.mechanics, name, found, normalise_direction(self.normal))
