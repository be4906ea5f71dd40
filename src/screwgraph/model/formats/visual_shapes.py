"""Shapes of links, from all formats: what makes sense as one.

A shape that cannot be read is left out: no motion depends on it, and pictures have a substitute.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from screwgraph.base.errors import ModelError
from screwgraph.model.robot import Box, Capsule, Cylinder, Ellipsoid, Mesh, Shape, Sphere, Visual

MAKERS: dict[str, tuple[Callable[..., Shape], tuple[str, ...]]] = {
    "box": (lambda x, y, z: Box((x, y, z)), ("size",)),
    "ellipsoid": (lambda x, y, z: Ellipsoid((x, y, z)), ("radii",)),
    "sphere": (Sphere, ("radius",)),
    "cylinder": (Cylinder, ("radius", "length")),
    "capsule": (Capsule, ("radius", "length")),
}
"""How files call shapes, what makes one of its numbers, and what these are called."""

VECTORS = ("size", "radii")
"""Settings that are three numbers."""


def read_shape(kind: str, vector: Callable[[str], Iterable[float]], number: Callable[[str], float]) -> Shape | None:
    """Read a shape with a file's readers of a setting: of its three numbers, of its one. None for other tags."""
    if kind not in MAKERS:
        return None
    sizes: list[float] = []
    for setting in MAKERS[kind][1]:
        sizes += vector(setting) if setting in VECTORS else [number(setting)]
    return make_shape(kind, sizes)


def make_shape(kind: str, sizes: Sequence[float]) -> Shape | None:
    """Make a shape of lengths (m); None unless they are finite and positive (a capsule may have no length)."""
    smallest = min(sizes[:1] if kind == "capsule" else sizes)
    if not (math.isfinite(sum(sizes)) and smallest > 0.0 and min(sizes) >= 0.0):
        return None
    return MAKERS[kind][0](*sizes)


def collect_shapes(readers: Iterable[Callable[[], Visual | None]]) -> tuple[Visual, ...]:
    """Return the shapes that can be read."""
    found = []
    for reader in readers:
        try:
            found.append(reader())
        except ModelError:
            continue
    return tuple(visual for visual in found if visual is not None)


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
