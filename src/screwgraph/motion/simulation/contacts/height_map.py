"""Uneven ground: heights on a grid, and steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from jaxtyping import Float, Int

from screwgraph.base.argument_checks import check_fields
from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.motion.simulation.contacts.ground import PLANE

ROUNDS = 1
"""Times that the point under a ball is looked for again, with the gradient found before."""


@dataclass(frozen=True, eq=False)
class HeightMap:
    """Ground of given heights (m) on a grid along x and y of the base's axes; level beyond it.

    Between them heights are bilinear, or, `smooth`, cubic with continuous gradients (Keys, 1981). A ball
    touches where its lowest point along the ground's normal is; it should be smaller than the radii of hollows.

    Args:
        heights: (nx, ny), or (B, nx, ny), one map a motion.
        origin: where the first height stands (x, y) (m).
        spacing: between heights (m).
        smooth: whether gradients are continuous.
    """

    heights: Float[np.ndarray, "*B nx ny"]
    origin: Sequence[float] = (0.0, 0.0)
    spacing: float = 0.05
    smooth: bool = False

    fixed = None
    __repr__ = one_line

    def __post_init__(self) -> None:
        check_fields(self)
        try:
            z, origin = np.asarray(self.heights), np.asarray(self.origin, dtype=float)
        except (TypeError, ValueError):
            z, origin = np.zeros(0), np.zeros(0)
        is_right = z.ndim in (2, 3) and min(z.shape[-2:]) >= 2 and len(z)
        if not is_right or z.dtype.kind not in "iuf" or not np.isfinite(z).all():
            raise InputError(
                f"a height map has the shape {z.shape}", fix="give finite (nx, ny), each at least 2, or (B, nx, ny)"
            )
        if origin.shape != (2,) or not np.isfinite(origin).all():
            raise InputError(f"the origin of a height map is {self.origin!r}", fix="give (x, y) (m)")
        if not 0.0 < self.spacing < np.inf:
            raise InputError(f"the spacing of a height map is {self.spacing!r}", why="it must be positive")
        object.__setattr__(self, "heights", z.astype(float))

    @property
    def motions(self) -> int:
        """For how many motions it is."""
        return len(self.heights) if self.heights.ndim == 3 else 1

    def select(self, motions: slice) -> HeightMap:
        """Return the ground of some of the motions."""
        return replace(self, heights=self.heights[motions]) if self.motions > 1 else self

    def height(self, places: Float[np.ndarray, "*B 2"]) -> tuple[Float[np.ndarray, "*B"], Float[np.ndarray, "*B 2"]]:
        """Return the height (m) at places (x, y) (m), and its gradient; of many maps, B begins with these.

        Beyond the grid the height is that of its edge.
        """
        z, along_x, along_y = self._surface(places[..., 0], places[..., 1])
        return z, np.stack([along_x, along_y], axis=-1)

    def tangent_planes(
        self, p: Float[np.ndarray, "*B k 3"], radii: Float[np.ndarray, " k"]
    ) -> Float[np.ndarray, "*B k 4"]:
        """Return the planes under balls, at the points whose normals lead to the balls' centres."""
        x, y = p[..., 0], p[..., 1]
        for _ in range(ROUNDS if np.any(radii) else 0):
            _, along_x, along_y = self._surface(x, y)
            lean = radii / np.sqrt(1.0 + along_x * along_x + along_y * along_y)
            x, y = p[..., 0] + lean * along_x, p[..., 1] + lean * along_y
        z, along_x, along_y = self._surface(x, y)
        planes = np.empty((*z.shape, PLANE))
        planes[..., 2] = 1.0 / np.sqrt(1.0 + along_x * along_x + along_y * along_y)
        planes[..., 0], planes[..., 1] = -along_x * planes[..., 2], -along_y * planes[..., 2]
        planes[..., 3] = planes[..., 0] * x + planes[..., 1] * y + planes[..., 2] * z
        return planes

    def _surface(self, x: Float[np.ndarray, "*B"], y: Float[np.ndarray, "*B"]) -> list[Float[np.ndarray, "*B"]]:
        """Return heights and their gradients along x and y."""
        (nx, ny), (table, row, neighbours) = self.heights.shape[-2:], self._table
        at_x, at_y = (x - self.origin[0]) / self.spacing, (y - self.origin[1]) / self.spacing
        u, v = np.minimum(np.maximum(at_x, 0.0), nx - 1), np.minimum(np.maximum(at_y, 0.0), ny - 1)
        i, j = np.minimum(u.astype(np.intp), nx - 2), np.minimum(v.astype(np.intp), ny - 2)
        first = i * row + j
        if self.motions > 1:
            first += len(table) // self.motions * np.arange(self.motions).reshape(-1, *(1,) * (first.ndim - 1))
        found = table.take(first[..., None] + neighbours)
        z, along_u, along_v = (_cubic if self.smooth else _bilinear)(found, u - i, v - j)
        return [z, along_u * ((u == at_x) / self.spacing), along_v * ((v == at_y) / self.spacing)]

    @cached_property
    def _table(self) -> tuple[Float[np.ndarray, " n"], int, Int[np.ndarray, " m"]]:
        """Heights with those that interpolation needs beyond the edges, the length of a row, places of neighbours."""
        padded, reach = self.heights, np.arange(2)
        if self.smooth:
            edges = [(0, 0)] * (padded.ndim - 2) + [(1, 1)] * 2
            padded, reach = np.pad(padded, edges, mode="edge"), np.arange(4)
        row = padded.shape[-1]
        return padded.ravel(), row, (row * reach[:, None] + reach).ravel()


Surface = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Values and their derivatives along two axes."""


def _bilinear(found: Float[np.ndarray, "*B 4"], u: Float[np.ndarray, "*B"], v: Float[np.ndarray, "*B"]) -> Surface:
    """Interpolate between the corners of a cell, at parts u and v of it."""
    corner = found[..., 0]
    along_v = found[..., 1] - corner
    along_u, twist = found[..., 2] - corner, found[..., 3] - found[..., 2] - along_v
    along_u = along_u + v * twist
    return corner + v * along_v + u * along_u, along_u, along_v + u * twist


def _cubic(found: Float[np.ndarray, "*B 16"], u: Float[np.ndarray, "*B"], v: Float[np.ndarray, "*B"]) -> Surface:
    """Interpolate between the sixteen neighbours of a cell, at parts u and v of it."""
    C = CUBIC.T @ found.reshape(*found.shape[:-1], 4, 4) @ CUBIC
    v = v[..., None]
    a = C[..., 0] + v * (C[..., 1] + v * (C[..., 2] + v * C[..., 3]))
    b = C[..., 1] + v * (2.0 * C[..., 2] + 3.0 * v * C[..., 3])
    z, along_v = (x[..., 0] + u * (x[..., 1] + u * (x[..., 2] + u * x[..., 3])) for x in (a, b))
    return z, a[..., 1] + u * (2.0 * a[..., 2] + 3.0 * u * a[..., 3]), along_v


CUBIC = 0.5 * np.array([[0.0, -1.0, 2.0, -1.0], [2.0, 0.0, -5.0, 3.0], [0.0, 1.0, 4.0, -3.0], [0.0, 0.0, -1.0, 1.0]])
"""How much each of four neighbours weighs in each power of the part of a cell: Keys (1981), eq. (15), a = -1/2."""


@dataclass(frozen=True, eq=False)
class Steps:
    """Level ground whose height changes where x passes given places: stairs, kerbs, ditches.

    Args:
        at: where steps are (m), along x of the base's axes, one after the other.
        heights: of the ground beyond each (m); before the first it is zero. (n,), or (B, n), one a motion.
    """

    at: Sequence[float]
    heights: Sequence[float] | Float[np.ndarray, "*B n"]

    fixed = None
    __repr__ = one_line

    def __post_init__(self) -> None:
        check_fields(self)
        try:
            at, heights = np.asarray(self.at, dtype=float), np.asarray(self.heights, dtype=float)
        except (TypeError, ValueError):
            at, heights = np.zeros(0), np.zeros(1)
        if at.ndim != 1 or not len(at) or not np.isfinite(at).all() or (np.diff(at) <= 0.0).any():
            raise InputError(f"steps are at {self.at!r}", fix="give finite places x (m), one after the other")
        if heights.ndim not in (1, 2) or heights.shape[-1] != len(at) or not np.isfinite(heights).all():
            raise InputError(f"heights of {len(at)} steps have the shape {heights.shape}", fix="give one for each (m)")
        object.__setattr__(self, "at", at)
        object.__setattr__(self, "heights", heights)

    @property
    def motions(self) -> int:
        """For how many motions they are."""
        return len(self.heights) if np.ndim(self.heights) == 2 else 1

    def select(self, motions: slice) -> Steps:
        """Return the steps of some of the motions."""
        return replace(self, heights=np.asarray(self.heights)[motions]) if self.motions > 1 else self

    def tangent_planes(
        self, p: Float[np.ndarray, "*B k 3"], radii: Float[np.ndarray, " k"]
    ) -> Float[np.ndarray, "*B k 4"]:
        """Return the planes at the points of level parts and risers that are nearest; balls roll over edges."""
        heights = np.concatenate([np.zeros((*np.shape(self.heights)[:-1], 1)), np.asarray(self.heights)], axis=-1)
        heights = heights[:, None] if heights.ndim == 2 else heights
        x, z = p[..., 0, None], p[..., 2, None]
        edges = np.concatenate([[-np.inf], np.asarray(self.at), [np.inf]])
        flats = (
            np.clip(x, edges[:-1], edges[1:]),
            np.broadcast_to(heights, np.broadcast_shapes(x.shape, heights.shape)),
        )
        low, high = np.minimum(heights[..., :-1], heights[..., 1:]), np.maximum(heights[..., :-1], heights[..., 1:])
        risers = np.broadcast_to(edges[1:-1], flats[0][..., 1:].shape), np.clip(z, low, high)
        at_x, at_z = (np.concatenate(both, axis=-1) for both in zip(flats, risers, strict=True))
        away_x, away_z = x - at_x, z - at_z
        distance = np.hypot(away_x, away_z)
        nearest = np.argmin(distance, axis=-1)[..., None]
        away_x, away_z, at_x, at_z, distance = (
            np.take_along_axis(a, nearest, axis=-1)[..., 0] for a in (away_x, away_z, at_x, at_z, distance)
        )
        over = np.take_along_axis(
            np.broadcast_to(heights, flats[1].shape), np.searchsorted(np.asarray(self.at), x, side="right"), axis=-1
        )[..., 0]
        side = np.where(p[..., 2] >= over, 1.0, -1.0)
        is_apart = distance > TOUCHING
        size = np.where(is_apart, side * distance, 1.0)
        normal_x, normal_z = np.where(is_apart, away_x / size, 0.0), np.where(is_apart, away_z / size, 1.0)
        level = normal_x * at_x + normal_z * at_z
        return np.stack([normal_x, np.zeros_like(level), normal_z, level], axis=-1)


TOUCHING = 1e-12
"""Distance (m) from steps at which a point is on the level part."""
