"""Contacts: one file each; a new one is a new file and a line in `CONTACTS`."""

from screwgraph.plan.contacts.flat_contact import FlatContact
from screwgraph.plan.contacts.point_contact import PointContact
from screwgraph.plan.contacts.schedule import schedule

CONTACTS: dict[str, type] = {"point": PointContact, "flat": FlatContact}

__all__ = ["CONTACTS", "FlatContact", "PointContact", "schedule"]
