"""The limits of all joints, side by side in the order of the coordinates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from screwgraph.robot.parts import Joint, Limits
from screwgraph.summary import one_line


@dataclass(frozen=True, eq=False)
class LimitArrays:
    """Bounds of every coordinate, infinite where a joint has none; those of velocity and effort are symmetric.

    `lower` and `upper` (nq,) bound positions (rad, m), of quaternions and poses they are infinite; `velocity` (nv,) is
    in rad/s or m/s, `effort` (nv,) in N m or N.
    """

    __repr__ = one_line

    lower: Float[np.ndarray, " nq"]
    upper: Float[np.ndarray, " nq"]
    velocity: Float[np.ndarray, " nv"]
    effort: Float[np.ndarray, " nv"]


def limit_arrays(joints: Sequence[Joint]) -> LimitArrays:
    """Return the limits of joints as arrays, which cannot be written to."""

    def array(of: Callable[[Limits], float | None], size: Callable[[Joint], int], none: float) -> np.ndarray:
        bounds = [none if (bound := of(joint.limits)) is None else bound for joint in joints]
        found = np.repeat(np.array(bounds, dtype=float), [size(joint) for joint in joints])
        found.flags.writeable = False
        return found

    return LimitArrays(
        array(lambda limits: limits.lower, lambda joint: joint.type.nq, -np.inf),
        array(lambda limits: limits.upper, lambda joint: joint.type.nq, np.inf),
        array(lambda limits: limits.velocity, lambda joint: joint.type.nv, np.inf),
        array(lambda limits: limits.effort, lambda joint: joint.type.nv, np.inf),
    )
