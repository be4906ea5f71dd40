"""Where factors lie that elimination has changed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

import numpy as np

from screwgraph.graph import FactorGraph, Key
from screwgraph.ui.draw import style
from screwgraph.ui.draw.bezier_curves import sample_curve
from screwgraph.ui.draw.layout import Layout, find_free_place
from screwgraph.ui.draw.routing import Obstacles, count_hindrance
from screwgraph.ui.draw.scene import Point

Line = tuple[Point, Point]
Ends = Mapping[int, Sequence[Point]]
"""The variables that each factor touches."""

BESIDE = 3.0 * style.RADIUS
"""Points from a variable to a factor of its own."""
SLOPE = 0.22
"""Rise of the flattest edge from a row of factors: enough to pass over the neighbour of the variable where it ends."""


def place_residual_factors(
    graph: FactorGraph, places: Layout, left: Mapping[int, Sequence[Key]], arrows: Sequence[Line]
) -> dict[int, Point]:
    """Place the factors that are left, by the variables that they touch now.

    A factor stays where it was as long as it touches a variable of its own. The others go, all of a branch in
    the same manner, to where straight edges to their new variables meet the fewest nodes, edges and arrows.
    """
    ends = {n: [places.variables[key] for key in keys] for n, keys in left.items()}
    found = {n: places.factors[n] for n, keys in left.items() if set(keys) & set(graph.factors[n].keys)}
    lines = [*arrows, *((at, end) for n, at in found.items() for end in ends[n])]
    for group in _groups(places, ends, [n for n in left if n not in found]):
        obstacles = _obstacles(places, found, lines)
        occupied = [*places.variables.values(), *found.values()]
        gone = {n: ends[n] for n in group}
        plans = [_settle(plan, occupied) for plan in _plans(graph, places, gone)]
        found |= min(plans, key=lambda plan: _effort(plan, gone, obstacles))
        lines += [(found[n], end) for n, points in gone.items() for end in points]
    return {n: found[n] for n in left}


def _groups(places: Layout, ends: Ends, numbers: Iterable[int]) -> list[list[int]]:
    """Factors of one row of a branch go together; one that touches a single variable goes alone, and last."""

    def kind(n: int) -> tuple[bool, float, int]:
        alone = len(ends[n]) == 1
        return alone, places.factors[n][1], n if alone else 0

    return [list(group) for _, group in groupby(sorted(numbers, key=kind), key=kind)]


def _obstacles(places: Layout, factors: Mapping[int, Point], lines: Sequence[Line]) -> Obstacles:
    centres = np.array([*places.variables.values(), *factors.values()]).reshape(-1, 2)
    reach = np.array([style.RADIUS] * len(places.variables) + [style.DOT] * len(factors)) + style.CLEARANCE
    taken = np.concatenate([np.empty((0, 2)), *(sample_curve(line)[4:-4] for line in lines)])
    return Obstacles(centres, reach, taken)


def _plans(graph: FactorGraph, places: Layout, gone: Ends) -> list[dict[int, Point]]:
    """Return the manners worth a try: around a single variable; or as before, amid all, above or below the links."""
    (first, *more), *others = gone.values()
    if not more and not others:
        around = ((1, 0), (0, -1), (-1, 0), (0, 1))
        return [dict.fromkeys(gone, (first[0] + BESIDE * x, first[1] + BESIDE * y)) for x, y in around]
    before = {n: places.factors[n] for n in gone}
    amid = {n: (_mean([x for x, _ in points]), _mean([y for _, y in points])) for n, points in gone.items()}
    widest = max(abs(x - before[n][0]) for n, points in gone.items() for x, _ in points)
    rise = min(max(BESIDE, SLOPE * widest), 12 * style.RADIUS)
    heights: dict[int, list[float]] = {}
    for key, (_, y) in places.variables.items():
        heights.setdefault(graph.variables[key].index, []).append(y)
    own = {n: heights.get(graph.factors[n].index, [before[n][1]]) for n in gone}
    above = {n: (before[n][0], min(own[n]) - rise) for n in gone}
    below = {n: (before[n][0], max(own[n]) + rise) for n in gone}
    return [before, amid, above, below]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _settle(plan: Mapping[int, Point], occupied: Sequence[Point]) -> dict[int, Point]:
    """Move factors that would lie on one another or on a variable."""
    settled: dict[int, Point] = {}
    for n, at in plan.items():
        settled[n] = find_free_place(at, [*occupied, *settled.values()])
    return settled


def _effort(plan: Mapping[int, Point], gone: Ends, obstacles: Obstacles) -> float:
    edges = [(plan[n], end) for n, points in gone.items() for end in points]
    return round(sum(count_hindrance(*edge, obstacles) + 0.05 * math.dist(*edge) for edge in edges), 6)
