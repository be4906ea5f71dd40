"""Mechanisms: their points, in natural coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.compiler import Argument, Function, compile_expression, make_numbered_argument
from screwgraph.mechanics.kinematics.inverse.models.base import LimitedCoordinate
from screwgraph.mechanics.kinematics.targets import Point, Posture, Target, TargetResidual, TargetValue
from screwgraph.mechanics.kinematics.targets.frame_motion import length_of
from screwgraph.mechanics.kinematics.targets.tangent_derivatives import differentiate_along
from screwgraph.model.mechanism import Mechanism, find_slots, without_metadata
from screwgraph.model.mechanism.assembled_positions import find_assembled_states
from screwgraph.model.mechanism.closure import characteristic_length
from screwgraph.spatial import Array, maximum, sqrt
from screwgraph.spatial.manifolds import Manifold
from screwgraph.tape import Number

HALF_TURN = 1e-12
"""Least square of the cosine of half an angle that is divided by."""


@dataclass(frozen=True, eq=False)
class MechanismPoint:
    """A point of a mechanism is at (x, y) (m), in space (x, y, z), or at some of these."""

    __repr__ = one_line

    point: str
    axes: str
    at: Any
    weight: float | None
    units = ("m",)
    rule = ("point", "")

    @property
    def label(self) -> str:
        return f"position{' ' + self.axes if self.axes not in ('xy', 'xyz') else ''} of {self.point!r}"

    def shape(self, robot: Any) -> tuple[int, ...]:
        robot.point(self.point)
        return (len(self.axes),)

    def moving(self, robot: Any, q: Array) -> TargetValue:
        slots = robot.point_slots[robot.point(self.point)]
        J = np.array([np.arange(robot.n) == slot if isinstance(slot, int) else np.zeros(robot.n) for slot in slots])
        return TargetValue(np.array([q[s] if isinstance(s, int) else s for s in slots], dtype=object), J.astype(float))

    def value(self, moving: TargetValue) -> Float[Array, " k"]:
        return moving.at[["xyz".index(axis) for axis in self.axes]]

    def rows(self, robot: Any, moving: TargetValue, value: Float[Array, " k"]) -> TargetResidual:
        chosen = ["xyz".index(axis) for axis in self.axes]
        return TargetResidual(list(self.value(moving) - value), moving.jacobian[chosen], (True,) * len(chosen))

    def errors(self, robot: Any, moving: TargetValue, value: Float[Array, " k"]) -> Sequence[Number]:
        return [length_of(self.value(moving) - value)]

    def flaw(self, value: Float[Array, " k"]) -> Number:
        return 0.0


@dataclass(frozen=True, eq=False)
class MechanismModel:
    """A mechanism, whose coordinates have no limits; `held` coordinates, `fixed` in q, stay where a start has them."""

    __repr__ = one_line

    subject: Mechanism
    held: tuple[str, ...] = ()
    limited: tuple[LimitedCoordinate, ...] = ()
    fixed: tuple[int, ...] = ()

    @classmethod
    def holding(cls, mechanism: Mechanism, held: tuple[str, ...]) -> MechanismModel:
        """Make one; of a point, all coordinates are held. Raises InputError where there is none of a name."""
        return cls(mechanism, held, (), find_slots(mechanism, held, "held coordinates"))

    @property
    def name(self) -> str:
        return f"mechanism {self.subject.name!r}"

    @property
    def question(self) -> object:
        return without_metadata(self.subject), self.held

    @property
    def manifold(self) -> Manifold:
        return self.subject.manifold

    @property
    def start(self) -> Argument:
        return Argument("start", (self.subject.n,), tuple(f"start:{name}" for name in self.subject.coordinates))

    @property
    def moves(self) -> tuple[int, ...]:
        return tuple(i for i in range(self.subject.n) if i not in self.fixed)

    @property
    def length(self) -> float:
        return characteristic_length(self.subject)

    @property
    def loops(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(c.part for c in self.subject.constraints))

    @property
    def can_open(self) -> bool:
        """False: all of it is constraints."""
        return False

    def target(self, name: str) -> Target:
        """Return the position of a point."""
        return Point(name)

    def own(self, target: Target) -> Target:
        """Return the target of a point; other targets are of frames, or of all coordinates. Raises InputError."""
        if isinstance(target, Posture) and target.joints is None:
            return target
        if not isinstance(target, Point) or any(target.offset):
            raise InputError(
                f"the {target.label}: a mechanism has points, and no frames",
                fix='give Point("name of a point"), or Posture',
            )
        every = "xyz"[: self.subject.dimension]
        axes = every if target.axes == "xyz" else target.axes
        if not axes or set(axes) - set(every):
            raise InputError(f"the axes are {axes!r}", fix=f"points of this mechanism have {', '.join(every)}")
        found = MechanismPoint(target.frame, axes, target.at, target.weight)
        found.shape(self.subject)
        return found

    def motion(self, targets: Sequence[Target]) -> Function:
        def expression(q: Array) -> list:
            found = [target.moving(self.subject, q) for target in targets]
            return [x for m in found for x in (*m.at.tolist(), *m.jacobian.ravel().tolist())]

        question = self.question, [t.label for t in targets]
        return compile_expression(
            "motion_of_targets", question, (make_numbered_argument("q", self.subject.n),), expression
        )

    def closure(self, q: Array) -> TargetResidual:
        """Return the constraints that count, over the mechanism's size; of angles twice the sine of half the error.

        cos(angle) dy = sin(angle) dx holds half a turn off, too; that sine does not vanish there.
        """
        mechanism = self.subject
        code = mechanism.closing_program
        numbers, m = code.program.on(list(q)), len(code.parts)
        slopes = dict(zip(zip(*(p.tolist() for p in code.places), strict=True), numbers[m:], strict=True))
        defines = {row: slot for slot, row in mechanism.defining_rows}
        values = []
        for row in mechanism.freedom.kept:
            value = numbers[row] * (1.0 / self.length)
            if row in defines:
                value = _half_sine(numbers[row], -slopes[row, defines[row]])
            values.append(value)
        return TargetResidual(values, differentiate_along(values, q, np.eye(len(q))), (False,) * len(values))

    def first_start(self) -> Float[np.ndarray, " n"]:
        return self.subject.home.copy()

    def later_starts(self, count: int) -> Float[np.ndarray, "count n"]:
        """Return assembled positions."""
        return np.array(find_assembled_states(self.subject, 2 * count)[:count])


def _half_sine(sine: Number, cosine: Number) -> Number:
    """Return twice the sine of half an angle from multiples of its sine and cosine."""
    length = sqrt(sine * sine + cosine * cosine)
    half = sqrt(maximum(0.5 + 0.5 * (cosine / length), HALF_TURN))
    return sine / (length * half)
