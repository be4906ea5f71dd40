"""The constraints that the parts of a mechanism impose on its coordinates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from screwgraph.model.mechanism.constraints import (
    Constraint,
    Slot,
    absolute_angle,
    body_point,
    constant_distance,
    fixed_slider,
    gear,
    mobile_slider,
    relative_angle,
)
from screwgraph.model.mechanism.parts import Angle, Body, Gear, Slider

if TYPE_CHECKING:
    from screwgraph.model.mechanism.mechanism import Mechanism


def constraints_of(mechanism: Mechanism) -> tuple[Constraint, ...]:
    """Return all constraints, those between fixed points included: these must hold anyway."""
    found: list[Constraint] = []
    for body in mechanism.bodies:
        found += _of_body(mechanism, body)
    for i, angle in enumerate(mechanism.angles):
        found.append(_of_angle(mechanism, angle, mechanism.angle_slots[i]))
    for slider in mechanism.sliders:
        found.append(_of_slider(mechanism, slider))
    for wheel in mechanism.gears:
        found.append(_of_gear(mechanism, wheel))
    return tuple(found)


def _of_body(mechanism: Mechanism, body: Body) -> list[Constraint]:
    part = f"body {body.name!r}"
    first, second, *others = body.points
    base = _slots(mechanism, first, second)
    found = [Constraint(constant_distance, part, base, {"length": body.length})]
    for point, (x, y) in zip(others, body.shape[2:], strict=True):
        constants = {"along": x / body.length, "across": y / body.length}
        found.append(Constraint(body_point, part, (*base, *_slots(mechanism, point)), constants))
    return found


def _of_angle(mechanism: Mechanism, angle: Angle, slot: int) -> Constraint:
    line, part = _slots(mechanism, *angle.of), f"angle {angle.name!r}"
    if angle.origin is None:
        return Constraint(absolute_angle, part, (*line, slot), defines=slot)
    slots = (*_slots(mechanism, *angle.origin), *line, slot)
    return Constraint(relative_angle, part, slots, defines=slot)


def _of_slider(mechanism: Mechanism, slider: Slider) -> Constraint:
    point, guide = _slots(mechanism, slider.point), _slots(mechanism, *slider.guide)
    part = f"slider {slider.name!r}"
    if any(isinstance(slot, int) for slot in guide):
        return Constraint(mobile_slider, part, (*point, *guide))
    return Constraint(fixed_slider, part, point, dict(zip(("xa", "ya", "xb", "yb"), guide, strict=True)))


def _of_gear(mechanism: Mechanism, wheel: Gear) -> Constraint:
    slots = tuple(mechanism.angle_slots[i] for i in wheel.angles)
    return Constraint(gear, f"gear {wheel.name!r}", slots, {"ratio": wheel.ratio, "offset": wheel.offset})


def _slots(mechanism: Mechanism, *points: int) -> tuple[Slot, ...]:
    return tuple(slot for point in points for slot in mechanism.point_slots[point])
