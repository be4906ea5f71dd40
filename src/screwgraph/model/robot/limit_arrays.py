"""The limits of all joints, side by side in the order of the coordinates."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import ModelError
from screwgraph.base.errors import one_line as message_line
from screwgraph.base.summary import one_line
from screwgraph.model.robot.parts import Joint, Limits


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


def with_sound_limits(joint: Joint, at: object) -> tuple[Joint, list[str]]:
    """Return a joint whose limits mean something, and what was changed: for all formats, this is decided here.

    Limits of position in the wrong order are swapped; negative limits of velocity and effort, and infinite ones, are
    none. Zero stays zero: the joint does not move, or its motor has no effort.

    Raises:
        ModelError: a limit is NaN, or infinite on the wrong side.
    """
    limits, remarks = joint.limits, list[str]()
    for what, value in vars(limits).items():
        side = -math.inf if what == "lower" else math.inf
        if value is not None and (math.isnan(value) or value == -side):
            raise ModelError(
                f"joint {joint.name!r}: its {what} limit is {value:g}", at=at, fix="give a number, or leave it out"
            )
        if value == side:
            limits = replace(limits, **{what: None})
    for what in ("velocity", "effort"):
        value = getattr(limits, what)
        if value is not None and value < 0.0:
            limits = replace(limits, **{what: None})
            remarks.append(_remark(joint, f"its {what} limit {value:g} is negative", at, "it is taken for none"))
    lower, upper = limits.lower, limits.upper
    if lower is not None and upper is not None and lower > upper:
        limits = replace(limits, lower=upper, upper=lower)
        what = f"its lower limit {lower:g} exceeds its upper limit {upper:g}"
        remarks.append(_remark(joint, what, at, "they are swapped"))
    return (joint if limits == joint.limits else replace(joint, limits=limits)), remarks


def _remark(joint: Joint, what: str, at: object, why: str) -> str:
    return message_line(f"joint {joint.name!r}: {what}", at=at, why=why)
