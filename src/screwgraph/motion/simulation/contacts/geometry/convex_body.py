"""Convex bodies: the hull of points, and all that is within a radius of it; its faces and edges."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from screwgraph.base.errors import InputError
from screwgraph.base.optional_packages import extra_module
from screwgraph.base.summary import one_line
from screwgraph.model.formats.meshes.mesh_files import hull
from screwgraph.model.robot.shapes import Mesh, Shape

ONE_FACE = 1.0 - 1e-8
"""Cosine of the angle from which on triangles that are next to one another are one face."""
SMALL = 1e-6
"""Radius (m) of balls and capsules that stand for points and segments."""


@dataclass(frozen=True, eq=False)
class ConvexBody:
    """The hull of points (m), and all that is within a radius (m) of it, in the frame of its shape.

    `normals` of its faces point outwards, `faces` are the points of each in a row about its normal; a point or a
    segment has none.
    """

    __repr__ = one_line

    points: Float[np.ndarray, "n 3"]
    radius: float
    normals: Float[np.ndarray, "f 3"]
    faces: tuple[Int[np.ndarray, " k"], ...]

    @cached_property
    def edges(self) -> Int[np.ndarray, "e 2"]:
        """The points at the ends of edges."""
        rings = [pair for face in self.faces for pair in pairwise([*face, face[0]])]
        found = {(min(a, b), max(a, b)) for a, b in rings} or ({(0, 1)} if len(self.points) == 2 else set())
        return np.array(sorted(found), dtype=int).reshape(-1, 2)

    @cached_property
    def offsets(self) -> Float[np.ndarray, " f"]:
        """How far faces are from the origin (m), along their normals."""
        first = self.points[[face[0] for face in self.faces]].reshape(-1, 3)
        return np.einsum("ij,ij->i", first, self.normals)

    @cached_property
    def sides(self) -> tuple[Float[np.ndarray, "k 3"], ...]:
        """The unit vectors in the plane of each face that point outwards across its edges, from each of its points."""
        found = list[np.ndarray]()
        for face, normal in zip(self.faces, self.normals, strict=True):
            ring = self.points[face]
            outward = np.cross(np.roll(ring, -1, axis=0) - ring, normal)
            found.append(outward / np.linalg.norm(outward, axis=1)[:, None])
        return tuple(found)

    @cached_property
    def by_point(self) -> tuple[Int[np.ndarray, " k"], ...]:
        """The faces at each point."""
        found: list[list[int]] = [[] for _ in self.points]
        for i, face in enumerate(self.faces):
            for k in face:
                found[k].append(i)
        return tuple(np.array(own, dtype=int) for own in found)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what coal has made."""
        return {name: value for name, value in vars(self).items() if name != "geometry"}

    @cached_property
    def geometry(self) -> Any:
        """The body without its radius, as coal has it; points and segments, along z, with the radius `thickness`."""
        coal = import_coal()
        if len(self.points) == 1:
            return coal.Sphere(SMALL)
        if len(self.points) == 2:
            return coal.Capsule(SMALL, float(np.linalg.norm(self.points[1] - self.points[0])))
        points, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
        points.extend([np.ascontiguousarray(p) for p in self.points])
        for face in self.faces:
            for a, b in pairwise(face[1:]):
                triangles.append(coal.Triangle(int(face[0]), int(a), int(b)))
        return coal.Convex(points, triangles)

    @property
    def thickness(self) -> float:
        """The radius (m) of its `geometry` about its points: coal has no points and segments without any."""
        return 0.0 if len(self.normals) else SMALL


def import_coal() -> Any:
    """Return coal. Raises InputError where it is not installed."""
    return extra_module("coal", "coal")


def find_convex_body(shape: Shape) -> ConvexBody:
    """Return the hull of a shape's points, or balls, that touch the ground; of a mesh that of its corners.

    Raises:
        InputError: the points are in one plane.
        ModelError: the mesh is not read.
    """
    if isinstance(shape, Mesh):
        points = hull(shape)  # which says what is wrong with the file
        return _find_body_of_mesh(shape, os.stat(shape.file).st_mtime_ns, len(points))
    return _find_body_of_solid(shape)


@lru_cache(maxsize=256)
def _find_body_of_mesh(mesh: Mesh, when: int, count: int) -> ConvexBody:
    return make_convex_body(hull(mesh), 0.0, f"the mesh {mesh.file}")


@lru_cache(maxsize=256)
def _find_body_of_solid(shape: Any) -> ConvexBody:
    balls = shape.contact_balls()
    return make_convex_body(np.array([ball.centre for ball in balls]), balls[0].radius, f"the shape {shape!r}")


def make_convex_body(points: Float[np.ndarray, "n 3"], radius: float, what: str) -> ConvexBody:
    """Return the body about the hull of points. Raises InputError where these are in one plane, and more than two."""
    from scipy.spatial import ConvexHull, QhullError

    points = np.unique(points, axis=0) if len(points) <= 2 else points
    if len(points) <= 2:
        return ConvexBody(points, radius, np.zeros((0, 3)), ())
    try:
        found = ConvexHull(points)
    except (QhullError, ValueError):
        raise InputError(f"{what} is flat", why="bodies that touch have a volume", fix="give it a thickness") from None
    kept = found.vertices
    places = np.full(len(points), -1)
    places[kept] = np.arange(len(kept))
    normals, faces = list[np.ndarray](), list[np.ndarray]()
    for own in _join_triangles(found):
        a, b, c = points[found.simplices[own]].transpose(1, 0, 2)
        size = np.linalg.norm(np.cross(b - a, c - a), axis=1)
        normal = size @ found.equations[own, :3]
        normal /= np.linalg.norm(normal)
        corners = np.unique(places[found.simplices[own]])
        normals.append(normal)
        faces.append(corners[_order_about(points[kept][corners], normal)])
    return ConvexBody(points[kept], radius, np.array(normals), tuple(faces))


def _join_triangles(found: Any) -> list[list[int]]:
    """Return the triangles of each face."""
    normals, left, faces = found.equations[:, :3], set(range(len(found.simplices))), list[list[int]]()
    while left:
        own = [left.pop()]
        for triangle in own:
            for other in found.neighbors[triangle].tolist():
                if other in left and normals[other] @ normals[own[0]] > ONE_FACE:
                    left.remove(other)
                    own.append(other)
        faces.append(own)
    return faces


def _order_about(points: Float[np.ndarray, "n 3"], normal: Float[np.ndarray, "3"]) -> Int[np.ndarray, " n"]:
    """Return the order of points about their middle, by the right hand."""
    away = points - points.mean(axis=0)
    u = away[0] / np.linalg.norm(away[0])
    return np.argsort(np.arctan2(away @ np.cross(normal, u), away @ u))
