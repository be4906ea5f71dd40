"""How a link stands on its parent: a constant rotation, then the joint's own, applied one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jaxtyping import Float

from screwgraph.compiler.derivatives.analytic.sparse_vectors import (
    Matrix,
    Vector,
    add,
    dot,
    multiply_matrices,
    multiply_vector,
    transpose,
)
from screwgraph.model.robot import Joint
from screwgraph.spatial import Array, rotation, translation
from screwgraph.tape import Number

TURNED_ABOUT = ((0, 1, 2), (1, 2, 0), (2, 0, 1))
"""Two axes of a plane, and the one that a rotation in it leaves alone."""


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
