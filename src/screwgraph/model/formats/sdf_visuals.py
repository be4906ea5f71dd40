"""Shapes of SDF's <visual> and <collision>."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial

import numpy as np
from jaxtyping import Float

from screwgraph.model.formats.sdf_scope import SdfPart
from screwgraph.model.formats.sdf_values import child_of, number_in, pose_of, text_in, vector_in
from screwgraph.model.formats.visual_shapes import collect_shapes, format_colour, make_mesh, read_shape
from screwgraph.model.formats.xml import Element, children
from screwgraph.model.robot import Shape, Visual

_NOTHING = (0.0, 0.0, 0.0)

PoseOf = Callable[[str], Float[np.ndarray, "4 4"]]
"""Tells the pose of a frame of the file, by its full name, in the frame that the file gives the link."""


def read_shapes(item: SdfPart, pose_of_frame: PoseOf) -> tuple[tuple[Visual, ...], tuple[Visual, ...]]:
    """Read the shapes of a <link> that are seen, and those that touch, in the frame that the file gives it."""
    seen, touched = (
        collect_shapes(partial(_visual, element, item, pose_of_frame) for element in children(item.element, tag))
        for tag in ("visual", "collision")
    )
    return seen, touched


def _visual(element: Element, item: SdfPart, pose_of_frame: PoseOf) -> Visual | None:
    file, geometry, pose = item.scope.file, child_of(element, "geometry"), child_of(element, "pose")
    shape = None if geometry is None else next((_shape(child, file) for child in geometry), None)
    if shape is None:
        return None
    diffuse = child_of(child_of(element, "material"), "diffuse")
    words = [] if diffuse is None else (diffuse.text or "").split()
    colour = format_colour(vector_in(child_of(element, "material"), "diffuse", "a colour", file, (0.0,) * len(words)))
    T = pose_of(pose, "a shape", file)
    relative = "" if pose is None else pose.get("relative_to", "").strip()
    if relative:
        T = pose_of_frame(item.scope.full_name(relative)) @ T
    return Visual(shape, T, colour if len(words) >= 3 else "")


def _shape(element: Element, file: str) -> Shape | None:
    if element.tag == "mesh":
        scale = vector_in(element, "scale", "a mesh", file, (1.0, 1.0, 1.0))
        return make_mesh(_resolve_relative(text_in(element, "uri"), file), scale)
    return read_shape(
        element.tag,
        lambda setting: vector_in(element, setting, "a shape", file, _NOTHING),
        lambda setting: number_in(element, setting, "a shape", file, 0.0),
    )


def _resolve_relative(uri: str, file: str) -> str:
    """Return a path that is relative to a file, which the robot's file may include, as an absolute one."""
    folder = os.path.dirname(file)
    return os.path.abspath(os.path.join(folder, uri)) if uri.strip() and folder and "://" not in uri else uri
