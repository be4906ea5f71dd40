"""What all constraints have in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from screwgraph.base.summary import one_line
from screwgraph.spatial import Taylor, gradient

Template = Callable[..., Sequence[Any]]
"""A pure function of coordinates, in order, and of named constants: residuals that vanish where it holds."""

Slot = int | float
"""Which coordinate of q an argument is, an int; or, of a fixed point, its value (m), a float."""


@dataclass(frozen=True, eq=False)
class Constraint:
    """A template bound to coordinates and constants; `part` is how messages call what it stems from.

    Residuals have the unit m^`degree`. Of what bodies and angles hold, the first arguments are the coordinates of the
    points, and heads of vectors, `ends`, by number. `defines` is the coordinate, an angle, that it determines at any
    position of the others. Methods take coordinates, by place in q, of any kind of number.
    """

    __repr__ = one_line

    template: Template
    part: str
    slots: tuple[Slot, ...]
    constants: Mapping[str, Any] = field(default_factory=dict)
    degree: int = 0
    ends: tuple[int, ...] = ()
    defines: int | None = None

    def __call__(self, q: Any) -> Sequence[Any]:
        """Return the residual Phi(q)."""
        return self.template(*(coordinate_value(q, slot) for slot in self.slots), **self.constants)

    @property
    def rows(self) -> int:
        """The number of residuals."""
        return len(self.template(*([0.0] * len(self.slots)), **self.constants))

    @property
    def coordinates(self) -> tuple[int, ...]:
        """The coordinates that it involves, each once."""
        return tuple(dict.fromkeys(slot for slot in self.slots if isinstance(slot, int)))

    def gradient(self, q: Any, by: Sequence[int] | None = None) -> list[list[Any]]:
        """Return Phi_q, a row of derivatives by `coordinates`, or by some of them, for each residual.

        Blanco-Claraco et al. (2021), (2).
        """
        return gradient(self, {i: q[i] for i in self.coordinates}, self.coordinates if by is None else by)

    def derivatives_along(self, q: Any, qd: Any, qdd: Any) -> list[Taylor]:
        """Return the residuals along a motion: Phi, Phi_q qd, Phi_q qdd + (Phi_q qd)_q qd.

        Blanco-Claraco et al. (2021), (1)-(3).
        """
        return list(self({i: Taylor(q[i], qd[i], qdd[i]) for i in self.coordinates}))


def coordinate_value(q: Any, slot: Slot) -> Any:
    """Return a coordinate, or the value of what is fixed."""
    return q[slot] if isinstance(slot, int) else slot
