"""Spheres of a robot from the shapes in its file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from jaxtyping import Float

from screwgraph.errors import InputError
from screwgraph.plan.collision.spheres import BodySphere, Spheres, placed
from screwgraph.robot import Box, Capsule, Cylinder, Ellipsoid, Robot, Sphere, Visual

AUTO = "auto"
"""Instead of a list of spheres: those of the robot's file."""
MOST = 6
"""Spheres along one axis of a shape, at most."""


def placed_spheres(robot: Robot, spheres: Sequence[BodySphere] | str) -> Spheres:
    """Return given spheres, or those of the robot's file for `AUTO`, in the frames of links. Raises InputError."""
    if isinstance(spheres, str) and spheres != AUTO:
        raise InputError(f"expected spheres, got {spheres!r}", fix=f"give a list of them, or {AUTO!r}")
    return placed(robot, automatic_spheres(robot) if isinstance(spheres, str) else spheres)


def automatic_spheres(robot: Robot) -> tuple[BodySphere, ...]:
    """Return spheres that cover the primitive shapes of all links that move; meshes are not read.

    Raises:
        InputError: a link that moves and has a mass has no primitive shape.
    """
    found = []
    for link in robot.links:
        if robot.joint_of(link.name) is None:
            continue
        if not link.visuals and link.inertia.mass > 0.0:
            raise InputError(
                f"link {link.name!r} has no primitive shape to make collision spheres of",
                why="meshes are not read",
                fix="list spheres: link, centre, radius",
            )
        for visual in link.visuals:
            for centre, radius in _cover(visual):
                found.append(BodySphere(link.name, tuple(centre.tolist()), float(radius)))
    return tuple(found)


def _cover(visual: Visual) -> Iterator[tuple[Float[np.ndarray, "3"], float]]:
    """Return centres in the link's frame, and radii, of spheres that cover a shape."""
    shape, T = visual.shape, visual.T_bs
    match shape:
        case Sphere():
            own, radius = np.zeros((1, 3)), shape.radius
        case Capsule():
            n = _pieces(shape.length, shape.radius)
            own = _along(np.linspace(-0.5, 0.5, n + 1) * shape.length)
            radius = float(np.hypot(shape.radius, 0.5 * shape.length / n))
        case Cylinder():
            n = _pieces(shape.length, shape.radius)
            own = _along(((np.arange(n) + 0.5) / n - 0.5) * shape.length)
            radius = float(np.hypot(shape.radius, 0.5 * shape.length / n))
        case Ellipsoid():
            yield from _slices(shape, T)
            return
        case Box():
            size = np.asarray(shape.size, dtype=float)
            counts = [_pieces(s, float(size.min())) for s in size]
            axes = [((np.arange(n) + 0.5) / n - 0.5) * s for n, s in zip(counts, size, strict=True)]
            own = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
            radius = float(0.5 * np.linalg.norm(size / counts))
    for p in own:
        yield T[:3, :3] @ p + T[:3, 3], radius


def _slices(shape: Ellipsoid, T: Float[np.ndarray, "4 4"]) -> Iterator[tuple[Float[np.ndarray, "3"], float]]:
    """Return spheres along the longest axis, each about a slice."""
    radii = np.asarray(shape.radii, dtype=float)
    axis = int(radii.argmax())
    longest, widest = float(radii[axis]), float(np.delete(radii, axis).max())
    n = _pieces(2.0 * longest, widest)
    for k in range(n):
        low, high = (2.0 * k / n - 1.0) * longest, (2.0 * (k + 1) / n - 1.0) * longest
        nearest = 0.0 if low < 0.0 < high else min(abs(low), abs(high))
        wide = widest * np.sqrt(1.0 - (nearest / longest) ** 2)
        yield T[:3, axis] * (0.5 * (low + high)) + T[:3, 3], float(np.hypot(wide, 0.5 * (high - low)))


def _pieces(length: float, width: float) -> int:
    """Return into how many pieces to cut a length, that they be about as long as wide."""
    return int(np.clip(np.ceil(length / width - 1e-9), 1, MOST))


def _along(z: Float[np.ndarray, " n"]) -> Float[np.ndarray, "n 3"]:
    return np.stack([0.0 * z, 0.0 * z, z], axis=1)
