"""The links of a mechanism: bodies, joined by points that they share, sliders and gears, as a spanning tree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from screwgraph.base.summary import one_line
from screwgraph.graph.factor_graph import FactorGraph
from screwgraph.graph.mechanism import AssembledCoordinate
from screwgraph.graph.variable import Key
from screwgraph.model.mechanism import Mechanism
from screwgraph.model.mechanism.parts import ORIGIN

GROUND = "ground"
FREE = "free"
"""What joins links to the ground that nothing else does."""


@dataclass(frozen=True)
class PlanarJoint:
    """A shared point, or a slider, between two bodies; `child` is the one that is further from the ground."""

    name: str
    parent: str
    child: str


@dataclass(frozen=True, eq=False)
class PlanarLinks:
    """Joints of the spanning tree, parents first, and what closes loops of it.

    `ties` are the names of the joints in each loop, `ends` the links that a loop joins.
    """

    __repr__ = one_line

    joints: tuple[PlanarJoint, ...]
    ties: Mapping[Key, tuple[str, ...]]
    ends: Mapping[Key, tuple[str, ...]]


def planar_links(graph: FactorGraph) -> PlanarLinks | None:
    """Return the links of a planar mechanism's graph; None where it is that of something else."""
    known = (v.assembled for v in graph.variables.values())
    mechanism = next((own.mechanism for own in known if isinstance(own, AssembledCoordinate)), None)
    return None if mechanism is None else links_of(mechanism)


def links_of(mechanism: Mechanism) -> PlanarLinks:
    """Return the links of a mechanism: the ground, bodies, and moving points on none, nearest to the ground first."""
    edges, joints = list(_edges(mechanism)), list[PlanarJoint]()
    way: dict[str, tuple[str, ...]] = {GROUND: ()}
    links = list(dict.fromkeys(name for point in range(len(mechanism.points)) for name in _links(mechanism, point)))
    closing = []
    while edges or len(way) < len({GROUND, *links}):
        k = next((k for k, (_, *ends) in enumerate(edges) if any(end in way for end in ends)), None)
        if k is None:
            rest = next(name for name in links if name not in way)
            name, first, second = f"{FREE} {rest}", GROUND, rest
        else:
            name, first, second = edges.pop(k)
        if first in way and second in way:
            closing.append((name, first, second))
            continue
        parent, child = (first, second) if first in way else (second, first)
        joints.append(PlanarJoint(name, parent, child))
        way[child] = (*way[parent], child)
    above = {joint.child: joint.name for joint in joints}
    ties = {
        Key("lambda", name): _list_joints_between(way[first], way[second], above) for name, first, second in closing
    }
    ends = {Key("lambda", name): tuple(sorted({first, second})) for name, first, second in closing}
    for gear in mechanism.gears:
        lines = [(angle.of, angle.origin) for angle in (mechanism.angles[i] for i in gear.angles)]
        sides = [
            (_of_line(mechanism, of), GROUND if origin is None else _of_line(mechanism, origin)) for of, origin in lines
        ]
        key = Key("lambda", f"gear {gear.name}")
        ties[key] = tuple(
            dict.fromkeys(name for of, origin in sides for name in _list_joints_between(way[of], way[origin], above))
        )
        ends[key] = tuple(dict.fromkeys(of for of, _ in sides))
    kept = {key: names for key, names in ties.items() if names}
    return PlanarLinks(tuple(joints), kept, {key: ends[key] for key in kept})


def _edges(mechanism: Mechanism) -> Iterator[tuple[str, str, str]]:
    """Yield shared points and sliders: a name, and the links that they join; points nearest to the ground first."""
    order = sorted(range(len(mechanism.points)), key=lambda i: not mechanism.points[i].fixed)
    for point in order:
        first, *others = _links(mechanism, point)
        for n, other in enumerate(others):
            yield mechanism.points[point].name + (f" #{n + 1}" if n else ""), first, other
    for slider in mechanism.sliders:
        yield f"slider {slider.name}", _links(mechanism, slider.point)[0], _of_line(mechanism, slider.guide)
    for part in mechanism.constant_angles:
        first, second = (_of_line(mechanism, line) for line in part.lines)
        if first != second:
            yield f"constant_angle {part.name}", first, second


def _links(mechanism: Mechanism, point: int) -> list[str]:
    """Return the links through a point or vector: the ground, if it is fixed, and bodies; if there are none, itself."""
    bodies = [body.name for body in mechanism.bodies if point in (*body.points, *body.vectors)]
    own = (*mechanism.points, *mechanism.vectors)[point]
    return [GROUND, *bodies] if own.fixed else bodies or [f"point {own.name}"]


def _of_line(mechanism: Mechanism, points: Sequence[int]) -> str:
    """Return the link that holds a line, or, where none does, its first point."""
    ends = [end for end in points if end != ORIGIN]
    first, *others = (_links(mechanism, end) for end in ends)
    return next((name for name in first if all(name in other for other in others)), first[0])


def _list_joints_between(first: Sequence[str], second: Sequence[str], above: Mapping[str, str]) -> tuple[str, ...]:
    """Return the names of the joints on the way between two links, given their ways from the ground."""
    return tuple(above[name] for name in (*first, *second) if (name in first) != (name in second))
