"""How links move: each seen in its own axes, by an observer that moves as its origin does at this instant.

Newton's law is the same for all observers of constant velocity. With this one, linear velocities drop out, as they do
with conventional accelerations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from screwgraph.compiler.derivatives.analytic.joint_rotation import JointRotation, compute_joint_rotation
from screwgraph.compiler.derivatives.analytic.sparse_vectors import (
    ZERO,
    Pair,
    Vector,
    add,
    add_pairs,
    combine_pairs,
    cross,
    lie_bracket,
    scale,
    subtract,
)
from screwgraph.model.robot import Joint, Robot


@dataclass(frozen=True)
class LinkMotion:
    """A link's motion, and what its joint's screw axes do, one entry a coordinate.

    `drift` is its origin's velocity as seen from the parent's origin, in its own axes; `omega` and `acceleration`
    (alpha, a) are its angular velocity and its acceleration, in which gravity is that of the base. `axes` are the
    screw axes S; `carried` the rates of S as the parent carries them, [ad V_parent] S; `rates` these and the rates as
    the link itself carries them; `accelerations` [ad A_parent] S + [ad V_parent]^2 S.
    """

    turn: JointRotation
    drift: Vector
    omega: Vector
    acceleration: Pair
    axes: Sequence[Pair]
    carried: Sequence[Pair]
    rates: Sequence[Pair]
    accelerations: Sequence[Pair]


def compute_link_motions(robot: Robot, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> Mapping[str, LinkMotion]:
    """Return the motion of every link but the base, by name; numbers of any kind."""
    rest = scale(-1.0, list(robot.gravity))
    found: dict[str, LinkMotion] = {}
    for joint in robot.joints:
        v = robot.v_slices[joint.name]
        parent = found.get(joint.parent)
        omega, acceleration = (ZERO, (ZERO, rest)) if parent is None else (parent.omega, parent.acceleration)
        here = compute_joint_rotation(joint, q[robot.q_slices[joint.name]])
        found[joint.child] = _compute_link_motion(joint, here, omega, acceleration, list(qd[v]), list(qdd[v]))
    return found


def _compute_link_motion(
    joint: Joint, here: JointRotation, omega: Vector, acceleration: Pair, qd: Vector, qdd: Vector
) -> LinkMotion:
    columns = np.asarray(joint.type.screw_axes(joint.type.manifold.identity()), dtype=float).T.tolist()
    axes = [(column[:3], column[3:]) for column in columns]
    swung = cross(omega, here.origin)  # velocity of the parent's point where the child's origin is
    pulled = add(acceleration[1], cross(acceleration[0], here.origin), cross(omega, swung))
    own = combine_pairs(qd, axes)
    V = here.down(omega), scale(-1.0, own[1])
    A = here.down(acceleration[0]), subtract(here.down(pulled), cross(*V))
    carried = [lie_bracket(V, S) for S in axes]
    second = [add_pairs(lie_bracket(A, S), lie_bracket(V, rate)) for S, rate in zip(axes, carried, strict=True)]
    itself = V if len(axes) == 1 else (add(V[0], own[0]), ZERO)
    rates = [add_pairs(rate, lie_bracket(itself, S)) for S, rate in zip(axes, carried, strict=True)]
    total = add_pairs(A, combine_pairs(qdd, axes), lie_bracket(V, own))
    drift = add(here.down(swung), own[1])
    return LinkMotion(here, drift, add(V[0], own[0]), total, axes, carried, rates, second)
