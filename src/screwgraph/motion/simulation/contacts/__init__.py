"""Contacts of bodies with the ground: their laws, and steps that obey them."""

from screwgraph.motion.simulation.contacts.contact import Contact
from screwgraph.motion.simulation.contacts.contact_files import load_contacts
from screwgraph.motion.simulation.contacts.contact_list import make_contacts, stack_values
from screwgraph.motion.simulation.contacts.contact_wrenches import ContactRecord, contact_wrenches
from screwgraph.motion.simulation.contacts.ground import Ground, Plane

__all__ = [
    "Contact",
    "ContactRecord",
    "Ground",
    "Plane",
    "contact_wrenches",
    "load_contacts",
    "make_contacts",
    "stack_values",
]
