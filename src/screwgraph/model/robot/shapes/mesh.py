"""Triangles of a file."""

from __future__ import annotations

from dataclasses import dataclass

from screwgraph.model.robot.shapes.base import Ball, Primitive, Solid


@dataclass(frozen=True)
class Mesh:
    """Triangles of a file, stretched along the axes of its own frame by `scale`.

    `file` is an absolute path, or what the robot's file says where that is not found. Robots read no files: who wants
    its triangles reads them by `model.formats`.
    """

    file: str
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)

    @property
    def reach(self) -> float:
        """0: its file is not read."""
        return 0.0

    def primitives(self) -> tuple[Primitive, ...]:
        """Return the file's mesh."""
        return (Primitive(self.file, self.scale),)

    def contact_balls(self) -> tuple[Ball, ...]:
        """Return none: its file is not read."""
        return ()


Shape = Solid | Mesh
"""A shape of a link."""
