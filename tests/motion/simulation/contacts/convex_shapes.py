"""Random pairs of convex bodies that almost touch, as coal has them, and files of meshes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import trimesh

from screwgraph.model.robot import Mesh
from screwgraph.spatial.exponential import exp3
from screwgraph.spatial.se3 import transform


def make_mesh(folder: Path, name: str) -> Mesh:
    """Write a mesh: a cube of 0.1 m, one of many triangles, or a ball of 0.05 m."""
    cube = trimesh.creation.box((0.1, 0.1, 0.1))
    shapes = {"cube": cube, "fine cube": cube.subdivide().subdivide(), "ball": trimesh.creation.icosphere(3, 0.05)}
    file = folder / f"{name}.stl"
    shapes[name].export(file)
    return Mesh(str(file))


def random_turn(rng: np.random.Generator, size: float) -> np.ndarray:
    return np.asarray(exp3(size * rng.normal(size=3)), dtype=float)


def find_distance(coal: Any, first: Any, T: np.ndarray, second: Any, other: np.ndarray) -> float:
    poses = [coal.Transform3s(x[:3, :3].copy(), x[:3, 3].copy()) for x in (T, other)]
    return coal.distance(first, poses[0], second, poses[1], coal.DistanceRequest(), coal.DistanceResult())


def nearby_poses(
    coal: Any, pairs: list[tuple[Any, Any]], rng: np.random.Generator, gap: float
) -> Iterator[tuple[np.ndarray, np.ndarray, float]]:
    """Yield poses of the first and of the second body of each pair, and their distance (m), about the gap."""
    for k, (first, second) in enumerate(pairs):
        T = transform(random_turn(rng, float(k % 3 > 0)), 0.1 * rng.normal(size=3))
        R = T[:3, :3] @ random_turn(rng, 1e-3) if k % 5 == 0 else random_turn(rng, 0.7)
        way = rng.normal(size=3)
        way /= np.linalg.norm(way)
        near, far = 0.0, 1.0
        for _ in range(50):
            middle = 0.5 * (near + far)
            is_apart = find_distance(coal, first, T, second, transform(R, T[:3, 3] + middle * way)) > gap
            near, far = (near, middle) if is_apart else (middle, far)
        there = transform(R, T[:3, 3] + near * way)
        yield T, there, find_distance(coal, first, T, second, there)
