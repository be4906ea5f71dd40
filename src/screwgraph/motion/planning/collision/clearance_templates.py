"""How near a robot's spheres come to obstacles and to each other: templates, all spheres of a position at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from screwgraph.model.robot import Robot, link_poses
from screwgraph.motion.planning.collision.shapes import SHAPES
from screwgraph.motion.planning.collision.shapes.base import to_local
from screwgraph.motion.planning.factors.priors import GpInterpolation
from screwgraph.motion.planning.mechanics import Mechanics
from screwgraph.optimize.template_wrappers import Split
from screwgraph.spatial import Array, matrix, vector

TAYLOR = 13
"""Numbers of a field at a sphere: the point, distance, gradient, and second derivatives xx yy zz xy xz yz."""


@dataclass(frozen=True, eq=False)
class SphereLinks:
    """A robot's links that carry spheres, and where they are."""

    robot: Robot
    links: tuple[str, ...]

    def centres(self, q: Array, spheres: Array) -> list[list[Any]]:
        """Return the centre of each sphere (link after link, x y z in the link's frame) in the base."""
        poses = link_poses(self.robot, q, self.links)
        return [
            [sum(poses[link][i, j] * spheres[number, j] for j in range(3)) + poses[link][i, 3] for i in range(3)]
            for number, link in enumerate(self.links)
        ]


def get_sphere_links(mechanics: Mechanics, links: tuple[str, ...]) -> SphereLinks:
    """Return the links that carry spheres: the same object for the same links."""
    return mechanics.get_or_make(("bodies", links), lambda: SphereLinks(mechanics.robot, links))


@dataclass(frozen=True)
class SphereCentres:
    """Centres of all spheres at a position, one after the other.

    `motion` is that of the frame that they are in, where it is not the base; code does not depend on it.
    """

    bodies: SphereLinks
    between: GpInterpolation | None = None
    motion: Any = field(default=None, compare=False)

    def __call__(self, *unknowns: Any, spheres: Any, w: Any = None, h: Any = None, frame: Any = None) -> Any:
        """Return them (3 n,), in the base, or in the frame of such a pose (12,), see `pose_numbers`.

        Unknowns are q, or the states of a step's ends, `spheres` (n, 4) centre and radius.
        """
        centres = self.bodies.centres(self.position(*unknowns, w=w, h=h), spheres)
        placed = centres if frame is None else [to_local(centre, frame) for centre in centres]
        return vector([c for centre in placed for c in centre])

    def position(self, *unknowns: Any, w: Any = None, h: Any = None, **parameters: Any) -> Any:
        """Return the position at which spheres are looked at; further parameters are of no matter."""
        return unknowns[0] if self.between is None else self.between(unknowns, w, h)

    @property
    def here(self) -> SphereCentres:
        """The same of a position itself."""
        return SphereCentres(self.bodies, motion=self.motion)


@dataclass(frozen=True)
class ClearanceViolation:
    """Margins less the distances between spheres and obstacles: positive where a sphere comes too near.

    `kinds` says of what kinds obstacles are, and how many of each; their numbers come as parameters of these names.
    """

    centres: SphereCentres
    kinds: tuple[tuple[str, int], ...]
    fields: int = 0

    def __call__(
        self,
        *unknowns: Any,
        spheres: Any,
        margin: Any,
        w: Any = None,
        h: Any = None,
        field: Any = None,
        frame: Any = None,
        **numbers: Any,
    ) -> Any:
        """Return one number for each obstacle and sphere, spheres of one obstacle one after the other."""
        flat = self.centres(*unknowns, spheres=spheres, w=w, h=h, frame=frame)
        count = len(self.centres.bodies.links)
        points = [[flat[3 * i + j] for j in range(3)] for i in range(count)]
        rows = []
        for kind, n in self.kinds:
            for k in range(n):
                one = numbers[kind][k, :]
                rows += [_less(SHAPES[kind].distance(p, one), spheres[i, 3], margin) for i, p in enumerate(points)]
        for k in range(self.fields):
            for i, p in enumerate(points):
                rows.append(_less(evaluate_taylor(p, field[k * count + i, :]), spheres[i, 3], margin))
        return vector(rows)

    def split(self) -> Split | None:
        """Return the position as few numbers, and the margins of a position."""
        return (
            None if self.centres.between is None else (self.centres.position, replace(self, centres=self.centres.here))
        )


@dataclass(frozen=True)
class SelfClearanceViolation:
    """Margins less the distances between pairs of a robot's own spheres."""

    centres: SphereCentres
    pairs: tuple[tuple[int, int], ...]

    def __call__(self, *unknowns: Any, spheres: Any, margin: Any, w: Any = None, h: Any = None) -> Any:
        """Return one number for each pair."""
        flat = self.centres(*unknowns, spheres=spheres, w=w, h=h)
        rows = []
        for a, b in self.pairs:
            numbers = vector([*flat[3 * b : 3 * b + 3], spheres[b, 3]])
            rows.append(_less(SHAPES["sphere"].distance(flat[3 * a : 3 * a + 3], numbers), spheres[a, 3], margin))
        return vector(rows)

    def split(self) -> Split | None:
        """Return the position as few numbers, and the margins of a position."""
        return (
            None if self.centres.between is None else (self.centres.position, replace(self, centres=self.centres.here))
        )


def evaluate_taylor(point: Sequence[Any], numbers: Any) -> Any:
    """Return a quadratic function of a point, of `TAYLOR` numbers: where, value, gradient, second derivatives."""
    d = [point[i] - numbers[i] for i in range(3)]
    H = matrix([[numbers[k] for k in row] for row in ((7, 10, 11), (10, 8, 12), (11, 12, 9))])
    bent = sum(d[i] * H[i, j] * d[j] for i in range(3) for j in range(3))
    return numbers[3] + sum(numbers[4 + i] * d[i] for i in range(3)) + 0.5 * bent


def _less(distance: Any, radius: Any, margin: Any) -> Any:
    return radius + margin - distance


def count_kinds(kinds: Mapping[str, Sequence[Any]]) -> tuple[tuple[str, int], ...]:
    """Return how many there are of each kind."""
    return tuple((kind, len(found)) for kind, found in kinds.items())
