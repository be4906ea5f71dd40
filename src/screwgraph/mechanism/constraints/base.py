"""What all constraints have in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from screwgraph.summary import one_line

Template = Callable[..., Sequence[Any]]
"""A pure function of coordinates, in order, and of named constants: residuals that vanish where it holds."""

Slot = int | float
"""Which coordinate of q an argument is, an int; or, of a fixed point, its value (m), a float."""


@dataclass(frozen=True, eq=False)
class Constraint:
    """A template bound to coordinates and constants; `part` is how messages call what it stems from."""

    __repr__ = one_line

    template: Template
    part: str
    slots: tuple[Slot, ...]
    constants: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, q: Any) -> Sequence[Any]:
        """Evaluate on coordinates of any kind: NumPy, complex, CasADi."""
        return self.template(*(at(q, slot) for slot in self.slots), **self.constants)

    @property
    def coordinates(self) -> tuple[int, ...]:
        """The coordinates that it involves."""
        return tuple(slot for slot in self.slots if isinstance(slot, int))


def at(q: Any, slot: Slot) -> Any:
    """Return a coordinate, or the value of what is fixed."""
    return q[slot] if isinstance(slot, int) else slot
