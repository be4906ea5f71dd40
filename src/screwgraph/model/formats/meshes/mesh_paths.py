"""Files of meshes that a robot's shapes name: where they are, and which shapes stand for those that are nowhere."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from urllib.parse import unquote

from screwgraph.model.formats.packages import Packages
from screwgraph.model.robot import Link, Mesh, Robot, Visual

_PACKAGE = ("package", "model")
"""Schemes whose first word names a folder: of a package of ROS, of a model of Gazebo."""


def locate_meshes(robot: Robot, folder: Path | None, packages: Packages) -> Robot:
    """Return a robot whose meshes are paths of files.

    Relative ones lie in `folder`, that of the robot's file. A mesh that is not found keeps what the file says. Where
    a link's picture lacks one, its collision shapes are drawn, and where it has no collision shapes, what is drawn is
    what may be touched.
    """

    @cache
    def package(name: str) -> Path | None:
        return packages.find(name, folder)

    def path_of(said: str) -> str:
        scheme, mark, rest = said.partition("://")
        if mark and scheme in _PACKAGE:
            name, _, inside = rest.partition("/")
            root = package(name)
            path = root / inside if root is not None else None
        elif mark:
            path = (Path(rest) if os.path.isfile(rest) else Path(unquote(rest))) if scheme == "file" else None
        else:
            path = Path(said) if folder is None else folder / said
        try:
            return str(path.absolute()) if path is not None and path.is_file() else said
        except (OSError, ValueError):
            return said

    def place_visual(visual: Visual) -> Visual:
        mesh = visual.shape
        return replace(visual, shape=replace(mesh, file=path_of(mesh.file))) if isinstance(mesh, Mesh) else visual

    def locate_link(link: Link) -> Link:
        if not link.visuals and not link.collisions:
            return link
        seen = tuple(place_visual(visual) for visual in link.visuals)
        touched = tuple(place_visual(visual) for visual in link.collisions)
        return replace(link, visuals=_complete(seen, touched), collisions=_complete(touched, seen))

    return replace(robot, links=tuple(locate_link(link) for link in robot.links))


def _complete(first: Sequence[Visual], second: Sequence[Visual]) -> tuple[Visual, ...]:
    """Return the first shapes; where some are missing, the second ones that are there, and the names of the missing."""
    if not first:
        return tuple(second)
    missing = tuple(visual for visual in first if is_missing(visual))
    others = tuple(visual for visual in second if not is_missing(visual))
    if not missing or not others:
        return tuple(first)
    return (*others, *missing)


def is_missing(visual: Visual) -> bool:
    """Whether a shape is a mesh whose file was not found."""
    try:
        return isinstance(visual.shape, Mesh) and not Path(visual.shape.file).is_file()
    except (OSError, ValueError):
        return True
