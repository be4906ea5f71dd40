"""Spheres between points of time: whether they touch on the way, and factors that keep them from it.

Distances to shapes change by no more than a sphere moves: where the clearances at two positions are together more than
the way between them, nothing is touched on that way. Mirtich (1996), section 2.3 (conservative advancement).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from screwgraph.motion.planning.collision.clearance_templates import ClearanceViolation, SelfClearanceViolation
from screwgraph.motion.planning.collision.moving_frames import evaluate_poses, find_corners, measure_ways
from screwgraph.motion.planning.factors.priors import GpInterpolation, interpolation_weights
from screwgraph.motion.planning.trajectory_unknowns import TrajectoryUnknowns
from screwgraph.optimize import Factors, Selection, each, inequality
from screwgraph.optimize.batch import Batch
from screwgraph.spatial import sqrt, vector

ALLOWED = 1e-5
"""Depth (m) that is rounding."""
DEEPEST = 16
"""Times that a stretch of a motion is halved."""
ARC = 0.1
"""Way of a joint (rad, m) over which a sphere's way is at most `BENT` times the straight line."""
BENT = 1.01
MOST = 64
"""Stretches that an interval is cut into at first, at most."""
PAIRS = 4
"""Stretches of an interval in which spheres are kept clear."""
SMOOTH = 1e-10
"""Square (m^2) added below roots: ways keep a derivative where nothing moves."""

Motion = Callable[[Float[np.ndarray, " N"]], Float[np.ndarray, "N nq"]]
"""Positions at times (s)."""


@dataclass(frozen=True, eq=False)
class ClearanceFactors:
    """Hard factors that keep spheres clear at points of time, of a template of one position."""

    factors: Factors
    template: ClearanceViolation | SelfClearanceViolation

    @property
    def movers(self) -> Int[np.ndarray, "r m"]:
        """The spheres that each row of the template is about."""
        if isinstance(self.template, SelfClearanceViolation):
            return np.array(self.template.pairs)
        count = len(self.template.centres.bodies.links)
        return np.tile(np.arange(count), sum(n for _, n in self.template.kinds))[:, None]

    @property
    def motion(self) -> Any:
        """The motion of the frame of what is not to be touched; None where it stands."""
        return self.template.centres.motion

    def frames(self, times: Float[np.ndarray, " N"]) -> dict[str, Any]:
        """Return the parameter `frame` of templates at times (s)."""
        return {} if self.motion is None else {"frame": each(evaluate_poses(self.motion, times))}

    def depths(self, q: Float[np.ndarray, "N nq"], times: Float[np.ndarray, " N"]) -> Float[np.ndarray, "N r"]:
        """Return how much too near spheres are (m), negative where they are clear."""
        return self._evaluate_template(self.template, q, {**self.factors.shared, **self.frames(times)})

    def centres(self, q: Float[np.ndarray, "N nq"], times: Float[np.ndarray, " N"]) -> Float[np.ndarray, "N n 3"]:
        """Return the centres of all spheres in the frame of what is not to be touched."""
        parameters = {"spheres": self.factors.shared["spheres"], **self.frames(times)}
        return self._evaluate_template(self.template.centres, q, parameters).reshape(len(q), -1, 3)

    def _evaluate_template(self, template: Any, q: Float[np.ndarray, "N nq"], shared: Mapping[str, Any]) -> np.ndarray:
        family = replace(self.factors.arguments[0].variables, count=len(q))
        batch = Batch(inequality(template, family[:], name=self.factors.name, **shared), ())
        return batch.factors.kernels.residual(*batch.inputs({family.name: q}))


@dataclass(frozen=True)
class SweptContact:
    """A motion that comes nearer than allowed between two points: to what, by how much (m), at which time (s)."""

    watched: ClearanceFactors
    depth: float
    time: float
    interval: int


def select_clearance_factors(factors: Sequence[Factors]) -> list[ClearanceFactors]:
    """Return the hard factors that keep spheres clear at points of time; tables of distances are left out."""
    found = []
    for f in factors:
        template: Any = f.template
        if f.kind != "inequality" or not isinstance(template, ClearanceViolation | SelfClearanceViolation):
            continue
        if template.centres.between is None and not getattr(template, "fields", 0):
            found.append(ClearanceFactors(f, template))
    return found


def find_swept_contacts(
    kept: Sequence[ClearanceFactors], motion: Motion, edges: Float[np.ndarray, " k"], ways: Float[np.ndarray, " n"]
) -> list[SweptContact]:
    """Return the deepest contact of each interval between ascending times (s); `ways` are the joints' in each."""
    found = []
    for clear in kept:
        both = ways if clear.motion is None else ways + measure_ways(clear.motion, edges)
        found += _touches(clear, motion, edges, np.clip(np.ceil(both / ARC), 2, MOST).astype(int))
    return found


@dataclass(frozen=True, eq=False)
class _Instants:
    """Some positions: their times, and what is measured there."""

    times: Float[np.ndarray, " N"]
    depths: Float[np.ndarray, "N r"]
    centres: Float[np.ndarray, "N n 3"]

    def __getitem__(self, chosen: Any) -> _Instants:
        return _Instants(self.times[chosen], self.depths[chosen], self.centres[chosen])

    def and_(self, other: _Instants) -> _Instants:
        """Return these and others after them."""
        return _Instants(
            np.append(self.times, other.times),
            np.concatenate([self.depths, other.depths]),
            np.concatenate([self.centres, other.centres]),
        )


def _touches(
    kept: ClearanceFactors, motion: Motion, edges: np.ndarray, counts: Int[np.ndarray, " n"]
) -> Iterator[SweptContact]:
    def instants_at(times: Float[np.ndarray, " N"]) -> _Instants:
        q = motion(times)
        return _Instants(times, kept.depths(q, times), kept.centres(q, times))

    cuts = zip(edges, edges[1:], counts.tolist(), strict=False)
    begins = np.concatenate([np.linspace(a, b, n, endpoint=False) for a, b, n in cuts])
    corners = find_corners(kept.motion)  # where a way turns back, its ends tell nothing
    begins = np.union1d(begins, corners[(corners > edges[0]) & (corners < edges[-1])])
    interval = np.searchsorted(edges, begins, side="right") - 1
    every, movers = instants_at(np.append(begins, edges[-1])), kept.movers
    start, end, worst = every[:-1], every[1:], dict[int, tuple[float, float]]()
    for _ in range(DEEPEST):
        for instants in (start, end):
            deepest = instants.depths.max(axis=1)
            for i in np.flatnonzero(deepest > ALLOWED).tolist():
                k = int(interval[i])
                worst[k] = max(worst.get(k, (0.0, 0.0)), (float(deepest[i]), float(instants.times[i])))
        ways = np.linalg.norm(end.centres - start.centres, axis=2)[:, movers].sum(axis=2)
        unsure = (start.depths + end.depths + BENT * ways > 2.0 * ALLOWED).any(axis=1)
        unsure &= ~np.isin(interval, list(worst))
        if not unsure.any():
            break
        start, end, interval = start[unsure], end[unsure], interval[unsure]
        middle = instants_at(0.5 * (start.times + end.times))
        start, end, interval = start.and_(middle), middle.and_(end), np.append(interval, interval)
    for k, (depth, time) in sorted(worst.items()):
        yield SweptContact(kept, depth, time, k)


@dataclass(frozen=True)
class SweptClearance:
    """Half of the way between two positions, and of their depths: positive where spheres may touch on the way.

    The way is that in the frame of what is not to be touched.
    """

    template: ClearanceViolation | SelfClearanceViolation
    between: GpInterpolation
    movers: tuple[tuple[int, ...], ...]

    def __call__(
        self, *unknowns: Any, wa: Any, wb: Any, h: Any, spheres: Any, fa: Any = None, fb: Any = None, **parameters: Any
    ) -> Any:
        """Return one number for each row of the template; unknowns are the states of an interval's ends.

        `wa` and `wb` are the weights of both positions, `fa` and `fb` the poses of a frame that moves.
        """
        at = [(self.between(unknowns, w, h), {} if f is None else {"frame": f}) for w, f in ((wa, fa), (wb, fb))]
        a, b = (self.template.centres(q, spheres=spheres, **frame) for q, frame in at)
        near, then = (self.template(q, spheres=spheres, **frame, **parameters) for q, frame in at)
        ways = [sqrt(sum((b[i + j] - a[i + j]) ** 2 for j in range(3)) + SMOOTH) for i in range(0, len(a), 3)]
        rows = enumerate(self.movers)
        return vector([0.5 * (near[row] + then[row] + BENT * sum(ways[i] for i in movers)) for row, movers in rows])


def make_swept_clearance(steps: TrajectoryUnknowns, found: Sequence[SweptContact]) -> Iterator[Factors]:
    """Return factors that keep spheres clear all the way, in the intervals in which they touch."""
    for kept in dict.fromkeys(touch.watched for touch in found):
        first = np.array([touch.interval for touch in found if touch.watched is kept])
        pairs, w = (
            np.tile(first, PAIRS),
            np.array([interpolation_weights(2, part) for part in np.linspace(0.0, 1.0, PAIRS + 1)]),
        )
        ends: list[Selection] = []
        for point in (pairs, pairs + 1):
            ends += [steps.q[point], steps.qd[point]]
        phases = steps.phase_of_point[pairs]
        parts = np.diff(steps.times)[pairs] / np.array([p.duration for p in steps.phases])[phases]
        movers = tuple(tuple(row) for row in kept.movers.tolist())
        template = SweptClearance(kept.template, GpInterpolation(steps.mechanics.positions, 2), movers)
        made, unknowns, timing = steps.scale_by_duration(template, *ends, phases=phases, scale=parts)
        wa, wb = (each(np.repeat(part, len(first), axis=0)) for part in (w[:-1], w[1:]))
        cuts = steps.times[first] + np.linspace(0.0, 1.0, PAIRS + 1)[:, None] * np.diff(steps.times)[first]
        ends_of = (("fa", cuts[:-1]), ("fb", cuts[1:]))
        frames = {key: value for key, times in ends_of for value in kept.frames(times.ravel()).values()}
        name = f"{kept.factors.name}: all the way"
        yield inequality(made, *unknowns, name=name, wa=wa, wb=wb, **frames, **timing, **kept.factors.shared)
