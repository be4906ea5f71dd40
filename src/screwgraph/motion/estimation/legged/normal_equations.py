"""Normal equations of a legged robot's factors: lower triangles column by column, each with its entry of J'r."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from screwgraph.compiler import CompiledProgram
from screwgraph.motion.estimation.legged.imu import compile_expressions, inertial_residual
from screwgraph.motion.estimation.legged.smoother_tables import (
    BIASES,
    CHANGE_SIZE,
    NAVIGATION,
    NAVIGATION_NUMBERS,
    ROW_LENGTH,
    SEEN,
    Sizes,
)
from screwgraph.optimize.manifold_code import tangent_rows
from screwgraph.spatial import concatenate, maximum, sqrt
from screwgraph.spatial.exponential import exp3, log3
from screwgraph.spatial.manifolds import SO3
from screwgraph.tape import jacobian
from screwgraph.tape.sparse_rows import multiply_lower, multiply_transposed


def contact_residual(R: np.ndarray, p: np.ndarray, foot: np.ndarray, measured: np.ndarray) -> np.ndarray:
    """Residual (3,) of a foot (m): where it stands, in the axes of the base, less where kinematics has it."""
    return R.T @ (foot - p) - measured


@cache
def compile_inertial_equations(sizes: Sizes) -> CompiledProgram:
    """(base, next base, bias, change, gravity) -> rows of the Jacobian by both bases and biases, with residuals.

    Rows have ROW_LENGTH numbers; they are not whitened. Biases that walk are those of the bases, and change by nothing
    but noise.
    """
    n = sizes.constants
    own, moved = n["OWN"], n["MOVED"]

    def write(a: Any, b: Any, bias: Any, change: Any, gravity: Any) -> list[Any]:
        (Ri, vi, pi), (Rj, vj, pj) = _parts(a), _parts(b)
        now = a[NAVIGATION_NUMBERS:] if sizes.are_walking else bias
        r = inertial_residual(Ri, vi, pi, Rj, vj, pj, now, change=change, gravity=gravity)
        if sizes.are_walking:
            r = concatenate(r, b[NAVIGATION_NUMBERS:] - now)
        seeds = [*_seeds(Ri, 0, sizes), *_seeds(Rj, own, sizes), *({2 * own + j: 1.0} for j in range(BIASES))]
        J = jacobian(r.tolist(), [*a, *b, *bias], seeds)
        zeros = [0.0] * (ROW_LENGTH - moved - 1)
        rows = [[*(row.get(j, 0.0) for j in range(moved)), x, *zeros] for row, x in zip(J, r, strict=True)]
        return rows + [[0.0] * ROW_LENGTH] * (n["ROWS"] - own)

    bases = {"base": n["BASE_NUMBERS"], "after": n["BASE_NUMBERS"]}
    given = {**bases, "bias": BIASES, "change": CHANGE_SIZE, "gravity": 3}
    return compile_expressions("legged_motion", {name: (n,) for name, n in given.items()}, write)


@cache
def compile_contact_equations(robust: bool, sizes: Sizes) -> CompiledProgram:
    """(base, foothold, point, whitening, threshold) -> normal equations of rotation, position and foothold.

    The threshold of the loss of Huber (1964) is in standard deviations; it is not used unless `robust`.
    """

    def write(base: Any, foot: Any, point: Any, white: Any, huber: Any) -> list[Any]:
        R, _, p = _parts(base)
        r = white.reshape(3, 3) @ contact_residual(R, p, foot, point)
        units = [{3 + j: 1.0} for j in range(6)]
        J = jacobian(r.tolist(), [*R.ravel(), *p, *foot], [*tangent_rows(SO3(), R), *units])
        weight = huber[0] / maximum(sqrt(r @ r), huber[0]) if robust else 1.0
        return _normal(J, r, weight, SEEN)

    base = sizes.constants["BASE_NUMBERS"]
    given = {"base": (base,), "foot": (3,), "point": (3,), "white": (9,), "huber": (1,)}
    return compile_expressions("legged_contact", given, write)


@cache
def compile_prior_equations(sizes: Sizes) -> CompiledProgram:
    """(base, bias, first base, root of its information, information of biases) -> normal equations of both.

    Errors of velocity and position turn with the estimated rotation, as those of GTSAM's `PriorFactorNavState` do.
    """

    def write(base: Any, bias: Any, first: Any, root: Any, information: Any) -> list[Any]:
        (R, v, p), (R0, v0, p0) = _parts(base), _parts(first)
        now = base[NAVIGATION_NUMBERS:] if sizes.are_walking else bias
        r = root.reshape(9, 9) @ concatenate(log3(R0.T @ R), R0 @ R.T @ (v - v0), R0 @ R.T @ (p - p0))
        r = concatenate(r, [sqrt(x) * b for x, b in zip(information, now, strict=True)])
        seeds = [*_seeds(R, 0, sizes), *({NAVIGATION + j: 1.0} for j in range(BIASES))]
        return _normal(jacobian(r.tolist(), [*base, *bias], seeds), r, 1.0, NAVIGATION + BIASES)

    given = {"base": (sizes.constants["BASE_NUMBERS"],), "bias": (BIASES,), "first": (NAVIGATION_NUMBERS,)}
    return compile_expressions("legged_start", {**given, "root": (81,), "information": (BIASES,)}, write)


@cache
def compile_base_retraction(sizes: Sizes) -> CompiledProgram:
    """(base, displacement) -> the base that is displaced so."""

    def write(base: Any, d: Any) -> list[Any]:
        R, v, p = _parts(base)
        return [R @ exp3(d[:3]), v + d[3:6], p + d[6:9], base[NAVIGATION_NUMBERS:] + d[NAVIGATION:]]

    n = sizes.constants
    return compile_expressions("base_turn", {"base": (n["BASE_NUMBERS"],), "d": (n["OWN"],)}, write)


def _parts(base: Any) -> tuple[Any, Any, Any]:
    return base[:9].reshape(3, 3), base[9:12], base[12:NAVIGATION_NUMBERS]


def _seeds(R: Any, start: int, sizes: Sizes) -> list[dict[int, Any]]:
    """Return what each number of a base is moved by, by its directions, which begin at `start`."""
    turned = [{start + j: x for j, x in row.items()} for row in tangent_rows(SO3(), R)]
    return [*turned, *({start + 3 + j: 1.0} for j in range(sizes.constants["OWN"] - 3))]


def _normal(J: Any, r: Any, weight: Any, n: int) -> list[Any]:
    weighted = [{j: weight * x for j, x in row.items()} for row in J]
    H, g = multiply_lower(J, weighted, n), multiply_transposed(weighted, r, n)
    return [[*(H[i].get(j, 0.0) for i in range(j, n)), g[j]] for j in range(n)]
