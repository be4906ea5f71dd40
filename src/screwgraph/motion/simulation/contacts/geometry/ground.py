"""The ground: a surface that bodies touch."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import check_fields, convert_numbers
from screwgraph.base.errors import InputError
from screwgraph.model.robot.joints.base import perpendicular_axes
from screwgraph.spatial import Array, choose

PLANE = 4
"""Numbers of a tangent plane: its unit normal, and its height along that (m)."""


@runtime_checkable
class Ground(Protocol):
    """A surface that bodies touch; a new one is a class with these methods."""

    @property
    def fixed(self) -> Plane | None:
        """The plane whose numbers stand in the code of a step; None where tangent planes are inputs of steps."""
        ...

    @property
    def flat(self) -> bool:
        """Whether it is one plane wherever a motion touches it."""
        ...

    @property
    def motions(self) -> int:
        """For how many motions it is; 1 where it is the same for all."""
        ...

    def select(self, motions: slice) -> Ground:
        """Return the ground of some of the motions."""
        ...

    def tangent_planes(
        self, p: Float[np.ndarray, "*B k 3"], radii: Float[np.ndarray, " k"]
    ) -> Float[np.ndarray, "*B k 4"]:
        """Return the tangent planes, unit normal and height along it (m), that balls about points p (m) touch."""
        ...


def touch_plane(p: Float[Array, "3"], plane: Float[Array, "4"]) -> tuple[Any, Float[Array, "3 3"]]:
    """Return how far a point (m) is above a plane of any numbers, and its axes, rows.

    Duff et al. (2017), "Building an orthonormal basis, revisited".
    """
    x, y, z, height = plane
    sign = choose(z < 0.0, -1.0, 1.0)
    a, n = 1.0 / (sign + z), np.array([x, y, z])
    first = [1.0 - sign * a * x * x, -sign * a * x * y, -sign * x]
    return n @ p - height, np.array([n, first, [-a * x * y, sign - a * y * y, -y]])


@dataclass(frozen=True)
class Plane:
    """The points p of the base's axes with n . p = height (m), where n is the unit vector along `normal`; a slope.

    Arrays, `normal` (B, 3) or `height` (B,), are one plane a motion.
    """

    normal: Any = (0.0, 0.0, 1.0)
    height: float | Float[np.ndarray, " B"] = 0.0

    def __post_init__(self) -> None:
        check_fields(self)
        try:
            normal, height = convert_numbers(self.normal), convert_numbers(self.height)
        except (TypeError, ValueError):
            normal, height = np.zeros(0), np.zeros(())
        is_vector = normal.ndim in (1, 2) and normal.shape[-1] == 3 and normal.size and np.isfinite(normal).all()
        if not is_vector or (np.linalg.norm(normal, axis=-1) < 1e-9).any():
            raise InputError(f"the normal of the ground is {self.normal!r}", fix="give a direction, such as (0, 0, 1)")
        if height.ndim > 1 or not height.size or not np.isfinite(height).all():
            raise InputError(f"the height of the ground is {self.height!r}", why="it must be finite")
        unit = normal / np.linalg.norm(normal, axis=-1, keepdims=True)
        if normal.ndim == height.ndim + 1 == 1:
            object.__setattr__(self, "normal", tuple(unit.tolist()))
            return
        if normal.ndim == 2 and len({1, len(normal), height.size}) > 2:
            raise InputError(
                f"the ground has {len(normal)} normals and {len(height)} heights", fix="give as many of both, or one"
            )
        object.__setattr__(self, "normal", unit)
        object.__setattr__(self, "height", height)

    @property
    def fixed(self) -> Plane | None:
        """Itself, where it is not one a motion."""
        return self if isinstance(self.normal, tuple) else None

    @property
    def flat(self) -> bool:
        """Yes."""
        return True

    @property
    def motions(self) -> int:
        """For how many motions it is."""
        return max(len(np.atleast_2d(self.normal)), np.size(self.height))

    def select(self, motions: slice) -> Plane:
        """Return the planes of some of the motions."""
        if self.fixed:
            return self
        own = {"normal": np.atleast_2d(self.normal), "height": np.atleast_1d(self.height)}
        return replace(self, **{name: x if len(x) == 1 else x[motions] for name, x in own.items()})

    def touch(self, p: Float[Array, "3"]) -> tuple[Any, Float[Array, "3 3"]]:
        """Return how far a point (m) is above a fixed plane, and the plane's axes: normal and tangents, rows."""
        n = np.array(self.normal)
        return n @ p - self.height, np.stack([n, *perpendicular_axes(self.normal)])

    def tangent_planes(
        self, p: Float[np.ndarray, "*B k 3"], radii: Float[np.ndarray, " k"]
    ) -> Float[np.ndarray, "*B k 4"]:
        """Return the plane of each."""
        own = self._numbers[:, None] if p.ndim == 3 else self._numbers
        return np.broadcast_to(own, (*p.shape[:-1], PLANE))

    @cached_property
    def _numbers(self) -> Float[np.ndarray, "B 4"]:
        """Normal and height of each."""
        normal, height = np.atleast_2d(self.normal), np.atleast_1d(self.height)
        count = max(len(normal), len(height))
        return np.concatenate([np.broadcast_to(normal, (count, 3)), np.broadcast_to(height, count)[:, None]], axis=1)
