"""Geoms of a compiled MuJoCo model as shapes."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from screwgraph.formats.mjcf_names import pose
from screwgraph.formats.visuals import chosen, colour_of, made
from screwgraph.robot import Frame, Visual

PLANE = 0
"""MuJoCo's number of planes, which have no end; those of primitive, finite geoms stand below."""
_UNSET = (0.5, 0.5, 0.5)
"""MuJoCo's colour where the file gives none."""


def body_visuals(model: Any, body: int, on: Frame) -> tuple[Visual, ...]:
    """Return the shapes that stand for a body in pictures; `on` is the body's frame on its link."""
    first, count = int(model.body_geomadr[body]), int(model.body_geomnum[body])
    geoms = [i for i in range(first, first + count) if model.geom_type[i] != PLANE and model.geom_rgba[i, 3] > 0.0]
    seen = [i for i in geoms if not model.geom_contype[i] and not model.geom_conaffinity[i]]
    touched = [i for i in geoms if i not in seen]
    return chosen(*([partial(_visual, model, i, on) for i in group] for group in (seen, touched)))


def _visual(model: Any, geom: int, on: Frame) -> Visual | None:
    a, b, c = (float(entry) for entry in model.geom_size[geom])
    match int(model.geom_type[geom]):
        case 2:
            shape = made("sphere", (a,))
        case 3:
            shape = made("capsule", (a, 2.0 * b))
        case 4:
            shape = made("ellipsoid", (a, b, c))
        case 5:
            shape = made("cylinder", (a, 2.0 * b))
        case 6:
            shape = made("box", (2.0 * a, 2.0 * b, 2.0 * c))
        case _:
            return None
    rgba = model.geom_rgba[geom]
    colour = "" if np.allclose(rgba[:3], _UNSET) else colour_of(rgba)
    return None if shape is None else Visual(shape, on.T_lf @ pose(model.geom_pos[geom], model.geom_quat[geom]), colour)
