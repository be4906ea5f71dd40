"""Shapes of links, from all formats: what makes sense as one.

A shape that cannot be read is left out: pictures have a substitute; of one that touches, the reader warns.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from screwgraph.base.errors import ModelError
from screwgraph.model.robot import Mesh, Visual
from screwgraph.model.robot.shapes import SHAPES, Shape, Solid

SMALLEST = math.ulp(0.0)
"""The least length that is positive (m)."""


def read_shape(kind: str, vector: Callable[[str], Iterable[float]], number: Callable[[str], float]) -> Shape | None:
    """Read a shape with a file's readers of a setting: of its three numbers, of its one. None for other tags."""
    if kind not in SHAPES:
        return None
    sizes: list[float] = []
    for setting, count in SHAPES[kind].settings.items():
        sizes += vector(setting) if count == 3 else [number(setting)]
    return make_shape(kind, sizes)


def make_shape(kind: str, sizes: Sequence[float]) -> Shape | None:
    """Make a shape of its lengths (m), one after the other; None unless they are finite and positive, or may be 0."""
    shape, left, found = SHAPES[kind], list(sizes), {}
    for setting, count in shape.settings.items():
        numbers, left = tuple(left[:count]), left[count:]
        least = 0.0 if setting in shape.may_vanish else SMALLEST
        if not all(math.isfinite(number) and number >= least for number in numbers):
            return None
        found[setting] = numbers if count > 1 else numbers[0]
    return shape(**found)


def write_sizes(shape: Solid) -> dict[str, tuple[float, ...]]:
    """Return the numbers of each length of a shape (m)."""
    values = {setting: getattr(shape, setting) for setting in shape.settings}
    return {setting: value if isinstance(value, tuple) else (value,) for setting, value in values.items()}


def collect_shapes(
    readers: Iterable[Callable[[], Visual | None]], left_out: Callable[[int, str], None] | None = None
) -> tuple[Visual, ...]:
    """Return the shapes that can be read; `left_out` is called with the place of each of the others, and the reason."""
    found = list[Visual]()
    for number, reader in enumerate(readers):
        try:
            visual, why = reader(), "it is no shape with sizes that are positive and finite"
        except ModelError as error:
            visual, why = None, f"{error.what}: {error.why}" if error.why else error.what
        if visual is not None:
            found.append(visual)
        elif left_out is not None:
            left_out(number, why)
    return tuple(found)


def make_mesh(file: str | None, scale: Sequence[float]) -> Mesh | None:
    """Make a mesh of what a robot's file says: None unless it names a file, and has a scale that is none of zeros."""
    x, y, z = (float(s) for s in scale)
    is_flat = not math.isfinite(x + y + z) or 0.0 in (x, y, z)
    return None if is_flat or not (file or "").strip() else Mesh(str(file).strip(), (x, y, z))


def format_colour(rgba: Sequence[float] | None) -> str:
    """Return red, green, blue from 0 to 1 as "#rrggbb"; empty where there are none."""
    if rgba is None:
        return ""
    levels = np.round(np.clip(np.asarray(rgba[:3], dtype=float), 0.0, 1.0) * 255.0).astype(int)
    return "#" + "".join(f"{level:02x}" for level in levels)
