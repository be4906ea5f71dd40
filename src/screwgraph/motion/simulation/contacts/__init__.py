"""Contacts of bodies with the ground: their laws, and steps that obey them."""

from screwgraph.motion.simulation.contacts.contact import Contact
from screwgraph.motion.simulation.contacts.contact_files import load_contacts
from screwgraph.motion.simulation.contacts.contact_inputs import ContactInputs
from screwgraph.motion.simulation.contacts.contact_list import make_contacts
from screwgraph.motion.simulation.contacts.contact_wrenches import ContactRecord, contact_wrenches
from screwgraph.motion.simulation.contacts.ground import Ground, Plane
from screwgraph.motion.simulation.contacts.height_map import HeightMap, Steps
from screwgraph.motion.simulation.contacts.other_body import OtherBody

__all__ = [
    "Contact",
    "ContactInputs",
    "ContactRecord",
    "Ground",
    "HeightMap",
    "OtherBody",
    "Plane",
    "Steps",
    "contact_wrenches",
    "load_contacts",
    "make_contacts",
]
