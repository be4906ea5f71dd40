"""What inverse kinematics may be asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from jaxtyping import Float

from screwgraph.base.argument_checks import check_fields
from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.spatial import Array
from screwgraph.tape import Number


@dataclass(frozen=True, eq=False)
class TargetValue:
    """Numbers that say where something is, and their derivatives by velocity coordinates, or those of its motion."""

    __repr__ = one_line

    at: Array
    jacobian: Float[Array, "k nv"]


@dataclass(frozen=True, eq=False)
class TargetResidual:
    """Residuals, zero where a target is met, and their derivatives by velocity coordinates.

    `lengths` says of each row whether it is a length (m); the others are angles (rad).
    """

    __repr__ = one_line

    values: Sequence[Number]
    jacobian: Float[Array, "rows nv"]
    lengths: Sequence[bool]


@runtime_checkable
class Target(Protocol):
    """Something that inverse kinematics shall reach; frozen dataclasses.

    `at` is its value, None where it comes with each call. `weight` is None where it must be met; else it costs half
    the square of weight times residual, as far as what must be met leaves freedom.
    """

    @property
    def at(self) -> Any: ...

    @property
    def weight(self) -> float | None: ...

    @property
    def label(self) -> str:
        """Name in reports."""
        ...

    @property
    def units(self) -> tuple[str, ...]:
        """The units of its errors."""
        ...

    @property
    def rule(self) -> tuple[str, str]:
        """The kind of its value, and what makes a value one, for messages."""
        ...

    def shape(self, robot: Any) -> tuple[int, ...]:
        """Return the shape of its value. Raises InputError where the robot has no such thing."""
        ...

    def moving(self, robot: Any, q: Array) -> TargetValue:
        """Return how what it is about moves, of numbers of any kind; equal values of q give equal numbers."""
        ...

    def value(self, moving: TargetValue) -> Array:
        """Return the value that it is met with where it is."""
        ...

    def rows(self, robot: Any, moving: TargetValue, value: Array) -> TargetResidual:
        """Return its residuals."""
        ...

    def errors(self, robot: Any, moving: TargetValue, value: Array) -> Sequence[Number]:
        """Return how far it is from being met, a number a unit."""
        ...

    def flaw(self, value: Array) -> Number:
        """Return how far the value is from its `rule`, squared."""
        ...


def check_target(target: Target) -> None:
    """Raise InputError where a field is not what it should be, or the weight of no use."""
    check_fields(target)
    weight = target.weight
    if weight is not None and not 0.0 < weight < float("inf"):
        raise InputError(f"the weight {weight:g} of the {target.label} is not positive", fix="give a small number")


def validate_axes(axes: str) -> list[int]:
    """Return which of x, y, z are named. Raises InputError where other letters are, or none."""
    if not axes or set(axes) - set("xyz") or len(set(axes)) != len(axes):
        raise InputError(f"the axes are {axes!r}", fix='name some of x, y, z, as "xy"')
    return ["xyz".index(axis) for axis in axes]
