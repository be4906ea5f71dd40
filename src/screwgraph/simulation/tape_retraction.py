"""Motions of a step's length on scalars of a tape: series in the place of square roots and branches."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import factorial
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.robot import JointType
from screwgraph.robot.joints import Floating, Spherical
from screwgraph.simulation.manifold import Manifold
from screwgraph.spatial import skew, so3
from screwgraph.tape import Number

TERMS = 9
"""Of series that have all digits up to turns of 1 rad."""


@dataclass(frozen=True, eq=False)
class SmallMotions:
    """A manifold for scalars on a tape; `turns` collects the squares of the angles (rad) that must stay below 1."""

    manifold: Manifold
    turns: list[Number] = field(default_factory=list)

    def moved(self, q: Any, step: Any) -> Any:
        """Return where a unit of time at the velocity `step` leads from q."""
        result, (places, velocities) = np.empty(self.manifold.nq, dtype=object), self.manifold.flat
        result[places] = q[places] + step[velocities]
        for joint in self.manifold.curved:
            result[joint.q] = small_retract(joint.type, q[joint.q], step[joint.v], self.turns)
        return result

    def step_rate(self, step: Any, qd: Any) -> Any:
        """Return the rate of `step` where the position moved(q, step) has the velocity qd."""
        return self.manifold.step_rate(step, qd)


def moves_on_tapes(joint: JointType) -> bool:
    """Whether `small_retract` knows a joint's motions."""
    return joint.nq == joint.nv or isinstance(joint, (Floating, Spherical))


def small_retract(
    joint: JointType, q: Float[np.ndarray, " nq"], step: Float[np.ndarray, " nv"], turns: list[Number]
) -> Float[np.ndarray, " nq"]:
    """Return `joint.retract(q, step)` for turns of less than 1 rad, whose squares are added to `turns`."""
    if joint.nq == joint.nv:
        return q + step
    w = step[:3]
    square = w @ w
    turns.append(square)
    turned = _turned(q[-4:], w, square)
    if isinstance(joint, Spherical):
        return turned
    wX = skew(w)
    v = step[3:]
    first = wX @ v
    swept = v + _series(square, 2, 1.0) * first + _series(square, 3, 1.0) * (wX @ first)
    return np.concatenate([q[:3] + so3.from_quaternion(q[3:]) @ swept, turned])


def _turned(q: Float[np.ndarray, "4"], w: Float[np.ndarray, "3"], square: Number) -> Float[np.ndarray, "4"]:
    x, y, z = _series(square, 1, 0.25) * 0.5 * w
    s = _series(square, 0, 0.25)
    a, b, c, r = q
    moved = np.array(
        [
            r * x + a * s + b * z - c * y,
            r * y + b * s + c * x - a * z,
            r * z + c * s + a * y - b * x,
            r * s - a * x - b * y - c * z,
        ],
        dtype=object,
    )
    return moved * (1.5 - 0.5 * (moved @ moved))  # Newton's step to length 1, from beside it


def _series(square: Number, first: int, scale: float) -> Number:
    """Return sum_k (-scale x^2)^k / (2 k + first)!: cosine (0), sin x / x (1), (1 - cos x) / x^2, (x - sin x) / x^3."""
    total: Number = 0.0
    for k in reversed(range(TERMS)):
        total = total * square + (-scale) ** k / factorial(2 * k + first)
    return total
