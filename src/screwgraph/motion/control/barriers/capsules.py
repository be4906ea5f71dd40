"""Capsules of links, and how far they are from one another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from screwgraph.base.argument_checks import check_fields
from screwgraph.base.errors import InputError
from screwgraph.mechanics.kinematics import forward_kinematics
from screwgraph.model.formats.yaml_keys import NUMBER, REQUIRED, VECTOR, Entry, Keys
from screwgraph.model.formats.yaml_values import Value
from screwgraph.model.model import Model
from screwgraph.motion.control.file_entries import read_values
from screwgraph.spatial import choose, finite_vector, maximum, minimum, rotation, sqrt, translation
from screwgraph.tape import Number, dot

Vector = tuple[float, float, float]
SHORT = 1e-18
"""Square (m^2) of a way that has no direction."""
CAPSULE: Keys = {
    "frame": Entry("link or frame", default=REQUIRED),
    "radius": Entry("of the capsule", NUMBER, "m", REQUIRED),
    "start": Entry("an end of its line in the frame", VECTOR, "m", "[0, 0, 0]"),
    "end": Entry("the other end; a ball without", VECTOR, "m"),
}
"""Keys of a capsule in a file."""
KEEPER: Keys = {"capsule": Entry("capsule of the robot that stays away from something", "mapping", default=REQUIRED)}
"""Key of barriers of one capsule."""


@dataclass(frozen=True)
class LinkCapsule:
    """All points within `radius` (m) of the line from `start` to `end` (m) of a link or frame; a ball without `end`."""

    frame: str
    radius: float
    start: Vector = (0.0, 0.0, 0.0)
    end: Vector | None = None

    def __post_init__(self) -> None:
        check_fields(self)
        for name, point in (("start", self.start), ("end", self.start if self.end is None else self.end)):
            finite_vector(point, 3, f"{name} of the capsule of {self.frame!r}", "it is a point in the frame (m)")
        if not (0.0 <= self.radius < np.inf and np.isfinite([*self.start, *(self.end or ())]).all()):
            raise InputError(
                f"the capsule of {self.frame!r} has the radius {self.radius!r}",
                why="it must be finite, from 0 on, as its ends must",
            )

    def ends(self, model: Model, q: Any) -> list[Any]:
        """Return one or two ends (3,) (m) in the base's axes."""
        T = np.asarray(forward_kinematics(model, self.frame)(q))
        points = (self.start, self.end) if self.end is not None and self.end != self.start else (self.start,)
        return [translation(T) + rotation(T) @ np.array(p) for p in points]


def read_capsule(value: Value) -> LinkCapsule:
    """Return the capsule of a file's entry. Raises ModelError, InputError."""
    return LinkCapsule(**read_values(value.whole_section(CAPSULE, "a capsule"), CAPSULE))


def measure_distance(first: list[Any], second: list[Any]) -> Number:
    """Return the distance (m) of two lines, given by one or two ends each: Ericson (2005), section 5.1.9."""
    p, q = first[0], second[0]
    a, b, r = first[-1] - p, second[-1] - q, p - q
    if len(first) == len(second) == 1:
        s, t = 0.0, 0.0
    elif len(second) == 1:
        s, t = _clamp(-dot(a, r) / dot(a, a)), 0.0
    elif len(first) == 1:
        s, t = 0.0, _clamp(dot(b, r) / dot(b, b))
    else:
        aa, bb, ab, ar, br = dot(a, a), dot(b, b), dot(a, b), dot(a, r), dot(b, r)
        size = aa * bb - ab * ab
        turned = size > 1e-9 * aa * bb
        s = choose(turned, _clamp((ab * br - ar * bb) / choose(turned, size, 1.0)), 0.5)
        within = _clamp((ab * s + br) / bb)
        s = _clamp((within * ab - ar) / aa)
        t = _clamp((ab * s + br) / bb)
    away = r + a * s - b * t
    return sqrt(maximum(dot(away, away), SHORT))


def _clamp(x: Number) -> Number:
    return maximum(minimum(x, 1.0), 0.0)
