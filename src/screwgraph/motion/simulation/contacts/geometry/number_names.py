"""Names of numbers that steps with contacts take and return: which number of which contact, as "friction:FR_foot"."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import count

from screwgraph.motion.simulation.contacts.geometry.contact import Contact
from screwgraph.motion.simulation.contacts.geometry.contact_slot import ContactSlot

AXES = ("x", "y", "z")
PLANES = ("normal_x", "normal_y", "normal_z", "height")
"""Numbers of a tangent plane, in order: a unit normal, the height along it (m)."""
POINT = tuple(f"point_{axis}" for axis in AXES)
"""Numbers of the point of a slot in its frame (m)."""


def label_contacts(frames: Sequence[str]) -> tuple[str, ...]:
    """Return a label for each contact: its frame, and, of several of one frame, which of these it is, from 0 on."""
    several = {frame: count() for frame, number in Counter(frames).items() if number > 1}
    return tuple(f"{frame}[{next(several[frame])}]" if frame in several else frame for frame in frames)


def name_numbers(kinds: Sequence[str], labels: Sequence[str]) -> tuple[str, ...]:
    """Return names of the numbers of each label, all of one after all of the other."""
    return tuple(f"{kind}:{label}" for label in labels for kind in kinds)


def name_ground(contacts: Sequence[Contact]) -> tuple[str, ...]:
    """Return names of the numbers that steps take of the ground: of each contact a plane, of each slot a point."""
    labels = label_contacts([contact.frame for contact in contacts])
    of_slots = [label for label, c in zip(labels, contacts, strict=True) if isinstance(c, ContactSlot)]
    return (*name_numbers(PLANES, labels), *name_numbers(POINT, of_slots))
