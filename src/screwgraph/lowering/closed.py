"""Loops in graphs of conventional accelerations, and of reference accelerations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from screwgraph.graph import factor
from screwgraph.robot import Chain
from screwgraph.spatial import Ad, Array, concatenate, inverse, matrix, rotation, skew, translation


@factor(linear=("Vdot_p", "Vdot_s"), cites="Featherstone (2008), (8.2)-(8.5), at the loop joint's own point")
def loop(
    Vdot_p: Float[Array, "6"],
    Vdot_s: Float[Array, "6"],
    V_p: Float[Array, "3"],
    V_s: Float[Array, "3"],
    q: Sequence[Array],
    qd: Sequence[Array],
    *,
    chain: Chain,
) -> Float[Array, " rows"]:
    """Both ends accelerate alike along the wrenches of the loop joint; what gravity adds to both cancels."""
    T_fp, T_fs = chain.T_fp(q), inverse(chain.loop.T_sf)
    w_p, w_s = rotation(T_fp) @ V_p, rotation(T_fs) @ V_s
    w_rel = w_s - w_p
    bias = concatenate(skew(w_s) @ w_rel, _centripetal(T_fp, V_p) - _centripetal(T_fs, V_s))
    if not chain.holds_its_point:
        v_rel = chain.relative_twist(q, qd)[3:]
        bias = bias + concatenate(0.0 * v_rel, skew(w_s + w_p) @ v_rel)
    W = chain.wrenches(q)
    rate = chain.rate_of_wrenches(q, concatenate(w_rel, 0.0 * w_rel))
    return W.T @ (Ad(T_fs) @ Vdot_s - Ad(T_fp) @ Vdot_p) - W.T @ bias + rate


@factor(linear=("Vdot_p", "Vdot_s"), cites="Featherstone (2008), (8.2)-(8.5)")
def loop_beyond(
    reference_p: Float[Array, "6"],
    reference_s: Float[Array, "6"],
    V_p: Float[Array, "3"],
    V_s: Float[Array, "3"],
    q: Sequence[Array],
    qd: Sequence[Array],
    Vdot_p: Float[Array, "6"] | None = None,
    Vdot_s: Float[Array, "6"] | None = None,
    *,
    chain: Chain,
) -> Float[Array, " rows"]:
    """The same, for reference accelerations and what joint accelerations add to them; an end of known one adds none."""
    relative = np.zeros(6)
    if Vdot_s is not None:
        relative = relative + Ad(inverse(chain.loop.T_sf)) @ Vdot_s
    if Vdot_p is not None:
        relative = relative - Ad(chain.T_fp(q)) @ Vdot_p
    return chain.wrenches(q).T @ relative + loop.function(reference_p, reference_s, V_p, V_s, q, qd, chain=chain)


def _centripetal(T_fl: Float[Array, "4 4"], w: Float[Array, "3"]) -> Float[Array, "3"]:
    """Return the acceleration of a frame's origin beyond its link's, which turns by w, in that frame."""
    x, y, z = w[0], w[1], w[2]
    xx, yy, zz, xy, xz, yz = x * x, y * y, z * z, x * y, x * z, y * z
    spin = matrix([[-(yy + zz), xy, xz], [xy, -(xx + zz), yz], [xz, yz, -(xx + yy)]])
    return rotation(T_fl) @ (spin @ translation(inverse(T_fl)))
