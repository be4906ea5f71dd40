"""How links move: each seen in its own axes, by an observer that moves as its origin does at this instant.

Newton's law is the same for all observers of constant velocity. With this one, linear velocities drop out, as they do
with conventional accelerations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from screwgraph.compiler.derivatives.analytic.sparse_vectors import (
    ZERO,
    Matrix,
    Pair,
    Vector,
    add,
    add_pairs,
    combine_pairs,
    cross,
    dot,
    lie_bracket,
    multiply_matrices,
    multiply_vector,
    scale,
    transpose,
)
from screwgraph.model.robot import Joint, Robot
from screwgraph.spatial import Array, rotation, translation
from screwgraph.tape import Number
from screwgraph.tape.sparse_rows import subtract

TURNED_ABOUT = ((0, 1, 2), (1, 2, 0), (2, 0, 1))
"""Two axes of a plane, and the one that a rotation in it leaves alone."""


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


@dataclass(frozen=True)
class JointRotation:
    """Rotations from a child's axes to its parent's, the last one first; `origin` is the child's, in the parent."""

    rotations: Sequence[Matrix]
    origin: Vector

    def to_parent(self, a: Vector) -> Vector:
        """Return a vector in the parent's axes."""
        for R in reversed(self.rotations):
            a = multiply_vector(R, a)
        return a

    def down(self, a: Vector) -> Vector:
        """Return a vector in the child's axes."""
        for R in self.rotations:
            a = multiply_vector(transpose(R), a)
        return a

    def up_matrix(self, A: Matrix) -> Matrix:
        """Return a matrix, such as of second moments, in the parent's axes: R A R'."""
        return transpose([self.to_parent(row) for row in transpose([self.to_parent(row) for row in A])])

    def up_symmetric(self, A: Matrix) -> Matrix:
        """Return a symmetric matrix in the parent's axes."""
        for R in reversed(self.rotations):
            A = _rotate_matrix(R, A)
        return A

    @property
    def matrix(self) -> Matrix:
        """The rotation as a whole."""
        return multiply_matrices(*self.rotations)


def compute_joint_rotation(joint: Joint, q: Float[Array, " nq"]) -> JointRotation:
    """Return how the child of a joint stands at q."""
    constant, moving = joint.origin, joint.type.transform(q)
    before, after = ([list(row) for row in rotation(T)] for T in (constant, moving))
    shift = multiply_vector(before, list(translation(moving)))
    return JointRotation((before, after), add(translation(constant).tolist(), shift))


def _rotate_matrix(R: Matrix, A: Matrix) -> Matrix:
    for x, y, z in TURNED_ABOUT:
        if not isinstance(R[z][z], float) or R[z][z] != 1.0:
            continue
        return _turned_in_plane(R[x][x], R[y][x], A, (x, y, z))
    half = [[dot(row, column) for column in A] for row in R]
    upper = {(i, j): dot(half[i], R[j]) for i in range(3) for j in range(i, 3)}
    return [[upper[min(i, j), max(i, j)] for j in range(3)] for i in range(3)]


def _turned_in_plane(c: Number, s: Number, A: Matrix, axes: tuple[int, int, int]) -> Matrix:
    """Turn a symmetric matrix by c^2 + s^2 = 1: 4 products in the plane instead of 16."""
    x, y, z = axes
    bend = s * (A[x][x] - A[y][y]) + c * (A[x][y] + A[x][y])
    result = [list(row) for row in A]
    result[x][x], result[y][y] = A[x][x] - s * bend, A[y][y] + s * bend
    result[x][y] = result[y][x] = c * bend - A[x][y]
    result[x][z] = result[z][x] = c * A[x][z] - s * A[y][z]
    result[y][z] = result[z][y] = s * A[x][z] + c * A[y][z]
    return result


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
