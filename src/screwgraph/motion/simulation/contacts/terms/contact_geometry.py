"""Geometry of the contacts of a robot: gaps, axes of the ground, Jacobians of points and of soles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.summary import one_line
from screwgraph.model.robot import Robot
from screwgraph.motion.simulation.contacts.geometry.contact import Contact
from screwgraph.motion.simulation.contacts.geometry.contact_slot import ContactSlot, count_slots
from screwgraph.motion.simulation.contacts.geometry.ground import PLANE, Plane, touch_plane
from screwgraph.motion.simulation.contacts.geometry.moving_point import MovingPoint, PointMotion
from screwgraph.motion.simulation.contacts.geometry.other_body import OtherBody
from screwgraph.motion.simulation.contacts.geometry.soles import (
    PointTouch,
    SeenGround,
    SoleTouch,
    subtract_columns,
    touch_pair,
    touch_sole,
)
from screwgraph.motion.simulation.contacts.terms.link_motions import LimbMotions, LinkMotions
from screwgraph.motion.simulation.contacts.terms.touch import Touch, gather_touch, touch_point
from screwgraph.spatial import Array, rotation, translation
from screwgraph.tape import Number

Motions = LimbMotions | LinkMotions


@dataclass(frozen=True, eq=False)
class ContactGeometry:
    """Contacts of a robot, and the ground: a plane, or tangent planes that are inputs.

    `soles` are contacts, by place, of one link with one plane, and those of pairs of shapes: they touch as one. Many
    contacts `share` the motions of links.
    """

    __repr__ = one_line

    robot: Robot
    contacts: tuple[Contact, ...]
    plane: Plane | None
    soles: tuple[tuple[int, ...], ...]
    share: bool = False

    def touch(self, q: Any, qd: Any, planes: Any) -> Touch:
        """Return where and how contacts touch, at velocities qd."""
        links = (LinkMotions if self.share else LimbMotions)(self.robot, q, np.array(qd, dtype=object))
        soles = [self._touch_sole(own, links, planes) for own in self.soles]
        found = {
            k: c for own, sole in zip(self.soles, soles, strict=True) for k, c in zip(own, sole.contacts, strict=True)
        }
        alone = [k for k in range(len(self.contacts)) if k not in found]
        found |= {k: self._touch_alone(k, links, planes) for k in alone}
        return gather_touch([found[k] for k in sorted(found)], self.soles, soles)

    def _find_place(self, k: int, planes: Any) -> Sequence[Number]:
        """Return the point of a contact in its frame, of a slot from the numbers after the planes."""
        contact, before = self.contacts[k], self.contacts[:k]
        if not isinstance(contact, ContactSlot):
            return contact.at
        first = PLANE * len(self.contacts) + 3 * count_slots(before)
        return planes[first : first + 3]

    def _touch_alone(self, k: int, links: Motions, planes: Any) -> PointTouch:
        contact = self.contacts[k]
        point, motion = links.locate(
            self.robot.frame(contact.frame), self._find_place(k, planes), paired=contact.against is not None
        )
        gap, axes, seen = self._see_ground(k, point, planes)
        arm = -contact.radius * seen[0]
        columns = point.at(arm) if contact.radius else point.linear
        if contact.against:  # both bodies at the same point, so that no moment is lost
            other, moved = self._locate_other(contact, contact.against, links)
            theirs = other.at(point.p + arm - other.p)
            columns = subtract_columns(columns, theirs)
            motion = motion.seen_from(moved)
        return touch_point(gap - contact.radius, axes, columns, motion.slip_rate(arm), seen)

    def _locate_other(self, contact: Contact, other: OtherBody, links: Motions) -> tuple[MovingPoint, PointMotion]:
        """Return the origin of the shape that a contact touches, of the frame of that where it is a slot."""
        at = (0.0, 0.0, 0.0) if isinstance(contact, ContactSlot) else other.at
        return links.locate(self.robot.frame(other.frame), at, paired=True)

    def _touch_sole(self, own: Sequence[int], links: Motions, planes: Any) -> SoleTouch:
        robot, contacts = self.robot, [self.contacts[k] for k in own]
        frames = [robot.frame(contact.frame) for contact in contacts]
        at, other = [self._find_place(k, planes) for k in own], contacts[0].against
        point, motion = links.locate(frames[0], at[0], paired=other is not None)
        places = [f.T_lf[:3, :3] @ np.array(x) + f.T_lf[:3, 3] for f, x in zip(frames, at, strict=True)]
        arms = [point.R @ (place - places[0]) for place in places]
        ground = self._see_ground(own[0], point, planes)
        if other is None:
            return touch_sole(ground, point, motion, arms, [c.radius for c in contacts])
        theirs, moved = self._locate_other(contacts[0], other, links)
        motion = motion.seen_from(moved)
        gaps = [touch_ground(None, planes, k, point.p + arm)[0] for k, arm in zip(own, arms, strict=True)]
        return touch_pair(ground, point, theirs, motion, arms, gaps)

    def _see_ground(self, k: int, point: MovingPoint, planes: Any) -> SeenGround:
        """Return the ground of contact k as its point sees it: limbs of a trunk share the turned axes of a plane."""
        height, axes = touch_ground(self.plane, planes, k, translation(point.T))
        seen = axes @ rotation(point.T)
        return SeenGround(height + seen[0] @ point.p, axes, seen)


def touch_ground(plane: Plane | None, planes: Any, k: int, p: Float[Array, "3"]) -> tuple[Any, Float[Array, "3 3"]]:
    """Return how far a point (m) is above the ground of contact k, a plane or one of those given, and its axes."""
    return plane.touch(p) if plane else touch_plane(p, planes[PLANE * k : PLANE * (k + 1)])
