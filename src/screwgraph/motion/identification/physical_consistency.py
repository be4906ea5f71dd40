"""Parameters of real bodies only: log-Cholesky factors of pseudo-inertias, and a prior of the file's values.

A body's pseudo-inertia P = [[S, h], [h', m]], S the second moments, is positive definite. Relative to that of the file,
P0 = L0 L0', it is P = L0 U U' L0' with U upper triangular of positive diagonal, whose logarithms and entries above it
are free numbers: every choice is a body. Rucker & Wensing (2022). The prior is normal in these numbers, as curved as
the Bregman divergence of the log-determinant is at P0, 4 a^2 on the diagonal and u^2 above: Lee, Wensing & Park (2020),
eq. (29). The divergence itself grows with e^2a, and would outweigh precise torques of bodies much larger than the
file's. Friction, damping, armature and masses are positive: the prior is normal in their logarithm.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy.linalg import block_diag
from scipy.optimize import least_squares

from screwgraph.base.errors import InputError
from screwgraph.model.robot import Robot, make_unknown_name_error
from screwgraph.model.robot.parameters import BODIES, Parameter, numbers
from screwgraph.motion.identification.streamed_qr import normalise_columns
from screwgraph.spatial import SpatialInertia

THIN = 1e-4
"""Smallest eigenvalue of a prior's pseudo-inertia relative to the largest: flat bodies of files get this thickness."""
BODY = SpatialInertia(1.0, np.zeros(3), np.eye(3) * 0.004)
"""A body of 1 kg and 0.1 m, which stands for one of which the file knows nothing."""
LEVEL = 0.1
"""Armature, damping, friction (SI units) where neither file nor log says anything: the median of the prior."""
SHARE = 0.01
"""Part of the torques that they cause at the median of the prior, where the file has none and the log shows them."""
DIAGONAL, BESIDE, FACTOR = 0.5, 0.5**0.5, float(np.log(2.0))
"""Standard deviations of the prior: of logarithms on the diagonal of U, of entries above it, of other logarithms."""
BROAD = 10.0
"""Times as large they are where the file knows nothing: a factor of 1000 for friction, damping and armature."""
UPPER = tuple(zip(*np.triu_indices(4), strict=True))
PRECISE = 1e8
"""Whitened torques beside a prior of 1 beyond which doubles lose the prior: noise of simulations counts as larger."""
SETTLED = 1e-10
"""Relative changes of parameters and of their cost at which a search ends."""
STEPS = 300
LONGEST = 40.0
"""Logarithms are kept below this, lest steps of a search overflow."""


@dataclass(frozen=True, eq=False)
class ConsistentParameters:
    """Numbers (k,) of parameters that bodies can have, and their covariance, that of the prior included.

    `rounding` is the part of the whitened equations that was regarded, 1 but for exact torques.
    """

    values: Float[np.ndarray, " k"]
    covariance: Float[np.ndarray, "k k"]
    rounding: float


Numbers = Callable[[Float[np.ndarray, " d"]], tuple[Float[np.ndarray, " n"], Float[np.ndarray, "n d"]]]
"""From free numbers to those of a parameter, and the derivatives."""


@dataclass(frozen=True, eq=False)
class Part:
    """A parameter by free numbers, and the standard deviations that the prior gives these.

    `level` are the numbers of a positive parameter where the free ones, their logarithms, are zero; None of a body.
    """

    numbers: Numbers
    spread: Float[np.ndarray, " d"]
    level: Float[np.ndarray, " d"] | None = None

    def tangent(self, x: Float[np.ndarray, " d"]) -> tuple[Float[np.ndarray, "n d"], Float[np.ndarray, " d"]]:
        """Return slopes for the covariance, and the prior's standard deviations along these.

        Positive numbers are their own coordinates, in which the prior is as wide above its level as it is above what
        was found: torques that show no friction tell it as well as those that show some.
        """
        value, slopes = self.numbers(x)
        if self.level is None:
            return slopes, self.spread
        return np.eye(len(x)), np.maximum(self.spread * value, self.level * np.expm1(np.minimum(self.spread, LONGEST)))


def fit_consistent(
    robot: Robot,
    parameters: Sequence[Parameter],
    R: Float[np.ndarray, "r k"],
    y: Float[np.ndarray, " r"],
    noise: Float[np.ndarray, "r r"],
    priors: Mapping[str, object],
    weight: float,
) -> ConsistentParameters:
    """Return the parameters of real bodies for which |R pi - y|^2 and weight * |x / spread|^2 are smallest together.

    `noise` is the covariance of y, I where noise is white; standard deviations are those of the estimate with it.

    Raises:
        InputError: a prior of no parameter, or no body.
    """
    known = zip(parameters, find_prior_values(robot, parameters, priors), strict=True)
    sizes = np.linalg.norm(R, axis=0)
    levels = np.divide(SHARE * np.linalg.norm(y), sizes, out=np.zeros(len(sizes)), where=sizes > 0.0)
    levels = iter(np.where(levels > 0.0, levels, LEVEL).tolist())
    parts = [_part(p, prior, np.array([next(levels) for _ in prior]), weight**-0.5) for p, prior in known]
    ends = np.cumsum([0, *(len(part.spread) for part in parts)])
    spread = np.concatenate([part.spread for part in parts])

    def numbers_of(x: Float[np.ndarray, " d"]) -> tuple[Float[np.ndarray, " k"], Float[np.ndarray, "k d"]]:
        found = [part.numbers(own) for part, own in zip(parts, np.split(x, ends[1:-1]), strict=True)]
        return np.concatenate([x for x, _ in found]), np.asarray(block_diag(*(slopes for _, slopes in found)))

    def residual(x: Float[np.ndarray, " d"]) -> Float[np.ndarray, " r"]:
        return np.concatenate([R @ numbers_of(x)[0] - y, x / spread])

    def slope(x: Float[np.ndarray, " d"]) -> Float[np.ndarray, "r d"]:
        return np.concatenate([R @ numbers_of(x)[1], np.diag(1.0 / spread)])

    rounding = min(1.0, PRECISE / max(float(np.linalg.norm(y)), 1.0))
    R, y = rounding * R, rounding * y
    limits = {"xtol": SETTLED, "ftol": SETTLED, "gtol": SETTLED, "max_nfev": STEPS, "x_scale": "jac"}
    # Precise torques make a narrow curved valley, in which a trust region of the scaled numbers does not get stuck.
    x = least_squares(residual, np.zeros(ends[-1]), jac=slope, method="dogbox", **limits).x  # pyright: ignore[reportArgumentType]
    tangents = [part.tangent(own) for part, own in zip(parts, np.split(x, ends[1:-1]), strict=True)]
    slopes = block_diag(*(own for own, _ in tangents))
    J = np.concatenate([R @ slopes, np.diag(1.0 / np.concatenate([own for _, own in tangents]))])
    return ConsistentParameters(numbers_of(x)[0], slopes @ _covariance(J, noise) @ slopes.T, rounding)


def _covariance(J: Float[np.ndarray, "m d"], noise: Float[np.ndarray, "r r"]) -> Float[np.ndarray, "d d"]:
    """Return the covariance of a least-squares estimate with equations J, the first of which have some noise."""
    unit, size = normalise_columns(J)
    U, S, Vt = np.linalg.svd(unit, full_matrices=False)
    back = Vt.T / S / size[:, None] @ U.T
    data, prior = back[:, : len(noise)], back[:, len(noise) :]
    return data @ noise @ data.T + prior @ prior.T


def find_prior_values(
    robot: Robot, parameters: Sequence[Parameter], priors: Mapping[str, object]
) -> list[Float[np.ndarray, " n"]]:
    """Return the numbers of each parameter that are known before: those given, else the file's. Raises InputError."""
    names = [p.name for p in parameters]
    for name in priors:
        if name not in names:
            raise make_unknown_name_error("parameter", name, names)
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


def _part(parameter: Parameter, prior: Float[np.ndarray, " n"], level: Float[np.ndarray, " n"], spread: float) -> Part:
    """Return a parameter by free numbers that are zero at the prior, of standard deviations times `spread`.

    Positive numbers of which the file says nothing are at a `level`.
    """
    if parameter.kind in BODIES:
        is_known = bool(prior[0] > 0.0)
        sizes = np.array([DIAGONAL if i == j else BESIDE for i, j in UPPER]) * (1.0 if is_known else BROAD)
        L = np.linalg.cholesky(_pseudo(prior if is_known else BODY.parameters, THIN)[0])
        return Part(_body(L), spread * sizes)
    level = np.where(prior > 0.0, prior, level)

    def positive(x: Float[np.ndarray, " d"]) -> tuple[Float[np.ndarray, " n"], Float[np.ndarray, "n d"]]:
        value = level * np.exp(np.minimum(x, LONGEST))
        return value, np.diag(value)

    return Part(positive, spread * FACTOR * np.where(prior > 0.0, 1.0, BROAD), level)


def _body(L: Float[np.ndarray, "4 4"]) -> Numbers:
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
