"""What a barrier of a controller is: numbers that stay positive, and how fast they may fall."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from math import prod
from typing import Any, ClassVar, Self

import numpy as np

from screwgraph.base.argument_checks import check_fields
from screwgraph.base.errors import InputError
from screwgraph.model.formats.yaml_keys import Keys
from screwgraph.model.formats.yaml_values import Value
from screwgraph.model.model import Model
from screwgraph.tape import Number, Row, jacobian


@dataclass(frozen=True)
class Barrier(ABC):
    """Numbers h of a state that stay above a margin: control barrier functions, Ames et al. (2019).

    Where h is of positions, d2h/dt2 + 2 rate dh/dt + rate^2 (h - margin) >= 0 (relative degree 2); where it is of
    velocities, too, dh/dt + rate (h - margin) >= 0 (degree 1). Derivatives are exact, whatever `values` computes.

    Args:
        rate: how fast h may come near the margin (1/s); `barriers` of the function has it.
        margin: what h stays above, in its units.
    """

    _: KW_ONLY
    rate: float = 10.0
    margin: float = 0.0

    def __post_init__(self) -> None:
        check_fields(self)
        if not 0.0 < self.rate < np.inf or not np.isfinite(self.margin):
            raise InputError(
                f"rate and margin of barrier {self.name!r} are {self.rate!r} and {self.margin!r}",
                why="the rate must be positive, both finite",
            )

    KEYS: ClassVar[Keys] = {}
    """Keys of its entry in a file beside rate and margin; none where files have none."""

    @classmethod
    def read_entry(cls, entries: Mapping[str, Value], numbers: Mapping[str, float]) -> Self:
        """Return the barrier of a file's entry, with its rate and margin. Raises ModelError, InputError."""
        del numbers
        raise next(iter(entries.values())).complaint("files have no such barrier")

    @property
    def structure(self) -> Barrier:
        """The barrier without numbers that are arguments: what code depends on."""
        return replace(self, rate=1.0, margin=0.0)

    @property
    @abstractmethod
    def name(self) -> str:
        """The name of what it keeps apart."""

    def references(self, model: Model) -> Mapping[str, tuple[int, ...]]:
        """Return the shapes of further arguments, by name; first and second rates of them (2, k) go with each.

        Raises:
            InputError: the robot cannot have the barrier.
        """
        del model
        return {}

    def list_arguments(self, model: Model) -> dict[str, tuple[int, ...]]:
        """Return the shapes of references and their rates."""
        pairs = (((name, shape), (f"{name}_rates", (2, prod(shape)))) for name, shape in self.references(model).items())
        return {name: shape for pair in pairs for name, shape in pair}

    @abstractmethod
    def values(self, model: Model, q: Any, qd: Any, *references: Any) -> Sequence[Number]:
        """Return h at a state; references are flat."""


@dataclass(frozen=True)
class BarrierRow:
    """A number h with d2h/dt2 = J qdd + drift (degree 2), or dh/dt = J qdd + drift (degree 1, whose rate is drift)."""

    value: Number
    rate: Number
    J: Row
    drift: Number
    degree: int

    def bound_acceleration(self, rate: Number, margin: Number) -> Number:
        """Return what J qdd is at least."""
        left = self.value - margin
        if self.degree == 1:
            return -self.drift - rate * left
        return -self.drift - 2.0 * rate * self.rate - rate * rate * left


def differentiate_barrier(
    model: Model, barrier: Barrier, q: Any, qd: Any, arguments: Sequence[Any]
) -> list[BarrierRow]:
    """Return the rows of a barrier; `arguments` are references, each with its rates.

    Raises:
        InputError: its values are of neither positions nor velocities.
    """
    places, rates = arguments[::2], arguments[1::2]
    q, qd = list(q), list(qd)
    h = list(barrier.values(model, np.array(q), np.array(qd), *places))
    moving = list(model.manifold.rate(np.array(q), np.array(qd)))
    p = [x for place in places for x in place]
    first = [x for own in rates for x in own[: len(own) // 2]]
    second = [x for own in rates for x in own[len(own) // 2 :]]
    found = list[BarrierRow]()
    by_velocity = jacobian(h, qd)
    along = [{0: x} for x in (*moving, *first)]
    slopes = jacobian(h, [*q, *p], along)
    for value, own, slope in zip(h, by_velocity, slopes, strict=True):
        change = slope.get(0, 0.0)
        if own:
            found.append(BarrierRow(value, 0.0, own, change, 1))
            continue
        seeds = [*along, *({1 + i: 1.0} for i in range(len(qd))), *({0: x} for x in second)]
        (row,) = jacobian([change], [*q, *p, *qd, *first], seeds)
        J = {i - 1: x for i, x in row.items() if i}
        if not J:
            raise InputError(
                f"barrier {barrier.name!r} is of neither positions nor velocities",
                why="no motion of the robot keeps it",
            )
        found.append(BarrierRow(value, change, J, row.get(0, 0.0), 2))
    return found
