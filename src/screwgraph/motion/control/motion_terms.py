"""A motion that is affine in what a controller chooses, u, and a state on contacts from which it follows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from screwgraph.motion.control.affine import Affine, combine_affine
from screwgraph.motion.control.contacts import Held
from screwgraph.motion.control.legs import Leg
from screwgraph.motion.control.models import IndependentMotion
from screwgraph.motion.control.turned_legs import Turn
from screwgraph.tape import Number, Row


@dataclass(frozen=True, eq=False)
class Motion:
    """Accelerations (nv) and efforts of motors as u determines them; forces in contacts' axes.

    `forces[c][k]` is affine in u, zero where the contact is off; `axes[c]` (6, n) gives moment and force in the base's.
    `base` are the accelerations of the coordinates without efforts. Affine numbers may be of these, too, without what
    is constant in them: `combined` E u, whose columns stand behind those of u. An acceleration i in `alone` is one of
    u, alone[i], or is not of that at all, as a contact's flag says. What contacts that are on hold is J qdd + drift:
    rows and numbers of `holds`.
    """

    accelerations: list[Affine]
    efforts: list[Affine]
    forces: list[list[Affine]]
    axes: list[Any]
    base: Sequence[Affine] = ()
    alone: Mapping[int, int] = field(default_factory=dict)
    holds: Sequence[Affine] = ()

    @property
    def combined(self) -> list[Row]:
        """E."""
        return [row for row, _ in self.base]

    def wrench(self, contact: int) -> list[Affine]:
        """Return the moment about a contact's point and the force, in the base's axes."""
        own = self.forces[contact]
        return [combine_affine(list(zip(row, own, strict=True)), 0.0) for row in self.axes[contact]]


@dataclass(frozen=True, eq=False)
class StandingState:
    """A state of a model on contacts, `on` or off: motion without them, what they hold, how legs are turned.

    Jacobians (k, n) of contacts are along the turned axes.
    """

    motion: IndependentMotion
    held: Sequence[Held]
    on: Sequence[Number]
    turns: Sequence[Turn]
    jacobians: Sequence[Any]


@dataclass(frozen=True, eq=False)
class Foot:
    """A foot: whether it is on, its Jacobian, the coordinates beside its own, and K, k.

    a_leg = -K a_rest - k, both zero where it is off.
    """

    leg: Leg
    flag: Number
    J: Any
    rest: tuple[int, ...]
    K: Any
    k: list[Affine]
