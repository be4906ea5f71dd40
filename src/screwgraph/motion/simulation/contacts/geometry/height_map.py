"""Uneven ground: heights on a grid, and steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import check_fields, convert_numbers
from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.compiler.kernels import new_table
from screwgraph.motion.simulation.contacts.geometry.ground_kernels import (
    CHUNK,
    FOUND,
    SCRATCH,
    Grid,
    PlaneWriter,
    compile_ground_kernels,
)


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

    fixed, flat = None, False
    __repr__ = one_line

    def __post_init__(self) -> None:
        check_fields(self)
        try:
            z, origin = np.asarray(self.heights), convert_numbers(self.origin)
        except (TypeError, ValueError):
            z, origin = np.zeros(0), np.zeros(0)
        is_right = z.ndim in (2, 3) and min(z.shape[-2:]) >= 2 and len(z)
        if is_right and z.dtype.kind in "iuf" and not np.isfinite(z).all():
            raise InputError("heights of a height map are not finite", fix="fill the gaps, as with np.nan_to_num")
        if not is_right or z.dtype.kind not in "iuf":
            raise InputError(
                f"a height map has the shape {z.shape}", fix="give (nx, ny), each at least 2, or (B, nx, ny)"
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
        at, maps = np.ascontiguousarray(places, dtype=float), self.motions
        if maps > 1 and at.shape[:-1][:1] != (maps,):
            raise InputError(f"places of {maps} maps have the shape {at.shape}", fix=f"give ({maps}, ..., 2)")
        (grid, heights), count = self._tables, at.size // (2 * maps)
        rows = np.ascontiguousarray(np.swapaxes(at.reshape(maps, count, 2), 1, 2))
        found = np.empty(FOUND * (maps * count + CHUNK) + SCRATCH)
        addresses = (x.ctypes.data for x in (grid, heights, rows))
        compile_ground_kernels()["find_heights"](*addresses, maps, count, found.ctypes.data)
        found = np.swapaxes(found[: FOUND * maps * count].reshape(maps, FOUND, count), 1, 2).reshape(
            *at.shape[:-1], FOUND
        )
        return found[..., 0], found[..., 1:]

    def tangent_planes(
        self, p: Float[np.ndarray, "*B k 3"], radii: Float[np.ndarray, " k"]
    ) -> Float[np.ndarray, "*B k 4"]:
        """Return the planes under balls, at the points whose normals lead to the balls' centres."""
        return self.writer(radii).planes(p)

    def writer(self, radii: Float[np.ndarray, " k"]) -> PlaneWriter:
        """Return the code that finds these planes."""
        return PlaneWriter("touch_map", (*self._tables, np.ascontiguousarray(radii, dtype=float)), self.motions)

    @cached_property
    def _tables(self) -> tuple[np.ndarray, Float[np.ndarray, "..."]]:
        """The grid and heights, as kernels read them."""
        grid = new_table(Grid, 1)
        grid[0] = (*self.heights.shape[-2:], self.motions, self.smooth, *self.origin, 1.0 / self.spacing)
        return grid, np.ascontiguousarray(self.heights)


@dataclass(frozen=True, eq=False)
class Steps:
    """Level ground whose height changes where x passes given places: stairs, kerbs, ditches.

    Args:
        at: where steps are (m), along x of the base's axes, one after the other.
        heights: of the ground beyond each (m); before the first it is zero. (n,), or (B, n), one a motion.
    """

    at: Sequence[float]
    heights: Sequence[float] | Float[np.ndarray, "*B n"]

    fixed, flat = None, False
    __repr__ = one_line

    def __post_init__(self) -> None:
        check_fields(self)
        try:
            at, heights = convert_numbers(self.at), convert_numbers(self.heights)
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
        return self.writer(radii).planes(p)

    def writer(self, _: Float[np.ndarray, " k"]) -> PlaneWriter:
        """Return the code that finds these planes."""
        return PlaneWriter("touch_steps", self._tables, self.motions)

    @cached_property
    def _tables(self) -> tuple[np.ndarray, ...]:
        """Counts, places and heights, as kernels read them."""
        heights = np.asarray(self.heights)
        before = np.zeros((*heights.shape[:-1], 1))
        counts = np.array([len(self.at), self.motions])
        return counts, np.array(self.at), np.concatenate([before, heights], axis=-1)
