"""The power that motors give stays below that of a battery."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from screwgraph.base.argument_checks import check_fields
from screwgraph.base.errors import InputError
from screwgraph.model.formats.yaml_keys import NUMBER, Entry
from screwgraph.model.formats.yaml_values import Value
from screwgraph.motion.control.affine import combine_affine
from screwgraph.motion.control.limits.base import FREE, PRIORITIES, Limit, LimitedState, LimitRow
from screwgraph.motion.control.limits.control_limits import ControlLimits
from screwgraph.motion.control.reduced_motion import ReducedMotion


@dataclass(frozen=True)
class PowerLimit(Limit):
    """The mechanical power of all motors together is `most` (W) at most, at the velocity of the state.

    Power that motors take up, as joints brake, counts against what others give.
    """

    most: float

    ENTRY: ClassVar[Entry] = Entry("largest mechanical power of all motors together", NUMBER, "W")

    def __post_init__(self) -> None:
        check_fields(self)
        if not 0.0 < self.most < np.inf:
            raise InputError(f"the largest power is {self.most!r}", why="it must be finite and positive (W)")

    @classmethod
    def read_entry(cls, value: Value) -> Self:
        """Return the limit of a file's entry. Raises ModelError, InputError."""
        return cls(value.number({}))

    def name_rows(self, own: ReducedMotion, limits: ControlLimits) -> list[str]:
        """Return one name."""
        return ["power"]

    def rows(self, own: ReducedMotion, limits: ControlLimits, state: LimitedState) -> list[LimitRow]:
        """Return a row: efforts times rates of motors B'qd, in units of `most`."""
        B, _ = own.motors.arms(state.q)
        rates = np.asarray(B).T @ np.asarray(state.qd)
        terms = [(x * (1.0 / self.most), effort) for x, effort in zip(rates, state.motion.efforts, strict=True)]
        return [LimitRow(combine_affine(terms, 0.0), -FREE, 1.0, PRIORITIES["effort"])]
