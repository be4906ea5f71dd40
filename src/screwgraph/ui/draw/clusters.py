"""The cluster tree: links that loops and couplings tie, as one node of a tree (Chignoli et al., 2023, Fig. 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from screwgraph.base.errors import InputError
from screwgraph.graph import (
    Cluster,
    FactorGraph,
    Key,
    cluster_joints,
    clusters,
    links_by_multiplier,
    nested_clusters,
    planar_links,
)
from screwgraph.ui.draw import style
from screwgraph.ui.draw.legend import LINE, with_legend
from screwgraph.ui.draw.math_labels import escape_mathtext
from screwgraph.ui.draw.render import render
from screwgraph.ui.draw.routing import Connection, route_edges
from screwgraph.ui.draw.scene import Box, Node, Point, Scene, Text, merge_scenes, text_width
from screwgraph.ui.draw.tree_layout import place_middles, place_tops

if TYPE_CHECKING:
    from screwgraph.ui.draw.drawing import Drawing

PAD, GAP, RISE = 8.0, 16.0, 30.0
"""Around the links of a box, between neighbours, and between levels."""
DOTS = 26.0
"""Height of the row of constraints in a box."""


@dataclass(frozen=True)
class _Inside:
    """Links (by name) and constraints of one cluster, placed from the upper left corner of its box."""

    links: Mapping[str, Point]
    ties: Mapping[Key, Point]
    width: float
    height: float


def draw_clusters(graph: FactorGraph, nested: bool = False) -> Drawing:
    """Draw the cluster tree of a graph's links (Chignoli et al., 2023, Fig. 4; Jain, 2012).

    Circles are links, joined as in the spanning tree; dots are loops and couplings, joined to the links that they tie.
    A box is a cluster: links that move together, seen from outside, like one body behind one joint. Links of a planar
    mechanism are its bodies and the ground, joints the points that bodies share, and sliders. With `nested`, loops on
    several links of a cluster are boxes of their own, as in the order `nested_embedding`.

    Raises:
        InputError: the graph has no joints between links.
    """
    return render(clusters_scene(graph, nested))


def clusters_scene(graph: FactorGraph, nested: bool = False) -> Scene:
    """Arrange the cluster tree; see `draw_clusters`."""
    planar = planar_links(graph)
    if planar is None:
        find, joints, ties = nested_clusters if nested else clusters, graph.joints, links_by_multiplier(graph)
        found = find(graph)
    else:
        joints, found, ties = planar.joints, cluster_joints(planar.joints, planar.ties), planar.ends
    if not joints:
        raise InputError("the graph has no joints between links", why="nothing moves on anything else")
    base = found[0].outputs[0]
    parents = [None, *_parents(found)]
    insides = [_inside((base,), [None], {}), *(_place_cluster(cluster, ties) for cluster in found)]
    x = place_middles(parents, [inside.width for inside in insides], GAP)
    y = place_tops(parents, [inside.height for inside in insides], RISE)
    corners = [(at - inside.width / 2, top) for at, top, inside in zip(x, y, insides, strict=True)]
    boxes = tuple(
        Box(f"cluster:{n}", corner, inside.width, inside.height, style.FRAME)
        for n, (corner, inside) in enumerate(zip(corners, insides, strict=True))
    )
    numbers = {base: 0, **{joint.child: n for n, joint in enumerate(joints, start=1)}}
    circles = [
        Node(f"link:{name}", "circle", _move_point(at, corner), text=str(numbers[name]))
        for corner, inside in zip(corners, insides, strict=True)
        for name, at in inside.links.items()
    ]
    dots = [
        Node(str(key), "dot", _move_point(at, corner), style.DOT + 1.2, colours=style.CLOSING)
        for corner, inside in zip(corners, insides, strict=True)
        for key, at in inside.ties.items()
    ]
    lines = [Connection(f"link:{joint.parent}", f"link:{joint.child}") for joint in joints]
    lines += [Connection(str(key), f"link:{name}", style.CLOSING.line) for key, own in ties.items() for name in own]
    scene = Scene(boxes, route_edges(lines, [*circles, *dots]), (*circles, *dots))
    left, _, right, bottom = scene.bounds
    named = merge_scenes([scene, _names(numbers, left, bottom + 1.5 * LINE, max(right - left, 300.0))])
    return with_legend(named, [("dot", "loop or coupling", style.CLOSING)] if dots else [], _title(found))


def _parents(found: Sequence[Cluster[Any]]) -> list[int]:
    """Return the box on whose link each cluster hangs; the base is box 0."""
    home = {joint.child: n for n, cluster in enumerate(found, start=1) for joint in cluster.joints}
    return [home.get(cluster.outputs[0], 0) for cluster in found]


def _place_cluster(cluster: Cluster[Any], ties: Mapping[Key, Sequence[str]]) -> _Inside:
    own = {key: ties[key] for key in cluster.multipliers}
    above = {joint.child: joint.parent for joint in cluster.joints}
    names = _with_the_hub_amid(above, [name for names in own.values() for name in names])
    place = {name: n for n, name in enumerate(names)}
    return _inside(names, [place.get(above[name]) for name in names], own)


def _with_the_hub_amid(above: Mapping[str, str], tied: Sequence[str]) -> list[str]:
    """Return the links, parents first; of those at the top, the one that carries most tied links is in the middle."""

    def top(name: str) -> str:
        return top(above[name]) if above[name] in above else name

    tops_of = [top(name) for name in tied if name in above]
    first = [name for name in above if above[name] not in above]
    hub = max(first, key=tops_of.count)
    others = [name for name in first if name != hub]
    middle = len(others) // 2
    return [*others[:middle], hub, *others[middle:], *(name for name in above if name not in first)]


def _inside(names: Sequence[str], parents: Sequence[int | None], ties: Mapping[Key, Sequence[str]]) -> _Inside:
    """Arrange the links of a cluster as trees, and its constraints in a row below them."""
    size = 2.0 * style.RADIUS
    across, down = place_middles(parents, [size] * len(names), GAP), place_tops(parents, [size] * len(names), GAP)
    rows = _row([_mean([across[n] for n, name in enumerate(names) if name in own]) for own in ties.values()])
    ends = [*(x + s * style.RADIUS for x in across for s in (-1, 1)), *rows]
    left, bottom = min(ends), max(down) + size
    links = {name: (x - left + PAD, y + style.RADIUS + PAD) for name, x, y in zip(names, across, down, strict=True)}
    dots = {key: (x - left + PAD, bottom + PAD + DOTS - style.RADIUS) for key, x in zip(ties, rows, strict=True)}
    return _Inside(links, dots, max(ends) - left + 2 * PAD, bottom + 2 * PAD + (DOTS if ties else 0.0))


def _row(wanted: Sequence[float]) -> list[float]:
    """Return places near wanted ones, in their order, and apart from each other."""
    ranked = sorted(range(len(wanted)), key=lambda i: wanted[i])
    placed = [0.0] * len(wanted)
    for before, i in zip([None, *ranked], ranked, strict=False):
        placed[i] = wanted[i] if before is None else max(wanted[i], placed[before] + GAP)
    shift = _mean(wanted) - _mean(placed)
    return [x + shift for x in placed]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _move_point(at: Point, corner: Point) -> Point:
    return at[0] + corner[0], at[1] + corner[1]


def _title(found: Sequence[Cluster[Any]]) -> str:
    largest = max(len(cluster.joints) for cluster in found)
    several = "s" * (len(found) != 1)
    return f"cluster tree: {len(found)} cluster{several}, {largest} link{'s' * (largest != 1)} in the largest"


def _names(numbers: Mapping[str, int], left: float, top: float, width: float) -> Scene:
    """Write the names of links in columns, from a corner on."""
    words = [f"{number} {escape_mathtext(name)}" for name, number in numbers.items()]
    column = max(text_width(word, style.TEXT_SIZE) for word in words) + GAP
    columns = max(1, int(width // column))
    rows = -(-len(words) // columns)
    places = ((left + column * (n // rows), top + LINE * (n % rows)) for n in range(len(words)))
    return Scene(texts=tuple(Text(word, at, colour=style.FAINT) for word, at in zip(words, places, strict=True)))
