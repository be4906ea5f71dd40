"""Tangent planes of uneven ground as machine code; see `compiler.kernels`.

Points are (contacts, 3, states), planes (contacts, 4, states), heights (maps, nx, ny) or (maps, steps), all contiguous;
where there are several maps, there are as many states. Numbers that are none go to the first cell.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import sqrt
from typing import Protocol, runtime_checkable

import numpy as np
from jaxtyping import Float

from screwgraph.base.summary import one_line
from screwgraph.compiler.kernels import Ints, Reals, Record, Table, compile_kernels, tail
from screwgraph.motion.simulation.contacts.geometry.ground import PLANE

FAR = 1e300
"""Beyond the squares of all places (m^2), and beyond these (m)."""
TOUCHING = 1e-12
"""Distance (m) from steps at which a point is on the level part."""
CHUNK = 64
"""Places that are looked up together: what belongs to them stays in the first cache."""
FOUND = 3
"""Numbers of a place: its height (m), and that one's derivatives."""
SCRATCH = 16 * CHUNK
"""Numbers that looking up takes beside what it finds."""


class Grid(Record):
    """Heights on a grid: their counts, whether slopes are continuous, where the first stands (m), how many a metre."""

    nx: int
    ny: int
    maps: int
    smooth: int
    x: float
    y: float
    density: float


def clip(x: float, least: float, most: float) -> float:
    """Return a number within bounds; the lower one for what is none."""
    if x > most:
        return most
    if x > least:
        return x
    return least


def weigh(u: float, weights: Reals) -> None:
    """Write the weights of four neighbours at a part of a cell, then their derivatives; Keys (1981), a = -1/2."""
    weights[0] = 0.5 * u * (u * (2.0 - u) - 1.0)
    weights[1] = 1.0 + 0.5 * u * u * (3.0 * u - 5.0)
    weights[2] = 0.5 * u * (1.0 + u * (4.0 - 3.0 * u))
    weights[3] = 0.5 * u * u * (u - 1.0)
    weights[4] = u * (2.0 - 1.5 * u) - 0.5
    weights[5] = u * (4.5 * u - 5.0)
    weights[6] = 0.5 + u * (4.0 - 4.5 * u)
    weights[7] = u * (1.5 * u - 1.0)


def find_cells(table: Table[Grid], apart: int, x: Reals, y: Reals, count: int, cells: Reals) -> None:
    """Write which height of a bilinear map is the first one of each place's cell, and where in the cell the place is.

    Then follow how many heights a metre has there, or zero where the map is level: vectors (5, CHUNK).
    """
    grid = table[0]
    for s in range(count):
        at_x = (x[s] - grid.x) * grid.density
        at_y = (y[s] - grid.y) * grid.density
        # Beyond its edges a map goes on as it ends: the height is that at the edge, the slope across the edge is zero.
        u = clip(at_x, 0.0, float(grid.nx - 1))
        v = clip(at_y, 0.0, float(grid.ny - 1))
        i = float(int(clip(u, 0.0, float(grid.nx - 2))))
        j = float(int(clip(v, 0.0, float(grid.ny - 2))))
        by_x = 0.0
        by_y = 0.0
        if u == at_x:
            by_x = grid.density
        if v == at_y:
            by_y = grid.density
        cells[s] = float(s * apart) + i * float(grid.ny) + j
        cells[CHUNK + s] = u - i
        cells[2 * CHUNK + s] = v - j
        cells[3 * CHUNK + s] = by_x
        cells[4 * CHUNK + s] = by_y


def read_corners(table: Table[Grid], heights: Reals, cells: Reals, count: int, corners: Reals) -> None:
    """Write the heights at the corners of cells, (4, CHUNK)."""
    beyond = table[0].ny
    for s in range(count):
        first = int(cells[s])
        corners[s] = heights[first]
        corners[CHUNK + s] = heights[first + 1]
        corners[2 * CHUNK + s] = heights[first + beyond]
        corners[3 * CHUNK + s] = heights[first + beyond + 1]


def join_corners(cells: Reals, corners: Reals, count: int, found: Reals) -> None:
    """Write heights and their derivatives, (3, CHUNK)."""
    for s in range(count):
        a = cells[CHUNK + s]
        b = cells[2 * CHUNK + s]
        near_slope = corners[CHUNK + s] - corners[s]
        far_slope = corners[3 * CHUNK + s] - corners[2 * CHUNK + s]
        near = corners[s] + b * near_slope
        slope = corners[2 * CHUNK + s] + b * far_slope - near
        found[s] = near + a * slope
        found[CHUNK + s] = slope * cells[3 * CHUNK + s]
        found[2 * CHUNK + s] = (near_slope + a * (far_slope - near_slope)) * cells[4 * CHUNK + s]


def find_among_neighbours(
    table: Table[Grid], heights: Reals, x: float, y: float, s: int, found: Reals, weights: Reals
) -> None:
    """Write the height (m) at place s of a smooth map, and its two derivatives."""
    grid = table[0]
    at_x = (x - grid.x) * grid.density
    at_y = (y - grid.y) * grid.density
    # Beyond its edges a map goes on as it ends: the height is that at the edge, the slope across the edge is zero.
    u = clip(at_x, 0.0, float(grid.nx - 1))
    v = clip(at_y, 0.0, float(grid.ny - 1))
    i = int(clip(u, 0.0, float(grid.nx - 2)))
    j = int(clip(v, 0.0, float(grid.ny - 2)))
    along_u = weights
    along_v = tail(weights, 8)
    weigh(u - float(i), along_u)
    weigh(v - float(j), along_v)
    z = 0.0
    slope_u = 0.0
    slope_v = 0.0
    for a in range(4):
        row = int(clip(float(i + a - 1), 0.0, float(grid.nx - 1))) * grid.ny
        across = 0.0
        across_slope = 0.0
        for b in range(4):
            height = heights[row + int(clip(float(j + b - 1), 0.0, float(grid.ny - 1)))]
            across = across + along_v[b] * height
            across_slope = across_slope + along_v[4 + b] * height
        z = z + along_u[a] * across
        slope_u = slope_u + along_u[4 + a] * across
        slope_v = slope_v + along_u[a] * across_slope
    found[s] = z
    found[CHUNK + s] = 0.0
    found[2 * CHUNK + s] = 0.0
    if u == at_x:
        found[CHUNK + s] = slope_u * grid.density
    if v == at_y:
        found[2 * CHUNK + s] = slope_v * grid.density


def look_up(
    table: Table[Grid], heights: Reals, apart: int, x: Reals, y: Reals, count: int, found: Reals, scratch: Reals
) -> None:
    """Write heights (m) at up to CHUNK places and their derivatives, (3, CHUNK); maps of places are so far `apart`."""
    if table[0].smooth == 0:
        corners = tail(scratch, 5 * CHUNK)
        find_cells(table, apart, x, y, count, scratch)
        read_corners(table, heights, scratch, count, corners)
        join_corners(scratch, corners, count, found)
    else:
        for s in range(count):
            find_among_neighbours(table, tail(heights, s * apart), x[s], y[s], s, found, scratch)


def find_heights(table: Table[Grid], heights: Reals, places: Reals, states: int, count: int, found: Reals) -> None:
    """Write heights and derivatives (states, 3, count) of places (states, 2, count); scratch follows."""
    grid = table[0]
    here = tail(found, FOUND * states * count)
    for s in range(states):
        own = heights
        if grid.maps > 1:
            own = tail(heights, s * grid.nx * grid.ny)
        for part in range((count + CHUNK - 1) // CHUNK):
            first = part * CHUNK
            most = count - first
            if most > CHUNK:
                most = CHUNK
            x = tail(places, 2 * s * count + first)
            look_up(table, own, 0, x, tail(x, count), most, here, tail(here, FOUND * CHUNK))
            for r in range(FOUND):
                for k in range(most):
                    found[(FOUND * s + r) * count + first + k] = here[r * CHUNK + k]


def lean_over(radius: float, x: Reals, y: Reals, count: int, found: Reals, places: Reals) -> None:
    """Write the places (2, CHUNK) at which balls with their centres at x and y touch slopes that were found."""
    for s in range(count):
        # The normal is (-h_x, -h_y, 1) / norm; a ball with its centre at p touches at p - radius n.
        by_x = found[CHUNK + s]
        by_y = found[2 * CHUNK + s]
        lean = radius / sqrt(1.0 + by_x * by_x + by_y * by_y)
        places[s] = x[s] + lean * by_x
        places[CHUNK + s] = y[s] + lean * by_y


def write_planes(places: Reals, found: Reals, count: int, states: int, planes: Reals) -> None:
    """Write the planes (4, states) at places (2, CHUNK)."""
    for s in range(count):
        by_x = found[CHUNK + s]
        by_y = found[2 * CHUNK + s]
        up = 1.0 / sqrt(1.0 + by_x * by_x + by_y * by_y)
        planes[s] = -by_x * up
        planes[states + s] = -by_y * up
        planes[2 * states + s] = up
        planes[3 * states + s] = (found[s] - by_x * places[s] - by_y * places[CHUNK + s]) * up


def touch_map(
    table: Table[Grid],
    heights: Reals,
    radii: Reals,
    points: Reals,
    planes: Reals,
    scratch: Reals,
    states: int,
    contacts: int,
) -> None:
    """Write the planes under balls, at the points whose normals lead to the balls' centres.

    The place under a ball is looked for once more, with the slope found before. Many states do one thing after the
    other, so that these are loops over vectors.
    """
    grid = table[0]
    apart = 0
    if grid.maps > 1:
        apart = grid.nx * grid.ny
    found = tail(scratch, SCRATCH)
    places = tail(found, FOUND * CHUNK)
    for k in range(contacts):
        for part in range((states + CHUNK - 1) // CHUNK):
            first = part * CHUNK
            count = states - first
            if count > CHUNK:
                count = CHUNK
            own = tail(heights, first * apart)
            x = tail(points, 3 * k * states + first)
            y = tail(x, states)
            look_up(table, own, apart, x, y, count, found, scratch)
            lean_over(radii[k], x, y, count, found, places)
            if radii[k] > 0.0:
                look_up(table, own, apart, places, tail(places, CHUNK), count, found, scratch)
            write_planes(places, found, count, states, tail(planes, 4 * k * states + first))


def touch_steps(
    counts: Ints,
    edges: Reals,
    heights: Reals,
    points: Reals,
    planes: Reals,
    scratch: Reals,
    states: int,
    contacts: int,
) -> None:
    """Write the planes at the points of level parts and risers that are nearest; heights begin with that before x_0.

    `counts` are those of steps and of stairs.
    """
    steps = counts[0]
    for s in range(states):
        level = heights
        if counts[1] > 1:
            level = tail(heights, s * (steps + 1))
        for k in range(contacts):
            x = points[3 * k * states + s]
            z = points[(3 * k + 2) * states + s]
            best = FAR
            near_x = x
            near_z = level[0]
            over = level[0]
            for i in range(steps + 1):
                at = x
                if i > 0:
                    at = clip(at, edges[i - 1], FAR)
                    if x >= edges[i - 1]:
                        over = level[i]
                if i < steps:
                    at = clip(at, -FAR, edges[i])
                square = (x - at) * (x - at) + (z - level[i]) * (z - level[i])
                if square < best:
                    best = square
                    near_x = at
                    near_z = level[i]
            for i in range(steps):
                height = clip(z, level[i], level[i + 1])
                if level[i] > level[i + 1]:
                    height = clip(z, level[i + 1], level[i])
                square = (x - edges[i]) * (x - edges[i]) + (z - height) * (z - height)
                if square < best:
                    best = square
                    near_x = edges[i]
                    near_z = height
            distance = sqrt(best)
            lean = 0.0
            up = 1.0
            if distance > TOUCHING:
                side = distance
                if z < over:
                    side = -distance
                lean = (x - near_x) / side
                up = (z - near_z) / side
            plane = tail(planes, 4 * k * states + s)
            plane[0] = lean
            plane[states] = 0.0
            plane[2 * states] = up
            plane[3 * states] = lean * near_x + up * near_z


@cache
def compile_ground_kernels() -> Mapping[str, Callable[..., None]]:
    """Return the machine code of all of them."""
    cells, neighbours = (find_cells, read_corners, join_corners), (weigh, find_among_neighbours)
    ways = (look_up, find_heights, lean_over, write_planes)
    return compile_kernels((clip, *cells, *neighbours, *ways, touch_map, touch_steps)).functions


@dataclass(frozen=True, eq=False)
class PlaneWriter:
    """A kernel and the tables that it reads; of several motions, there are as many states as these."""

    __repr__ = one_line

    kernel: str
    tables: Sequence[np.ndarray]
    motions: int = 1

    def planes(self, p: Float[np.ndarray, "*B k 3"]) -> Float[np.ndarray, "*B k 4"]:
        """Return the tangent planes under points (m)."""
        if self.motions > 1 and (p.ndim != 3 or len(p) != self.motions):
            p = np.broadcast_to(p, (self.motions, *p.shape[-2:]))
        (*batch, k, _) = p.shape
        points, planes, write = self.bind_arrays(int(np.prod(batch)), k)
        points[:] = p.reshape(points.shape)
        write()
        return np.ascontiguousarray(planes).reshape(*batch, k, PLANE)

    def bind_arrays(
        self, states: int, contacts: int
    ) -> tuple[Float[np.ndarray, "B k 3"], Float[np.ndarray, "B k 4"], Callable[[], None]]:
        """Return points, planes, and what writes the ones of the others.

        States are neighbours in both, so that machine code takes many at once. NumPy takes a microsecond for the
        address of an array.
        """
        points, planes = (np.empty((contacts, size, states)) for size in (3, PLANE))
        arrays = (*self.tables, points, planes, np.empty(SCRATCH + (FOUND + 2) * CHUNK))
        addresses = [x.ctypes.data for x in arrays]
        kernel = compile_ground_kernels()[self.kernel]

        def write(_: Sequence[np.ndarray] = arrays) -> None:
            kernel(*addresses, states, contacts)

        return np.moveaxis(points, 2, 0), np.moveaxis(planes, 2, 0), write


@runtime_checkable
class CompiledGround(Protocol):
    """Ground whose tangent planes machine code finds."""

    def writer(self, radii: Float[np.ndarray, " k"], /) -> PlaneWriter:
        """Return the code that finds the planes that balls of these radii (m) touch."""
        ...
