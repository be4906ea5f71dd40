"""Contacts: one file each; a new one is a new file and a line in `CONTACTS`."""

from screwgraph.plan.contacts.flat import FlatContact
from screwgraph.plan.contacts.point import PointContact
from screwgraph.plan.contacts.schedule import schedule

CONTACTS: dict[str, type] = {"point": PointContact, "flat": FlatContact}

__all__ = ["CONTACTS", "FlatContact", "PointContact", "schedule"]
