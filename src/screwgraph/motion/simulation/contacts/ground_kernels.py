"""Tangent planes of uneven ground as machine code; see `compiler.kernels`.

Points are (states, contacts, 3), planes (states, contacts, 4), heights (maps, nx, ny) or (maps, steps), all contiguous;
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
from screwgraph.motion.simulation.contacts.ground import PLANE

FAR = 1e300
"""Beyond the squares of all places (m^2), and beyond these (m)."""
TOUCHING = 1e-12
"""Distance (m) from steps at which a point is on the level part."""
SCRATCH = 19
"""Numbers of which a height, its derivatives and the weights of neighbours are found."""


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


def find_in_cell(table: Table[Grid], heights: Reals, x: float, y: float, found: Reals) -> None:
    """Write the height (m) at a place of a bilinear map, and its two derivatives."""
    grid = table[0]
    at_x = (x - grid.x) * grid.density
    at_y = (y - grid.y) * grid.density
    # Beyond its edges a map goes on as it ends: the height is that at the edge, the slope across the edge is zero.
    u = clip(at_x, 0.0, float(grid.nx - 1))
    v = clip(at_y, 0.0, float(grid.ny - 1))
    i = int(clip(u, 0.0, float(grid.nx - 2)))
    j = int(clip(v, 0.0, float(grid.ny - 2)))
    corner = i * grid.ny + j
    a = u - float(i)
    b = v - float(j)
    near_slope = heights[corner + 1] - heights[corner]
    far_slope = heights[corner + grid.ny + 1] - heights[corner + grid.ny]
    near = heights[corner] + b * near_slope
    slope = heights[corner + grid.ny] + b * far_slope - near
    found[0] = near + a * slope
    found[1] = 0.0
    found[2] = 0.0
    if u == at_x:
        found[1] = slope * grid.density
    if v == at_y:
        found[2] = (near_slope + a * (far_slope - near_slope)) * grid.density


def find_among_neighbours(table: Table[Grid], heights: Reals, x: float, y: float, found: Reals) -> None:
    """Write the height (m) at a place of a smooth map, and its two derivatives; weights of neighbours stand beyond."""
    grid = table[0]
    at_x = (x - grid.x) * grid.density
    at_y = (y - grid.y) * grid.density
    # Beyond its edges a map goes on as it ends: the height is that at the edge, the slope across the edge is zero.
    u = clip(at_x, 0.0, float(grid.nx - 1))
    v = clip(at_y, 0.0, float(grid.ny - 1))
    i = int(clip(u, 0.0, float(grid.nx - 2)))
    j = int(clip(v, 0.0, float(grid.ny - 2)))
    along_u = tail(found, 3)
    along_v = tail(found, 11)
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
    found[0] = z
    found[1] = 0.0
    found[2] = 0.0
    if u == at_x:
        found[1] = slope_u * grid.density
    if v == at_y:
        found[2] = slope_v * grid.density


def find_height(table: Table[Grid], heights: Reals, x: float, y: float, found: Reals) -> None:
    """Write the height (m) at a place and its two derivatives; of smooth maps, weights of neighbours stand beyond."""
    grid = table[0]
    if grid.smooth == 0:
        find_in_cell(table, heights, x, y, found)
    else:
        find_among_neighbours(table, heights, x, y, found)


def find_heights(table: Table[Grid], heights: Reals, places: Reals, states: int, count: int, found: Reals) -> None:
    """Write heights and derivatives (states, count, 3) of places (states, count, 2); `SCRATCH` entries more follow."""
    grid = table[0]
    for s in range(states):
        own = heights
        if grid.maps > 1:
            own = tail(heights, s * grid.nx * grid.ny)
        for k in range(s * count, (s + 1) * count):
            find_height(table, own, places[2 * k], places[2 * k + 1], tail(found, 3 * k))


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

    The place under a ball is looked for once more, with the slope found before. All contacts of a state do one thing
    after the other, so that none waits for its own: `scratch` has two numbers for the place of each, three for what is
    found there, and `SCRATCH` more.
    """
    grid = table[0]
    found = tail(scratch, 2 * contacts)
    balls = 0
    for k in range(contacts):
        if radii[k] > 0.0:
            balls = balls + 1
    for s in range(states):
        own = heights
        if grid.maps > 1:
            own = tail(heights, s * grid.nx * grid.ny)
        for k in range(contacts):
            point = tail(points, 3 * (s * contacts + k))
            find_height(table, own, point[0], point[1], tail(found, 3 * k))
        for k in range(contacts):
            # The normal is (-h_x, -h_y, 1) / norm; a ball with its centre at p touches at p - radius n.
            point = tail(points, 3 * (s * contacts + k))
            first = tail(found, 3 * k)
            place = tail(scratch, 2 * k)
            lean = radii[k] / sqrt(1.0 + first[1] * first[1] + first[2] * first[2])
            place[0] = point[0] + lean * first[1]
            place[1] = point[1] + lean * first[2]
        if balls > 0:
            for k in range(contacts):
                find_height(table, own, scratch[2 * k], scratch[2 * k + 1], tail(found, 3 * k))
        for k in range(contacts):
            plane = tail(planes, 4 * (s * contacts + k))
            under = tail(found, 3 * k)
            up = 1.0 / sqrt(1.0 + under[1] * under[1] + under[2] * under[2])
            plane[0] = -under[1] * up
            plane[1] = -under[2] * up
            plane[2] = up
            plane[3] = plane[0] * scratch[2 * k] + plane[1] * scratch[2 * k + 1] + up * under[0]


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
            point = tail(points, 3 * (s * contacts + k))
            x = point[0]
            z = point[2]
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
            plane = tail(planes, 4 * (s * contacts + k))
            plane[0] = 0.0
            plane[1] = 0.0
            plane[2] = 1.0
            if distance > TOUCHING:
                side = distance
                if z < over:
                    side = -distance
                plane[0] = (x - near_x) / side
                plane[2] = (z - near_z) / side
            plane[3] = plane[0] * near_x + plane[2] * near_z


@cache
def compile_ground_kernels() -> Mapping[str, Callable[..., None]]:
    """Return the machine code of all of them."""
    heights = (find_in_cell, find_among_neighbours, find_height, find_heights)
    return compile_kernels((clip, weigh, *heights, touch_map, touch_steps)).functions


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
        points = np.ascontiguousarray(p, dtype=float)
        planes = np.empty((*points.shape[:-1], PLANE))
        self.bind_arrays(points, planes)()
        return planes

    def bind_arrays(
        self, points: Float[np.ndarray, "*B k 3"], planes: Float[np.ndarray, "*B k 4"]
    ) -> Callable[[], None]:
        """Return what writes planes from points, contiguous arrays; NumPy takes a microsecond for each address."""
        contacts = points.shape[-2]
        arrays = (*self.tables, points, planes, np.empty(5 * contacts + SCRATCH))
        addresses = [x.ctypes.data for x in arrays]
        states = points.size // max(1, 3 * contacts)
        kernel = compile_ground_kernels()[self.kernel]

        def write(_: Sequence[np.ndarray] = arrays) -> None:
            kernel(*addresses, states, contacts)

        return write


@runtime_checkable
class CompiledGround(Protocol):
    """Ground whose tangent planes machine code finds."""

    def writer(self, radii: Float[np.ndarray, " k"], /) -> PlaneWriter:
        """Return the code that finds the planes that balls of these radii (m) touch."""
        ...
