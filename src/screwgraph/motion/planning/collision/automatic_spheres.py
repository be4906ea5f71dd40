"""Spheres of a robot from the shapes in its file."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.model.formats import split_readable, summarise_unreadable
from screwgraph.model.robot import Mesh, Robot, Visual
from screwgraph.motion.planning.collision.mesh_covers import cover_by_spheres
from screwgraph.motion.planning.collision.spheres import BodySphere, Spheres, place_spheres

AUTO = "auto"
"""Instead of a list of spheres: those of the robot's file."""
SPHERES = "spheres"
"""The same where there are capsules, too."""


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
    for centre, radius in cover_by_spheres(shape) if isinstance(shape, Mesh) else shape.covering_balls():
        yield T[:3, :3] @ centre + T[:3, 3], radius
