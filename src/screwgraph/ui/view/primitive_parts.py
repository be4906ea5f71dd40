"""Shapes as boxes, spheres and cylinders of size 1, or meshes, stretched: what a renderer has to know."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from screwgraph.model.formats import Triangles, face_colours, triangles
from screwgraph.model.robot import Capsule, Mesh, Visual
from screwgraph.spatial import transform, translation

UNIT = ("box", "sphere", "cylinder")
"""Meshes of size 1."""


@dataclass(frozen=True, eq=False)
class PrimitivePart:
    """A mesh, stretched along its axes by `scale` (m), then put at T.

    Meshes are "box" (edges 1), "sphere" (radius 1) and "cylinder" (radius 1, length 1 along z), each about its origin,
    or the path of a file; of that only the triangles of one colour, if `material` names it. `colour` is what is shown.
    """

    mesh: str
    T: Float[np.ndarray, "4 4"]
    scale: tuple[float, float, float]
    colour: str = ""
    material: str = ""

    @property
    def is_file(self) -> bool:
        """Whether the mesh is that of a file."""
        return self.mesh not in UNIT

    @property
    def triangles(self) -> Triangles:
        """Corners (m), stretched, and triangles of a file. Raises ModelError where it cannot be read."""
        mesh = Mesh(self.mesh, self.scale)
        corners, faces = triangles(mesh)
        palette, which = face_colours(mesh)
        return corners, faces[which == palette.index(self.material)] if self.material else faces

    @property
    def matrix(self) -> Float[np.ndarray, "4 4"]:
        """The affine map from the mesh to the body's frame."""
        return self.T @ np.diag([*self.scale, 1.0])


def split_into_primitives(visual: Visual) -> list[PrimitivePart]:
    """Return the parts of a shape, in the body's frame, and their colours: the shape's own before those of a file."""
    parts = [
        PrimitivePart(mesh, visual.T_bs @ transform(np.eye(3), np.array(centre)), scale)
        for mesh, scale, centre in visual.shape.primitives()
    ]
    if visual.colour or not isinstance(visual.shape, Mesh):
        return [replace(part, colour=visual.colour) for part in parts]
    own = face_colours(visual.shape)[0] or ("",)
    return [replace(part, colour=colour, material=colour) for part in parts for colour in own]


def link_between(p: Float[np.ndarray, "3"], q: Float[np.ndarray, "3"], radius: float, colour: str = "") -> Visual:
    """Return a capsule from a point p of a body to a point q (m), a sphere where they are one."""
    p, q = np.asarray(p, dtype=float), np.asarray(q, dtype=float)
    length = float(np.linalg.norm(q - p))
    R = rotation_along((q - p) / length) if length else np.eye(3)
    return Visual(Capsule(radius, length), transform(R, (p + q) / 2.0), colour)


def rotation_along(z: Float[np.ndarray, "3"]) -> Float[np.ndarray, "3 3"]:
    """Return a rotation whose third axis is the unit vector z."""
    helper = np.eye(3)[int(np.argmin(np.abs(z)))]
    x = np.cross(helper, z)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def is_inside(visual: Visual, point: Float[np.ndarray, "3"], slack: float) -> bool:
    """Whether a point of the body lies in a shape (of a mesh: in its box), or within about `slack` (m) of it."""
    for part in split_into_primitives(visual):
        local = part.T[:3, :3].T @ (point - translation(part.T))
        if part.is_file:
            corners = part.triangles[0]
            if ((local >= corners.min(axis=0) - slack) & (local <= corners.max(axis=0) + slack)).all():
                return True
            continue
        grown = np.array(part.scale) * (0.5 if part.mesh == "box" else 1.0) + slack
        if part.mesh == "box":
            inside = bool((np.abs(local) <= grown).all())
        elif part.mesh == "sphere":
            inside = float(np.linalg.norm(local / grown)) <= 1.0
        else:
            high = abs(local[2]) <= part.scale[2] / 2.0 + slack
            inside = high and float(np.hypot(local[0], local[1])) <= grown[0]
        if inside:
            return True
    return False
