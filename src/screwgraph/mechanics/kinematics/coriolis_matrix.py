"""The Coriolis matrix."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import check_arguments
from screwgraph.compiler import Function
from screwgraph.mechanics.kinematics.composite_bodies import (
    CompositeBody,
    LinkRotation,
    compute_composites,
    compute_link_rotation,
)
from screwgraph.mechanics.kinematics.kinematic_function import BODIES, compile_kinematics
from screwgraph.mechanics.kinematics.mechanism import ANSWERS
from screwgraph.mechanics.kinematics.total_momentum import transform_momentum
from screwgraph.model.model import answered_by
from screwgraph.model.robot import Joint, Robot
from screwgraph.model.robot.parameters import MASSES, checked_parameters
from screwgraph.spatial import Array, Taylor, ad, concatenate, rotation, skew


@check_arguments
@answered_by(ANSWERS)
def coriolis_matrix(
    robot: Robot, *, parameters: Sequence[str] = (), payload: str | None = None, dtype: str = "float64"
) -> Function:
    """Return C(q, qd), with which C qd are the Coriolis and centrifugal terms: (..., nq), (..., nv) -> (..., nv, nv).

    Of all such matrices it is that of Christoffel's symbols: dM/dt = C + C', so that dM/dt - 2 C is skew-symmetric.
    Gravity and damping are not in it: `bias_forces` = C qd + gravity + damping. Loops and couplings play no part in it.
    Echeandia & Wensing (2021), (9)-(11).

    Of planar mechanisms it is zero: the mass matrix of natural coordinates is constant.

    With `parameters` and `payload`, numbers of the robot are inputs, the last argument: see `inverse_dynamics`.

    Raises:
        InputError: what is given is no robot.
    """
    live = checked_parameters("coriolis_matrix does not depend on", MASSES, robot, parameters, payload)

    def expression(changed: Robot, q: np.ndarray, qd: np.ndarray) -> list:
        motion = compute_link_rotation(changed, q, qd)
        bodies = compute_composites(changed, q, motion)
        C = np.zeros((changed.nv, changed.nv), dtype=object)
        columns = {joint.name: list(_columns(changed, joint, q, qd, motion)) for joint in changed.joints}
        for joint in changed.joints:
            for column in columns[joint.name]:
                _fill(C, changed, q, joint, _Field.from_column(column, bodies[joint.child]), column, columns, motion)
        for joint in (joint for joint in changed.joints if joint.has_turning_axes):
            v = changed.v_slices[joint.name]
            C[v, v] = C[v, v] + joint.armature * _turning(qd[v])
        return C.ravel().tolist()

    shape = (robot.nv, robot.nv)
    return compile_kinematics(
        "coriolis_matrix", robot, ("q", "qd"), expression, shape, passes=BODIES, live=live
    ).astype(dtype)


@dataclass(frozen=True, eq=False)
class _Column:
    """A screw axis of a joint in the child's frame, its rate as seen from the world, and its place in qd."""

    place: int
    A: Float[Array, "6"]
    A_rate: Float[Array, "6"]


@dataclass(frozen=True, eq=False)
class _Field:
    """Velocity of a composite body whose joint moves at unit rate, in a link's frame.

    `rate` is the wrench of the field's changes, `momentum` that of the field, `crossed` the integral of u x field.
    """

    rate: Float[Array, "6"]
    momentum: Float[Array, "6"]
    crossed: Float[Array, "3"]

    @classmethod
    def from_column(cls, column: _Column, body: CompositeBody) -> _Field:
        return cls(body.change(column.A, column.A_rate), body.momentum(column.A), body.cross_integral(column.A))

    def transform(self, T: Float[Array, "4 4"], d: Float[Array, "3"]) -> _Field:
        """Return it in a frame in which the link's stands at T, and its origin moves at d."""
        momentum = transform_momentum(T, self.momentum)
        crossed = rotation(T) @ self.crossed + skew(d) @ momentum[3:]
        return _Field(transform_momentum(T, self.rate), momentum, crossed)


def _turning(V: Float[Array, "6"]) -> Float[Array, "6 6"]:
    """Return the matrix of a rotor of inertia 1 along all axes of a twist: Christoffel's symbols of SE(3)."""
    return np.stack([0.5 * (ad(V) @ e - ad(V).T @ e - ad(e).T @ V) for e in np.eye(6)], axis=1)


def _columns(robot: Robot, joint: Joint, q: Array, qd: Array, motion: LinkRotation) -> Iterator[_Column]:
    """Yield a joint's columns: the axis turns with the child, and moves in it where it is not constant."""
    at, v = q[robot.q_slices[joint.name]], robot.v_slices[joint.name]
    A, w = joint.type.screw_axes(at), skew(motion.w[joint.child])
    rate = _axes_rate(joint, at, qd[v])
    for i, place in enumerate(range(v.start, v.stop)):
        yield _Column(place, A[:, i], concatenate(w @ A[:3, i], w @ A[3:, i]) + rate[:, i])


def _axes_rate(joint: Joint, q: Array, qd: Array) -> Float[Array, "6 nv"]:
    """Return dA/dt in the child's frame: screw axes of numbers that know their time derivative."""
    if joint.type.constant_axes:
        return np.zeros((6, joint.type.nv))
    moving = [Taylor(x, rate, 0.0) for x, rate in zip(q, joint.type.manifold.rate(q, qd), strict=True)]
    A = joint.type.screw_axes(np.array(moving, dtype=object))
    entries: list[Any] = [entry.first if isinstance(entry, Taylor) else 0.0 for entry in A.ravel()]
    return np.array(entries, dtype=object).reshape(A.shape)


def _fill(
    C: Array,
    robot: Robot,
    q: Array,
    joint: Joint,
    field: _Field,
    column: _Column,
    columns: dict[str, list[_Column]],
    motion: LinkRotation,
) -> None:
    """Write a column's entries with the joint's own axes, and both with those of all joints that carry it."""
    for other in columns[joint.name]:
        C[other.place, column.place] = other.A @ field.rate
    while joint.parent != robot.links[0].name:
        T = joint.T_parent_child(q[robot.q_slices[joint.name]])
        field = field.transform(T, motion.shifts[joint.child])
        above = robot.joint_of(joint.parent)
        assert above is not None, "a link that is not the base has a joint"
        joint = above
        for other in columns[joint.name]:
            C[other.place, column.place] = other.A @ field.rate
            C[column.place, other.place] = other.A[:3] @ field.crossed + other.A_rate @ field.momentum
