"""Signed distances on a grid."""

from __future__ import annotations

import os
import zlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.motion.planning.collision.fields.cubic_table import CUBIC, LINEAR, Found, interpolate_table, pad_table

DAMAGED = (OSError, ValueError, EOFError, BadZipFile, NotImplementedError, RuntimeError, zlib.error, SyntaxError)
"""What NumPy raises for files that are no archives, or broken ones."""
BASES = {"tricubic": CUBIC, "trilinear": LINEAR}


@dataclass(frozen=True, eq=False)
class DistanceGrid:
    """Distances (m) from obstacles at the points of a grid, negative within; between them, interpolated.

    Args:
        values: (nx, ny, nz), at least two along each axis.
        origin: where the first value stands (m), (3,).
        spacing: between values (m): a number, or one for each axis.
        method: "tricubic", whose gradient is continuous, or "trilinear".

    Beyond the grid, where no obstacles are supposed to be, the way to it adds to the distance.

    Raises:
        InputError: it is empty, not finite, or a number is not positive.
    """

    __repr__ = one_line

    values: Float[np.ndarray, "nx ny nz"]
    origin: Any = (0.0, 0.0, 0.0)
    spacing: Any = 0.01
    method: str = "tricubic"

    def __post_init__(self) -> None:
        values = np.asarray(self.values)
        if values.ndim != 3 or values.dtype.kind not in "iuf" or min(values.shape) < 2:
            raise InputError(
                f"a grid of distances has the shape {values.shape}", fix="give (nx, ny, nz), each at least 2"
            )
        if not np.isfinite(values).all():
            raise InputError(f"a grid of distances is not finite at {np.argwhere(~np.isfinite(values))[0].tolist()}")
        if np.shape(self.origin) != (3,) or not np.isfinite(np.asarray(self.origin, dtype=float)).all():
            raise InputError(f"the origin of a grid is {self.origin!r}", why="it must be three numbers")
        spacing = np.asarray(self.spacing, dtype=float)
        if spacing.shape not in ((), (3,)) or not (np.isfinite(spacing) & (spacing > 0.0)).all():
            raise InputError(f"the spacing of a grid is {self.spacing!r}", why="it must be positive, one or three")
        if self.method not in BASES:
            raise InputError(f"there is no interpolation {self.method!r}", fix=f"give {' or '.join(BASES)}")

    @cached_property
    def _table(self) -> Float[np.ndarray, "mx my mz"]:
        return pad_table(np.asarray(self.values, dtype=float))

    def taylor(self, points: Float[np.ndarray, "N 3"]) -> Found:
        """Return distances (N,), gradients (N, 3) and second derivatives (N, 3, 3) at points."""
        spacing = np.broadcast_to(np.asarray(self.spacing, dtype=float), 3)
        at = (points - np.asarray(self.origin, dtype=float)) / spacing
        inside = np.clip(at, 0.0, np.array(self.values.shape) - 1.0)
        d, gradient, bent = interpolate_table(self._table, inside, BASES[self.method])
        gradient, bent = gradient / spacing, bent / np.outer(spacing, spacing)
        beyond = (at - inside) * spacing
        if not beyond.any():
            return d, gradient, bent
        way = np.linalg.norm(beyond, axis=1)
        out = beyond != 0.0
        gradient = np.where(out, 0.0, gradient) + beyond / np.where(way > 0.0, way, 1.0)[:, None]
        return d + way, gradient, np.where(out[:, :, None] | out[:, None, :], 0.0, bent)


def load_distance_grid(path: str | os.PathLike[str], method: str = "tricubic") -> DistanceGrid:
    """Return the grid of an .npz file with `values` (nx, ny, nz), `origin` (3,) and `spacing` (m).

    Raises:
        InputError: the file cannot be read, lacks an array, or these are no grid.
    """
    found = read_arrays(path, ("values", "origin", "spacing"))
    try:
        return DistanceGrid(found["values"], found["origin"], found["spacing"], method)
    except InputError as error:
        raise InputError(f"{path}: {error.what}", why=error.why, fix=error.fix) from None


def read_arrays(path: str | os.PathLike[str], names: tuple[str, ...]) -> dict[str, np.ndarray]:
    """Return arrays of an .npz file. Raises InputError where it cannot be read, or one is missing."""
    try:
        with Path(path).open("rb") as source:
            file = np.load(source, allow_pickle=False)
            if not hasattr(file, "files"):
                raise InputError(f"{path} is not an .npz file")
            for name in names:
                if name not in file.files:
                    raise InputError(f"{path} has no array {name!r}", fix=f"it must have {', '.join(names)}")
            found = {name: file[name] for name in names}
    except InputError:
        raise
    except DAMAGED as error:
        raise InputError(f"{path} cannot be read", why=(str(error).splitlines() or ["it is damaged"])[0]) from None
    for name, values in found.items():
        if values.dtype.kind not in "iuf":
            raise InputError(f"{path}: {name!r} holds no numbers, but {values.dtype}")
    return found
