"""Spheres of a robot from the shapes in its file."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.model.formats import split_readable, summarise_unreadable
from screwgraph.model.robot import Box, Capsule, Cylinder, Ellipsoid, Mesh, Robot, Sphere, Visual
from screwgraph.motion.planning.collision.mesh_covers import cover_by_spheres
from screwgraph.motion.planning.collision.spheres import BodySphere, Spheres, place_spheres

AUTO = "auto"
"""Instead of a list of spheres: those of the robot's file."""
SPHERES = "spheres"
"""The same where there are capsules, too."""
MOST = 6
"""Spheres along one axis of a shape, at most."""


def placed_spheres(robot: Robot, spheres: Sequence[BodySphere] | str) -> Spheres:
    """Return given spheres, or those of the robot's file for `AUTO`, in the frames of links. Raises InputError."""
    if isinstance(spheres, str) and spheres != AUTO:
        raise InputError(f"expected spheres, got {spheres!r}", fix=f"give a list of them, or {AUTO!r}")
    return place_spheres(robot, automatic_spheres(robot) if isinstance(spheres, str) else spheres)


def automatic_spheres(robot: Robot) -> tuple[BodySphere, ...]:
    """Return spheres that cover the collision shapes of all links that move.

    Raises:
        InputError: a link that moves and has a mass has no shape, or only meshes that cannot be read.
    """
    return tuple(
        BodySphere(link, tuple(centre.tolist()), float(radius))
        for link, visual in collision_shapes(robot)
        for centre, radius in _cover(visual)
    )


def collision_shapes(robot: Robot) -> list[tuple[str, Visual]]:
    """Return the shapes that may touch something, of all links that move, with the link of each.

    Meshes that cannot be had are left out, and named in one warning (RuntimeWarning), where a link has other shapes.

    Raises:
        InputError: a link that moves and has a mass has no shape, or only meshes that cannot be read.
    """
    found, missing = [], []
    for link in robot.links:
        if robot.joint_of(link.name) is None:
            continue
        own, wrong = split_readable(link.collisions or link.visuals)
        own = own or split_readable(link.visuals)[0]
        missing += wrong
        if not own and link.inertia.mass > 0.0:
            raise InputError(
                f"link {link.name!r} has no shape to make collision spheres of",
                why=summarise_unreadable(wrong) if wrong else "",
                fix="list spheres: link, centre, radius",
            )
        found += [(link.name, visual) for visual in own]
    if missing:
        warnings.warn(f"{robot.name}: {summarise_unreadable(missing)}", RuntimeWarning, stacklevel=3)
    return found


def _cover(visual: Visual) -> Iterator[tuple[Float[np.ndarray, "3"], float]]:
    """Return centres in the link's frame, and radii, of spheres that cover a shape."""
    shape, T = visual.shape, visual.T_bs
    match shape:
        case Sphere():
            own, radius = np.zeros((1, 3)), shape.radius
        case Capsule():
            n = _pieces(shape.length, shape.radius)
            own = _points_on_axis(np.linspace(-0.5, 0.5, n + 1) * shape.length)
            radius = float(np.hypot(shape.radius, 0.5 * shape.length / n))
        case Cylinder():
            n = _pieces(shape.length, shape.radius)
            own = _points_on_axis(((np.arange(n) + 0.5) / n - 0.5) * shape.length)
            radius = float(np.hypot(shape.radius, 0.5 * shape.length / n))
        case Ellipsoid():
            yield from _slices(shape, T)
            return
        case Mesh():
            yield from ((T[:3, :3] @ centre + T[:3, 3], size) for centre, size in cover_by_spheres(shape))
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


def _points_on_axis(z: Float[np.ndarray, " n"]) -> Float[np.ndarray, "n 3"]:
    return np.stack([0.0 * z, 0.0 * z, z], axis=1)
