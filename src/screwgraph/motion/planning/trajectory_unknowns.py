"""The unknowns of a trajectory: states at points of time, accelerations and torques at samples of each phase."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from screwgraph.base.errors import InputError
from screwgraph.base.field_state import field_state
from screwgraph.motion.integration_rules import Rule
from screwgraph.motion.planning.mechanics import Mechanics
from screwgraph.motion.planning.models import Drive
from screwgraph.motion.planning.phases import Phase, point_times
from screwgraph.motion.planning.template_wrappers import DurationScaled, SqrtDtWeighted
from screwgraph.optimize import Factors, Variables, Vector, each, soft

Time = float | str | tuple[float, float]
"""A time (s), "start", "end", "always", or an interval."""
ON_TIME = 1e-6
"""A time (s) is that of a point if it differs by no more."""


@dataclass(frozen=True, eq=False)
class TrajectoryUnknowns:
    """A trajectory's unknowns, and which of them belong to which time.

    States (q, qd) stand at K *points*: the knots, and what the collocation adds between. Accelerations and torques
    stand at M *samples*: the points of each phase, so that they may jump from one phase to the next; `points[m]` is the
    point of sample m.
    """

    __getstate__ = field_state

    mechanics: Mechanics
    phases: tuple[Phase, ...]
    collocation: Rule
    drive: Drive
    has_dynamics: bool = True
    start_given: bool = True
    given: Mapping[str, Mapping[int, np.ndarray]] = field(default_factory=lambda: {"q": {}, "qd": {}})
    """Whole positions and velocities that start and goals prescribe, by point: laws that repeat them are left out."""
    is_measured: bool = False
    """Whether the start was measured: what it violates is relaxed, not refused."""

    @cached_property
    def known_wrenches(self) -> dict[tuple[int, ...], tuple[Any, Any]]:
        """By identities of a task's items, these and the wrenches that they exert."""
        return {}

    def asked_of(self, point: int) -> np.ndarray | None:
        """Return the position that a task prescribes at a point; None where there is none, or it was measured."""
        return None if self.is_measured and point == 0 else self.given["q"].get(point)

    @property
    def actuated(self) -> tuple[int, ...]:
        """The velocity coordinates along which torques act."""
        return self.drive.coordinates

    @property
    def per_step(self) -> int:
        """Points of a step, the end not counted."""
        return len(self.collocation.nodes) - 1

    @property
    def is_open(self) -> bool:
        """Whether the end of a phase has no sample of its own."""
        return self.collocation.accelerated[-1] < self.per_step

    @property
    def lead(self) -> int:
        """Points at the beginning of a phase that have no sample: 1 where the rule has no weight there, else 0."""
        return self.collocation.accelerated[0]

    @cached_property
    def times(self) -> Float[np.ndarray, " K"]:
        """Times (s) of the points, with the durations that the task gives."""
        return self.times_of(None)

    def times_of(self, durations: Float[np.ndarray, " P"] | None) -> Float[np.ndarray, " K"]:
        """Return the times (s) of the points with given durations of the phases."""
        return point_times(self.phases, self.collocation.nodes, durations)

    @cached_property
    def first(self) -> Int[np.ndarray, " S"]:
        """The point at which each step begins."""
        return np.concatenate([np.arange(s.start, s.stop - 1, self.per_step) for s in self.states])

    @cached_property
    def phase_of_step(self) -> Int[np.ndarray, " S"]:
        """The phase of each step."""
        return np.repeat(np.arange(len(self.phases)), [p.steps for p in self.phases])

    @cached_property
    def lengths(self) -> Float[np.ndarray, " S"]:
        """The part of its phase that each step lasts."""
        return np.concatenate([p.lengths for p in self.phases])

    def sample_at(self, node: int) -> Int[np.ndarray, " S"]:
        """Return the sample of each step at a node of the collocation, one of those that are `accelerated`."""
        return self._sample_before + node

    @cached_property
    def _sample_before(self) -> Int[np.ndarray, " S"]:
        """The sample of each step at a node, less the node."""
        begin = np.array([s.start for s in self.samples]) - np.array([s.start for s in self.states])
        return self.first + begin[self.phase_of_step] - self.lead

    @cached_property
    def states(self) -> tuple[slice, ...]:
        """Points of each phase, both ends counted."""
        ends = np.cumsum([0, *(p.steps * self.per_step for p in self.phases)]).tolist()
        return tuple(slice(a, b + 1) for a, b in itertools.pairwise(ends))

    @cached_property
    def samples(self) -> tuple[slice, ...]:
        """Samples of each phase."""
        sizes = [s.stop - s.start - self.is_open - self.lead for s in self.states]
        ends = np.cumsum([0, *sizes]).tolist()
        return tuple(slice(a, b) for a, b in itertools.pairwise(ends))

    @cached_property
    def points(self) -> Int[np.ndarray, " M"]:
        """The point of each sample."""
        return np.concatenate([np.arange(s.start + self.lead, s.stop - self.is_open) for s in self.states])

    @cached_property
    def phase_of_sample(self) -> Int[np.ndarray, " M"]:
        """The phase of each sample."""
        return np.repeat(np.arange(len(self.phases)), [s.stop - s.start for s in self.samples])

    @cached_property
    def phase_of_point(self) -> Int[np.ndarray, " K"]:
        """The phase that each point begins or lies in; the last point belongs to the last phase."""
        sizes = [s.stop - s.start - 1 for s in self.states]
        return np.append(np.repeat(np.arange(len(self.phases)), sizes), len(self.phases) - 1)

    @cached_property
    def weights(self) -> Float[np.ndarray, " M"]:
        """Quadrature weights of the samples, of a phase of duration 1."""
        found = []
        for phase, samples in zip(self.phases, self.samples, strict=True):
            w = np.zeros(phase.steps * self.per_step + 1)
            for i, part in enumerate(self.collocation.weights):
                w[i : len(w) - self.per_step + i : self.per_step] += part * phase.lengths
            found.append(w[self.lead : self.lead + samples.stop - samples.start])
        return np.concatenate(found)

    @cached_property
    def q(self) -> Variables:
        """Positions at the points."""
        return Variables("q", self.mechanics.positions, len(self.times))

    @cached_property
    def qd(self) -> Variables:
        """Velocities at the points."""
        return Variables("qd", Vector(self.mechanics.robot.nv), len(self.times))

    @cached_property
    def qdd(self) -> Variables:
        """Accelerations at the samples."""
        return Variables("qdd", Vector(self.mechanics.robot.nv), len(self.points))

    @cached_property
    def tau(self) -> Variables:
        """Torques of actuated coordinates, or efforts of actuators, at the samples; of steps where these hold them."""
        if not self.drive.labels or not self.has_dynamics:
            raise InputError(
                "the trajectory has no torques",
                why="nothing is actuated" if self.has_dynamics else "the task is solved without dynamics",
            )
        count = len(self.first) if self.collocation.holds else len(self.points)
        return Variables("tau", Vector(len(self.drive.labels)), count)

    @cached_property
    def step_of_sample(self) -> Int[np.ndarray, " M"]:
        """The step of each sample; the later one where two share it."""
        found = np.zeros(len(self.points), dtype=int)
        for node in reversed(self.collocation.accelerated):
            found[self.sample_at(node)] = np.arange(len(self.first))
        return found

    @property
    def effort_of_sample(self) -> Int[np.ndarray, " M"]:
        """Which of `tau` acts at each sample: its own, or that of its step."""
        return self.step_of_sample if self.collocation.holds else np.arange(len(self.points))

    def count_unknowns(self, family: str, points: int) -> int:
        """Return how many unknowns of a family stand in so many points: of whole steps, or torques that these hold."""
        if family == "duration":
            return 0
        return points // self.per_step if family == "tau" and self.collocation.holds else points

    @cached_property
    def duration(self) -> Variables | None:
        """Durations of the phases; None where all are given."""
        return Variables("duration", Vector(1), len(self.phases)) if any(p.is_free for p in self.phases) else None

    @property
    def free_points(self) -> Int[np.ndarray, " n"]:
        """Points whose states are not given: all, or all but the first."""
        return np.arange(1 if self.start_given else 0, len(self.times))

    def point(self, time: float | str) -> int:
        """Return the number of the point at a time (s), "end" for the last; times count with the given durations.

        Raises:
            InputError: there is no point at that time.
        """
        (t,) = self.times_at(time)
        found = self.find_point(t)
        if found is None:
            nearest = float(self.times[np.abs(self.times - t).argmin()])
            raise InputError(f"there is no step at t = {t:g} s", fix=f"the nearest is at {nearest:.9g} s")
        return found

    def find_point(self, t: float) -> int | None:
        """Return the number of the point at a time (s), None between points."""
        nearest = int(np.abs(self.times - t).argmin())
        return nearest if abs(self.times[nearest] - t) <= ON_TIME else None

    def times_at(self, time: Time) -> Float[np.ndarray, " n"]:
        """Return the times (s) that are meant: one, or the points in an interval and its ends, where these lie between.

        Raises:
            InputError: a time is none, or outside of the horizon.
        """
        if time == "always":
            return self.times
        if isinstance(time, tuple):
            first, last = (self._instant(t) for t in time)
            if last <= first:
                raise InputError(
                    f"the times {first:g}..{last:g} s are not an interval", fix="give the earlier one first"
                )
            inside = self.times[(self.times > first + ON_TIME) & (self.times < last - ON_TIME)]
            return np.array([first, *inside, last])
        return np.array([self._instant(time)])

    def _instant(self, time: float | str) -> float:
        """Return a time (s), that of a point where it is meant. Raises InputError."""
        if time in ("start", "end"):
            return float(self.times[0 if time == "start" else -1])
        if isinstance(time, bool | str) or not np.isfinite(time):
            raise InputError(f"expected a time, got {time!r}", fix='give seconds, or "end"')
        if not -ON_TIME <= time <= self.times[-1] + ON_TIME:
            raise InputError(f"the time {time:g} s is outside of the horizon", why=f"it ends at {self.times[-1]:g} s")
        point = self.find_point(float(time))
        return float(time if point is None else self.times[point])

    def points_at(self, time: Time) -> Int[np.ndarray, " n"]:
        """Return the numbers of the points at a time or in an interval; none between points. Raises InputError."""
        found = (self.find_point(t) for t in self.times_at(time).tolist())
        return np.array([p for p in found if p is not None], dtype=int)

    def points_near(self, time: Time) -> Int[np.ndarray, " n"]:
        """Return the same, with the next points in the place of instants between points. Raises InputError."""
        return np.unique(np.searchsorted(self.times, self.times_at(time) - ON_TIME))

    def sample(self, point: int) -> int:
        """Return the sample at a point: that of the later phase where two meet, else the one before or after."""
        return max(int(np.searchsorted(self.points, point, side="right")) - 1, 0)

    def scale_by_duration(
        self, template: Any, *unknowns: Any, phases: Int[np.ndarray, " n"], scale: Any
    ) -> tuple[Any, Any, Any]:
        """Return a template whose parameter `h` is scale * duration, its unknowns, and parameters.

        Where durations are given, h is a number for each factor; else the durations are unknowns of the factors.
        """
        scale = np.broadcast_to(scale, np.shape(phases))
        if self.duration is None:
            durations = np.array([p.duration for p in self.phases])[phases]
            return template, unknowns, {"h": each(durations * scale)}
        made = self.mechanics.get_or_make(("timed", template), lambda: DurationScaled(template))
        return made, (*unknowns, self.duration[phases]), {"scale": each(scale)}

    def integral(self, template: Any, *families: Variables, weight: Any, name: str, **parameters: Any) -> Factors:
        """Return factors that cost weight * integral of the squared residual over time.

        `families` are among q, qd, qdd, tau; the weight is a number, or one for each row of the residual.
        """
        chosen = [self._at_samples(f) for f in families]
        root = self.mechanics.get_or_make(("rooted", template), lambda: SqrtDtWeighted(template))
        made, unknowns, timing = self.scale_by_duration(root, *chosen, phases=self.phase_of_sample, scale=self.weights)
        sigma = 1.0 / np.sqrt(2.0 * np.asarray(weight, dtype=float))
        if self.duration is None:  # linear templates stay linear: their square roots are noise
            noise = sigma / np.sqrt(timing["h"].values.reshape(-1, *[1] * sigma.ndim))
            return soft(template, *chosen, sigma=each(noise), name=name, **parameters)
        return soft(made, *unknowns, sigma=sigma, name=name, **timing, **parameters)

    def _at_samples(self, family: Variables) -> Any:
        if family in (self.q, self.qd):
            return family[self.points]
        return family[self.effort_of_sample] if family.name == "tau" else family
