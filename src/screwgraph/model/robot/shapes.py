"""What links look like: primitive shapes and meshes. Pictures and obstacles use them, equations of motion do not."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float

from screwgraph.base.summary import one_line


@dataclass(frozen=True)
class Box:
    """A box of so many metres along each axis, about its own frame's origin."""

    size: tuple[float, float, float]


@dataclass(frozen=True)
class Ellipsoid:
    """An ellipsoid of three radii (m) about its own frame's origin."""

    radii: tuple[float, float, float]


@dataclass(frozen=True)
class Sphere:
    """A sphere of a radius (m) about its own frame's origin."""

    radius: float


@dataclass(frozen=True)
class Cylinder:
    """A cylinder along its own z, `length` (m) from face to face, about its own frame's origin."""

    radius: float
    length: float


@dataclass(frozen=True)
class Capsule:
    """A cylinder of `length` (m) along its own z with half a sphere on either end, about its own frame's origin."""

    radius: float
    length: float


@dataclass(frozen=True)
class Mesh:
    """Triangles of a file, stretched along the axes of its own frame by `scale`.

    `file` is an absolute path, or what the robot's file says where that is not found.
    """

    file: str
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)


Shape = Box | Ellipsoid | Sphere | Cylinder | Capsule | Mesh


@dataclass(frozen=True, eq=False)
class Visual:
    """A shape on a body: `T_bs` is its pose in the body's frame, `colour` is "#rrggbb" or empty for none."""

    __repr__ = one_line

    shape: Shape
    T_bs: Float[np.ndarray, "4 4"] = field(default_factory=lambda: np.eye(4))
    colour: str = ""

    def moved(self, T: Float[np.ndarray, "4 4"]) -> Visual:
        """Put it on another body, in whose frame the old one lies at T."""
        return Visual(self.shape, T @ self.T_bs, self.colour)
