"""Unit vectors and bodies in space from YAML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from screwgraph.base.errors import ModelError
from screwgraph.model.formats import Value
from screwgraph.model.mechanism.keys import VECTOR
from screwgraph.model.mechanism.parts import ORIGIN, Body, Line, Point
from screwgraph.model.mechanism.read_bodies import (
    COINCIDENT,
    check_inertia,
    find_points,
    is_fixed,
    list_distances,
    read_length,
)
from screwgraph.model.mechanism.read_values import (
    Ends,
    Names,
    read_components,
    read_name,
    read_number,
    read_numbers,
    read_parameter,
)
from screwgraph.spatial import cross, dot

INERTIA = ("xx", "yy", "zz", "xy", "xz", "yz")
"""Entries of the inertia tensor, in order."""
FLAT = 1e-9
"""Part of lines, at right angles to others, below which they are combinations of these."""
UNIT = 1e-6

Way = tuple[float, ...]


def read_vectors(value: Value | None, ends: Ends, names: Names, places: dict[str, object]) -> Ends:
    """Add unit vectors, in the directions of a list, to the points. Raises ModelError."""
    vectors: list[Point] = []
    for item in value.items() if value else ():
        name = read_name(item, "name")
        who = f"vector {name!r}"
        entries = item.section(VECTOR, who)
        if any(name == other.name for other in (*ends.points, *vectors)):
            raise ModelError(f"a vector is called {name!r}", at=item.at, why="that name is taken", fix="choose another")
        for axis in ("x", "y", "z"):
            if axis not in entries:
                raise ModelError(f"{who} has no {axis}", at=item.at, fix="write {name: u, x: 0, y: 0, z: 1}")
        way = _normalise([read_number(entries[axis], names) for axis in ("x", "y", "z")])
        if way is None:
            raise ModelError(f"{who} has no direction", at=item.at, why="its coordinates are zero")
        vectors.append(Point(name, way[0], way[1], is_fixed(entries), way[2]))
        places[who] = item.at
    return replace(ends, vectors=tuple(vectors))


def read_spatial_body(
    name: str, item: Value, entries: Mapping[str, Value], ends: Ends, names: Names
) -> tuple[Body, Ends]:
    """Read a body in space; where its points and vectors lie in a plane, it gets a unit vector across that.

    Raises ModelError.
    """
    who = f"body {name!r}"
    listed = entries["vectors"].items() if "vectors" in entries else ()
    vectors = tuple(ends.find_vector(reference) for reference in listed)
    points = find_points(name, item, entries, ends, 1 if vectors else 2)
    if len(set(vectors)) < len(vectors):
        raise entries["vectors"].complaint("a vector is named twice")
    body = Body(name, points, (), com=(0.0, 0.0, 0.0), vectors=vectors)
    lines = [body.line(place) for place in range(1, len(points) + len(vectors))]
    drawn = [ends.way(line) for line in lines]
    if "shape" in entries:
        if "length" in entries:
            raise entries["length"].complaint("it follows from the shape")
        ways = _given_ways(who, entries["shape"], lines, names)
    else:
        ways = _measure(drawn)
        entry = entries.get("length")
        if lines[0][0] != ORIGIN:
            length = read_length(name, item, entry, ways[0][0], len(points), names)
            ways[0] = (length, 0.0, 0.0)
        elif entry is not None:
            raise entry.complaint("the body has one point")
    if any(dot(way, way) <= COINCIDENT**2 for way in ways):
        raise ModelError(f"{who} has two points that lie upon each other", at=item.at)
    basis = _choose_basis(ways)
    if len(basis) == 1 and any(x for way in ways for x in way[1:]):
        raise entries["shape"].complaint("all of the body lies on one line: let that be its x axis")
    if len(basis) == 2:
        normal = _normalise(cross(ways[basis[0]], ways[basis[1]])) or ()
        x, y, z = _normalise(cross(drawn[basis[0]], drawn[basis[1]])) or (0.0, 0.0, 1.0)
        still = ends.is_fixed(lines[basis[0]]) and ends.is_fixed(lines[basis[1]])
        vectors = (*vectors, len(ends.points) + len(ends.vectors))
        ends = replace(ends, vectors=(*ends.vectors, Point(f"{name}.normal", x, y, still, z)))
        ways, basis = [*ways, normal], [*basis, len(ways)]
        tied = basis[:2]
    else:
        tied = [place for place in basis if place in basis[:2] or lines[place][0] == ORIGIN]
    shape = ((0.0, 0.0, 0.0), *ways)
    follows = tuple(place + 1 for place in range(len(ways)) if place not in tied)
    body = replace(body, vectors=vectors, shape=shape, basis=tuple(place + 1 for place in basis), follows=follows)
    known = {**list_distances(shape[: len(points)]), **names, "length": dot(ways[0], ways[0]) ** 0.5}
    return _add_mass(item, entries, body, known), ends


def _given_ways(who: str, value: Value, lines: Sequence[Line], names: Names) -> list[Way]:
    """Return the ways to points and the vectors that a shape gives. Raises ModelError."""
    rows = [read_numbers(row, names, 3) for row in value.items()]
    if len(rows) != len(lines) + 1:
        raise value.complaint(f"it has {len(rows)} of {len(lines) + 1} points and vectors")
    if any(rows[0]):
        raise value.complaint("the origin of the frame is in the first point: write shape: [[0, 0, 0], ...]")
    for way, (tail, _) in zip(rows[1:], lines, strict=True):
        if tail == ORIGIN and abs(dot(way, way) - 1.0) > UNIT:
            raise ModelError(f"{who}: its shape has the vector {list(way)}", at=value.at, why="its length is not 1")
    return rows[1:]


def _measure(drawn: Sequence[Way]) -> list[Way]:
    """Return lines in the frame of a body: x along the first, y toward the next one beside it."""
    first = _normalise(drawn[0])
    if first is None:
        return [(0.0, 0.0, 0.0) for _ in drawn]
    length = dot(drawn[0], drawn[0]) ** 0.5
    beside = next((way for way in drawn if _part_across(way, [first]) is not None), None)
    if beside is None:
        return [(dot(first, way), 0.0, 0.0) for way in drawn]
    second = _part_across(beside, [first]) or ()
    third = cross(first, second)
    found: list[Way] = [(length, 0.0, 0.0)]
    for way in drawn[1:]:
        size = dot(way, way) ** 0.5
        found.append(tuple(_clean(dot(axis, way), size) for axis in (first, second, third)))
    return found


def _clean(x: float, size: float) -> float:
    """Return a number without what only rounding left."""
    return 0.0 if abs(x) <= 1e-15 * size else x


def _choose_basis(ways: Sequence[Way]) -> list[int]:
    """Return the places of the first lines that are no combinations of those before: one to three."""
    found: list[int] = []
    axes: list[Way] = []
    for place, way in enumerate(ways):
        across = _part_across(way, axes)
        if across is not None and len(axes) < 3:
            found.append(place)
            axes.append(across)
    return found


def _part_across(way: Way, axes: Sequence[Way]) -> Way | None:
    """Return the direction of a line's part at right angles to orthonormal axes; None where there is none."""
    size = dot(way, way) ** 0.5
    for axis in axes:
        part = dot(axis, way)
        way = tuple(x - part * a for x, a in zip(way, axis, strict=True))
    return _normalise(way) if dot(way, way) ** 0.5 > FLAT * size else None


def _normalise(way: Sequence[float]) -> Way | None:
    length = dot(way, way) ** 0.5
    return tuple(x / length for x in way) if length > 0.0 else None


def _add_mass(item: Value, entries: Mapping[str, Value], body: Body, known: Names) -> Body:
    """Return a body with its mass, centre of mass and inertia. Raises ModelError."""
    who, name = f"body {body.name!r}", body.name
    mass = read_parameter("mass", name, entries, known)
    known = {**known, "mass": mass}
    com = read_components("cog", name, entries, known, "xyz")
    if not body.is_rod:
        tensor = _tensor(name, entries.get("I0"), known)
        _check_tensor(who, item, mass, tensor, com, "cog" in entries)
        return replace(body, mass=mass, inertia=tensor, com=com)
    if "I0" in entries and isinstance(entries["I0"].content, tuple):
        raise entries["I0"].complaint("a body on one line has one moment of inertia, across it; add a point or vector")
    inertia, way = read_parameter("I0", name, entries, known), body.shape[1]
    if dot(cross(way, com), cross(way, com)) > FLAT**2 * dot(way, way) * max(dot(com, com), dot(way, way)):
        raise ModelError(f"{who} has its centre of mass beside its line", at=item.at, fix="add a point or vector to it")
    check_inertia(who, item, mass, inertia, com, "cog" in entries)
    return replace(body, mass=mass, inertia=inertia, com=com)


def _tensor(name: str, value: Value | None, names: Names) -> tuple[float, ...]:
    """Return xx, yy, zz, xy, xz, yz. Raises ModelError."""
    values: tuple[float, ...] = (0.0,) * 6
    if value is not None:
        if not isinstance(value.content, tuple):
            raise value.complaint("of a body in space it is [xx, yy, zz] or [xx, yy, zz, xy, xz, yz]")
        given = read_numbers(value, names, 3, 6)
        values = (*given, *values[len(given) :])
    return tuple(names.get(f"I0_{axes}:{name}", x) for axes, x in zip(INERTIA, values, strict=True))


def _check_tensor(who: str, item: Value, mass: float, tensor: Way, com: Way, has_com: bool) -> None:
    """Refuse what no distribution of mass has."""
    check_inertia(who, item, mass, float("inf"), com, has_com)
    xx, yy, zz, xy, xz, yz = (float(x) for x in tensor)
    about_first = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    second = 0.5 * np.trace(about_first) * np.eye(3) - about_first
    r = np.array([float(x) for x in com])
    least = float(np.linalg.eigvalsh(second - float(mass) * np.outer(r, r))[0])
    if least < -1e-9 * max(float(np.abs(about_first).max()), float(mass) * float(r @ r)):
        raise ModelError(
            f"{who} has an inertia about its first point that no mass of {mass:g} kg has",
            at=item.at,
            why="about the centre of mass, a principal moment exceeds the sum of the others, or is negative",
            fix="I0 is about the first point: that about the centre plus mass times squared distances",
        )
