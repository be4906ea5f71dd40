"""Edges that keep clear of nodes: straight where they can, else curved."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from screwgraph.ui.draw import style
from screwgraph.ui.draw.bezier_curves import clip_curve, make_curve, sample_curve
from screwgraph.ui.draw.scene import Edge, Node, Point

BULGES = tuple(sign * b for b in (0.06, 0.1, 0.15, 0.2, 0.26, 0.33, 0.42, 0.52) for sign in (1, -1))
"""Bends that are tried, as parts of the chord's length."""

NEAR = 6.0
"""Points between edges that seem to run on one another."""


@dataclass(frozen=True)
class Connection:
    """An edge that is still to be laid."""

    source: str
    target: str
    colour: str = style.INK
    arrow: bool = False


@dataclass(frozen=True)
class Obstacles:
    """Obstacles of an edge: nodes by centre and reach, and points of edges that lie already."""

    centres: np.ndarray
    reach: np.ndarray
    taken: np.ndarray

    def leave_out(self, *ends: Point) -> Obstacles:
        """Leave out the nodes that an edge ends at."""
        keep = np.ones(len(self.centres), dtype=bool)
        for end in ends:
            keep &= np.abs(self.centres - end).max(axis=1, initial=0.0) > 1e-6
        return Obstacles(self.centres[keep], self.reach[keep], self.taken)


def route_edges(links: Sequence[Connection], nodes: Sequence[Node]) -> tuple[Edge, ...]:
    """Lay edges between the centres of nodes (arrows: between their rims), around all other nodes.

    Short edges are laid first; each later one also avoids to run along those that lie already.
    """
    by_name = {node.name: node for node in nodes}
    centres = np.array([n.at for n in nodes]).reshape(-1, 2)
    reach = np.array([n.radius + style.CLEARANCE for n in nodes])
    middle = centres.mean(axis=0) if len(nodes) else np.zeros(2)
    laid: dict[int, Edge] = {}
    taken = np.empty((0, 2))
    for i in sorted(range(len(links)), key=lambda i: _length(links[i], by_name)):
        link = links[i]
        source, target = by_name[link.source], by_name[link.target]
        points = _clearest(
            source.at, target.at, Obstacles(centres, reach, taken).leave_out(source.at, target.at), middle
        )
        taken = np.concatenate([taken, _inner(points)])
        if link.arrow:
            points = clip_curve(points, source.radius, target.radius + 1.0)
        laid[i] = Edge(link.source, link.target, points, link.colour, link.arrow)
    return tuple(laid[i] for i in range(len(links)))


def count_hindrance(start: Point, end: Point, obstacles: Obstacles) -> float:
    """Say how much is in the way of a straight edge: nothing is 0, each node more than 1000."""
    line = (start, end)
    return _overlap(line, obstacles.leave_out(*line)) + _crowding(sample_curve(line)[1:-3], obstacles.taken)


def _length(link: Connection, nodes: Mapping[str, Node]) -> float:
    return round(math.dist(nodes[link.source].at, nodes[link.target].at), 3)


def _inner(points: tuple[Point, ...]) -> np.ndarray:
    """Points of a curve without its ends, where edges meet at nodes anyway."""
    return sample_curve(points, 8.0)[3:-3]


def _clearest(start: Point, end: Point, obstacles: Obstacles, middle: np.ndarray) -> tuple[Point, ...]:
    """Return the best of the straight line and the curves; the straight one at once where nothing is in its way."""
    chord = math.dist(start, end)
    best, least = (start, end), math.inf
    for bulge in (0.0, *BULGES):
        points, price = make_curve(start, end, bulge * chord), 0.4 * abs(bulge) * chord
        if least <= price:
            break
        cost = price + _overlap(points, obstacles)
        if bulge and _turns_inward(points, middle):
            cost += price
        if cost < least:
            cost += _crowding(_inner(points), obstacles.taken)
        if round(cost, 6) < round(least, 6):
            best, least = points, cost
    return best


def _turns_inward(points: tuple[Point, ...], middle: np.ndarray) -> bool:
    """Whether a curve bends towards the middle of the figure, where there is less space."""
    start, control, end = np.asarray(points)
    chord_middle = (start + end) / 2
    return bool((control - chord_middle) @ (middle - chord_middle) > 0)


def _overlap(points: tuple[Point, ...], obstacles: Obstacles) -> float:
    """Penalty for running over nodes: far above any other cost."""
    if not len(obstacles.centres):
        return 0.0
    curve, margin = sample_curve(points), obstacles.reach.max()
    low, high = curve.min(axis=0) - margin, curve.max(axis=0) + margin
    near = ((obstacles.centres > low) & (obstacles.centres < high)).all(axis=1)
    if not near.any():
        return 0.0
    distance = np.linalg.norm(curve[:, None] - obstacles.centres[near], axis=2).min(axis=0)
    inside = obstacles.reach[near] - distance
    return float(np.where(inside > 0, 1e3 + 1e2 * inside, 0.0).sum())


def _crowding(inner: np.ndarray, taken: np.ndarray) -> float:
    """How many points of a curve lie on edges that are there already; crossings count little."""
    if not len(inner):
        return 0.0
    low, high = inner.min(axis=0) - NEAR, inner.max(axis=0) + NEAR
    taken = taken[((taken > low) & (taken < high)).all(axis=1)]
    if not len(taken):
        return 0.0
    near = np.linalg.norm(inner[:, None] - taken, axis=2).min(axis=1) < NEAR
    return float(max(0, near.sum() - 2))
