"""Planning result."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float

from screwgraph.optimize import Result, Status
from screwgraph.plan.interpolation import Motion, motion_at
from screwgraph.plan.phases import Phase, knot_times
from screwgraph.plan.task import Task
from screwgraph.plan.transcribe import Transcription

FEASIBLE = 1e-6
"""Largest violation (SI units) of a plan that counts as feasible."""


@dataclass(frozen=True, eq=False)
class Plan:
    """A planned motion: arrays over time, how much it costs, and whether it can be relied on.

    `status` is "solved", or what went wrong; `violation` is the largest residual of what must hold, in its own units.
    """

    transcription: Transcription
    result: Result

    @property
    def task(self) -> Task:
        """What was planned."""
        return self.transcription.task

    @cached_property
    def t(self) -> Float[np.ndarray, " K"]:
        """Times (s)."""
        steps = self.transcription.steps
        if steps.duration is None:
            return steps.times
        found = self.values["duration"][:, 0]
        return knot_times([Phase(p.steps * steps.per_step, float(T)) for p, T in zip(steps.phases, found, strict=True)])

    @property
    def q(self) -> Float[np.ndarray, "K nq"]:
        """Positions."""
        return self.values["q"]

    @property
    def qd(self) -> Float[np.ndarray, "K nv"]:
        """Velocities."""
        return self.values["qd"]

    @cached_property
    def qdd(self) -> Float[np.ndarray, "K nv"]:
        """Accelerations; where two phases meet, those of the later one. Slopes of velocities where none are planned."""
        return self.values["qdd"][self._samples] if "qdd" in self.values else np.gradient(self.qd, self.t, axis=0)

    @cached_property
    def tau(self) -> Float[np.ndarray, "K nv"]:
        """Torques of all joints, zero where they are not actuated; where two phases meet, those of the later one."""
        steps, tau = self.transcription.steps, np.zeros_like(self.qd)
        if "tau" in self.values:
            tau[:, list(steps.actuated)] = self.values["tau"][self._samples]
        return tau

    def at(self, times: Float[np.ndarray, "*n"] | float) -> Motion:
        """Return positions (N, nq), velocities (N, nv) and efforts (N, nv) at times (s), between points, too.

        A single time gives vectors. What a plan means between points is its collocation's affair. Trapezoidal:
        velocities and torques are linear, positions the integral of velocities; all limits on these hold there as well.

        Raises:
            InputError: a time is outside of the plan.
        """
        asked = np.asarray(times, dtype=float)
        found = motion_at(self.transcription.steps, self.t, self.values, asked.ravel())
        q, qd, tau = (part.reshape(*asked.shape, -1) for part in found)
        return q, qd, tau

    @cached_property
    def values(self) -> dict[str, np.ndarray]:
        """All unknowns, by family: arrays of a count and their shape; see `Steps` for what stands where."""
        return self.transcription.completed(self.result.values)

    @property
    def cost(self) -> float:
        """The sum of all costs."""
        return self.result.cost

    @cached_property
    def costs(self) -> dict[str, float]:
        """What each item costs, by name."""
        return self.result.costs

    @cached_property
    def violations(self) -> dict[str, float]:
        """Largest residual of each item, and of the laws of motion, by name (SI units)."""
        return self.result.violations

    @property
    def violation(self) -> float:
        """Largest residual of what must hold (SI units)."""
        return self.result.violation

    @property
    def iterations(self) -> int:
        """Steps that the method made."""
        return self.result.iterations

    @property
    def seconds(self) -> float:
        """Time that solving took."""
        return self.result.seconds

    @property
    def feasible(self) -> bool:
        """Whether all that must hold does."""
        return bool(self.violation <= FEASIBLE)

    @property
    def solved(self) -> bool:
        """Whether the plan is feasible and the method has converged."""
        return self.feasible and self.result.status is Status.CONVERGED

    @property
    def status(self) -> str:
        """Say "solved"; or whether it is feasible, and what ended the search."""
        if self.solved:
            return "solved"
        ended = self.result.status.value
        if self.feasible:
            return f"feasible, not optimal: {ended}"
        return ended if self.result.status is Status.INFEASIBLE else f"not feasible: {ended}"

    @property
    def reason(self) -> str:
        """Why the search ended."""
        return self.result.reason

    @cached_property
    def _samples(self) -> np.ndarray:
        steps = self.transcription.steps
        return np.array([steps.sample(k) for k in range(len(steps.times))])

    def __repr__(self) -> str:
        return (
            f"<plan {self.transcription.task.name!r}: {self.status}, cost {self.cost:.6g}, violation "
            f"{self.violation:.2g}, {self.iterations} iterations, {self.seconds:.3g} s; {self.reason}>"
        )
