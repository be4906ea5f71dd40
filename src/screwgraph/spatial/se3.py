"""Rigid transforms, twists and wrenches; `T_ab` maps coordinates in frame b to frame a."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from screwgraph.spatial.generic_math import Array, block
from screwgraph.spatial.so3 import from_rpy, skew


def transform(R: Float[Array, "3 3"], p: Float[Array, "3"]) -> Float[Array, "4 4"]:
    """Build T from rotation R and translation p (m)."""
    if isinstance(R, np.ndarray) and isinstance(p, np.ndarray):
        T = np.full((4, 4), 0.0, dtype=np.result_type(R, p, float))
        T[:3, :3], T[:3, 3], T[3, 3] = R, p.reshape(3), 1.0
        return T
    column = p.reshape((3, 1)) if isinstance(p, np.ndarray) else p
    return block([[R, column], [np.zeros((1, 3)), np.ones((1, 1))]])


def from_xyz_rpy(xyz: Float[Array, "3"], rpy: Float[Array, "3"]) -> Float[np.ndarray, "4 4"]:
    """Build T from URDF's origin: translation (m), roll, pitch, yaw (rad)."""
    return transform(from_rpy(np.asarray(rpy, dtype=float)), np.asarray(xyz, dtype=float))


def rotation(T: Float[Array, "4 4"]) -> Float[Array, "3 3"]:
    """Return the rotation part R of T."""
    return T[:3, :3]


def translation(T: Float[Array, "4 4"]) -> Float[Array, "3"]:
    """Return the translation part p (m) of T."""
    return T[:3, 3]


def to_rows(T: Float[Array, "4 4"]) -> Float[Array, "12"]:
    """Return the three rows of T = [R p] one after the other; the fourth is always 0 0 0 1."""
    return T[:3].reshape(12)


def from_rows(rows: Float[Array, "12"]) -> Float[Array, "4 4"]:
    """Return T from its three rows."""
    return block([[rows.reshape(3, 4)], [np.array([[0.0, 0.0, 0.0, 1.0]])]])


def inverse(T: Float[Array, "4 4"]) -> Float[Array, "4 4"]:
    """Return T_ba for T_ab. Lynch & Park (3.64)."""
    R, p = rotation(T), translation(T)
    return transform(R.T, -(R.T @ p))


def Ad(T: Float[Array, "4 4"]) -> Float[Array, "6 6"]:
    """Return [Ad_T], which maps twists as T = T_ab maps points: V_a = [Ad_T] V_b. Lynch & Park (3.83)."""
    R, p = rotation(T), translation(T)
    if isinstance(T, np.ndarray):
        A = np.full((6, 6), 0.0, dtype=np.result_type(T, float))
        A[:3, :3], A[3:, 3:], A[3:, :3] = R, R, skew(p) @ R
        return A
    return block([[R, np.zeros((3, 3))], [skew(p) @ R, R]])


def ad(V: Float[Array, "6"]) -> Float[Array, "6 6"]:
    """Return [ad_V], the Lie bracket matrix of a twist: [ad_V] W = [V, W]. Lynch & Park (8.38)."""
    w, v = skew(V[:3]), skew(V[3:])
    return block([[w, np.zeros((3, 3))], [v, w]])
