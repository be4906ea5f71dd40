"""A scene as one HTML page that needs nothing else: no file, no network."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Mapping
from dataclasses import replace
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float
from scipy.spatial.transform import Rotation

from screwgraph.base.errors import InputError
from screwgraph.compiler.backends.wasm import emit_module
from screwgraph.model.formats import thin_mesh, write_atomically
from screwgraph.ui.view.primitive_parts import PrimitivePart, split_into_primitives
from screwgraph.ui.view.scene import Body, Line, Points, Posing, Scene, Surface, normalise, view_direction
from screwgraph.ui.view.scene_bounds import compute_extent

SCRIPTS = ("numbers", "motion", "meshes", "paint", "stage", "controls", "closing", "posing")
"""Files of the page's program, in the order in which they are run."""
COLOURS = ("#c0392b", "#2e8b57", "#8e44ad", "#b8860b", "#2a8fa8")
"""Of lines and points that name none."""
PLAIN = "#4878b0"
MOST_TRIANGLES = 8000
"""Of a mesh in a page, so that pages stay small; corners are then less than 65536."""


def html(scene: Scene) -> str:
    """Return a page that plays a scene; opened from a file, it asks for nothing else."""
    folder = files("screwgraph.ui.view") / "page"
    script = "\n".join((folder / f"{name}.js").read_text(encoding="utf-8") for name in SCRIPTS)
    # In JSON "<" stands in texts only, where it may as well be an escape: no text ends the script.
    content = json.dumps(as_json(scene), allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
    page = (folder / "player.html").read_text(encoding="utf-8")
    style = (folder / "player.css").read_text(encoding="utf-8")
    before, _, after = page.partition("@scene@")
    head = before.replace("@style@", style).replace("@title@", escape(scene.title))
    return head + content + after.replace("@script@", script)


def save_html(scene: Scene, path: str | os.PathLike[str]) -> None:
    """Write the page of a scene, as a whole or not at all.

    Raises:
        InputError: another suffix than .html, no such folder, or a path that cannot be written.
    """
    save_page(html(scene), path)


def save_page(page: str, path: str | os.PathLike[str]) -> None:
    """Write a page. Raises InputError as `save_html`."""
    check_page_path(path)
    write_atomically(Path(path), page.encode("utf-8"), str(path))


def check_page_path(path: str | os.PathLike[str]) -> None:
    """Check that a page could be written there. Raises InputError as `save_html`."""
    if not isinstance(path, (str, os.PathLike)):
        raise InputError(f"{path!r} is not a path", fix='view.export(robot, t, q, "motion.html")')
    target = Path(path)
    if target.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"no page has the suffix {target.suffix!r}", at=str(path), fix="save as .html")
    if not target.parent.is_dir():
        raise InputError(f"there is no folder {str(target.parent)!r}", at=str(path), fix="make the folder first")


def as_json(scene: Scene) -> dict[str, Any]:
    """Return a scene in values that JSON has; arrays are float32 in base64."""
    centre, size = compute_extent(scene)
    every = [part for body in scene.bodies for visual in body.visuals for part in split_into_primitives(visual)]
    meshes = {(part.mesh, part.material): part for part in every if part.is_file}
    names = {key: f"mesh{i}" for i, key in enumerate(meshes)}
    used = iter(range(len(scene.lines) + len(scene.points)))
    return {
        "t": _encode_array(scene.t - scene.t[0]),
        "meshes": [_mesh(replace(part, scale=(1.0, 1.0, 1.0))) for part in meshes.values()],
        "bodies": [_body(body, names) for body in scene.bodies],
        "lines": [{**_trail(line, next(used)), "width": line.width, "through": line.through} for line in scene.lines],
        "points": [{**_trail(points, next(used)), "radius": points.radius} for points in scene.points],
        "surfaces": [_surface(surface) for surface in scene.surfaces],
        "up": normalise(scene.up).tolist(),
        "look": view_direction(scene).tolist(),
        "ground": scene.ground,
        "centre": centre,
        "size": size,
        "posing": scene.posing and _posing(scene.posing),
    }


def _posing(posing: Posing) -> dict[str, Any]:
    module = emit_module({"place": posing.placement, "close": posing.closure})
    return {
        "module": base64.b64encode(module).decode("ascii"),
        "placed": len(posing.placement.outputs),
        "rows": len(posing.closure.outputs),
        "sliders": [vars(slider) for slider in posing.sliders],
        "start": np.asarray(posing.start, dtype=float).tolist(),
        "dependent": posing.dependent,
        "bodies": posing.bodies,
        "trails": posing.trails,
    }


def _mesh(part: PrimitivePart) -> dict[str, Any]:
    corners, faces = thin_mesh(*part.triangles, MOST_TRIANGLES)
    used, numbers = np.unique(faces, return_inverse=True)
    return {"corners": _encode_array(corners[used]), "faces": _encode_array(numbers.reshape(-1), "<u2")}


def _body(body: Body, names: Mapping[tuple[str, str], str]) -> dict[str, Any]:
    return {
        "name": body.name,
        "mass": body.mass,
        "com": body.com,
        "poses": _encode_array(_positions_and_quaternions(body.poses)),
        "parts": [
            {
                "mesh": names.get((part.mesh, part.material), part.mesh),
                "matrix": [float(f"{entry:.7g}") + 0.0 for entry in part.matrix.T.ravel()],
                "colour": part.colour or PLAIN,
            }
            for visual in body.visuals
            for part in split_into_primitives(visual)
        ],
    }


def _trail(trail: Line | Points, number: int) -> dict[str, Any]:
    points = np.asarray(trail.points, dtype=float)
    return {
        "name": trail.name,
        "data": _encode_array(points),
        "count": points.shape[-2],
        "colour": trail.colour or COLOURS[number % len(COLOURS)],
    }


def _surface(surface: Surface) -> dict[str, Any]:
    triangles = np.asarray(surface.triangles, dtype=float)
    return {"name": surface.name, "triangles": _encode_array(triangles), "colour": surface.colour or PLAIN}


def _positions_and_quaternions(poses: Float[np.ndarray, "*N 4 4"]) -> Float[np.ndarray, "N 7"]:
    flat = np.asarray(poses, dtype=float).reshape(-1, 4, 4)
    return np.hstack([flat[:, :3, 3], Rotation.from_matrix(flat[:, :3, :3]).as_quat()])


def _encode_array(array: np.ndarray, dtype: str = "<f4") -> str:
    return base64.b64encode(np.ascontiguousarray(array, dtype=dtype).tobytes()).decode("ascii")
