"""What inverse kinematics needs to know of a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from jaxtyping import Float

from screwgraph.compiler import Argument, Function
from screwgraph.mechanics.kinematics.targets import Target, TargetResidual
from screwgraph.spatial import Array
from screwgraph.spatial.manifolds import Manifold


@dataclass(frozen=True)
class LimitedCoordinate:
    """A coordinate with limits (`unit`: "rad" or "m"), infinite where there is none: its places in q and in qd."""

    joint: str
    q: int
    v: int
    lower: float
    upper: float
    unit: str


class InverseModel(Protocol):
    """A model, as inverse kinematics sees it."""

    @property
    def subject(self) -> Any:
        """The robot or mechanism itself: what targets are given."""
        ...

    @property
    def name(self) -> str: ...

    @property
    def question(self) -> object:
        """All that code depends on."""
        ...

    @property
    def manifold(self) -> Manifold: ...

    @property
    def start(self) -> Argument:
        """The argument that is a position."""
        ...

    @property
    def limited(self) -> tuple[LimitedCoordinate, ...]: ...

    @property
    def held(self) -> tuple[str, ...]:
        """Joints that stay where a start has them."""
        ...

    @property
    def fixed(self) -> tuple[int, ...]:
        """Places in q of what is held."""
        ...

    @property
    def moves(self) -> tuple[int, ...]:
        """The velocity coordinates that are not held."""
        ...

    @property
    def length(self) -> float:
        """A length (m) of the model, by which lengths are divided."""
        ...

    @property
    def loops(self) -> tuple[str, ...]:
        """Names of what is closed: loops, couplings, constraints."""
        ...

    @property
    def can_open(self) -> bool:
        """Whether there are loops that a robot could be without."""
        ...

    def target(self, name: str) -> Target:
        """Return what a name stands for."""
        ...

    def own(self, target: Target) -> Target:
        """Return what a target is of this model. Raises InputError where it has no such thing."""
        ...

    def motion(self, targets: Sequence[Target]) -> Function:
        """Return where what targets are about is, and how it moves, one after the other: q -> (k,)."""
        ...

    def closure(self, q: Array) -> TargetResidual:
        """Return what closes loops, on a tape."""
        ...

    def first_start(self) -> Float[np.ndarray, " nq"]:
        """Return where the first attempt begins if nobody says."""
        ...

    def later_starts(self, count: int) -> Float[np.ndarray, "count nq"]:
        """Return where further attempts begin."""
        ...
