"""Axles whose wheels roll and do not slide along them: nonholonomic bases, such as differential drives and cars."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.model.formats.yaml_values import Value
from screwgraph.motion.planning.contacts.base import normalise_direction
from screwgraph.motion.planning.contacts.contact_parser import read_phases
from screwgraph.motion.planning.contacts.stance import find_stances
from screwgraph.motion.planning.frame_velocity import make_frame_twist
from screwgraph.motion.planning.items import Wrench
from screwgraph.motion.planning.keys import AXLE
from screwgraph.motion.planning.mechanics import Mechanics
from screwgraph.motion.planning.task_parser import TaskParser
from screwgraph.motion.planning.trajectory_unknowns import TrajectoryUnknowns
from screwgraph.optimize import Factors, Variables, Vector, equality
from screwgraph.spatial import concatenate, vector

Y = (0.0, 1.0, 0.0)
SLIDES = 1e-6
"""Velocity (m/s) along the axle up to which a given state does not slide."""


@dataclass(frozen=True)
class AxleVelocity:
    """Velocity (m/s) of a frame's origin along an axis of the frame."""

    mechanics: Mechanics
    frame: str
    axis: tuple[float, float, float]

    def __call__(self, q: Any, qd: Any) -> Any:
        """Return it, (1,)."""
        T, V = self.mechanics.pose_of(self.frame)(q), make_frame_twist(self.mechanics, self.frame)(q, qd)
        return vector([sum(T[i, j] * self.axis[j] * V[3 + i] for i in range(3) for j in range(3))])


@dataclass(frozen=True)
class AxleForce:
    """A force along an axis of a frame, at its origin."""

    axis: tuple[float, float, float]

    def __call__(self, q: Any, T: Any, f: Any) -> Any:
        """Return the wrench, in the frame."""
        return concatenate(np.zeros(3), vector([a * f[0] for a in self.axis]))


@dataclass(frozen=True, eq=False)
class Axle:
    """The origin of a frame does not move along `axis` (in the frame), whatever else the frame does.

    It is where the wheels of an axle stand, on average: one for a differential drive, two for a car, at its rear axle
    and on a link that steers. The ground exerts the force along the axle that this takes. Lynch & Park (2017), 13.3.
    """

    __repr__ = one_line

    frame: str
    axis: Any = Y
    phases: Sequence[str | int] | str | None = None

    @classmethod
    def read(cls, value: Value, reading: TaskParser) -> Axle:
        """Read {frame, axis, phases}. Raises ModelError."""
        entries = value.section(AXLE)
        if "frame" not in entries:
            raise value.complaint("it must have a frame")
        axis = reading.vector(entries["axis"], 3) if "axis" in entries else Y
        return cls(reading.frame(entries["frame"]), axis, read_phases(entries) if "phases" in entries else None)

    def wrenches(self, steps: TrajectoryUnknowns, name: str) -> Sequence[Wrench]:
        """Return the force along the axle. Raises InputError."""
        samples = np.concatenate([run.samples for run in find_stances(steps, self.phases)])
        force = Variables(f"{name} force", Vector(1), len(samples))
        return [Wrench(self._template(steps.mechanics).frame, samples, force, AxleForce(self._axis()))]

    def factors(self, steps: TrajectoryUnknowns, name: str) -> Iterable[Factors]:
        """Return one factor for each point at which the velocity is not given. Raises InputError."""
        template = self._template(steps.mechanics)
        points = [int(p) for run in find_stances(steps, self.phases) for p in run.points]
        for p in points:
            q, qd = steps.given["q"].get(p), steps.given["qd"].get(p)
            if steps.is_measured or q is None or qd is None:
                continue
            slides = float(np.asarray(template(q, qd), dtype=float)[0])
            if abs(slides) > SLIDES:
                raise InputError(
                    f"at t = {steps.times[p]:g} s the axle of {self.frame!r} slides by {abs(slides):.3g} m/s",
                    why="position and velocity at that time are given",
                    fix="change the velocity",
                )
        free = np.array([p for p in points if p not in steps.given["qd"]], dtype=int)
        if len(free):
            yield equality(template, steps.q[free], steps.qd[free], name=f"{name}: no sliding")

    def _axis(self) -> tuple[float, float, float]:
        return normalise_direction(self.axis, f"the axis of {self.frame!r}")

    def _template(self, mechanics: Mechanics) -> AxleVelocity:
        return AxleVelocity(mechanics, mechanics.robot.frame(self.frame).name, self._axis())
