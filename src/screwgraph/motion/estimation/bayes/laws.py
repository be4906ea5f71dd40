"""The laws of networks as templates of factors, of any model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from screwgraph.motion.planning.loop_closure import ClosureRate
from screwgraph.motion.planning.mechanics import Mechanics
from screwgraph.spatial import concatenate
from screwgraph.spatial.manifolds import Manifold


@dataclass(frozen=True)
class EquationsOfMotion:
    """Forces along coordinates that a motion takes, less those of efforts: M qdd + J' lambda + b - B u.

    Blanco-Claraco et al. (2021), eqs. (5), (28). Multipliers come after qdd where the model is closed; then come
    efforts, unless they are the parameter `effort`.
    """

    mechanics: Mechanics

    def __call__(self, q: Any, qd: Any, qdd: Any, *more: Any, effort: Any = None) -> Any:
        """Residual (nv,)."""
        left = list(more)
        multipliers = [left.pop(0)] if self.mechanics.robot.is_closed else []
        forces = np.array(self.mechanics.efforts()(q, qd, qdd, *multipliers), dtype=object)
        acting = left.pop(0) if left else effort
        return forces if acting is None else self.mechanics.drive(None).remaining_forces(forces, q, acting)


@dataclass(frozen=True)
class IndependentRates:
    """Constraints of velocities or accelerations, and independent ones of these less their own unknowns.

    Blanco-Claraco et al. (2021), eqs. (31), (32).
    """

    mechanics: Mechanics
    order: int
    independent: tuple[int, ...]

    def __call__(self, *states: Any) -> Any:
        """Residual; the last of the states are the independent ones."""
        own = states[-2][list(self.independent)] - states[-1]
        return _join(self.mechanics, self.order, states[:-1], own)


@dataclass(frozen=True)
class IndependentPositions:
    """Closure errors, and independent positions of q less their own unknowns. Blanco-Claraco et al. (2021), (30)."""

    mechanics: Mechanics
    columns: tuple[int, ...]
    manifold: Manifold

    def __call__(self, q: Any, z: Any) -> Any:
        """Residual."""
        return _join(self.mechanics, 0, (q,), self.manifold.defect(z, q[list(self.columns)]))


def _join(mechanics: Mechanics, order: int, states: tuple[Any, ...], own: Any) -> Any:
    return concatenate(ClosureRate(mechanics, order)(*states), own) if mechanics.robot.is_closed else own
