"""How far a plan is from the motion under its torques, step by step: each is integrated anew by another method."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from screwgraph.dynamics import forward_dynamics
from screwgraph.optimize.manifold_code import differences, moved, step_rates
from screwgraph.plan.collocation import UNTIED
from screwgraph.plan.dynamics import acting_at
from screwgraph.plan.extrapolation import Stretches, integrated
from screwgraph.plan.interpolation import shares_of, wrench_code
from screwgraph.plan.items import Wrench
from screwgraph.plan.mechanics import Mechanics
from screwgraph.plan.models import kind_of
from screwgraph.plan.steps import Steps
from screwgraph.summary import one_line

PART = 0.01
"""Tolerance of the integrator, as a part of that of plans."""
SHORT = 1e-2
"""A way (rad, m) that is shorter counts as so long."""


@dataclass(frozen=True, eq=False)
class StepErrors:
    """The error of each step: how far the motion under the planned torques ends from the next point.

    `position` (S,) is relative to the whole way, `velocity` (S,) to the largest velocity, of turning and of sliding
    coordinates by themselves; infinite where the motion has no end.
    """

    __repr__ = one_line

    position: Float[np.ndarray, " S"]
    velocity: Float[np.ndarray, " S"]


def step_errors(
    steps: Steps,
    t: Float[np.ndarray, " K"],
    values: Mapping[str, np.ndarray],
    wrenches: Sequence[Wrench],
    accuracy: float,
) -> StepErrors | None:
    """Integrate each step from its first point, under the torques and contact forces planned, with forward dynamics.

    Those are the polynomials through their samples in a step. The integrator is accurate to a hundredth of `accuracy`.
    None where a plan has no efforts, or no rule joins its points.

    Raises:
        EliminationError, InputError: the robot's accelerations are not determined.
    """
    if not steps.has_dynamics or steps.collocation == UNTIED:
        return None
    robot, ends = steps.mechanics.robot, steps.first + steps.per_step
    lengths = t[ends] - t[steps.first]
    way, top = _scales(robot, t, values["qd"])
    tolerance = (PART * accuracy * way, PART * accuracy * top)
    d, v = (np.full((len(ends), robot.nv), np.nan) for _ in range(2))
    for chosen, acceleration in _accelerations(steps, values, wrenches):
        speed = values["qd"][steps.first[chosen]]
        stretches = Stretches(speed, lengths[chosen], lambda d, v: step_rates(robot.manifold, d, v), acceleration)
        d[chosen], v[chosen] = integrated(stretches, tolerance)
    planned = differences(robot.manifold, values["q"][steps.first], values["q"][ends])
    off = [np.abs(d - planned) / way, np.abs(v - values["qd"][ends]) / top]
    return StepErrors(*(np.where(np.isfinite(x), x, np.inf).max(axis=1) for x in off))


def _scales(robot: Any, t: Float[np.ndarray, " K"], qd: Float[np.ndarray, "K nv"]) -> tuple[np.ndarray, np.ndarray]:
    """Return the longest way and largest velocity among coordinates of the same unit, for each coordinate."""
    kinds = np.array(kind_of(robot).turns(robot))
    ways, tops, whole = np.trapezoid(np.abs(qd), t, axis=0), np.abs(qd).max(axis=0), t[-1] - t[0]
    way, top = np.empty(robot.nv), np.empty(robot.nv)
    for kind in set(kinds):
        way[kinds == kind] = max(SHORT, ways[kinds == kind].max())
        top[kinds == kind] = max(SHORT / whole, tops[kinds == kind].max())
    return way, top


def _accelerations(
    steps: Steps, values: Mapping[str, np.ndarray], wrenches: Sequence[Wrench]
) -> Iterator[tuple[Int[np.ndarray, " k"], Callable[..., np.ndarray]]]:
    """Return steps in which the same wrenches act, with the accelerations of their motions."""
    samples = np.array([steps.sample_at(i) for i in steps.collocation.accelerated])
    patterns = acting_at(steps, wrenches)[samples[0]]
    frames = tuple(dict.fromkeys(w.frame for w in wrenches))
    for pattern in np.unique(patterns, axis=0):
        chosen = np.flatnonzero((patterns == pattern).all(axis=1))
        own = tuple(wrenches[i] for i in np.flatnonzero(pattern).tolist())
        tau = values["tau"][samples[:, chosen]] if steps.drive.labels else None
        forces = tuple(values[w.unknowns.name][np.searchsorted(w.samples, samples[:, chosen])] for w in own)
        yield chosen, _Motion(steps, values["q"][steps.first[chosen]], tau, own, forces, frames)


@dataclass(frozen=True, eq=False)
class _Motion:
    """Accelerations of k steps: `start` their first positions, `tau` and `forces` what acts at samples of each."""

    steps: Steps
    start: Float[np.ndarray, "k nq"]
    tau: Float[np.ndarray, "s k m"] | None
    wrenches: tuple[Wrench, ...]
    forces: tuple[Float[np.ndarray, "s k f"], ...]
    frames: tuple[str, ...]

    def __call__(self, which: Int[np.ndarray, " N"], part: float, d: np.ndarray, v: np.ndarray) -> np.ndarray:
        mechanics, shares = self.steps.mechanics, shares_of(self.steps, part)
        q = moved(mechanics.robot.manifold, self.start[which], d)
        function, drive = _dynamics(mechanics, self.frames), self.steps.drive
        efforts = np.zeros((len(which), 0)) if self.tau is None else _summed(shares, self.tau, which)
        tau = drive.torques(q, efforts)
        if not self.frames:
            return function(q, v, tau)
        acting = np.zeros((len(which), len(self.frames), 6))
        for w, x in zip(self.wrenches, self.forces, strict=True):
            acting[:, self.frames.index(w.frame)] += wrench_code(mechanics, w)(q, _summed(shares, x, which))
        return function(q, v, tau, acting)


def _summed(shares: Sequence[float], samples: np.ndarray, which: np.ndarray) -> np.ndarray:
    return np.sum([share * x[which] for share, x in zip(shares, samples, strict=True)], axis=0)


def _dynamics(mechanics: Mechanics, frames: tuple[str, ...]) -> Any:
    """Return forward dynamics."""
    robot, kind = mechanics.robot, kind_of(mechanics.robot)
    options = {"ordering": kind.ordering(robot), "external_wrenches": frames}
    return mechanics.kept(("motion", frames), lambda: forward_dynamics(kind.model(robot), **options))
