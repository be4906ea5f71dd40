"""The constraints that the parts of a mechanism impose on its coordinates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from screwgraph.base.errors import ModelError
from screwgraph.model.mechanism.constraints import (
    Constraint,
    Slot,
    absolute_angle,
    angle_about,
    body_line,
    body_point,
    constant_distance,
    fixed_slider,
    gear,
    mobile_slider,
    relative_angle,
    scalar_product,
    spatial_slider,
)
from screwgraph.model.mechanism.parts import ORIGIN, Angle, Body, ConstantAngle, Gear, Line, Slider, norm
from screwgraph.spatial import cos, cross, dot

if TYPE_CHECKING:
    from screwgraph.model.mechanism.mechanism import Mechanism

X_AXIS: tuple[Slot, ...] = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0)
NO_LINE: Line = (ORIGIN, ORIGIN)


def constraints_of(mechanism: Mechanism) -> tuple[Constraint, ...]:
    """Return all constraints, those between fixed points included: these must hold anyway.

    Raises:
        ModelError: a line in space whose length has to be constant has none.
    """
    found: list[Constraint] = []
    if mechanism.dimension == 3:
        found += _of_vectors(mechanism)
    for body in mechanism.bodies:
        found += (_of_body if mechanism.dimension == 2 else _of_spatial_body)(mechanism, body)
    for i, angle in enumerate(mechanism.angles):
        found.append(_of_angle(mechanism, angle, mechanism.angle_slots[i]))
    for i, slider in enumerate(mechanism.sliders):
        found.append(_of_slider(mechanism, slider, i))
    found += [_of_constant_angle(mechanism, part) for part in mechanism.constant_angles]
    for wheel in mechanism.gears:
        found.append(_of_gear(mechanism, wheel))
    return tuple(found)


def _of_body(mechanism: Mechanism, body: Body) -> list[Constraint]:
    part = f"body {body.name!r}"
    first, second, *others = body.points
    base = _slots(mechanism, first, second)
    found = [Constraint(constant_distance, part, base, {"length": body.length}, 2, (first, second))]
    for point, (x, y) in zip(others, body.shape[2:], strict=True):
        constants = {"along": x / body.length, "across": y / body.length}
        found.append(
            Constraint(body_point, part, (*base, *_slots(mechanism, point)), constants, 1, (first, second, point))
        )
    return found


# In space.


def _of_vectors(mechanism: Mechanism) -> Iterator[Constraint]:
    """Yield the lengths of unit vectors, but of those that follow from other lines of a body."""
    follow = {body.line(place)[1] for body in mechanism.bodies for place in body.follows}
    for i, vector in enumerate(mechanism.vectors, len(mechanism.points)):
        if i not in follow:
            slots = _slots(mechanism, ORIGIN, i)
            yield Constraint(constant_distance, f"vector {vector.name!r}", slots, {"length": 1.0})


def _of_spatial_body(mechanism: Mechanism, body: Body) -> Iterator[Constraint]:
    part = f"body {body.name!r}"
    tied = [(body.line(place), body.shape[place]) for place in body.basis if place not in body.follows]
    for k, (line, way) in enumerate(tied):
        if line[0] != ORIGIN:
            yield Constraint(constant_distance, part, _slots(mechanism, *line), {"length": norm(way)}, 2, line)
        for other, across in tied[:k]:
            slots = (*_slots(mechanism, *other), *_slots(mechanism, *line))
            yield Constraint(
                scalar_product, part, slots, {"product": dot(across, way)}, _degree(other, line), (*other, *line)
            )
    first, second = [*body.lines[:2], NO_LINE][:2]
    for place in body.follows:
        ends = (*body.line(place), *first, *second)
        parts = _parts_of_line(body, body.shape[place])
        yield Constraint(body_line, part, _slots(mechanism, *ends), parts, _degree(body.line(place)), ends)


def _parts_of_line(body: Body, way: tuple[Any, ...]) -> dict[str, Any]:
    """Return the parts of a line of a body along the first two lines of its basis, and their cross product."""
    a = body.shape[body.basis[0]]
    if body.is_rod:
        return {"along": dot(a, way) / dot(a, a), "beside": 0.0, "across": 0.0}
    b = body.shape[body.basis[1]]
    normal = cross(a, b)
    area = dot(normal, normal)
    along, beside = dot(cross(b, normal), way) / area, dot(cross(normal, a), way) / area
    return {"along": along, "beside": beside, "across": dot(normal, way) / area}


def _of_constant_angle(mechanism: Mechanism, part: ConstantAngle) -> Constraint:
    name = f"constant_angle {part.name!r}"
    lengths = [_find_length(mechanism, line, name) for line in part.lines]
    ends = (*part.lines[0], *part.lines[1])
    return Constraint(
        scalar_product,
        name,
        _slots(mechanism, *ends),
        {"product": lengths[0] * lengths[1] * cos(part.angle)},
        _degree(*part.lines),
        ends,
    )


def _degree(*lines: Line | None) -> int:
    """Return how many of some lines lead from point to point (m); the others are unit vectors."""
    return sum(line is not None and line[0] != ORIGIN for line in lines)


def _find_length(mechanism: Mechanism, line: Line, part: str) -> Any:
    """Return the length of a line in space (m). Raises ModelError where it is not constant."""
    tail, head = line
    if tail == ORIGIN:
        return 1.0
    if all(mechanism.points[i].fixed for i in line):
        first, second = (mechanism.points[i].place for i in line)
        return norm([b - a for a, b in zip(first, second, strict=True)])
    for body in mechanism.bodies:
        if tail in body.points and head in body.points:
            first, second = (body.shape[body.points.index(i)] for i in line)
            return norm([b - a for a, b in zip(first, second, strict=True)])
    raise ModelError(
        f"{part} goes along the line from {mechanism.points[tail].name!r} to {mechanism.points[head].name!r}",
        at=mechanism.places.get(part),
        why="no body holds both points: its length may change",
        fix="name two points of one body, or a vector",
    )


# Angles, guides, gears.


def _of_angle(mechanism: Mechanism, angle: Angle, slot: int) -> Constraint:
    line, part = _slots(mechanism, *angle.of), f"angle {angle.name!r}"
    if angle.about is not None:
        origin = X_AXIS if angle.origin is None else _slots(mechanism, *angle.origin)
        slots = (*_slots(mechanism, *angle.about), *origin, *line, slot)
        constants = {"length": _find_length(mechanism, angle.about, part)}
        ends = (*angle.about, *(angle.origin or NO_LINE), *angle.of)
        return Constraint(angle_about, part, slots, constants, _degree(angle.origin, angle.of), ends, slot)
    if angle.origin is None:
        return Constraint(absolute_angle, part, (*line, slot), {}, 1, angle.of, slot)
    slots = (*_slots(mechanism, *angle.origin), *line, slot)
    return Constraint(relative_angle, part, slots, {}, 2, (*angle.origin, *angle.of), slot)


def _of_slider(mechanism: Mechanism, slider: Slider, number: int) -> Constraint:
    part = f"slider {slider.name!r}"
    if mechanism.dimension == 3:
        line = mechanism.guide_line(slider)
        ends = _slots(mechanism, slider.guide[0], slider.point, *line)
        slots = (*ends, mechanism.distance_slots[number])
        return Constraint(spatial_slider, part, slots, {"length": _find_length(mechanism, line, part)}, degree=1)
    point, guide = _slots(mechanism, slider.point), _slots(mechanism, *slider.guide)
    if any(isinstance(slot, int) for slot in guide):
        return Constraint(mobile_slider, part, (*point, *guide), degree=2)
    return Constraint(fixed_slider, part, point, dict(zip(("xa", "ya", "xb", "yb"), guide, strict=True)), degree=2)


def _of_gear(mechanism: Mechanism, wheel: Gear) -> Constraint:
    slots = tuple(mechanism.angle_slots[i] for i in wheel.angles)
    return Constraint(gear, f"gear {wheel.name!r}", slots, {"ratio": wheel.ratio, "offset": wheel.offset})


def _slots(mechanism: Mechanism, *points: int) -> tuple[Slot, ...]:
    return tuple(slot for point in points for slot in mechanism.point_slots[point])
