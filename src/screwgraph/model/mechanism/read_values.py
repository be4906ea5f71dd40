"""Numbers, names and references to points in mechanism files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from screwgraph.base.errors import ModelError
from screwgraph.model.formats import Value, suggest_name
from screwgraph.model.mechanism.parts import ORIGIN, Angle, Line, Point

Names = Mapping[str, float]

_FLAGS = {"true": True, "false": False}


def read_number(value: Value, names: Names) -> float:
    """Evaluate an expression; powers may be written `^` as well. Raises ModelError."""
    return convert_powers(value).number(names)


def read_numbers(value: Value, names: Names, *counts: int) -> tuple[float, ...]:
    """Evaluate a list of so many expressions. Raises ModelError."""
    if isinstance(value.content, tuple):
        value = replace(value, content=tuple(convert_powers(item) for item in value.content))
    return value.numbers(names, *counts)


def read_parameter(key: str, part: str, entries: Mapping[str, Value], names: Names, otherwise: float = 0.0) -> float:
    """Read a parameter of a part: what `names` give under "key:part", else what the file says. Raises ModelError."""
    given = names.get(f"{key}:{part}")
    if given is not None:
        return given
    return read_number(entries[key], names) if key in entries else otherwise


def read_components(
    key: str, part: str, entries: Mapping[str, Value], names: Names, suffixes: Sequence[str]
) -> tuple[float, ...]:
    """Read parameters which `names` call "key_x:part", "key_y:part", after their suffixes. Raises ModelError."""
    values = read_numbers(entries[key], names, len(suffixes)) if key in entries else (0.0,) * len(suffixes)
    return tuple(names.get(f"{key}_{s}:{part}", value) for s, value in zip(suffixes, values, strict=True))


def convert_powers(value: Value) -> Value:
    """Write the powers of an expression as Python does."""
    return replace(value, content=value.content.replace("^", "**")) if isinstance(value.content, str) else value


def read_flag(value: Value) -> bool:
    """Read true or false. Raises ModelError."""
    if not isinstance(value.content, str) or value.content.lower() not in _FLAGS:
        raise value.complaint("it must be true or false")
    return _FLAGS[value.content.lower()]


def read_name(item: Value, key: str, otherwise: str | None = None) -> str:
    """Return the name of a part, which stands under `key`. Raises ModelError where it has none."""
    entries = item.called(f"a part with a {key}").mapping()
    if key not in entries:
        if otherwise is not None:
            return otherwise
        raise ModelError(f"there is no name under {key!r}", at=item.at, fix=f"add {key}: and its name")
    return entries[key].called(key).text()


def find_point(value: Value, points: Sequence[Point]) -> int:
    """Return the number of the point that is meant, by number or by name. Raises ModelError."""
    text = value.text().strip()
    names = [point.name for point in points]
    if text in names:
        return names.index(text)
    if text.isdecimal() and int(text) < len(points):
        return int(text)
    known = suggest_name(text, names, "the points are")
    raise ModelError(f"{value.what}: there is no point {text!r}", at=value.at, fix=known)


def find_line(value: Value, points: Sequence[Point]) -> tuple[int, int]:
    """Return the two points of a line. Raises ModelError."""
    items = value.items()
    if len(items) != 2:
        raise value.complaint("it must be two points")
    first, second = (find_point(item, points) for item in items)
    if first == second:
        raise value.complaint("its two points are one")
    return first, second


def find_angle(value: Value, angles: Sequence[Angle]) -> int:
    """Return the number of an angle, given its name. Raises ModelError."""
    text, names = value.text(), [angle.name for angle in angles]
    if text not in names:
        known = suggest_name(text, names, "the angles are") if names else "add it to angles:"
        raise ModelError(f"{value.what}: there is no angle {text!r}", at=value.at, fix=known)
    return names.index(text)


@dataclass(frozen=True)
class Ends:
    """Points and, in space, unit vectors that parts may name."""

    points: tuple[Point, ...]
    vectors: tuple[Point, ...] = ()
    dimension: int = 2

    @property
    def axes(self) -> tuple[str, ...]:
        """Names of the coordinates of a point."""
        return ("x", "y", "z")[: self.dimension]

    def find_vector(self, value: Value) -> int:
        """Return the number of the vector that is meant; they are numbered after the points. Raises ModelError."""
        text, names = value.text().strip(), [vector.name for vector in self.vectors]
        if text in names:
            return len(self.points) + names.index(text)
        known = suggest_name(text, names, "the vectors are") if names else "add it to vectors:"
        raise ModelError(f"{value.what}: there is no vector {text!r}", at=value.at, fix=known)

    def find_line(self, value: Value) -> Line:
        """Return the two points of a line, or a vector. Raises ModelError."""
        if self.dimension == 3 and isinstance(value.content, str):
            return ORIGIN, self.find_vector(value)
        return find_line(value, self.points)

    def find_guide(self, value: Value) -> tuple[int, int]:
        """Return the two points of a guide, or a point and a vector. Raises ModelError."""
        items = value.items()
        names = [vector.name for vector in self.vectors]
        if len(items) == 2 and items[1].content in names:
            return find_point(items[0], self.points), self.find_vector(items[1])
        return self.find_line(value)

    def way(self, line: Line) -> tuple[float, ...]:
        """Return the way along a line as drawn (m)."""
        ends, (tail, head) = (*self.points, *self.vectors), line
        first = (0.0, 0.0, 0.0) if tail == ORIGIN else ends[tail].place
        return tuple(b - a for a, b in zip(first, ends[head].place, strict=True))[: self.dimension]

    def is_fixed(self, line: Line) -> bool:
        """Return whether a line stands still."""
        ends = (*self.points, *self.vectors)
        return all(i == ORIGIN or ends[i].fixed for i in line)
