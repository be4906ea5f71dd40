"""Triangles of mesh files, read by trimesh."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from screwgraph.base.errors import ModelError
from screwgraph.model.robot import Mesh, Visual

LARGEST_MESH = 200_000_000
"""Bytes."""
_SHOWN = 3
Triangles = tuple[Float[np.ndarray, "n 3"], Int[np.ndarray, "t 3"]]


def triangles(mesh: Mesh) -> Triangles:
    """Return corners (m), in the mesh's own frame, and the numbers of those of each triangle.

    Raises:
        ModelError: there is no such file, trimesh is not installed, or cannot read it, or it has no triangle.
    """
    try:
        when = os.stat(mesh.file).st_mtime_ns
    except (OSError, ValueError):
        raise ModelError("the mesh is not found", at=mesh.file) from None
    corners, faces = _read_triangles(mesh.file, when)
    return corners * np.asarray(mesh.scale, dtype=float), faces


def face_colours(mesh: Mesh) -> tuple[tuple[str, ...], Int[np.ndarray, " t"]]:
    """Return the colours ("#rrggbb") of a COLLADA file's materials, and the number of that of each triangle.

    No colours where the file has none, or is of another format. Raises ModelError as `triangles`.
    """
    _, faces = triangles(mesh)
    colours = _read_colours(mesh.file, os.stat(mesh.file).st_mtime_ns) if mesh.file.lower().endswith(".dae") else []
    if len(colours) != len(faces) or not all(colours):
        return (), np.zeros(len(faces), dtype=np.int64)
    palette = tuple(dict.fromkeys(colours))
    return palette, np.array([palette.index(colour) for colour in colours], dtype=np.int64)


@lru_cache(maxsize=64)
def _read_colours(file: str, when: int) -> list[str]:
    """Return the colour of each triangle of a file that can be read, "" where it has none."""
    import trimesh

    try:
        parts: Any = trimesh.load_scene(file, process=False).dump()
        found = [(getattr(part.visual, "material", None), len(part.faces)) for part in parts]
        return [_as_hex(material) for material, count in found for _ in range(count)]
    except Exception:  # materials that cannot be read, such as pictures that are not there, are no reason to fail
        return []


def _as_hex(material: Any) -> str:
    return "" if material is None else "#" + "".join(f"{int(part):02x}" for part in material.main_color[:3])


def split_readable(visuals: Iterable[Visual]) -> tuple[list[Visual], list[ModelError]]:
    """Return the shapes that can be had, and what is wrong with the meshes among the others."""
    found, wrong = [], []
    for visual in visuals:
        if isinstance(visual.shape, Mesh):
            try:
                triangles(visual.shape)
            except ModelError as error:
                wrong.append(error)
                continue
        found.append(visual)
    return found, wrong


def summarise_unreadable(wrong: Iterable[ModelError]) -> str:
    """Say in one line which meshes are not to be had, and why."""
    errors = {str(error.at): error for error in wrong}
    names = [Path(name).name for name in errors]
    more = ", ..." if len(names) > _SHOWN else ""
    first = next(iter(errors.values()))
    what = "is" if len(names) == 1 else "are"
    reasons = dict.fromkeys(error.why or error.what for error in errors.values())
    why = "; ".join(list(reasons)[:2])
    fix = first.fix or "--packages NAME=FOLDER, in Python packages={NAME: FOLDER}, or set ROS_PACKAGE_PATH"
    count = f"{len(names)} mesh{'' if len(names) == 1 else 'es'}"
    return f"{count} {what} left out ({', '.join(names[:_SHOWN])}{more}): {why} ({fix})"


def hull(mesh: Mesh) -> Float[np.ndarray, "n 3"]:
    """Return the corners (m) of a mesh's convex hull, all corners of a flat one. Raises ModelError as `triangles`."""
    corners, _ = triangles(mesh)
    return corners[_hull(mesh.file, os.stat(mesh.file).st_mtime_ns)]


@lru_cache(maxsize=512)
def _hull(file: str, when: int) -> Int[np.ndarray, " n"]:
    corners, faces = _read_triangles(file, when)
    used = np.unique(faces)
    return used[_outer(corners[used])]


def outline(points: Float[np.ndarray, "n 3"]) -> Float[np.ndarray, "k 3"]:
    """Return the points that are corners of their convex hull, all where that is flat."""
    return points[_outer(points)]


def _outer(points: Float[np.ndarray, "n 3"]) -> Int[np.ndarray, " k"]:
    from scipy.spatial import ConvexHull, QhullError

    try:
        return ConvexHull(points).vertices
    except (QhullError, ValueError):
        return np.arange(len(points))


def thin_mesh(corners: Float[np.ndarray, "n 3"], faces: Int[np.ndarray, "t 3"], most: int) -> Triangles:
    """Return about a mesh of at most so many triangles: corners in one cell of a grid become their mean."""
    cells = 256
    low, extent = corners.min(axis=0), float(np.ptp(corners, axis=0).max()) or 1.0
    while len(faces) > most and cells > 2:
        grid = np.floor((corners - low) * (cells / extent)).astype(np.int64)
        one = (grid[:, 0] * 1024 + grid[:, 1]) * 1024 + grid[:, 2]
        _, where, counts = np.unique(one, return_inverse=True, return_counts=True)
        means = np.stack([np.bincount(where, corners[:, k]) / counts for k in range(3)], axis=1)
        kept = where[faces]
        kept = kept[(kept[:, 0] != kept[:, 1]) & (kept[:, 1] != kept[:, 2]) & (kept[:, 2] != kept[:, 0])]
        if len(kept) <= most:
            return means, kept
        cells = int(0.95 * cells * (most / len(kept)) ** 0.5)  # a surface takes cells by the square of their number
    return corners, faces


@lru_cache(maxsize=512)
def _read_triangles(file: str, when: int) -> Triangles:
    """Read a file that was changed at a time; answers are kept."""
    try:
        import trimesh
    except ImportError:
        raise ModelError(
            "the mesh is not read", at=file, why="trimesh is not installed", fix="pip install 'screwgraph[meshes]'"
        ) from None
    if os.path.getsize(file) > LARGEST_MESH:
        raise ModelError("the mesh is not read", at=file, why=f"it has more than {LARGEST_MESH / 1e6:g} MB")
    logging.getLogger("trimesh").setLevel(logging.CRITICAL)
    try:
        found: Any = trimesh.load(file, force="mesh", process=False, skip_materials=True)
        corners = np.array(found.vertices, dtype=float).reshape(-1, 3) * _metres(found.units)
        faces = np.array(found.faces, dtype=np.int64).reshape(-1, 3)
    except ImportError as error:
        raise ModelError(
            "the mesh is not read", at=file, why=str(error), fix="pip install 'screwgraph[meshes]'"
        ) from error
    except Exception as error:  # whatever trimesh and its readers raise over a broken file
        why = " ".join(str(error).split())[:120] or type(error).__name__
        raise ModelError("the mesh is not read", at=file, why=why) from error
    if not len(faces) or not np.isfinite(corners).all() or faces.min() < 0 or faces.max() >= len(corners):
        raise ModelError("the mesh is not read", at=file, why="it has no triangles of finite corners")
    return corners, faces


def _metres(units: Any) -> float:
    """Return how long a file's unit is: COLLADA says it, other formats do not, and count in metres."""
    head = str(units or "").partition(" * meters")
    try:
        return float(head[0]) if head[1] else 1.0
    except ValueError:
        return 1.0
