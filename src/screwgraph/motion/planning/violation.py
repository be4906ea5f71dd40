"""A demand that does not hold, and the words of the field for it: whose, by how much, with its unit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from jaxtyping import Float

from screwgraph.base.summary import one_line
from screwgraph.motion.planning.mechanics import Mechanics, list_flat_places
from screwgraph.motion.planning.models import Drive, name_effort

KINDS = {"q": "position", "qd": "velocity", "qdd": "acceleration", "jerk": "jerk"}
"""Quantities of joints, by families of unknowns."""


@dataclass(frozen=True, eq=False)
class Violation:
    """A residual (m,) that does not hold, of a factor on unknowns of a family, with the factor's shared parameters."""

    __repr__ = one_line

    residual: Float[np.ndarray, " m"]
    family: str
    shared: Mapping[str, Any]
    mechanics: Mechanics
    drive: Drive

    @property
    def worst(self) -> int:
        """Which entry is the largest: of differences the farthest from 0, of inequalities the most positive one."""
        return int(self.residual.argmax())

    def describe_joint(self, columns: Sequence[int]) -> str:
        """Say which of the joints of some columns is off by most; nothing of other unknowns than those of joints."""
        if self.family not in KINDS:
            return ""
        worst = int(np.abs(self.residual).argmax())
        column, off = columns[worst], float(np.abs(self.residual[worst]))
        unit = self.mechanics.units(KINDS[self.family])[column]
        return f"joint {self.mechanics.labels[column]!r} is {off:.3g} {unit} off"

    def describe_limit(self, family: str, columns: Sequence[int], where: str = "") -> str:
        """Say which of some bounded columns of a family exceeds its limit by most; nothing of families without words.

        Entries of the residual are columns in turn, perhaps several times.
        """
        if family not in (*KINDS, "tau"):
            return ""
        quantity, owner, unit = self._owner(family, columns[self.worst % len(columns)])
        return f"{where}{quantity} of {owner} exceeds its limit by {self.residual.max():.3g} {unit}"

    def _owner(self, family: str, column: int) -> tuple[str, str, str]:
        """Return what a bounded column of a family is: quantity, whose, and unit."""
        mechanics, drive = self.mechanics, self.drive
        if family == "tau":
            return name_effort(drive.units[column]), f"{drive.what} {drive.labels[column]!r}", drive.units[column]
        if family == "q":
            column = next(c for c, place in list_flat_places(mechanics).items() if place == column)
        return KINDS[family], f"joint {mechanics.labels[column]!r}", mechanics.units(KINDS[family])[column]


class DescribedTemplate(Protocol):
    """A template of factors that has words for what does not hold."""

    def describe(self, violation: Violation) -> str:
        """Say by how much it does not hold; nothing where it has no words for these unknowns."""
        ...
