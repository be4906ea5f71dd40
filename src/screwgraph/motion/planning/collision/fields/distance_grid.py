"""Signed distances on a grid."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.model.formats import read_arrays

# Tables in three dimensions, cubic between their entries: continuous to the first derivative.

Found = tuple[Float[np.ndarray, " N"], Float[np.ndarray, "N 3"], Float[np.ndarray, "N 3 3"]]
"""Values, gradients, second derivatives."""
CUBIC = 0.5 * np.array([[0.0, -1.0, 2.0, -1.0], [2.0, 0.0, -5.0, 3.0], [0.0, 1.0, 4.0, -3.0], [0.0, 0.0, -1.0, 1.0]])
"""How much each of four neighbours weighs in each power of the part of a cell: Keys (1981), eq. (15), a = -1/2."""
LINEAR = np.array([[0.0, 0.0, 0.0, 0.0], [1.0, -1.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]])
"""The same for linear interpolation."""


def pad_table(values: Float[np.ndarray, "nx ny nz"]) -> Float[np.ndarray, "mx my mz"]:
    """Return a table with one more entry on either side, which goes on straight."""
    return np.pad(values, 1, mode="reflect", reflect_type="odd")


def interpolate_table(
    table: Float[np.ndarray, "mx my mz"], at: Float[np.ndarray, "N 3"], basis: Float[np.ndarray, "4 4"]
) -> Found:
    """Return values and derivatives of a padded table at places counted in cells from its first inner entry."""
    inner = np.array(table.shape) - 2
    cell = np.clip(np.floor(at), 0, inner - 2).astype(np.intp)
    w = _weights(at - cell, basis)
    picked = _gather_entries(table, cell)
    z = [np.einsum("pijk,pk->pij", picked, w[d][:, 2]) for d in range(3)]
    yz = {(a, b): np.einsum("pij,pj->pi", z[b], w[a][:, 1]) for a in range(3) for b in range(3 - a)}
    orders = [
        (0, 0, 0),
        (1, 0, 0),
        (0, 1, 0),
        (0, 0, 1),
        (2, 0, 0),
        (0, 2, 0),
        (0, 0, 2),
        (1, 1, 0),
        (1, 0, 1),
        (0, 1, 1),
    ]
    v = [np.einsum("pi,pi->p", yz[b, c], w[a][:, 0]) for a, b, c in orders]
    H = np.stack([v[4], v[7], v[8], v[7], v[5], v[9], v[8], v[9], v[6]], axis=1).reshape(-1, 3, 3)
    return v[0], np.stack(v[1:4], axis=1), H


def _weights(part: Float[np.ndarray, "N 3"], basis: Float[np.ndarray, "4 4"]) -> list[Float[np.ndarray, "N 3 4"]]:
    """Return weights of the four neighbours in each direction, and their first and second derivatives."""
    one, zero = np.ones_like(part), np.zeros_like(part)
    powers = (
        np.stack([one, part, part**2, part**3], axis=-1),
        np.stack([zero, one, 2.0 * part, 3.0 * part**2], axis=-1),
        np.stack([zero, zero, 2.0 * one, 6.0 * part], axis=-1),
    )
    return [p @ basis.T for p in powers]


def _gather_entries(table: Float[np.ndarray, "mx my mz"], cell: np.ndarray) -> Float[np.ndarray, "N 4 4 4"]:
    """Return the 64 entries about each cell."""
    _, my, mz = table.shape
    near = np.arange(4)
    offsets = ((near[:, None, None] * my + near[None, :, None]) * mz + near).ravel()
    first = (cell[:, 0] * my + cell[:, 1]) * mz + cell[:, 2]
    return table.ravel()[first[:, None] + offsets].reshape(-1, 4, 4, 4)


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
