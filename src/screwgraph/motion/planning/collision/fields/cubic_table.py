"""Tables in three dimensions, cubic between their entries: continuous to the first derivative."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

Found = tuple[Float[np.ndarray, " N"], Float[np.ndarray, "N 3"], Float[np.ndarray, "N 3 3"]]
"""Values, gradients, second derivatives."""
CUBIC = 0.5 * np.array([[0.0, -1.0, 2.0, -1.0], [2.0, 0.0, -5.0, 3.0], [0.0, 1.0, 4.0, -3.0], [0.0, 0.0, -1.0, 1.0]])
"""How much each of four neighbours weighs in each power of the part of a cell. Keys (1981), eq. (15), a = -1/2."""
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
