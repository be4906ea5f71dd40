"""A robot's own parts must not touch each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from screwgraph.base.summary import one_line
from screwgraph.model.formats.yaml_values import Value
from screwgraph.motion.planning.collision.automatic_spheres import AUTO, placed_spheres
from screwgraph.motion.planning.collision.clearance_factors import make_clearance_factors
from screwgraph.motion.planning.collision.clearance_templates import SelfClearanceViolation
from screwgraph.motion.planning.collision.collision_pairs import apart_pairs
from screwgraph.motion.planning.collision.obstacle_parser import read_common
from screwgraph.motion.planning.collision.spheres import BodySphere
from screwgraph.motion.planning.keys import AVOID_ITSELF
from screwgraph.motion.planning.mechanics import Mechanics
from screwgraph.motion.planning.obstacles.avoid import compute_centres
from screwgraph.motion.planning.task_parser import TaskParser
from screwgraph.motion.planning.trajectory_unknowns import TrajectoryUnknowns
from screwgraph.optimize import Factors


@dataclass(frozen=True, eq=False)
class AvoidItself:
    """Spheres on different links stay apart; those of one link and of links that a joint connects are left out.

    `allowed` are further pairs of links that may touch; other arguments are as for `Avoid`.
    """

    __repr__ = one_line

    spheres: Sequence[BodySphere] | str = AUTO
    margin: float = 0.0
    sigma: float | None = None
    threshold: float = 0.0
    between: int = 1
    order: int = 2
    allowed: Sequence[tuple[str, str]] = ()

    @classmethod
    def read(cls, value: Value, reading: TaskParser) -> AvoidItself:
        """Read {spheres, allowed: [[link, link], ...], ...}. Raises ModelError."""
        entries = value.section(AVOID_ITSELF)
        pairs = [item.items() for item in entries["allowed"].items()] if "allowed" in entries else []
        if any(len(pair) != 2 for pair in pairs):
            raise entries["allowed"].complaint("it must be a list of pairs of links")
        allowed = tuple((reading.frame(a), reading.frame(b)) for a, b in pairs)
        return cls(allowed=allowed, **read_common(entries, value, reading))

    def factors(self, steps: TrajectoryUnknowns, name: str) -> Iterable[Factors]:
        """Return one factor for each point and each position between. Raises InputError."""
        spheres = placed_spheres(steps.mechanics.robot, self.spheres)
        pairs = apart_pairs(steps.mechanics.robot, spheres, self.allowed)
        yield from make_clearance_factors(
            self, steps, spheres, lambda centres: SelfClearanceViolation(centres, pairs), {}, (), name
        )

    def clearances(
        self, mechanics: Mechanics, q: Float[np.ndarray, " nq"], time: float
    ) -> list[tuple[float, str, str]]:
        """Return (clearance less the margin (m), link, other link) of all pairs of spheres at q, at any time."""
        return [(apart, link, f"link {other!r}") for apart, link, other in self._distances(mechanics, q)]

    def remedy(self, mechanics: Mechanics, q: Float[np.ndarray, " nq"]) -> str:
        """Return that pairs whose covers overlap may be allowed, as an entry of a task file."""
        near = sorted({(link, other) for apart, link, other in self._distances(mechanics, q) if apart < 0.0})
        pairs = ", ".join(f"[{link}, {other}]" for link, other in near)
        return f"move it, or let links touch whose spheres are larger than they: allowed: [{pairs}]"

    def _distances(self, mechanics: Mechanics, q: Float[np.ndarray, " nq"]) -> list[tuple[float, str, str]]:
        spheres = placed_spheres(mechanics.robot, self.spheres)
        points, r = compute_centres(mechanics, spheres, q), spheres.numbers[:, 3]
        pairs = apart_pairs(mechanics.robot, spheres, self.allowed)
        apart = [float(np.linalg.norm(points[a] - points[b]) - r[a] - r[b] - self.margin) for a, b in pairs]
        return [(d, spheres.links[a], spheres.links[b]) for d, (a, b) in zip(apart, pairs, strict=True)]
