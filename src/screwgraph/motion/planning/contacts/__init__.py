"""Contacts: one file each; a new one is a new file and a line in `CONTACTS`."""

from screwgraph.motion.planning.contacts.axle import Axle
from screwgraph.motion.planning.contacts.flat_contact import FlatContact
from screwgraph.motion.planning.contacts.point_contact import PointContact
from screwgraph.motion.planning.contacts.schedule import schedule

CONTACTS: dict[str, type] = {"point": PointContact, "flat": FlatContact, "axle": Axle}

__all__ = ["CONTACTS", "Axle", "FlatContact", "PointContact", "schedule"]
