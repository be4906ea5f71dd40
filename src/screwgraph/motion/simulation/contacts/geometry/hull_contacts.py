"""Points at which two convex bodies touch: distances by coal, then the faces, edges and corners that are there.

coal finds how far bodies are from one another, and where (Gilbert, Johnson & Keerthi, 1988; van den Bergen, 2001).
Where a face's normal parts them as well, the face of the other body that looks at it is clipped to it, each corner of
what is left with its own height; where edges cross, it is their lines' nearest points; else coal's own points.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int

from screwgraph.base.summary import one_line
from screwgraph.motion.simulation.contacts.geometry.convex_body import ConvexBody, import_coal
from screwgraph.motion.simulation.contacts.geometry.touching_points import LEVEL, STEEP, TouchingPoint

AGREES = 1e-6
"""Difference (m) of distances that is coal's rounding."""
UPRIGHT = 0.999
"""Cosine of the angle with a face's normal from which on a direction is taken for that normal."""
FACES, EDGES = 12, 8
"""How many faces and edges, those nearest to coal's direction, are looked at."""
PARALLEL = 0.02
"""Sine of the angle of two segments up to which they lie along one another."""
ROUND = 1e-9
"""Distance (m) by which a point of a face's edge may be beyond it."""
EXACT = 1e-9
"""Tolerance of coal's iterations."""


class PlacedBody(NamedTuple):
    """A convex body at a pose: its points (m) and normals of faces in the axes of the base."""

    __repr__ = one_line

    body: ConvexBody
    R: Float[np.ndarray, "3 3"]
    origin: Float[np.ndarray, "3"]
    points: Float[np.ndarray, "n 3"]
    normals: Float[np.ndarray, "f 3"]


class _Nearest(NamedTuple):
    """The distance (m) of two hulls without radii, the direction from the first to the second, their points (m)."""

    distance: float
    n: Float[np.ndarray, "3"]
    own: Float[np.ndarray, "3"]


def place_body(body: ConvexBody, T: Float[np.ndarray, "4 4"]) -> PlacedBody:
    """Return a body at a pose."""
    R, origin = T[:3, :3], T[:3, 3]
    return PlacedBody(body, R, origin, body.points @ R.T + origin, body.normals @ R.T)


def touch_hulls(other: PlacedBody, own: PlacedBody, slots: int) -> list[TouchingPoint]:
    """Return where the own body is near to the other, in up to so many points. Raises InputError without coal."""
    found = _find_nearest(other, own)
    radii = other.body.radius + own.body.radius
    points = _touch_faces(other, own, found) or _touch_sides(other, own, found) or _touch_edges(other, own, found)
    if not points:
        points = [(found.own, found.n, found.distance)]
    shift, kept = own.body.radius, _choose_points(points, slots)
    return [TouchingPoint(p - shift * n, n, height - radii) for p, n, height in kept]


_Point = tuple[np.ndarray, np.ndarray, float]
"""A point of the own hull (m), the normal of the other body there, and its height above that (m), without radii."""


def _find_nearest(other: PlacedBody, own: PlacedBody) -> _Nearest:
    coal = import_coal()
    request, result = coal.DistanceRequest(), coal.DistanceResult()
    request.gjk_tolerance = request.epa_tolerance = EXACT
    bodies, poses = [x.body.geometry for x in (other, own)], [_find_pose(x) for x in (other, own)]
    first, second = (coal.Transform3s(np.ascontiguousarray(R), np.ascontiguousarray(p)) for R, p in poses)
    distance = coal.distance(bodies[0], first, bodies[1], second, request, result)
    n, thick = np.array(result.normal), own.body.thickness
    return _Nearest(distance + other.body.thickness + thick, n, np.array(result.getNearestPoint2()) + thick * n)


def _find_pose(placed: PlacedBody) -> tuple[np.ndarray, np.ndarray]:
    """Return axes and origin (m) of a body's `geometry`."""
    if len(placed.normals):
        return placed.R, placed.origin
    a, b = placed.points[0], placed.points[-1]
    z = (b - a) / np.linalg.norm(b - a) if len(placed.points) == 2 else np.array([0.0, 0.0, 1.0])
    x = np.cross(np.eye(3)[int(np.abs(z).argmin())], z)
    x /= np.linalg.norm(x)
    return np.array([x, np.cross(z, x), z]).T, 0.5 * (a + b)


def _touch_faces(other: PlacedBody, own: PlacedBody, found: _Nearest) -> list[_Point]:
    """Return corners of one body's face over that of the other which parts them; none where no face does."""
    best, chosen = -np.inf, None
    for still, moving, n in ((other, own, found.n), (own, other, -found.n)):
        if not len(still.normals):
            continue
        aligned = still.normals @ n
        near = np.argsort(-aligned)[:FACES]
        offsets = still.body.offsets[near] + still.normals[near] @ still.origin
        heights = (moving.points @ still.normals[near].T).min(axis=0) - offsets
        k = int(heights.argmax())
        for i, height in ((near[k], heights[k]), *([(near[0], found.distance)] if aligned[near[0]] > UPRIGHT else [])):
            if height > best + ROUND:
                best, chosen = float(height), (still, moving, int(i))
    if chosen is None or best < found.distance - AGREES:
        return []
    still, moving, face = chosen
    n, ring = still.normals[face], still.points[still.body.faces[face]]
    points = _clip(_find_facing(moving, n), ring, still.body.sides[face] @ still.R.T)
    heights = (points - ring[0]) @ n
    if still is other:
        return [(p, n, float(z)) for p, z in zip(points, heights, strict=True)]
    return [(p - z * n, -n, float(z)) for p, z in zip(points, heights, strict=True)]


def _find_facing(body: PlacedBody, n: Float[np.ndarray, "3"]) -> Float[np.ndarray, "k 3"]:
    """Return the face at a body's lowest point along n that looks most against n; its segment, or its point."""
    if not len(body.normals):
        return body.points
    near = body.body.by_point[int((body.points @ n).argmin())]
    return body.points[body.body.faces[int(near[(body.normals[near] @ n).argmin()])]]


def _clip(
    points: Float[np.ndarray, "k 3"], ring: Float[np.ndarray, "m 3"], sides: Float[np.ndarray, "m 3"]
) -> Float[np.ndarray, "j 3"]:
    """Return the part of a polygon, segment or point that is over a face, whose sides look outwards.

    Sutherland & Hodgman (1974).
    """
    is_ring, bounds = len(points) > 2, np.einsum("ij,ij->i", ring, sides)
    for i in np.flatnonzero((points @ sides.T - bounds).max(axis=0) > ROUND):
        beyond = points @ sides[i] - bounds[i]
        inside = beyond <= ROUND
        points = _cut(points, beyond, inside, is_ring)
        if not len(points):
            break
    return points


def _cut(
    points: Float[np.ndarray, "k 3"], beyond: Float[np.ndarray, " k"], inside: Bool[np.ndarray, " k"], is_ring: bool
) -> Float[np.ndarray, "j 3"]:
    """Return what of a polygon or segment is not beyond a plane."""
    kept, count = list[np.ndarray](), len(points)
    for i in range(count):
        if inside[i]:
            kept.append(points[i])
        k = (i + 1) % count
        if (k or is_ring) and inside[i] != inside[k]:
            kept.append(points[i] + beyond[i] / (beyond[i] - beyond[k]) * (points[k] - points[i]))
    return np.array(kept).reshape(-1, 3)


def _touch_sides(other: PlacedBody, own: PlacedBody, found: _Nearest) -> list[_Point]:
    """Return both ends of what two segments have along one another; none of other bodies, and of those that cross."""
    if len(other.points) != 2 or len(own.points) != 2:
        return []
    u, v = (x.points[1] - x.points[0] for x in (other, own))
    if np.linalg.norm(np.cross(u, v)) > PARALLEL * np.linalg.norm(u) * np.linalg.norm(v):
        return []
    pairs = [(_find_foot(other.points, p), p) for p in own.points]
    pairs += [(p, _find_foot(own.points, p)) for p in other.points]
    points, nearest = list[_Point](), (found.own, found.n, found.distance)
    for foot, p in pairs:
        if foot is None or p is None or any(np.linalg.norm(p - q) < ROUND for q, *_ in points):
            continue
        height = float(np.linalg.norm(p - foot))
        points.append((p, (p - foot) / height if height > ROUND else found.n, height))
    lowest = min((height for *_, height in points), default=np.inf)
    return points if len(points) == 2 and lowest < found.distance + AGREES else [*points, nearest] if points else []


def _find_foot(ends: Float[np.ndarray, "2 3"], p: Float[np.ndarray, "3"]) -> Float[np.ndarray, "3"] | None:
    """Return the point of a segment nearest to p, if it is not beyond its ends."""
    way = ends[1] - ends[0]
    share = float((p - ends[0]) @ way) / float(way @ way)
    return ends[0] + share * way if -ROUND < share < 1.0 + ROUND else None


def _touch_edges(other: PlacedBody, own: PlacedBody, found: _Nearest) -> list[_Point]:
    """Return the nearest points of the edges that part two bodies; none where no edges cross."""
    n, best, chosen = found.n, found.distance - AGREES, list[_Point]()
    for a, u in _list_edges(other, n):
        for b, v in _list_edges(own, -n):
            way = np.cross(u, v)
            square = float(way @ way)
            if square < 1e-8 * float(u @ u) * float(v @ v):
                continue
            way = way / (np.sqrt(square) if way @ n > 0.0 else -np.sqrt(square))
            apart = float((own.points @ way).min() - (other.points @ way).max())
            if way @ n < 0.9 or apart < best:
                continue
            r = b - a
            s, t = (float(np.cross(r, x) @ np.cross(u, v)) / square for x in (v, u))
            if min(s, t) > -ROUND and max(s, t) < 1.0 + ROUND:
                best, chosen = apart, [(b + t * v, way, apart)]
    return chosen


def _list_edges(body: PlacedBody, n: Float[np.ndarray, "3"]) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return starts (m) and ways (m) of the edges that are farthest along n."""
    edges: Int[np.ndarray, "e 2"] = body.body.edges
    ends = body.points[edges]
    order = np.argsort(-(ends.mean(axis=1) @ n))[:EDGES]
    return [(ends[i, 0], ends[i, 1] - ends[i, 0]) for i in order]


def _choose_points(points: list[_Point], slots: int) -> list[_Point]:
    """Return all points, of more than there are slots those far out, and low."""
    if len(points) <= slots:
        return points
    p, heights = np.array([x[0] for x in points]), np.array([x[2] for x in points])
    return [points[i] for i in choose_places(see_along(p, points[0][1]), heights, slots)]


def see_along(p: Float[np.ndarray, "n 3"], normal: Float[np.ndarray, "3"]) -> Float[np.ndarray, "n 2"]:
    """Return the places of points across a normal (m)."""
    u = np.cross(normal, np.eye(3)[int(np.abs(normal).argmin())])
    return p @ np.array([u, np.cross(normal, u)]).T


def choose_places(places: Float[np.ndarray, "n 2"], heights: Float[np.ndarray, " n"], slots: int) -> list[int]:
    """Return which of some points, the lowest and those that are far out in several directions and low."""
    chosen, free = list[int](), np.ones(len(heights), dtype=bool)
    for k in range(slots):
        turn, steep = 2.0 * np.pi * k / max(slots - 1, 1) + 0.4, STEEP if k else LEVEL
        rated = places @ [np.cos(turn), np.sin(turn)] - steep * heights
        chosen.append(int(np.where(free, rated, -np.inf).argmax()))
        free[chosen[-1]] = False
    return sorted(chosen)
