"""Contacts of the collision shapes of a robot's file: points and balls that touch the ground as the shapes do."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.model.robot import Robot
from screwgraph.model.robot.shapes import Box, Capsule, Cylinder, Ellipsoid, Shape, Sphere
from screwgraph.motion.simulation.contacts.contact import Contact

RIM = 8
"""Points on each rim of a cylinder."""


def contacts_of_shapes(robot: Robot) -> tuple[Contact, ...]:
    """Return contacts of all links that move: spheres, ends of capsules, corners of boxes, points of rims.

    Of an ellipsoid they are the points that are farthest along its axes and the diagonals between.

    Raises:
        InputError: the file has no collision shapes, or only meshes.
    """
    found, passed = list[Contact](), list[str]()
    moving = {joint.child for joint in robot.joints}
    for link in robot.links:
        for visual in (link.collisions or link.visuals) if link.name in moving else ():
            points = list(_points(visual.shape))
            if not points:
                passed.append(link.name)
            for at, radius in points:
                place = visual.T_bs[:3, :3] @ at + visual.T_bs[:3, 3]
                found.append(Contact(link.name, radius, at=(float(place[0]), float(place[1]), float(place[2]))))
    if not found:
        raise InputError(
            f"robot {robot.name!r} has no shapes that touch the ground",
            why=f"links {', '.join(passed[:3])} have meshes only" if passed else "its file has no collision shapes",
            fix='name them: contacts=[sg.Contact("foot", radius=0.02), ...]',
        )
    return tuple(found)


def _points(shape: Shape) -> Iterator[tuple[Float[np.ndarray, "3"], float]]:
    """Yield points (m) in a shape's own frame, and radii of balls about them; none of a mesh."""
    if isinstance(shape, Sphere):
        yield np.zeros(3), shape.radius
    elif isinstance(shape, Capsule):
        for side in (-0.5, 0.5):
            yield np.array([0.0, 0.0, side * shape.length]), shape.radius
    elif isinstance(shape, Box):
        for signs in product((-0.5, 0.5), repeat=3):
            yield np.array(signs) * shape.size, 0.0
    elif isinstance(shape, Cylinder):
        for side, angle in product((-0.5, 0.5), 2.0 * np.pi * np.arange(RIM) / RIM):
            x, y = shape.radius * np.cos(angle), shape.radius * np.sin(angle)
            yield np.array([x, y, side * shape.length]), 0.0
    elif isinstance(shape, Ellipsoid):
        for signs in product((-1.0, 0.0, 1.0), repeat=3):
            if any(signs):
                squares = np.array(shape.radii) ** 2 * signs
                yield squares / np.sqrt(squares @ signs), 0.0
