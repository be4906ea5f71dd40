"""Primitive shapes of SDF's <visual> and <collision>."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from jaxtyping import Float

from screwgraph.formats.sdf_scope import Item
from screwgraph.formats.sdf_values import child_of, number_in, pose_of, vector_in
from screwgraph.formats.visuals import chosen, colour_of, shape_of
from screwgraph.formats.xml import Element, children
from screwgraph.robot import Shape, Visual

_NOTHING = (0.0, 0.0, 0.0)

PoseOf = Callable[[str], Float[np.ndarray, "4 4"]]
"""Tells the pose of a frame of the file, by its full name, in the frame that the file gives the link."""


def read_visuals(item: Item, pose_of_frame: PoseOf) -> tuple[Visual, ...]:
    """Read the shapes that stand for a <link> in pictures, in the frame that the file gives it."""
    return chosen(
        *(
            [partial(_visual, element, item, pose_of_frame) for element in children(item.element, tag)]
            for tag in ("visual", "collision")
        )
    )


def _visual(element: Element, item: Item, pose_of_frame: PoseOf) -> Visual | None:
    file, geometry, pose = item.scope.file, child_of(element, "geometry"), child_of(element, "pose")
    shape = None if geometry is None else next((_shape(child, file) for child in geometry), None)
    if shape is None:
        return None
    diffuse = child_of(child_of(element, "material"), "diffuse")
    words = [] if diffuse is None else (diffuse.text or "").split()
    colour = colour_of(vector_in(child_of(element, "material"), "diffuse", "a colour", file, (0.0,) * len(words)))
    T = pose_of(pose, "a shape", file)
    relative = "" if pose is None else pose.get("relative_to", "").strip()
    if relative:
        T = pose_of_frame(item.scope.named(relative)) @ T
    return Visual(shape, T, colour if len(words) >= 3 else "")


def _shape(element: Element, file: str) -> Shape | None:
    return shape_of(
        element.tag,
        lambda setting: vector_in(element, setting, "a shape", file, _NOTHING),
        lambda setting: number_in(element, setting, "a shape", file, 0.0),
    )
