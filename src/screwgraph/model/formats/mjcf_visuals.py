"""Geoms of a compiled MuJoCo model as shapes."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.model.formats.mjcf_names import make_pose
from screwgraph.model.formats.visual_shapes import collect_shapes, format_colour, make_mesh, make_shape
from screwgraph.model.robot import Frame, Shape, Visual
from screwgraph.spatial import inverse

PLANE = 0
"""MuJoCo's number of planes, which have no end; those of finite geoms stand below."""
_UNSET = (0.5, 0.5, 0.5)
"""MuJoCo's colour where the file gives none."""


def read_shapes(model: Any, body: int, on: Frame) -> tuple[tuple[Visual, ...], tuple[Visual, ...]]:
    """Return the shapes of a body that are seen only, and those that touch; `on` is the body's frame on its link."""
    first, count = int(model.body_geomadr[body]), int(model.body_geomnum[body])
    geoms = [i for i in range(first, first + count) if model.geom_type[i] != PLANE and model.geom_rgba[i, 3] > 0.0]
    seen = [i for i in geoms if not model.geom_contype[i] and not model.geom_conaffinity[i]]
    touched = [i for i in geoms if i not in seen]
    own = [collect_shapes(partial(_visual, model, i, on) for i in group) for group in (seen, touched)]
    return own[0], own[1]


def _visual(model: Any, geom: int, on: Frame) -> Visual | None:
    a, b, c = (float(entry) for entry in model.geom_size[geom])
    T = np.eye(4)
    match int(model.geom_type[geom]):
        case 2:
            shape = make_shape("sphere", (a,))
        case 3:
            shape = make_shape("capsule", (a, 2.0 * b))
        case 4:
            shape = make_shape("ellipsoid", (a, b, c))
        case 5:
            shape = make_shape("cylinder", (a, 2.0 * b))
        case 6:
            shape = make_shape("box", (2.0 * a, 2.0 * b, 2.0 * c))
        case 7:
            shape, T = _mesh(model, int(model.geom_dataid[geom]))
        case _:
            return None
    rgba = model.geom_rgba[geom]
    colour = "" if np.allclose(rgba[:3], _UNSET) else format_colour(rgba)
    placed = on.T_lf @ make_pose(model.geom_pos[geom], model.geom_quat[geom]) @ T
    return None if shape is None else Visual(shape, placed, colour)


def _mesh(model: Any, number: int) -> tuple[Shape | None, Float[np.ndarray, "4 4"]]:
    """Return a mesh, and the pose of its file's frame in the one of its principal axes, which MuJoCo gives it."""
    start = int(model.mesh_pathadr[number])
    file = None if start < 0 else model.paths[start : model.paths.index(b"\0", start)].decode("utf-8", "replace")
    return make_mesh(file, model.mesh_scale[number]), inverse(
        make_pose(model.mesh_pos[number], model.mesh_quat[number])
    )
