"""Shapes of URDF's <visual> and <collision>."""

from __future__ import annotations

from functools import partial

import numpy as np
from jaxtyping import Float

from screwgraph.model.formats.diagnostics import Warnings
from screwgraph.model.formats.urdf_origin import read_origin
from screwgraph.model.formats.visual_shapes import collect_shapes, format_colour, make_mesh, read_shape
from screwgraph.model.formats.xml import Element, children, read_number, read_vector
from screwgraph.model.robot import Shape, Visual

_WHITE = (1.0, 1.0, 1.0, 1.0)


def read_shapes(link: Element, file: str, warnings: Warnings) -> tuple[tuple[Visual, ...], tuple[Visual, ...]]:
    """Read the shapes of a <link> that are seen, and those that touch. Raises ModelError for a pose that is none."""
    who = f"link {link.get('name', '')!r}: a shape"
    posed = {
        tag: [(element, read_origin(element, who, file, warnings)) for element in children(link, tag)]
        for tag in ("visual", "collision")
    }
    seen, touched = (
        collect_shapes(partial(_visual, element, T, file) for element, T in found) for found in posed.values()
    )
    return seen, touched


def _visual(element: Element, T_bs: Float[np.ndarray, "4 4"], file: str) -> Visual | None:
    geometry = next(children(element, "geometry"), None)
    shape = None if geometry is None else next((_shape(child, file) for child in geometry), None)
    return None if shape is None else Visual(shape, T_bs, _colour(element, file))


def _shape(element: Element, file: str) -> Shape | None:
    if element.tag == "mesh":
        return make_mesh(element.get("filename"), read_vector(element, "scale", "a mesh", file, (1.0, 1.0, 1.0)))
    return read_shape(
        element.tag,
        lambda setting: read_vector(element, setting, "a shape", file),
        lambda setting: read_number(element, setting, "a shape", file),
    )


def _colour(element: Element, file: str) -> str:
    """Return the colour of a shape: its own, or that of the material of the robot that it names."""
    material = next(children(element, "material"), None)
    if material is None:
        return ""
    named = [m for m in children(element.getroottree().getroot(), "material") if m.get("name") == material.get("name")]
    for candidate in (material, *named):
        colour = next(children(candidate, "color"), None)
        if colour is not None:
            return format_colour(read_vector(colour, "rgba", "a colour", file, _WHITE))
    return ""
