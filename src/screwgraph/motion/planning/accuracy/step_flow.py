"""The motion of each step of a plan from any state, under the planned torques and contact forces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from screwgraph.base.summary import one_line
from screwgraph.mechanics.dynamics import forward_dynamics
from screwgraph.motion.planning.accuracy.extrapolated_euler import MotionStretches, integrate_stretches
from screwgraph.motion.planning.accuracy.motion_scales import MotionScales, measure_motion
from screwgraph.motion.planning.factors.dynamics import find_acting_wrenches
from screwgraph.motion.planning.interpolation import compile_wrench, sample_weights
from screwgraph.motion.planning.items import Wrench
from screwgraph.motion.planning.mechanics import Mechanics
from screwgraph.motion.planning.models import find_model_kind
from screwgraph.motion.planning.trajectory_unknowns import TrajectoryUnknowns
from screwgraph.optimize.manifold_code import displacement_rates, retract_values

NUDGE = 1e-6
Tolerance = tuple[Float[np.ndarray, " nv"], Float[np.ndarray, " nv"]]


@dataclass(frozen=True, eq=False)
class StepFlow:
    """Forward dynamics over each of S steps, whose torques and contact forces are polynomials through their samples.

    `t` (s) are the times of the plan's points, `values` its unknowns by family.
    """

    __repr__ = one_line

    steps: TrajectoryUnknowns
    t: Float[np.ndarray, " K"]
    values: Mapping[str, np.ndarray]
    wrenches: Sequence[Wrench]

    @cached_property
    def lengths(self) -> Float[np.ndarray, " S"]:
        """Duration of each step (s)."""
        first = self.steps.first
        return self.t[first + self.steps.per_step] - self.t[first]

    @cached_property
    def scales(self) -> MotionScales:
        """Scales of its errors."""
        return measure_motion(self.steps.mechanics.turns, self.t, self.values["qd"])

    def integrate(
        self, q: Float[np.ndarray, "S nq"], v: Float[np.ndarray, "S nv"], tolerance: Tolerance
    ) -> tuple[Float[np.ndarray, "S nv"], Float[np.ndarray, "S nv"]]:
        """Return the displacements from q, and velocities, at the ends of steps that begin at q, v; NaN without an end.

        Raises:
            EliminationError, InputError: the robot's accelerations are not determined.
        """
        manifold = self.steps.mechanics.robot.manifold
        d, ended = (np.full(v.shape, np.nan) for _ in range(2))
        for chosen, motion in self._motions:
            stretches = MotionStretches(
                v[chosen],
                self.lengths[chosen],
                lambda d, v: displacement_rates(manifold, d, v),
                lambda which, part, d, v, motion=motion, begin=q[chosen]: motion(
                    which, part, retract_values(manifold, begin[which], d), v
                ),
            )
            d[chosen], ended[chosen] = integrate_stretches(stretches, tolerance)
        return d, ended

    def linearize(self, q: Float[np.ndarray, "S nq"], v: Float[np.ndarray, "S nv"]) -> Float[np.ndarray, "S 2nv 2nv"]:
        """Return the rates of small errors of position and velocity, at states in the middle of each step.

        Errors of positions are directions at the moving position; derivatives are differences.
        """
        manifold, n = self.steps.mechanics.robot.manifold, v.shape[1]
        beside, found = NUDGE * np.eye(n), np.zeros((len(v), 2 * n, 2 * n))
        # e' = de + [e, v]: twice the derivative of the rate of coordinates at the position itself
        aside = np.repeat(np.vstack([np.zeros(n), beside]), len(v), axis=0)
        rates = displacement_rates(manifold, aside, np.tile(v, (n + 1, 1))).reshape(n + 1, len(v), n)
        found[:, :n, :n] = np.moveaxis(2.0 * (rates[1:] - rates[0]) / NUDGE, 0, 2)
        found[:, :n, n:] = np.eye(n)
        nudges = np.zeros((2 * n + 1, 2 * n))
        nudges[1:] = NUDGE * np.eye(2 * n)
        for chosen, motion in self._motions:
            count, many = len(chosen), np.repeat(nudges, len(chosen), axis=0)
            which, begin = np.tile(np.arange(count), len(nudges)), np.tile(q[chosen], (len(nudges), 1))
            at, speed = retract_values(manifold, begin, many[:, :n]), np.tile(v[chosen], (len(nudges), 1)) + many[:, n:]
            forced = motion(which, 0.5, at, speed).reshape(-1, count, n)
            found[chosen, n:] = np.moveaxis((forced[1:] - forced[0]) / NUDGE, 0, 2)
        return found

    @cached_property
    def _motions(self) -> list[tuple[Int[np.ndarray, " k"], _Motion]]:
        return list(self._list_motions())

    def _list_motions(self) -> Iterator[tuple[Int[np.ndarray, " k"], _Motion]]:
        """Return steps in which the same wrenches act, with the accelerations of their motions."""
        steps, values = self.steps, self.values
        samples = np.array([steps.sample_at(i) for i in steps.collocation.accelerated])
        patterns = find_acting_wrenches(steps, self.wrenches)[samples[0]]
        frames = tuple(dict.fromkeys(w.frame for w in self.wrenches))
        for pattern in np.unique(patterns, axis=0) if frames else patterns[:1]:
            chosen = np.flatnonzero((patterns == pattern).all(axis=1))
            own = tuple(self.wrenches[i] for i in np.flatnonzero(pattern).tolist())
            tau = values["tau"][steps.effort_of_sample[samples[:, chosen]]] if steps.drive.labels else None
            forces = tuple(values[w.unknowns.name][np.searchsorted(w.samples, samples[:, chosen])] for w in own)
            yield chosen, _Motion(steps, tau, own, forces, frames)


@dataclass(frozen=True, eq=False)
class _Motion:
    """Accelerations of k steps: `tau` and `forces` are what acts at the samples of each."""

    steps: TrajectoryUnknowns
    tau: Float[np.ndarray, "s k m"] | None
    wrenches: tuple[Wrench, ...]
    forces: tuple[Float[np.ndarray, "s k f"], ...]
    frames: tuple[str, ...]

    @cached_property
    def dynamics(self) -> Any:
        """Forward dynamics, with wrenches on frames."""
        return _compile_dynamics(self.steps.mechanics, self.frames)

    def __call__(self, which: Int[np.ndarray, " N"], part: Any, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        mechanics, shares, function = self.steps.mechanics, sample_weights(self.steps, part), self.dynamics
        efforts = np.zeros((len(which), 0)) if self.tau is None else _sum_samples(shares, self.tau, which)
        tau = self.steps.drive.torques(q, efforts)
        if not self.frames:
            return function(q, v, tau)
        acting = np.zeros((len(which), len(self.frames), 6))
        for w, x in zip(self.wrenches, self.forces, strict=True):
            acting[:, self.frames.index(w.frame)] += compile_wrench(mechanics, w)(q, _sum_samples(shares, x, which))
        return function(q, v, tau, acting)


def _sum_samples(shares: Sequence[Any], samples: np.ndarray, which: np.ndarray) -> Any:
    return sum(share * x[which] for share, x in zip(shares, samples, strict=True))


def _compile_dynamics(mechanics: Mechanics, frames: tuple[str, ...]) -> Any:
    """Compile forward dynamics, with wrenches on frames."""
    robot, kind = mechanics.robot, find_model_kind(mechanics.robot)
    options = {"ordering": kind.ordering(robot), "external_wrenches": frames}
    return mechanics.get_or_make(("motion", frames), lambda: forward_dynamics(kind.model(robot), **options))
