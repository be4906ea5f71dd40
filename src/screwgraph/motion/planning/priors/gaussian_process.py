"""Gaussian-process priors as factors between neighbouring states."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.motion.planning.mechanics import Mechanics
from screwgraph.motion.planning.priors.white_noise_model import transition, whitening
from screwgraph.motion.planning.trajectory_unknowns import TrajectoryUnknowns
from screwgraph.optimize import Factors, Manifold, soft
from screwgraph.spatial import concatenate, sqrt
from screwgraph.spatial.manifolds.tangent_coordinates import tangent_rate, tangent_second_rate, to_tangent


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
        values = np.asarray(power, dtype=float)
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
