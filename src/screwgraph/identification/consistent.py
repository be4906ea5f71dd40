"""Parameters of real bodies only: log-Cholesky factors of pseudo-inertias, and the entropic prior of the file's values.

A body's pseudo-inertia P = [[S, h], [h', m]], S the second moments, is positive definite. Relative to that of the file,
P0 = L0 L0', it is P = L0 U U' L0' with U upper triangular of positive diagonal, whose logarithms and entries above it
are free numbers: every choice is a body. Rucker & Wensing (2022). The Bregman divergence of the log-determinant from P0
is then the sum of e^2a - 2a - 1 over the diagonal and of u^2 above. Lee, Wensing & Park (2020), eq. (29).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy.optimize import least_squares

from screwgraph.errors import InputError
from screwgraph.robot import Robot, unknown
from screwgraph.robot.parameters import Parameter, numbers
from screwgraph.spatial import SpatialInertia

BODIES = ("inertia", "payload")
THIN = 1e-4
"""Smallest eigenvalue of a prior's pseudo-inertia relative to the largest: flat bodies of files get this thickness."""
BODY = SpatialInertia(1.0, np.zeros(3), np.eye(3) * 0.004)
"""A body of 1 kg and 0.1 m, which stands for one of which the file knows nothing."""
LEVEL = 0.1
"""Armature, damping, friction (SI units) where the file has none: the median of the prior."""
SQUARE = 2.0
"""Divergence e^a - a - 1 of a positive number, which is a^2 / 2, as that of a body's directions, 2 a^2."""
UPPER = tuple(zip(*np.triu_indices(4), strict=True))
PRECISE = 1e8
"""Whitened torques beside a prior of 1 beyond which doubles lose the prior: noise of simulations counts as larger."""
NEAR = 100.0
"""Whitened residuals of the prior with which a search begins."""
SETTLED, ROUGH = 1e-10, 1e-2
"""Relative changes of parameters and of their cost at which a search ends, and at which it goes on with more trust."""
STEPS = 300
LONGEST = 40.0
"""Logarithms are kept below this, lest steps of a search overflow."""


@dataclass(frozen=True, eq=False)
class Consistent:
    """Numbers (k,) of parameters that bodies can have, and their covariance, that of the prior included."""

    values: Float[np.ndarray, " k"]
    covariance: Float[np.ndarray, "k k"]


Part = Callable[[Float[np.ndarray, " d"]], tuple[Float[np.ndarray, " n"], Float[np.ndarray, "n d"]]]
"""From free numbers to those of a parameter, and the derivatives."""


def consistent(
    robot: Robot,
    parameters: Sequence[Parameter],
    R: Float[np.ndarray, "r k"],
    y: Float[np.ndarray, " r"],
    priors: Mapping[str, object],
    weight: float,
) -> Consistent:
    """Return the parameters of real bodies that minimise |R pi - y|^2 / 2 + weight * divergence from the prior.

    Raises:
        InputError: a prior of no parameter, or no body.
    """
    parts = [_part(p, prior) for p, prior in zip(parameters, prior_values(robot, parameters, priors), strict=True)]
    ends = np.cumsum([0, *(len(p.nominal(robot)) for p in parameters)])
    diagonal = np.concatenate([_diagonal(p, ends[i + 1] - ends[i]) for i, p in enumerate(parameters)])
    scale = np.sqrt(2.0 * weight * np.where(diagonal & ~_of_bodies(robot, parameters), SQUARE, 1.0))

    def numbers_of(x: Float[np.ndarray, " d"]) -> tuple[Float[np.ndarray, " k"], Float[np.ndarray, "k d"]]:
        values, slopes = np.empty(len(x)), np.zeros((len(x), len(x)))
        for part, low, high in zip(parts, ends[:-1], ends[1:], strict=True):
            values[low:high], slopes[low:high, low:high] = part(x[low:high])
        return values, slopes

    def residual(x: Float[np.ndarray, " d"]) -> Float[np.ndarray, " r"]:
        return np.concatenate([R @ numbers_of(x)[0] - y, scale * _root(x, diagonal)[0]])

    def slope(x: Float[np.ndarray, " d"]) -> Float[np.ndarray, "r d"]:
        return np.concatenate([R @ numbers_of(x)[1], np.diag(scale * _root(x, diagonal)[1])])

    rounding = min(1.0, PRECISE / max(float(np.linalg.norm(y)), 1.0))
    x, whole = np.zeros(ends[-1]), (rounding * R, rounding * y)
    for trust in _trusts(float(np.linalg.norm(residual(x)))):
        R, y = trust * whole[0], trust * whole[1]
        fine = SETTLED if trust == 1.0 else ROUGH
        limits = {"xtol": fine, "ftol": fine, "gtol": fine, "max_nfev": STEPS}
        x = least_squares(residual, x, jac=slope, method="lm", **limits).x  # pyright: ignore[reportArgumentType]
    values, slopes = numbers_of(x)
    J = slope(x)
    return Consistent(values, slopes @ np.linalg.pinv(J.T @ J, hermitian=True) @ slopes.T)


def _trusts(misfit: float) -> list[float]:
    """Return factors on whitened equations, up to 1: from the prior to the data by steps in which a search succeeds."""
    steps = max(0, int(np.ceil(np.log10(max(misfit, 1.0) / NEAR))))
    return [10.0**-k for k in range(steps, -1, -1)]


def prior_values(
    robot: Robot, parameters: Sequence[Parameter], priors: Mapping[str, object]
) -> list[Float[np.ndarray, " n"]]:
    """Return the numbers of each parameter that are known before: those given, else the file's. Raises InputError."""
    names = [p.name for p in parameters]
    for name in priors:
        if name not in names:
            raise unknown("parameter", name, names)
    return [_prior(robot, p, priors.get(p.name)) for p in parameters]


def _prior(robot: Robot, parameter: Parameter, given: object) -> Float[np.ndarray, " n"]:
    own = parameter.nominal(robot)
    if given is None:
        return own
    try:
        value = numbers(given)
    except (TypeError, ValueError):
        value = np.array([np.nan])
    if value.shape != own.shape or not np.isfinite(value).all():
        labels = ", ".join(parameter.labels(robot))
        raise InputError(f"the prior of {parameter.name!r} is not {len(own)} numbers", fix=f"give {labels}")
    is_real = _pseudo(value, 0.0)[1] if parameter.kind in BODIES else (value >= 0.0).all()
    if not is_real:
        why = "its pseudo-inertia is not positive definite" if parameter.kind in BODIES else "it is negative"
        raise InputError(f"the prior of {parameter.name!r} is that of no real body", why=why)
    return value


def _part(parameter: Parameter, prior: Float[np.ndarray, " n"]) -> Part:
    if parameter.kind in BODIES:
        own = prior if prior[0] > 0.0 else BODY.parameters
        return _body(np.linalg.cholesky(_pseudo(own, THIN)[0]))
    level = np.where(prior > 0.0, prior, LEVEL)

    def positive(x: Float[np.ndarray, " d"]) -> tuple[Float[np.ndarray, " n"], Float[np.ndarray, "n d"]]:
        value = level * np.exp(np.minimum(x, LONGEST))
        return value, np.diag(value)

    return positive


def _body(L: Float[np.ndarray, "4 4"]) -> Part:
    def body(x: Float[np.ndarray, "10"]) -> tuple[Float[np.ndarray, "10"], Float[np.ndarray, "10 10"]]:
        U, slopes = np.zeros((4, 4)), np.zeros((10, 4, 4))
        for k, (i, j) in enumerate(UPPER):
            U[i, j] = np.exp(min(x[k], LONGEST)) if i == j else x[k]
            slopes[k, i, j] = U[i, j] if i == j else 1.0
        M = slopes @ U.T
        return _of_pseudo(L @ U @ U.T @ L.T), _of_pseudo(L @ (M + M.swapaxes(1, 2)) @ L.T)

    return body


def _pseudo(pi: Float[np.ndarray, "10"], thickness: float) -> tuple[Float[np.ndarray, "4 4"], bool]:
    """Return P, its eigenvalues not below a part of the largest ones, and whether it is positive definite."""
    body = SpatialInertia.of_parameters(pi.tolist())
    P = np.zeros((4, 4))
    P[:3, :3] = 0.5 * np.trace(body.about_origin) * np.eye(3) - body.about_origin
    P[:3, 3] = P[3, :3] = body.first_moment
    P[3, 3] = body.mass
    about = P[:3, :3] - np.outer(body.first_moment, body.first_moment) / body.mass if body.mass > 0.0 else P[:3, :3]
    values, axes = np.linalg.eigh(about)
    is_real = bool(body.mass > 0.0 and values[0] > 0.0)
    if body.mass > 0.0 and thickness:
        floor = thickness * max(values[-1], body.mass * 1e-6)
        P[:3, :3] += axes @ np.diag(np.maximum(values, floor) - values) @ axes.T
    return P, is_real


def _of_pseudo(P: Float[np.ndarray, "... 4 4"]) -> Float[np.ndarray, "10 ..."]:
    """Return the ten numbers of `SpatialInertia.parameters`."""
    S = [P[..., i, i] for i in range(3)]
    whole = S[0] + S[1] + S[2]
    crossed = [-P[..., i, j] for i, j in ((0, 1), (0, 2), (1, 2))]
    return np.stack([P[..., 3, 3], *(P[..., i, 3] for i in range(3)), *(whole - s for s in S), *crossed])


def _diagonal(parameter: Parameter, count: int) -> np.ndarray:
    return np.array([i == j for i, j in UPPER]) if parameter.kind in BODIES else np.ones(count, dtype=bool)


def _of_bodies(robot: Robot, parameters: Sequence[Parameter]) -> np.ndarray:
    return np.concatenate([np.full(len(p.nominal(robot)), p.kind in BODIES) for p in parameters])


def _root(x: Float[np.ndarray, " d"], diagonal: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return r and dr/dx with r^2 = e^2x - 2x - 1 on the diagonal and x^2 elsewhere: smooth, of the sign of x."""
    a = np.clip(2.0 * x, -1e6, 2.0 * LONGEST)
    divergence = np.expm1(a) - a
    r = np.sign(a) * np.sqrt(divergence)
    small = np.abs(a) < 1e-4  # there sqrt(e^a - a - 1) = |a| / sqrt(2) (1 + a / 6)
    r = np.where(small, a / np.sqrt(2.0) * (1.0 + a / 6.0), r)
    slope = np.where(small, np.sqrt(2.0) * (1.0 + a / 3.0), np.expm1(a) / np.where(small, 1.0, r))
    return np.where(diagonal, r, x), np.where(diagonal, slope, 1.0)
