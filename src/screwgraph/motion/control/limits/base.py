"""What a limit of a controller is: numbers affine in u that stay within bounds, and which of them give way first."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

from screwgraph.base.summary import one_line
from screwgraph.model.formats.yaml_keys import Entry
from screwgraph.model.formats.yaml_values import Value
from screwgraph.motion.control.affine import Affine
from screwgraph.motion.control.motion_terms import Motion
from screwgraph.motion.control.reduced_motion import ReducedMotion
from screwgraph.optimize.active_set import RoundCone
from screwgraph.tape import Number

if TYPE_CHECKING:
    from screwgraph.motion.control.limits.control_limits import ControlLimits

PRIORITIES = {"effort": 1e9, "friction": 1e8, "barrier": 3e7, "motion": 1e7}
"""Largest multipliers of rows, whose units are their bounds: what cannot be kept gives way, the last one first."""
FREE = 1e9
"""Bound of a row that has none, in units of rows."""


@dataclass(frozen=True, eq=False)
class LimitRow:
    """A number that is affine in u and stays within bounds; beyond `penalty`, a multiplier, it gives way."""

    value: Affine
    lower: Number
    upper: Number
    penalty: float


@dataclass(frozen=True, eq=False)
class LimitedState:
    """A state q (nq,), qd (nv,), its motion, affine in u, and of each contact 1 where it is on, and its friction."""

    __repr__ = one_line

    motion: Motion
    q: Any
    qd: Any
    on: Sequence[Number]
    frictions: Sequence[Number]


class Limit(ABC):
    """Numbers of a motion that stay within bounds, as far as those of higher priority let them."""

    ENTRY: ClassVar[Entry] = Entry("")
    """Meaning of its entry among the limits of a file."""

    @classmethod
    def read_entry(cls, value: Value) -> Self:
        """Return the limit of a file's entry. Raises ModelError, InputError."""
        raise value.complaint("files have no such limit")

    @abstractmethod
    def name_rows(self, own: ReducedMotion, limits: ControlLimits) -> list[str]:
        """Return the names of its rows, as reports have them. Raises InputError where the model cannot have it."""

    @abstractmethod
    def rows(self, own: ReducedMotion, limits: ControlLimits, state: LimitedState) -> list[LimitRow]:
        """Return its rows at a state, in units of their bounds."""

    def list_round_cones(self, own: ReducedMotion, limits: ControlLimits, start: int) -> list[RoundCone]:
        """Return the cones among its rows, of which the first is the row `start` of all."""
        del own, limits, start
        return []
