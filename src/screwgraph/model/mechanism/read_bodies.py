"""Points, bodies and angles from YAML."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

from screwgraph.base.errors import ModelError
from screwgraph.model.formats import Value
from screwgraph.model.mechanism.keys import ANGLE, BODY, POINT, RELATIVE
from screwgraph.model.mechanism.parts import Angle, Body, Point
from screwgraph.model.mechanism.read_values import (
    Names,
    find_line,
    find_point,
    read_flag,
    read_name,
    read_number,
    read_numbers,
    read_pair,
    read_parameter,
)

COINCIDENT = 1e-12
"""Distance of two points (m) that counts as none."""
AUTOMATIC = "auto"
ABSOLUTE = "RelativeAngleAbsoluteDOF"
"""How Blanco-Claraco et al. (2021) call the angle of a line from the x axis."""


def read_points(value: Value, names: Names) -> tuple[Point, ...]:
    """Read a list of points; x2 and y2 are the coordinates of point 2 in those after it. Raises ModelError."""
    points: list[Point] = []
    known: dict[str, float] = {}
    for i, item in enumerate(value.items()):
        entries = item.section(POINT, f"point {i}")
        name = entries["name"].text() if "name" in entries else str(i)
        if name != str(i) and (name.isdigit() or any(name == point.name for point in points)):
            raise ModelError(
                f"point {i} is called {name!r}", at=item.at, why="that name is taken", fix="choose another"
            )
        for axis in ("x", "y"):
            if axis not in entries:
                raise ModelError(f"point {name!r} has no {axis}", at=item.at, fix="write {x: 1.0, y: 0.5}")
        x, y = (read_number(entries[axis], {**known, **names}) for axis in ("x", "y"))
        known |= {f"x{i}": x, f"y{i}": y}
        points.append(Point(name, x, y, "fixed" in entries and read_flag(entries["fixed"])))
    return tuple(points)


def read_bodies(value: Value, points: tuple[Point, ...], names: Names, places: dict[str, object]) -> tuple[Body, ...]:
    """Read a list of bodies; lengths and shapes that are not given are those of the points. Raises ModelError."""
    bodies: list[Body] = []
    for i, item in enumerate(value.items()):
        who = f"body {read_name(item, 'name', str(i))!r}"
        entries = item.section(BODY, who)
        name = entries["name"].text() if "name" in entries else str(i)
        if any(body.name == name for body in bodies):
            raise ModelError(f"two bodies are called {name!r}", at=item.at, fix="rename one of them")
        bodies.append(_body(name, item, entries, points, names))
        places[who] = item.at
    return tuple(bodies)


def _body(name: str, item: Value, entries: Mapping[str, Value], points: tuple[Point, ...], names: Names) -> Body:
    who = f"body {name!r}"
    if "points" not in entries:
        raise ModelError(f"{who} has no points", at=item.at, fix="add points: [0, 1]")
    listed = entries["points"].items()
    indices = tuple(find_point(reference, points) for reference in listed)
    if len(set(indices)) < 2 or len(set(indices)) < len(indices):
        why = "a body has two points or more, each once"
        raise ModelError(f"{who} has the points {[points[i].name for i in indices]}", at=item.at, why=why)
    shape = _shape(name, item, entries, [points[i] for i in indices], names)
    known = {**_distances(shape), **names, "length": shape[1][0]}
    mass = read_parameter("mass", name, entries, known)
    known["mass"] = mass
    inertia = read_parameter("I0", name, entries, known)
    x, y = read_pair("cog", name, entries, known)
    _check_inertia(who, item, mass, inertia, (x, y), "cog" in entries)
    return Body(name, indices, shape, mass, inertia, (x, y))


def _distances(shape: tuple[tuple[float, float], ...]) -> dict[str, float]:
    """Return the distances between the points of a body: length12 between its first and second."""
    pairs = combinations(enumerate(shape, start=1), 2)
    return {f"length{i}{j}": ((c - a) ** 2 + (d - b) ** 2) ** 0.5 for (i, (a, b)), (j, (c, d)) in pairs}


def _shape(
    name: str, item: Value, entries: Mapping[str, Value], points: list[Point], names: Names
) -> tuple[tuple[float, float], ...]:
    if "shape" in entries:
        if "length" in entries:
            raise entries["length"].complaint("it follows from the shape")
        return _given_shape(f"body {name!r}", entries["shape"], len(points), names)
    first, second = points[0], points[1]
    dx, dy = second.x - first.x, second.y - first.y
    drawn = (dx * dx + dy * dy) ** 0.5
    length = _length(name, item, entries.get("length"), drawn, len(points), names)
    turned = [
        ((p.x - first.x) * dx + (p.y - first.y) * dy, (p.y - first.y) * dx - (p.x - first.x) * dy) for p in points
    ]
    others = [(x / length, y / length) for x, y in turned[2:]]
    return ((0.0, 0.0), (length, 0.0), *others)


def _given_shape(who: str, value: Value, count: int, names: Names) -> tuple[tuple[float, float], ...]:
    rows = [read_numbers(row, names, 2) for row in value.items()]
    if len(rows) != count:
        raise value.complaint(f"it has {len(rows)} of {count} points")
    shape = tuple((x, y) for x, y in rows)
    if shape[0] != (0.0, 0.0) or shape[1][1] != 0.0 or shape[1][0] <= COINCIDENT:
        raise ModelError(
            f"{who}: its shape begins with {list(shape[:2])}",
            at=value.at,
            why="the origin of its frame is in the first point, its x axis points to the second",
            fix="write shape: [[0, 0], [length, 0], [x, y], ...]",
        )
    return shape


def _length(name: str, item: Value, entry: Value | None, drawn: float, count: int, names: Names) -> float:
    who, given = f"body {name!r}", names.get(f"length:{name}")
    at = entry.at if entry else item.at
    automatic = entry is None or entry.content == AUTOMATIC
    if not automatic and count > 2:
        raise ModelError(f"{who} has {count} points and a length", at=at, fix="give all of its points by shape:")
    length = drawn if automatic or entry is None else read_number(entry, names)
    length = length if given is None else given
    if length <= COINCIDENT:
        why = "its first two points lie upon each other" if automatic else "the length of a body is positive"
        raise ModelError(f"{who} has the length {length:g}", at=at, why=why)
    return length


def _check_inertia(who: str, item: Value, mass: float, inertia: float, com: tuple[float, float], has_com: bool) -> None:
    """Refuse what no distribution of mass has."""
    if mass < 0.0 or inertia < 0.0:
        raise ModelError(f"{who} has the mass {mass:g} and the inertia {inertia:g}", at=item.at, why="one is negative")
    if mass and not has_com:
        raise ModelError(f"{who} has a mass and no centre of mass", at=item.at, fix="add cog: [0.5*length, 0]")
    least = mass * (com[0] ** 2 + com[1] ** 2)
    if inertia < least * (1.0 - 1e-9):
        raise ModelError(
            f"{who} has the inertia {inertia:g} about its first point",
            at=item.at,
            why=f"its mass alone, in its centre, has {least:g}",
            fix="I0 is about the first point: that about the centre plus mass times squared distance",
        )


def read_angles(
    value: Value | None,
    relative: Value | None,
    points: tuple[Point, ...],
    names: Names,
    places: dict[str, object],
) -> tuple[Angle, ...]:
    """Read a list of angles, and one of relative coordinates, which come last. Raises ModelError."""
    angles = _own_angles(value, points, names, places)
    for item in relative.items() if relative else ():
        entries = item.section(RELATIVE, "a relative coordinate")
        for key in RELATIVE:
            if key not in entries:
                raise ModelError(f"a relative coordinate has no {key}", at=item.at, fix=f"add {key}:")
        if entries["type"].text() != ABSOLUTE:
            raise entries["type"].complaint(f"known is {ABSOLUTE}; write other angles under angles:")
        of = find_line(entries["points"], points)
        name = f"angle{points[of[0]].name}_{points[of[1]].name}"
        if any(angle.name == name for angle in angles):
            raise ModelError(f"two angles are called {name!r}", at=item.at, fix="take one of them out")
        angles.append(_moving(Angle(name, of, None, None), points, item))
        places[f"angle {name!r}"] = item.at
    return tuple(angles)


def _moving(angle: Angle, points: tuple[Point, ...], item: Value) -> Angle:
    """Return an angle. Raises ModelError where none of its points moves."""
    if all(points[i].fixed for i in (*angle.of, *(angle.origin or ()))):
        raise ModelError(f"angle {angle.name!r} is constant", at=item.at, why="none of its points moves")
    return angle


def _own_angles(value: Value | None, points: tuple[Point, ...], names: Names, places: dict[str, object]) -> list[Angle]:
    angles: list[Angle] = []
    for item in value.items() if value else ():
        name = read_name(item, "angle")
        who = f"angle {name!r}"
        entries = item.section(ANGLE, who)
        if any(angle.name == name for angle in angles):
            raise ModelError(f"two angles are called {name!r}", at=item.at, fix="rename one of them")
        if "of" not in entries:
            raise ModelError(f"{who} has no line", at=item.at, fix="add of: [0, 1], two points")
        of = find_line(entries["of"], points)
        origin = find_line(entries["from"], points) if "from" in entries else None
        start = read_number(entries["start"], names) if "start" in entries else None
        angles.append(_moving(Angle(name, of, origin, start), points, item))
        places[who] = item.at
    return angles
