"""Points, bodies and angles from YAML."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

from screwgraph.base.errors import ModelError
from screwgraph.model.formats import Value
from screwgraph.model.mechanism.keys import ANGLE, BODY, POINT, RELATIVE
from screwgraph.model.mechanism.parts import Angle, Body, Line, Point
from screwgraph.model.mechanism.read_values import (
    Ends,
    Names,
    find_line,
    find_point,
    read_components,
    read_flag,
    read_name,
    read_number,
    read_numbers,
    read_parameter,
)
from screwgraph.spatial import cross, dot

COINCIDENT = 1e-12
"""Distance of two points (m) that counts as none."""
ALONG = 1e-12
"""Square of the sine between lines that are along each other."""
AUTOMATIC = "auto"
ABSOLUTE = "RelativeAngleAbsoluteDOF"
"""How Blanco-Claraco et al. (2021) call the angle of a line from the x axis."""


def read_points(value: Value, names: Names, has_vectors: bool = False) -> Ends:
    """Read a list of points; x2 and y2 are the coordinates of point 2 in those after it. Raises ModelError.

    The mechanism is one in space where a point has a z, or it has vectors.
    """
    items = value.items()
    axes = ("x", "y", "z") if has_vectors or any("z" in item.mapping() for item in items) else ("x", "y")
    points: list[Point] = []
    known: dict[str, float] = {}
    for i, item in enumerate(items):
        entries = item.section(POINT, f"point {i}")
        name = entries["name"].text() if "name" in entries else str(i)
        if name != str(i) and (name.isdigit() or any(name == point.name for point in points)):
            raise ModelError(
                f"point {i} is called {name!r}", at=item.at, why="that name is taken", fix="choose another"
            )
        for axis in axes:
            if axis not in entries:
                example = ", ".join(f"{a}: {n}" for a, n in zip(axes, ("1.0", "0.5", "0.2"), strict=False))
                raise ModelError(f"point {name!r} has no {axis}", at=item.at, fix=f"write {{{example}}}")
        place = [read_number(entries[axis], {**known, **names}) for axis in axes]
        known |= {f"{axis}{i}": x for axis, x in zip(axes, place, strict=True)}
        points.append(Point(name, place[0], place[1], is_fixed(entries), *place[2:]))
    return Ends(tuple(points), dimension=len(axes))


def is_fixed(entries: Mapping[str, Value]) -> bool:
    """Return whether a point or vector is said to be fixed. Raises ModelError."""
    return "fixed" in entries and read_flag(entries["fixed"])


BodyReader = Callable[[str, Value, Mapping[str, Value], Ends, Names], tuple[Body, Ends]]
"""Of the name, what it says, its entries, and points and vectors, to which it may add one, to a body."""


def read_bodies(
    value: Value, ends: Ends, names: Names, places: dict[str, object], read: BodyReader
) -> tuple[tuple[Body, ...], Ends]:
    """Read a list of bodies; lengths and shapes that are not given are those of the points. Raises ModelError."""
    bodies: list[Body] = []
    for i, item in enumerate(value.items()):
        who = f"body {read_name(item, 'name', str(i))!r}"
        entries = item.section(BODY, who)
        name = entries["name"].text() if "name" in entries else str(i)
        if any(body.name == name for body in bodies):
            raise ModelError(f"two bodies are called {name!r}", at=item.at, fix="rename one of them")
        body, ends = read(name, item, entries, ends, names)
        bodies.append(body)
        places[who] = item.at
    return tuple(bodies), ends


def find_points(name: str, item: Value, entries: Mapping[str, Value], ends: Ends, least: int) -> tuple[int, ...]:
    """Return the points of a body, at `least` so many, each once. Raises ModelError."""
    who, points = f"body {name!r}", ends.points
    if "points" not in entries:
        raise ModelError(f"{who} has no points", at=item.at, fix="add points: [0, 1]")
    indices = tuple(find_point(reference, points) for reference in entries["points"].items())
    if len(set(indices)) < least or len(set(indices)) < len(indices):
        why = "a body has two points or more, each once" if least > 1 else "a body has a point or more, each once"
        raise ModelError(f"{who} has the points {[points[i].name for i in indices]}", at=item.at, why=why)
    return indices


def read_planar_body(
    name: str, item: Value, entries: Mapping[str, Value], ends: Ends, names: Names
) -> tuple[Body, Ends]:
    """Read a body in the plane. Raises ModelError."""
    who, points = f"body {name!r}", ends.points
    if "vectors" in entries:
        raise entries["vectors"].complaint("bodies in the plane have none: give all points a z")
    indices = find_points(name, item, entries, ends, 2)
    shape = _shape(name, item, entries, [points[i] for i in indices], names)
    known = {**list_distances(shape), **names, "length": shape[1][0]}
    mass = read_parameter("mass", name, entries, known)
    known["mass"] = mass
    inertia = read_parameter("I0", name, entries, known)
    com = read_components("cog", name, entries, known, "xy")
    check_inertia(who, item, mass, inertia, com, "cog" in entries)
    return Body(name, indices, shape, mass, inertia, com), ends


def list_distances(shape: Sequence[Sequence[float]]) -> dict[str, float]:
    """Return the distances between the points of a body: length12 between its first and second."""
    pairs = combinations(enumerate(shape, start=1), 2)
    ways = {f"length{i}{j}": [d - c for c, d in zip(a, b, strict=True)] for (i, a), (j, b) in pairs}
    return {name: sum(x**2 for x in way) ** 0.5 for name, way in ways.items()}


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
    length = read_length(name, item, entries.get("length"), drawn, len(points), names)
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


def read_length(name: str, item: Value, entry: Value | None, drawn: float, count: int, names: Names) -> float:
    """Return the distance of a body's first two points (m): given, or as drawn. Raises ModelError."""
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


def check_inertia(who: str, item: Value, mass: float, inertia: float, com: Sequence[float], has_com: bool) -> None:
    """Refuse what no distribution of mass has."""
    if mass < 0.0 or inertia < 0.0:
        raise ModelError(f"{who} has the mass {mass:g} and the inertia {inertia:g}", at=item.at, why="one is negative")
    if mass and not has_com:
        cog = "[0.5*length, 0]" if len(com) == 2 else "[0.5*length, 0, 0]"
        raise ModelError(f"{who} has a mass and no centre of mass", at=item.at, fix=f"add cog: {cog}")
    least = mass * sum(x**2 for x in com)
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
    ends: Ends,
    names: Names,
    places: dict[str, object],
) -> tuple[Angle, ...]:
    """Read a list of angles, and one of relative coordinates, which come last. Raises ModelError."""
    angles, points = _own_angles(value, ends, names, places), ends.points
    for item in relative.items() if relative else ():
        entries = item.section(RELATIVE, "a relative coordinate")
        for key in RELATIVE:
            if key not in entries:
                raise ModelError(f"a relative coordinate has no {key}", at=item.at, fix=f"add {key}:")
        if entries["type"].text() != ABSOLUTE:
            raise entries["type"].complaint(f"known is {ABSOLUTE}; write other angles under angles:")
        if ends.dimension == 3:
            raise ModelError(
                "relative_coordinates are angles in the plane", at=item.at, fix="write angles: about an axis"
            )
        of = find_line(entries["points"], points)
        name = f"angle{points[of[0]].name}_{points[of[1]].name}"
        if any(angle.name == name for angle in angles):
            raise ModelError(f"two angles are called {name!r}", at=item.at, fix="take one of them out")
        angles.append(_moving(Angle(name, of, None, None), ends, item))
        places[f"angle {name!r}"] = item.at
    return tuple(angles)


def _moving(angle: Angle, ends: Ends, item: Value) -> Angle:
    """Return an angle. Raises ModelError where none of its points moves."""
    if all(ends.is_fixed(line) for line in (angle.of, angle.origin) if line is not None):
        raise ModelError(f"angle {angle.name!r} is constant", at=item.at, why="none of its points moves")
    return angle


def _own_angles(value: Value | None, ends: Ends, names: Names, places: dict[str, object]) -> list[Angle]:
    angles: list[Angle] = []
    for item in value.items() if value else ():
        name = read_name(item, "angle")
        who = f"angle {name!r}"
        entries = item.section(ANGLE, who)
        if any(angle.name == name for angle in angles):
            raise ModelError(f"two angles are called {name!r}", at=item.at, fix="rename one of them")
        if "of" not in entries:
            raise ModelError(f"{who} has no line", at=item.at, fix="add of: [0, 1], two points")
        of = ends.find_line(entries["of"])
        origin = ends.find_line(entries["from"]) if "from" in entries else None
        start = read_number(entries["start"], names) if "start" in entries else None
        about = _find_axis(who, item, entries.get("about"), ends)
        if about is not None:
            _check_sight(who, item, about, (of, origin), ends)
        angles.append(_moving(Angle(name, of, origin, start, about), ends, item))
        places[who] = item.at
    return angles


def _find_axis(who: str, item: Value, value: Value | None, ends: Ends) -> Line | None:
    """Return the axis of an angle: in space there is one, in the plane there is none. Raises ModelError."""
    if value is None and ends.dimension == 3:
        raise ModelError(f"{who} has no axis", at=item.at, fix="add about: a vector, or two points")
    if value is not None and ends.dimension == 2:
        raise value.complaint("angles in the plane have no axis")
    return None if value is None else ends.find_line(value)


def _check_sight(who: str, item: Value, about: Line, lines: tuple[Line, Line | None], ends: Ends) -> None:
    """Raise ModelError where a line, as drawn, is along the axis that its angle is measured about."""
    n = ends.way(about)
    for key, line in zip(("of", "from"), lines, strict=True):
        way = (1.0, 0.0, 0.0) if line is None else ends.way(line)
        if dot(cross(n, way), cross(n, way)) <= ALONG * dot(n, n) * dot(way, way):
            what = "the x axis, from which it is measured," if line is None else f"its {key}: line"
            raise ModelError(f"{who}: {what} is along its axis", at=item.at, fix="name a line at right angles to it")
