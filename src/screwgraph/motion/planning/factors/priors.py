"""Gaussian-process priors of motions: factors between neighbouring states, and positions between these.

White noise acts on the last of n derivatives. A state is a position and its n - 1 derivatives, n = 2 for white noise on
acceleration (constant velocity), n = 3 for white noise on jerk (constant acceleration). Matrices of the noise are of
one coordinate, for a stretch of time of length 1; stretches of length h scale them: entry (i, j) of Q by h^(2n - 1 - i
- j), of Phi by h^(j - i).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import factorial
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import validate_numbers
from screwgraph.base.errors import InputError
from screwgraph.motion.integration_rules import hermite
from screwgraph.motion.planning.mechanics import Mechanics
from screwgraph.motion.planning.trajectory_unknowns import TrajectoryUnknowns
from screwgraph.optimize import Factors, Manifold, soft
from screwgraph.spatial import concatenate, sqrt
from screwgraph.spatial.manifolds.tangent_coordinates import from_tangent, tangent_rate, tangent_second_rate, to_tangent


@dataclass(frozen=True)
class WhitenedTransition:
    """W (x_1 - Phi x_0) of states in units of a step of length h: its covariance is the noise's power, n times."""

    positions: Manifold
    order: int

    def __call__(self, *states: Any, h: Any) -> Any:
        """Return the residual (n nv,); states are (q, qd[, qdd]) of the beginning and of the end of a step."""
        n, W, Phi = self.order, whitening(self.order), transition(self.order)
        start, end = states[:n], states[n:]
        d = to_tangent(self.positions, start[0], end[0])
        here = 0.0 * d
        begun, ended = [here, start[1]], [d, tangent_rate(self.positions, d, end[1])]
        if n == 3:
            begun.append(tangent_second_rate(self.positions, here, start[1], start[2]))
            ended.append(tangent_second_rate(self.positions, d, end[1], end[2]))
        errors = [
            (ended[i] - sum(Phi[i, j] * h ** (j - i) * begun[j] for j in range(i, n))) * h ** (i - n + 1)
            for i in range(n)
        ]
        root = 1.0 / sqrt(h)
        return concatenate(*(root * sum(W[i, j] * errors[j] for j in range(i, n)) for i in range(n)))


def transition(order: int, h: float = 1.0) -> Float[np.ndarray, "n n"]:
    """Return Phi(h): where a state is after h (s) without noise.

    Barfoot (2017), eq. (3.210); Xie et al. (2020), eq. (9).
    """
    return np.array([[h ** (j - i) / factorial(j - i) if j >= i else 0.0 for j in range(order)] for i in range(order)])


def covariance(order: int, h: float = 1.0) -> Float[np.ndarray, "n n"]:
    """Return Q(h): what noise of power 1 adds in h (s), (n, n). Xie et al. (2020), eq. (8); GPMP2 (2018), eq. (24)."""

    def entry(i: int, j: int) -> float:
        power = 2 * order - 1 - i - j
        return h**power / (power * factorial(order - 1 - i) * factorial(order - 1 - j))

    return np.array([[entry(i, j) for j in range(order)] for i in range(order)])


@lru_cache(maxsize=8)
def whitening(order: int) -> Float[np.ndarray, "n n"]:
    """Return W with W'W the inverse of Q(1), upper triangular."""
    found = np.linalg.inv(np.linalg.cholesky(covariance(order)[::-1, ::-1]))[::-1, ::-1]
    found.setflags(write=False)
    return found


def select_neighbours(steps: TrajectoryUnknowns, order: int) -> tuple[list[Any], np.ndarray, np.ndarray]:
    """Return selections (q, qd[, qdd]) of neighbouring points, which phase each pair is in, and its part of the phase.

    With accelerations, the first pair of a phase is left out where its beginning has none.

    Raises:
        InputError: accelerations are wanted, and the end of a phase has none.
    """
    if order == 3 and steps.is_open:
        raise InputError(
            "the end of a phase has no acceleration", why="the collocation is Euler's", fix="choose another collocation"
        )
    lead = steps.lead if order == 3 else 0
    first = np.concatenate([np.arange(s.start + lead, s.stop - 1) for s in steps.states])
    chosen: list[Any] = []
    phases = steps.phase_of_point[first]
    for shift in (0, 1):
        chosen += [steps.q[first + shift], steps.qd[first + shift]]
        if order == 3:
            sample = np.concatenate([np.arange(s.start, s.stop - 1) for s in steps.samples])
            chosen.append(steps.qdd[sample + shift])
    parts = np.diff(steps.collocation.nodes) * steps.lengths[:, None]
    return chosen, phases, parts.ravel()[first]


def make_prior_factors(order: int, power: Any, steps: TrajectoryUnknowns, name: str) -> Iterable[Factors]:
    """Return one factor for each step, which costs half of e' Q(h)^-1 e, e the difference from motion without noise.

    Args:
        order: 2 for white noise on acceleration (GPMP2 (2018), section 4), 3 for white noise on jerk
            (Xie et al. (2020), VI-A).
        power: spectral density Q_c of the noise: a number, (nv,), (nv, nv), or {joint: number} for all joints.
        steps: the trajectory; accelerations may jump from one phase to the next.
        name: of the factors.

    Raises:
        InputError: the power does not fit the robot, or accelerations are missing.
    """
    chosen, phases, scale = select_neighbours(steps, order)
    template = WhitenedTransition(steps.mechanics.positions, order)
    made, unknowns, timing = steps.scale_by_duration(template, *chosen, phases=phases, scale=scale)
    yield soft(made, *unknowns, name=name, **make_prior_noise(steps.mechanics, power, order), **timing)


# The power of a prior's noise.


def make_prior_noise(mechanics: Mechanics, power: Any, order: int) -> dict[str, Float[np.ndarray, "..."]]:
    """Return noise for residuals that are white but for the power of each coordinate, order * nv of them.

    Args:
        mechanics: of the robot.
        power: spectral density Q_c: a number, (nv,), (nv, nv), or {joint: number} for all joints.
        order: derivatives of a state, the position counted.

    Raises:
        InputError: it does not fit the robot, or is not positive.
    """
    labels, nv = mechanics.labels, mechanics.robot.nv
    if isinstance(power, Mapping):
        values = np.full(nv, np.nan)
        for joint, value in power.items():
            values[list(mechanics.coordinates(joint))] = value
        if np.isnan(values).any():
            missing = labels[int(np.isnan(values).argmax())]
            raise InputError(f"the prior has no power for joint {missing!r}", fix="give one for each joint")
    else:
        values = validate_numbers("the power of a prior", power)
    if values.shape not in ((), (nv,), (nv, nv)):
        raise InputError(f"the power of a prior has the shape {values.shape}", why=f"the robot has nv = {nv}")
    if values.ndim == 2:
        return {"sqrt_information": np.kron(np.eye(order), _root(values))}
    if not (np.isfinite(values) & (values > 0.0)).all():
        raise InputError(f"the power of a prior is {power!r}", why="it must be positive")
    return {"sigma": np.tile(np.broadcast_to(np.sqrt(values), nv), order)}


def _root(power: Float[np.ndarray, "nv nv"]) -> Float[np.ndarray, "nv nv"]:
    """Return W with W'W the inverse of the power."""
    try:
        if not np.allclose(power, power.T):
            raise np.linalg.LinAlgError
        return np.linalg.inv(np.linalg.cholesky(power))
    except np.linalg.LinAlgError:
        raise InputError("the power of a prior is not symmetric and positive definite") from None


def interpolation_weights(order: int, part: float) -> Float[np.ndarray, " w"]:
    """Return how much the states of a step's ends weigh in the position at a part 0..1 of it, 2 n of them.

    First the position and derivatives of the beginning, then those of the end, in units of the step.
    """
    return hermite(order, part)[0]


@dataclass(frozen=True)
class GpInterpolation:
    """The position between two states (q, qd) or (q, qd, qdd), `order` of them each."""

    positions: Manifold
    order: int

    def __call__(self, states: Sequence[Any], w: Any, h: Any) -> Any:
        """Return q (nq,); states are those of both ends, w is of `interpolation_weights`, h the step (s)."""
        n = self.order
        start, end = states[:n], states[n:]
        d = to_tangent(self.positions, start[0], end[0])
        moved = w[n] * d + w[1] * h * start[1] + w[n + 1] * h * tangent_rate(self.positions, d, end[1])
        if n == 3:
            moved = moved + w[2] * h * h * tangent_second_rate(self.positions, 0.0 * d, start[1], start[2])
            moved = moved + w[n + 2] * h * h * tangent_second_rate(self.positions, d, end[1], end[2])
        return from_tangent(self.positions, start[0], moved)
