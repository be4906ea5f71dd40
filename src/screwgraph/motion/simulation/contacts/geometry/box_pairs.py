"""Points at which two boxes touch: corners over faces, and edges that cross, as code without branches.

Of the 15 directions that may part two boxes, normals of faces and products of edges, the one of the largest distance
counts (Gottschalk, Lin & Manocha, 1996). Where it is a face's, the face of the other box that looks at it is clipped to
it, and each corner of what is left is a point with its own height; else it is the points at which two edges cross.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, product
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from screwgraph.motion.simulation.contacts.geometry.touching_points import (
    APART,
    LEVEL,
    MOST_SLOTS,
    STEEP,
    TouchingPoint,
)
from screwgraph.spatial import Array, choose, cross, dot, maximum, sqrt

PARALLEL = 1e-4
"""Sine of the angle of edges that are parallel."""
UPRIGHT = 0.999
"""Cosine of the angle with a face's normal from which on a direction is taken for that normal."""
ROUND = 1e-7
"""Part of the largest size within which a point is at an edge."""
NONE = -1e9
"""A distance (m) of what is none."""


class BoxPose(NamedTuple):
    """A box: its centre (m), its axes, columns, half its sizes (m)."""

    centre: Float[Array, "3"]
    axes: Float[Array, "3 3"]
    half: Sequence[Any]


class _Face(NamedTuple):
    """A face: its middle (m), two axes and its normal, rows, and half its sizes along the first (m)."""

    middle: Float[Array, "3"]
    axes: Float[Array, "3 3"]
    half: tuple[Any, Any]


class _Corner(NamedTuple):
    """A corner of a clipped face, if it `counts` (1, else 0): its place in the face that clips, its height (m)."""

    counts: Any
    x: Any
    y: Any
    height: Any


def touch_boxes(other: BoxPose, own: BoxPose, slots: int = MOST_SLOTS) -> list[TouchingPoint]:
    """Return where the own box is near to the other: as many points as there are slots, the first ones used."""
    away = own.centre - other.centre
    t = [[dot(away, box.axes[:, k]) for k in range(3)] for box in (other, own)]
    C = other.axes.T @ own.axes
    faces = _rate_faces(t, C, other.half, own.half)
    edges, ways = _rate_edges(t[0], C, other.half, own.half, faces)
    best_face, best_edge = _largest(faces), _largest(edges)
    masks = _one_hot(faces, best_face)
    signed = [choose(x < 0.0, -m, m) for x, m in zip([*t[0], *(-x for x in t[1])], masks, strict=True)]
    n = other.axes @ np.array(signed[:3]) + own.axes @ np.array(signed[3:])
    points = _touch_faces(other, own, sum(masks[3:], start=0.0), n, slots)
    crossing = _cross_edges(other, own, t[0], C, _one_hot(edges, best_edge), ways)
    crossing = crossing._replace(gap=best_edge)
    is_edge, found = best_edge > best_face, list[TouchingPoint]()
    for k, point in enumerate(points):
        p, normal = (_choose_all(is_edge, x, y) for x, y in zip(crossing[:2], point[:2], strict=True))
        found.append(TouchingPoint(p, normal, choose(is_edge, APART if k else crossing.gap, point.gap)))
    return found


def _rate_faces(
    t: Sequence[Sequence[Any]], C: Float[Array, "3 3"], h: Sequence[float], k: Sequence[float]
) -> list[Any]:
    """Return the distances (m) along normals of faces, of the first box, then of the second."""
    size = abs(C)
    found = [abs(x) - own - dot(row, k) for x, own, row in zip(t[0], h, size, strict=True)]
    return found + [abs(x) - own - dot(row, h) for x, own, row in zip(t[1], k, size.T, strict=True)]


def _rate_edges(
    t: Sequence[Any], C: Float[Array, "3 3"], h: Sequence[float], k: Sequence[float], faces: list[Any]
) -> tuple[list[Any], list[list[Any]]]:
    """Return the distances (m) along products of edges, and these unit vectors, away from the first box, in its axes.

    A product that is almost a face's normal is that: clipping finds where edges cross. Its distance goes to `faces`.
    """
    found, ways = list[Any](), list[list[Any]]()
    for i, j in product(range(3), repeat=2):
        L = list(cross(np.eye(3)[i].tolist(), C[:, j]))
        sine = sqrt(maximum(1.0 - C[i, j] * C[i, j], PARALLEL * PARALLEL))
        side = dot(t, L)
        L = [choose(side < 0.0, -x, x) / sine for x in L]
        on_own = [dot(L, C[:, m]) for m in range(3)]
        reach = sum((h[m] * abs(L[m]) for m in range(3) if m != i), start=0.0)
        reach = reach + sum((k[m] * abs(on_own[m]) for m in range(3) if m != j), start=0.0)
        distance, is_face = choose(sine > 1.5 * PARALLEL, abs(side) / sine - reach, NONE), 0.0
        along = [(m, L[m]) for m in range(3) if m != i] + [(3 + m, on_own[m]) for m in range(3) if m != j]
        for m, x in along:
            near = choose(abs(x) > UPRIGHT, 1.0, 0.0)
            faces[m] = choose(near > 0.5, maximum(faces[m], distance), faces[m])
            is_face = maximum(is_face, near)
        found.append(choose(is_face > 0.5, NONE, distance))
        ways.append(L)
    return found, ways


def _cross_edges(
    other: BoxPose,
    own: BoxPose,
    t: Sequence[Any],
    C: Float[Array, "3 3"],
    masks: Sequence[Any],
    ways: Sequence[Sequence[Any]],
) -> TouchingPoint:
    """Return the point of the own box's edge where it crosses one of the other's; the masks say which (1, else 0)."""
    n = [sum((m * way[r] for m, way in zip(masks, ways, strict=True)), start=0.0) for r in range(3)]
    first = [sum(masks[3 * i : 3 * i + 3], start=0.0) for i in range(3)]
    second = [sum(masks[j::3], start=0.0) for j in range(3)]
    a = [(1.0 - m) * choose(x < 0.0, -h, h) for m, x, h in zip(first, n, other.half, strict=True)]
    on_own = [dot(n, C[:, m]) for m in range(3)]
    b = [(1.0 - m) * choose(x < 0.0, h, -h) for m, x, h in zip(second, on_own, own.half, strict=True)]
    start, way = np.array(t) + C @ np.array(b), C @ np.array(second)
    apart, cosine = start - np.array(a), dot(first, way)
    along = (cosine * dot(first, apart) - dot(way, apart)) / maximum(1.0 - cosine * cosine, PARALLEL * PARALLEL)
    return TouchingPoint(other.centre + other.axes @ (start + along * way), other.axes @ np.array(n), 0.0)


def _touch_faces(other: BoxPose, own: BoxPose, by_own: Any, n: Float[Array, "3"], slots: int) -> list[TouchingPoint]:
    """Return points of the own box where a face with the outward normal n, its own (1) or not, looks at another one."""
    is_own = by_own > 0.5
    still = _find_face(BoxPose(*(_choose_all(is_own, x, y) for x, y in zip(own, other, strict=True))), n)
    moving = _find_face(BoxPose(*(_choose_all(is_own, x, y) for x, y in zip(other, own, strict=True))), -n)
    margin = ROUND * max(*other.half, *own.half)
    found = list[TouchingPoint]()
    for corner in _fill_slots(_clip_face(still, moving, margin), slots):
        below = still.middle + corner.x * still.axes[0] + corner.y * still.axes[1]
        p = below + (1.0 - by_own) * corner.height * still.axes[2]
        gap = choose(corner.counts > 0.5, corner.height, APART)
        found.append(TouchingPoint(p, (1.0 - 2.0 * by_own) * still.axes[2], gap))
    return found


def _find_face(box: BoxPose, n: Float[Array, "3"]) -> _Face:
    """Return the face of a box whose normal is nearest to n."""
    along = [dot(n, box.axes[:, k]) for k in range(3)]
    masks = _one_hot([abs(x) for x in along], _largest([abs(x) for x in along]))
    signed = [choose(x < 0.0, -m, m) for x, m in zip(along, masks, strict=True)]
    normal = box.axes @ np.array(signed)
    first, second = ([masks[(k - s) % 3] for k in range(3)] for s in (1, 2))
    axes = np.stack([box.axes @ np.array(first), box.axes @ np.array(second), normal])
    return _Face(box.centre + dot(masks, box.half) * normal, axes, (dot(first, box.half), dot(second, box.half)))


def _clip_face(still: _Face, moving: _Face, margin: float) -> list[_Corner]:
    """Return the corners of one face over the other: its own, those of the other below it, crossings of edges."""
    (u, v), (a, b) = still.half, moving.half
    c, alpha, beta = (still.axes @ x for x in (moving.middle - still.middle, a * moving.axes[0], b * moving.axes[1]))
    signs, own, under, crossings = list(product((-1.0, 1.0), repeat=2)), list[_Corner](), [], []
    for r, s in signs:
        x, y, z = c + r * alpha + s * beta
        own.append(_Corner(_is_within((x, u), (y, v), 2.0 * margin), x, y, z))
    det = alpha[0] * beta[1] - alpha[1] * beta[0]
    for x, y in ((r * u, s * v) for r, s in signs):
        p = ((x - c[0]) * beta[1] - (y - c[1]) * beta[0]) / det
        q = (alpha[0] * (y - c[1]) - alpha[1] * (x - c[0])) / det
        counts = _is_within((p * a, a), (q * b, b), 2.0 * margin)
        for corner in own:  # one at the same place is that point already
            counts = counts * (1.0 - corner.counts * _is_within((corner.x - x, 0.0), (corner.y - y, 0.0), 6.0 * margin))
        under.append(_Corner(counts, x, y, c[2] + p * alpha[2] + q * beta[2]))
    for ((fixed, run, length), side), (k, sign) in product(
        product(((alpha, beta, b), (beta, alpha, a)), (-1.0, 1.0)), product((0, 1), (-1.0, 1.0))
    ):
        start, bound, across = c + side * fixed, (u, v)[k], (v, u)[k]
        is_parallel = abs(run[k]) < 1e-5 * margin
        s = (sign * bound - start[k]) / choose(is_parallel, 1.0, run[k])
        x, y, z = start + s * run
        counts = choose(is_parallel, 0.0, _is_within((s * length, length), ((y, x)[k], across), -margin))
        crossings.append(_Corner(counts, x, y, z))
    return [*own, *under, *crossings]


def _fill_slots(corners: Sequence[_Corner], slots: int) -> list[_Corner]:
    """Return the corners that count, one in each slot; of more than that the lowest and those far out and low.

    Where none counts the faces are beside one another: the first corner that is lowest stands for them.
    """
    found, total = list[_Corner](), sum((c.counts for c in corners), start=0.0)
    lowest = _select(
        corners[:4], _one_hot([-c.height for c in corners[:4]], _largest([-c.height for c in corners[:4]]))
    )
    ranks, count = list[Any](), 0.0
    for corner in corners:
        ranks.append(count)
        count = count + corner.counts
    left = [c.counts for c in corners]
    for k in range(slots):
        masks = [choose(abs(rank - k) < 0.5, c.counts, 0.0) for rank, c in zip(ranks, corners, strict=True)]
        if slots < MOST_SLOTS:
            turn, steep = 2.0 * np.pi * k / max(slots - 1, 1) + 0.4, STEEP if k else LEVEL
            rated = [np.cos(turn) * c.x + np.sin(turn) * c.y - steep * c.height for c in corners]
            rated = [choose(free > 0.5, x, NONE) for free, x in zip(left, rated, strict=True)]
            masks = [free * m for free, m in zip(left, _one_hot(rated, _largest(rated)), strict=True)]
            left = [free - m for free, m in zip(left, masks, strict=True)]
        corner = _select(corners, masks)
        if not k:
            corner = _Corner(*(choose(total < 0.5, x, y) for x, y in zip((1.0, *lowest[1:]), corner, strict=True)))
        found.append(corner)
    return found


def _select(corners: Sequence[_Corner], masks: Sequence[Any]) -> _Corner:
    """Return the corner with the mask 1; zeros where all are 0."""
    counts, x, y, height = zip(*corners, strict=True)
    del counts
    return _Corner(sum(masks, start=0.0), *(dot(masks, values) for values in (x, y, height)))


def _is_within(first: tuple[Any, Any], second: tuple[Any, Any], margin: float) -> Any:
    """Return 1 where both numbers, each with its bound, are within that and a margin; else 0."""
    inside = (choose(abs(x) - bound < margin, 1.0, 0.0) for x, bound in (first, second))
    return next(inside) * next(inside)


def _largest(values: Sequence[Any]) -> Any:
    """Return the largest of some numbers."""
    found = values[0]
    for _, x in pairwise(values):
        found = maximum(found, x)
    return found


def _one_hot(values: Sequence[Any], largest: Any) -> list[Any]:
    """Return 1 for the first number that is the largest, 0 for all others."""
    found, left = list[Any](), 1.0
    for x in values:
        found.append(choose(x < largest, 0.0, left))
        left = left - found[-1]
    return found


def _choose_all(condition: Any, yes: Any, no: Any) -> Any:
    """Return one of two arrays."""
    ahead = [choose(condition, x, y) for x, y in zip(np.ravel(np.asarray(yes)), np.ravel(np.asarray(no)), strict=True)]
    return np.array(ahead).reshape(np.shape(yes))
