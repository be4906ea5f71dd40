"""Contacts of the collision shapes of a robot's file: points and balls that touch the ground as the shapes do."""

from __future__ import annotations

from screwgraph.base.errors import InputError
from screwgraph.model.robot import Robot
from screwgraph.motion.simulation.contacts.contact import Contact


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
            balls = visual.shape.contact_balls()
            if not balls:
                passed.append(link.name)
            for at, radius in balls:
                place = visual.T_bs[:3, :3] @ at + visual.T_bs[:3, 3]
                found.append(Contact(link.name, radius, at=(float(place[0]), float(place[1]), float(place[2]))))
    if not found:
        raise InputError(
            f"robot {robot.name!r} has no shapes that touch the ground",
            why=f"links {', '.join(passed[:3])} have meshes only" if passed else "its file has no collision shapes",
            fix='name them: contacts=[sg.Contact("foot", radius=0.02), ...]',
        )
    return tuple(found)
