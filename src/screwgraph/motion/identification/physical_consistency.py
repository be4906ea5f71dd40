"""Parameters of real bodies only: log-Cholesky factors of pseudo-inertias, and a prior of the file's values.

A body's pseudo-inertia P = [[S, h], [h', m]], S the second moments, is positive definite. Relative to that of the file,
P0 = L0 L0', it is P = L0 U U' L0' with U upper triangular of positive diagonal, whose logarithms and entries above it
are free numbers: every choice is a body, in the plane and along a rod, too. Rucker & Wensing (2022). The prior is
normal in these numbers, as curved as the Bregman divergence of the log-determinant is at P0, 4 a^2 on the diagonal and
u^2 above: Lee, Wensing & Park (2020), eq. (29). The divergence itself grows with e^2a, and would outweigh precise
torques of bodies much larger than the file's. Friction, damping, armature and masses are positive: the prior is normal
in their logarithm.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy.linalg import block_diag
from scipy.optimize import least_squares

from screwgraph.base.errors import InputError
from screwgraph.model.robot import make_unknown_name_error
from screwgraph.model.robot.parameters import numbers
from screwgraph.motion.identification.models import Unknown
from screwgraph.motion.identification.streamed_qr import normalise_columns
from screwgraph.spatial import SpatialInertia

THIN = 1e-4
"""Smallest eigenvalue of a prior's pseudo-inertia relative to the largest: flat bodies of files get this thickness."""
BODY = {axes: np.diag([*[0.002] * axes, 1.0]) for axes in (1, 2, 3)}
"""Pseudo-inertias of bodies of 1 kg and 0.1 m, which stand for those of which the file knows nothing."""
LEVEL = 0.1
"""Armature, damping, friction (SI units) where neither file nor log says anything: the median of the prior."""
SHARE = 0.01
"""Part of the torques that they cause at the median of the prior, where the file has none and the log shows them."""
DIAGONAL, BESIDE, FACTOR = 0.5, 0.5**0.5, float(np.log(2.0))
"""Standard deviations of the prior: of logarithms on the diagonal of U, of entries above it, of other logarithms."""
BROAD = 10.0
"""Times as large they are where the file knows nothing: a factor of 1000 for friction, damping and armature."""
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
    unknowns: Sequence[Unknown],
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
    known = zip(unknowns, find_prior_values(unknowns, priors), strict=True)
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


def find_prior_values(unknowns: Sequence[Unknown], priors: Mapping[str, object]) -> list[Float[np.ndarray, " n"]]:
    """Return the numbers of each parameter that are known before: those given, else the file's. Raises InputError."""
    names = [unknown.name for unknown in unknowns]
    for name in priors:
        if name not in names:
            raise make_unknown_name_error("parameter", name, names)
    return [_prior(unknown, priors.get(unknown.name)) for unknown in unknowns]


def _prior(unknown: Unknown, given: object) -> Float[np.ndarray, " n"]:
    own = unknown.nominal
    if given is None:
        return own
    try:
        value = numbers(given)
    except (TypeError, ValueError):
        value = np.array([np.nan])
    if value.shape != own.shape or not np.isfinite(value).all():
        labels = ", ".join(unknown.labels)
        raise InputError(f"the prior of {unknown.name!r} is not {len(own)} numbers", fix=f"give {labels}")
    is_real = _pseudo(value, unknown.axes, 0.0)[1] if unknown.axes else (value >= 0.0).all()
    if not is_real:
        why = "its pseudo-inertia is not positive definite" if unknown.axes else "it is negative"
        raise InputError(f"the prior of {unknown.name!r} is that of no real body", why=why)
    return value


def _part(unknown: Unknown, prior: Float[np.ndarray, " n"], level: Float[np.ndarray, " n"], spread: float) -> Part:
    """Return a parameter by free numbers that are zero at the prior, of standard deviations times `spread`.

    Positive numbers of which the file says nothing are at a `level`.
    """
    if unknown.axes:
        is_known, n = bool(prior[0] > 0.0), unknown.axes
        sizes = np.array([DIAGONAL if i == j else BESIDE for i, j in zip(*np.triu_indices(n + 1), strict=True)])
        L = np.linalg.cholesky(_pseudo(prior if is_known else _of_pseudo(BODY[n]), n, THIN)[0])
        return Part(_body(L), spread * sizes * (1.0 if is_known else BROAD))
    level = np.where(prior > 0.0, prior, level)

    def positive(x: Float[np.ndarray, " d"]) -> tuple[Float[np.ndarray, " n"], Float[np.ndarray, "n d"]]:
        value = level * np.exp(np.minimum(x, LONGEST))
        return value, np.diag(value)

    return Part(positive, spread * FACTOR * np.where(prior > 0.0, 1.0, BROAD), level)


def _body(L: Float[np.ndarray, "d d"]) -> Numbers:
    places = list(zip(*np.triu_indices(len(L)), strict=True))

    def body(x: Float[np.ndarray, " k"]) -> tuple[Float[np.ndarray, " n"], Float[np.ndarray, "n k"]]:
        U, slopes = np.zeros(L.shape), np.zeros((len(places), *L.shape))
        for k, (i, j) in enumerate(places):
            U[i, j] = np.exp(min(x[k], LONGEST)) if i == j else x[k]
            slopes[k, i, j] = U[i, j] if i == j else 1.0
        M = slopes @ U.T
        return _of_pseudo(L @ U @ U.T @ L.T), _of_pseudo(L @ (M + M.swapaxes(1, 2)) @ L.T)

    return body


def _pseudo(pi: Float[np.ndarray, " n"], axes: int, thickness: float) -> tuple[Float[np.ndarray, "d d"], bool]:
    """Return P, its eigenvalues not below a part of the largest ones, and whether it is positive definite.

    The moment of inertia of a body in the plane tells the sum of its second moments: about the centre these are equal.
    """
    mass, h = pi[0], pi[1 : axes + 1]
    centre = np.outer(h, h) / mass if mass > 0.0 else np.zeros((axes, axes))
    if axes == 3:
        about = SpatialInertia.of_parameters(pi.tolist()).about_origin
        S = 0.5 * np.trace(about) * np.eye(3) - about
    else:
        S = centre + (pi[-1] - np.trace(centre)) / axes * np.eye(axes)
    P = np.block([[S, h[:, None]], [h, np.array([mass])]])
    values, directions = np.linalg.eigh(S - centre)
    is_real = bool(mass > 0.0 and values[0] > 0.0)
    if mass > 0.0 and thickness:
        floor = thickness * max(values[-1], mass * 1e-6)
        P[:axes, :axes] += directions @ np.diag(np.maximum(values, floor) - values) @ directions.T
    return P, is_real


def _of_pseudo(P: Float[np.ndarray, "... d d"]) -> Float[np.ndarray, "n ..."]:
    """Return mass, first moments and inertia: the ten numbers of `SpatialInertia.parameters`, less in the plane."""
    axes = P.shape[-1] - 1
    S = [P[..., i, i] for i in range(axes)]
    whole, moments = sum(S), [P[..., i, axes] for i in range(axes)]
    if axes < 3:
        return np.stack([P[..., axes, axes], *moments, whole])
    crossed = [-P[..., i, j] for i, j in ((0, 1), (0, 2), (1, 2))]
    return np.stack([P[..., 3, 3], *moments, *(whole - s for s in S), *crossed])
