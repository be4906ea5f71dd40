"""Where variables and factors lie: columns along the chain, a band of rows for each branch."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from screwgraph.graph import FactorGraph, Key, Variable
from screwgraph.ui.draw import style
from screwgraph.ui.draw.scene import Point

Place = tuple[float, float]
"""Columns to the right of the link's own column, and a row; a joint is half a column to the left of its link."""

Locate = Callable[[int, Place], Point]
"""From a link's number and a place beside it to a point."""

BAND_GAP = 1.4
"""Rows from the last row of a branch to the first of the next."""

FAN_OUT = 0.42
"""Width that a column gains for each unit of height that edges to branches have to climb."""


@dataclass(frozen=True)
class Layout:
    """Centres of variables, and of factors by their place in the graph's list."""

    variables: Mapping[Key, Point]
    factors: Mapping[int, Point]


def make_layout(graph: FactorGraph, drawn: Collection[Key], factors: Iterable[int]) -> Layout:
    """Place some variables and factors of a graph; rows that no variable needs are left out."""
    grid = FULL if any(key.kind in KINEMATIC for key in drawn) else SIMPLE
    places = {key: grid.variables.get(key.kind, OTHER) for key in drawn if key.kind not in MULTIPLIERS}
    of_links = [variable for variable in graph.variables.values() if variable.key.kind not in MULTIPLIERS]
    locate = _locator(make_link_tree(of_links), grid, {math.floor(row) for _, row in places.values()})
    groups: dict[tuple[int, Place], list[Key]] = defaultdict(list)
    for key, place in places.items():
        groups[graph.variables[key].index, place].append(key)
    variables: dict[Key, Point] = {}
    for (index, place), keys in groups.items():
        x, y = locate(index, place)
        for n, key in enumerate(keys):
            variables[key] = (x + (n - (len(keys) - 1) / 2) * 2.6 * style.RADIUS, y)
    placed = _place_factors(graph, grid, locate, variables, factors)
    for key in drawn:
        if key.kind in MULTIPLIERS:
            laws = [at for number, at in placed.items() if key in graph.factors[number].keys]
            wanted, nodes = _right_of(laws, BESIDE * grid.pitch), [*variables.values(), *placed.values()]
            variables[key] = find_free_place(wanted, nodes, apart=2.4 * style.RADIUS)
    return Layout({key: variables[key] for key in drawn}, placed)


@dataclass(frozen=True)
class Grid:
    """The places in the band of one link; `pitch` (of columns) and `row` (height) are in points."""

    pitch: float
    row: float
    variables: Mapping[str, Place]
    factors: Mapping[str, Place]


SIMPLE = Grid(
    pitch=88.0,
    row=60.0,
    variables={
        "qdd": (-0.5, 0),
        "acceleration": (0, 1),
        "wrench": (-0.5, 2),
        "tau": (-0.5, 3),
        "external_wrenches": (0, 3),
    },
    factors={"acceleration": (-0.5, 1), "wrench": (0, 2), "torque": (-0.5, 2.5)},
)
"""Links and joints alternate on one lattice: Figs 4a, 6a, 9a of Xie & Dellaert (2019)."""

FULL = Grid(
    pitch=168.0,
    row=70.0,
    variables={
        "qd": (-0.22, 0),
        "twist": (0, 1),
        "q": (-0.66, 1.5),
        "acceleration": (-0.18, 2),
        "qdd": (-0.5, 2.46),
        "wrench": (-0.5, 3.15),
        "tau": (-0.5, 4.1),
        "external_wrenches": (0.1, 4.1),
        "gravity": (0.0, 5),
    },
    factors={
        "twist": (-0.5, 1),
        "acceleration": (-0.56, 2),
        "wrench": (0.1, 3.15),
        "torque": (-0.5, 3.62),
        "gravity": (-0.72, 5),
    },
)
"""Kinematics above dynamics, staggered so that straight edges miss nodes: Figs 1, 3, 8 of Xie & Dellaert (2019)."""

KINEMATIC = frozenset({"twist", "q", "qd", "gravity"})
"""Kinds of variables that only the full arrangement has a place for."""

MULTIPLIERS = frozenset({"lambda"})
"""Kinds of variables that belong to no link: they stand right of the laws that they enter."""

CLOSING = {"loop": 1.1, "tied_velocities": 1.1, "coupling": 0.8}
"""Factors that tie branches, and how many columns right of their variables they stand."""

BESIDE = 0.35
"""Columns from the laws of a multiplier to where it stands."""

OTHER = (0.0, 6.0)
"""Place of kinds that the papers do not know: below everything else."""


def _locator(shape: LinkTree, grid: Grid, rows: Collection[int]) -> Locate:
    """Return the map from places to points. Columns widen where branches fan out."""
    band = grid.row * (len(rows) - 1 + BAND_GAP)
    columns = [0.0]
    for depth in range(1, 1 + max(shape.depth.values(), default=0)):
        columns.append(columns[-1] + grid.pitch + FAN_OUT * band * shape.spread[depth])

    def height(row: float) -> float:
        whole = math.floor(row)
        return grid.row * (sum(used < whole for used in rows) + row - whole)

    def locate(index: int, place: Place) -> Point:
        right, row = place
        return columns[shape.depth[index]] + right * grid.pitch, shape.band[index] * band + height(row)

    return locate


def _place_factors(
    graph: FactorGraph, grid: Grid, locate: Locate, variables: Mapping[Key, Point], factors: Iterable[int]
) -> dict[int, Point]:
    known_indices = {v.index for v in graph.variables.values() if v.key.kind not in MULTIPLIERS}
    result: dict[int, Point] = {}
    for number in factors:
        factor = graph.factors[number]
        place = grid.factors.get(factor.template.name)
        if place is not None and factor.index in known_indices:
            wanted = locate(factor.index, place)
        elif factor.template.name in CLOSING:
            ends = [variables[key] for key in factor.keys if key in variables]
            wanted = _right_of(ends, CLOSING[factor.template.name] * grid.pitch)
        else:
            wanted = _place_beside([variables[key] for key in factor.keys if key in variables])
        result[number] = find_free_place(wanted, [*variables.values(), *result.values()])
    return result


def _place_beside(points: Sequence[Point]) -> Point:
    """Return where a factor of an unforeseen sort should lie: amid its variables, or left of its only one (priors)."""
    if not points:
        return (0.0, 0.0)
    x, y = (sum(values) / len(points) for values in zip(*points, strict=True))
    return (x - 3.0 * style.RADIUS, y) if len(points) == 1 else (x, y)


def _right_of(points: Sequence[Point], distance: float) -> Point:
    """Return the point so far right of some points, at their mean height."""
    if not points:
        return (0.0, 0.0)
    return max(x for x, _ in points) + distance, sum(y for _, y in points) / len(points)


def find_free_place(wanted: Point, occupied: Collection[Point], apart: float = 1.5 * style.RADIUS) -> Point:
    """Return the first point on a spiral around a wanted one that keeps its distance from all nodes."""
    for step in range(400):
        angle, radius = 2.4 * step, 1.6 * style.RADIUS * math.sqrt(step)
        point = wanted[0] + radius * math.cos(angle), wanted[1] + radius * math.sin(angle)
        if all(math.dist(point, other) > apart for other in occupied):
            return point
    return wanted


# The tree of links that a graph's variables tell of: depths and bands.


@dataclass(frozen=True)
class LinkTree:
    """Per link number: `depth` counts joints from the base, `band` numbers branches from top to bottom.

    A link with several children lies in the middle of their bands. `spread` gives, for each depth, how many
    bands up or down the children there lie from their parents, at most.
    """

    depth: Mapping[int, int]
    band: Mapping[int, float]
    spread: Mapping[int, float]


def make_link_tree(variables: Iterable[Variable]) -> LinkTree:
    """Build the tree of the links that variables belong to."""
    parents: dict[int, int | None] = {}
    for variable in variables:
        if parents.get(variable.index) is None:
            parents[variable.index] = variable.parent
    parents |= {p: None for p in parents.values() if p is not None and p not in parents}
    children: dict[int, list[int]] = {link: [] for link in sorted(parents)}
    for link in sorted(parents):
        parent = parents[link]
        if parent is not None:
            children[parent].append(link)
    depth = _depths([link for link in children if parents[link] is None], children)
    band = _bands(list(depth), children)
    spread = dict.fromkeys(depth.values(), 0.0)
    for link, parent in parents.items():
        if parent is not None:
            spread[depth[link]] = max(spread[depth[link]], abs(band[link] - band[parent]))
    return LinkTree(depth, band, spread)


def _depths(roots: list[int], children: Mapping[int, list[int]]) -> dict[int, int]:
    """Depth-first: parents before children, branches in order."""
    depth: dict[int, int] = {}
    stack = [(root, 0) for root in reversed(roots)]
    while stack:
        link, d = stack.pop()
        depth[link] = d
        stack += [(child, d + 1) for child in reversed(children[link])]
    return depth


def _bands(depth_first: list[int], children: Mapping[int, list[int]]) -> dict[int, float]:
    leaves = [link for link in depth_first if not children[link]]
    band = {link: float(n) for n, link in enumerate(leaves)}
    for link in reversed(depth_first):
        if children[link]:
            band[link] = (band[children[link][0]] + band[children[link][-1]]) / 2
    return band
