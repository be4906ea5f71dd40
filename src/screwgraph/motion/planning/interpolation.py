"""A planned motion at its points and between them, in the sense of its collocation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from screwgraph.base.summary import one_line
from screwgraph.motion.integration_rules import between_states, interpolate_step, lagrange_polynomials
from screwgraph.motion.integration_rules.step_interpolation import evaluate_polynomial
from screwgraph.motion.planning.collocation import UNTIED
from screwgraph.motion.planning.factors.dynamics import find_acting_wrenches
from screwgraph.motion.planning.items import Wrench
from screwgraph.motion.planning.mechanics import Mechanics
from screwgraph.motion.planning.trajectory_unknowns import TrajectoryUnknowns
from screwgraph.motion.planning.vector_code import compile_on_arrays
from screwgraph.motion.simulation import States
from screwgraph.optimize.manifold_code import retract_values


@dataclass(frozen=True, eq=False)
class PlannedMotion:
    """The values of a plan, t (s) the times of its points, as a function of times: what stands between two points.

    Positions and velocities are those of the collocation rule. Accelerations, torques, and the unknowns of contact
    wrenches are polynomials through their samples in a step. Without a rule positions are what is most probable if
    accelerations are white noise: cubic polynomials, of rotation vectors where joints turn in space. Mukadam et al.
    (2018), eqs. (25), (26).
    """

    __repr__ = one_line

    steps: TrajectoryUnknowns
    t: Float[np.ndarray, " K"]
    values: Mapping[str, np.ndarray]
    wrenches: Sequence[Wrench]

    def __call__(self, times: Float[np.ndarray, " n"]) -> States:
        """Return the states at times (s) of the plan."""
        steps, values, stride = self.steps, self.values, self.steps.per_step
        step, part, h = self._places(times)
        first = stride * step
        points = [(values["q"][first + i], values["qd"][first + i]) for i in range(stride + 1)]
        if steps.collocation == UNTIED:
            q, qd, qdd = between_states(steps.mechanics.positions, (*points[0], None), (*points[1], None), h, part)
        else:
            accelerated = [self._sample_family("qdd", step, i) for i in range(stride + 1)]
            joined = [(*p, a) for p, a in zip(points, accelerated, strict=True)]
            way, qd = interpolate_step(steps.collocation, joined, h, part)
            q, qdd = retract_values(steps.mechanics.positions, points[0][0], way), np.zeros_like(qd)
        if "qdd" in values:
            qdd = interpolate_samples(steps, values["qdd"], step, part)
        return States(q, qd, qdd, steps.drive.torques(q, self.efforts(times)), self._acting(step, part, q))

    def efforts(self, times: Float[np.ndarray, " n"]) -> Float[np.ndarray, "n m"]:
        """Return the torques of actuated coordinates, or the efforts of actuators, at times (s) of the plan."""
        steps, (step, part, _) = self.steps, self._places(times)
        if "tau" not in self.values:
            return np.zeros((len(times), len(steps.drive.labels)))
        return interpolate_samples(steps, self.values["tau"][steps.effort_of_sample], step, part)

    def torques(self, times: Float[np.ndarray, " n"]) -> Float[np.ndarray, "n size"]:
        """Return the torques of the model at times (s) of the plan."""
        drive = self.steps.drive
        if drive.depends_on_positions:
            return self(times).tau
        return drive.torques(np.empty((len(times), 0)), self.efforts(times))

    def _places(self, times: Float[np.ndarray, " n"]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the step of each time, the part 0..1 of it that has passed, and its length (s); the later of two."""
        steps, stride = self.steps, self.steps.per_step
        step = np.clip(np.searchsorted(self.t[::stride], times, side="right") - 1, 0, len(steps.first) - 1)
        first = stride * step
        h = (self.t[first + stride] - self.t[first])[:, None]
        return step, (times - self.t[first])[:, None] / h, h

    def at_points(self) -> States:
        """Return the states at the points; of samples, where two phases meet, those of the later one."""
        steps, q = self.steps, self.values["q"]
        qdd = self._at_points(self.values["qdd"]) if "qdd" in self.values else self(self.t).qdd
        wrenches = {}
        for w in self.wrenches:
            at = q[steps.points[w.samples]]
            own = np.zeros((len(steps.points), 6))
            own[w.samples] = compile_wrench(steps.mechanics, w)(at, self.values[w.unknowns.name])
            wrenches[w.frame] = wrenches.get(w.frame, 0.0) + self._at_points(own)
        return States(q, self.values["qd"], qdd, steps.drive.torques(q, self.efforts_at_points()), wrenches)

    def efforts_at_points(self) -> Float[np.ndarray, "K m"]:
        """Return the torques of actuated coordinates, or the efforts of actuators, at the points."""
        if "tau" not in self.values:
            return np.zeros((len(self.t), len(self.steps.drive.labels)))
        if self.steps.collocation.holds:  # where two steps meet, the later one commands
            return self.values["tau"][np.searchsorted(self.steps.first[1:], np.arange(len(self.t)), side="right")]
        return self._at_points(self.values["tau"])

    def _sample_family(self, family: str, step: Int[np.ndarray, " n"], node: int) -> np.ndarray | None:
        """Return the values of a family at a node of steps; None where it has no sample there."""
        if family not in self.values or node not in self.steps.collocation.accelerated:
            return None
        return self.values[family][self.steps.sample_at(node)[step]]

    def _at_points(self, values: Float[np.ndarray, "M k"]) -> Float[np.ndarray, "K k"]:
        """Return the values of samples at the points; at the first, where that has none, what the step's tend to."""
        steps = self.steps
        found = values[[steps.sample(k) for k in range(len(steps.times))]]
        if steps.lead:
            found[0] = interpolate_samples(steps, values, np.zeros(1, dtype=int), np.zeros((1, 1)))[0]
        return found

    def _acting(
        self, step: Int[np.ndarray, " n"], part: Float[np.ndarray, "n 1"], q: Float[np.ndarray, "n nq"]
    ) -> dict[str, Float[np.ndarray, "n 6"]]:
        """Return the sum of the contact wrenches on each frame, in its axes."""
        steps, found = self.steps, {w.frame: np.zeros((len(step), 6)) for w in self.wrenches}
        samples = [steps.sample_at(i)[step] for i in steps.collocation.accelerated]
        acts = find_acting_wrenches(steps, self.wrenches)[samples[0]]
        for w, rows in zip(self.wrenches, map(np.flatnonzero, acts.T), strict=True):
            if len(rows):
                places = [np.searchsorted(w.samples, m[rows]) for m in samples]
                shares = sample_weights(steps, part[rows])
                x = sum(share * self.values[w.unknowns.name][at] for share, at in zip(shares, places, strict=True))
                found[w.frame][rows] += compile_wrench(steps.mechanics, w)(q[rows], x)
        return found


def compile_wrench(mechanics: Mechanics, w: Wrench) -> Callable[..., np.ndarray]:
    """Return a wrench on its frame as a function of arrays of positions and of its unknowns."""
    pose, sizes = mechanics.pose_of(w.frame), (mechanics.robot.nq, w.unknowns.manifold.dim)
    return mechanics.get_or_make(
        ("wrench", w.frame, w.template), lambda: compile_on_arrays(lambda q, x: w.template(q, pose(q), x), sizes, 6)
    )


def interpolate_samples(
    steps: TrajectoryUnknowns, values: Float[np.ndarray, "M k"], step: np.ndarray, part: Float[np.ndarray, "n 1"]
) -> Float[np.ndarray, "n k"]:
    """Return the polynomials through the values at the samples of steps, at parts 0..1 of these."""
    accelerated, found = steps.collocation.accelerated, np.zeros((len(part), values.shape[1]))
    for i, share in zip(accelerated, sample_weights(steps, part), strict=True):
        found += share * values[steps.sample_at(i)[step]]
    return found


def sample_weights(steps: TrajectoryUnknowns, part: Any) -> list[Any]:
    """Return how much the values at the samples of a step weigh at a part 0..1 of it."""
    nodes = tuple(steps.collocation.nodes[i] for i in steps.collocation.accelerated)
    return [evaluate_polynomial(p, part) for p in lagrange_polynomials(nodes)]
