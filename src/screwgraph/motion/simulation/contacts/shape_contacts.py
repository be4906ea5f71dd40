"""Contacts of shapes: points and balls that touch as the shapes do, and slots where these are found at each step."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError, ModelError
from screwgraph.model.formats import split_readable, summarise_unreadable
from screwgraph.model.robot import Robot, Visual
from screwgraph.model.robot.shapes import Shape, Sphere
from screwgraph.motion.simulation.contacts.geometry.contact import Contact
from screwgraph.motion.simulation.contacts.geometry.contact_slot import ContactSlot, make_slots
from screwgraph.motion.simulation.contacts.geometry.convex_body import find_convex_body, import_coal
from screwgraph.motion.simulation.contacts.geometry.other_body import OtherBody
from screwgraph.motion.simulation.contacts.geometry.touching_points import MOST_SLOTS
from screwgraph.motion.simulation.contacts.slot_finders import needs_coal
from screwgraph.spatial.se3 import inverse
from screwgraph.spatial.so3 import to_rpy

POINT = 1e-9
"""Radius (m) of the ball that stands for a point where coal finds what it touches."""


def contacts_of_shapes(robot: Robot) -> tuple[Contact, ...]:
    """Return contacts of all links that move: spheres, ends of capsules, corners of boxes and meshes, points of rims.

    Of an ellipsoid they are the points that are farthest along its axes and the diagonals between. A mesh with more
    than eight corners has slots.

    Warns:
        RuntimeWarning: meshes are left out that cannot be read.

    Raises:
        InputError: the file has no collision shapes that can be read, or a mesh is flat.
    """
    moving, wrong = {joint.child for joint in robot.joints}, list[ModelError]()
    found = list[Contact]()
    for link in robot.links:
        visuals, missing = split_readable((link.collisions or link.visuals) if link.name in moving else ())
        wrong += missing
        for visual in visuals:
            at, rpy = _as_triple(visual.T_bs[:3, 3]), _as_triple(to_rpy(visual.T_bs[:3, :3]))
            found += _expand_on_ground(Contact(link.name, shape=visual.shape, at=at, rpy=rpy))
    if not found:
        raise InputError(
            f"robot {robot.name!r} has no shapes that touch the ground",
            why=summarise_unreadable(wrong) if wrong else "its file has no collision shapes",
            fix='name them: contacts=[sg.Contact("foot", radius=0.02), ...]',
        )
    if wrong:
        warnings.warn(f"contacts of {robot.name}: {summarise_unreadable(wrong)}", RuntimeWarning, stacklevel=2)
    return tuple(found)


def expand_shapes(robot: Robot, contacts: Iterable[Contact]) -> list[Contact]:
    """Return contacts whose shapes are points, balls or slots. Raises InputError, ModelError."""
    found = list[Contact]()
    for contact in contacts:
        if isinstance(contact, ContactSlot) or not _needs_shapes(contact):
            found.append(contact)
            continue
        for own in _place_own(robot, contact):
            found += [x for other in _place_others(robot, contact.against) for x in _expand_pair(own, other)]
    return found


def _needs_shapes(contact: Contact) -> bool:
    """Return whether a contact is not a point or ball that touches the ground, or a shape that code knows."""
    return contact.shape is not None or (contact.against is not None and not contact.against.knows_distances)


def _place_own(robot: Robot, contact: Contact) -> list[Contact]:
    """Return the contacts of a link's shapes, each with its pose."""
    if not isinstance(contact.shape, str):
        return [contact]
    return [replace(contact, shape=s, at=at, rpy=rpy) for s, at, rpy in _list_shapes(robot, contact.frame, contact)]


def _place_others(robot: Robot, other: OtherBody | None) -> list[OtherBody | None]:
    """Return the shapes of another body."""
    if other is None or not isinstance(other.shape, str):
        return [other]
    return [replace(other, shape=s, at=at, rpy=rpy) for s, at, rpy in _list_shapes(robot, other.frame, other)]


Triple = tuple[float, float, float]


def _list_shapes(robot: Robot, name: str, placed: Any) -> list[tuple[Any, Triple, Triple]]:
    """Return the shapes of a link's file with their places in a frame. Raises InputError where it has none."""
    frame = robot.frame(name)
    link = robot.link(frame.link)
    visuals: Sequence[Visual] = link.collisions or link.visuals
    if not visuals:
        raise InputError(
            f"link {link.name!r} has no shapes", why="its file has none", fix="give a shape: Box((0.1, 0.1, 0.1))"
        )
    if any(placed.at) or any(placed.rpy):
        raise InputError(f"the shapes of {name!r} have places of their own", fix="leave out at and rpy")
    poses = [(visual.shape, inverse(frame.T_lf) @ visual.T_bs) for visual in visuals]
    return [(shape, _as_triple(T[:3, 3]), _as_triple(to_rpy(T[:3, :3]))) for shape, T in poses]


def _as_triple(x: Float[np.ndarray, "3"]) -> Triple:
    return float(x[0]), float(x[1]), float(x[2])


def _expand_pair(own: Contact, other: OtherBody | None) -> list[Contact]:
    """Return the contacts of one shape, or a point or ball, with another shape, or the ground."""
    if other is None:
        return _expand_on_ground(own)
    made = replace(own, against=other)
    balls = _list_balls(own.shape) if own.shape is not None else [(np.zeros(3), own.radius)]
    if other.knows_distances and len(balls) == 1:  # a ball: code finds its distance
        return [_make_ball(made, *balls[0])]
    if own.shape is None:
        made = replace(made, shape=Sphere(max(own.radius, POINT)), radius=0.0)
    if needs_coal(made.shape, other.shape):
        import_coal()
    return make_slots(made, min(_count_points(made.shape), _count_points(other.shape), own.slots))


def _expand_on_ground(own: Contact) -> list[Contact]:
    """Return the points and balls of a shape; of a mesh with more than eight corners, slots."""
    balls = _list_balls(own.shape)
    if not balls:  # a mesh
        points = find_convex_body(own.shape).points
        if len(points) > MOST_SLOTS:
            return make_slots(own, own.slots)
        balls = [(p, 0.0) for p in points]
    return [_make_ball(own, p, radius) for p, radius in balls]


def _list_balls(shape: Shape) -> list[tuple[Float[np.ndarray, "3"], float]]:
    """Return the points and balls of a shape, none of a mesh."""
    return [(np.asarray(ball.centre, dtype=float), float(ball.radius)) for ball in shape.contact_balls()]


def _make_ball(contact: Contact, centre: Float[np.ndarray, "3"], radius: float) -> Contact:
    """Return a contact of a ball in the place of its shape."""
    T = contact.T
    at = _as_triple(T[:3, :3] @ centre + T[:3, 3])
    return replace(contact, shape=None, rpy=(0.0, 0.0, 0.0), at=at, radius=radius)


def _count_points(shape: Shape) -> int:
    """Return in how many points a shape touches another one at most: a ball in one, a capsule in two."""
    count = len(find_convex_body(shape).points)
    return count if count < 3 else MOST_SLOTS
