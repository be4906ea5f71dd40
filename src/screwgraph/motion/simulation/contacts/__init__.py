"""Contacts of bodies with the ground: their laws, and steps that obey them."""

from screwgraph.motion.simulation.contacts.contact_files import load_contacts
from screwgraph.motion.simulation.contacts.contact_inputs import ContactInputs
from screwgraph.motion.simulation.contacts.contact_list import check_one_motion, find_live_names, make_contacts
from screwgraph.motion.simulation.contacts.contact_wrenches import ContactRecord, contact_wrenches, locate_forces
from screwgraph.motion.simulation.contacts.geometry.contact import Contact
from screwgraph.motion.simulation.contacts.geometry.ground import Ground, Plane
from screwgraph.motion.simulation.contacts.geometry.height_map import HeightMap, Steps
from screwgraph.motion.simulation.contacts.geometry.other_body import OtherBody
from screwgraph.motion.simulation.contacts.raised_start import bend_start, raise_start

__all__ = [
    "Contact",
    "ContactInputs",
    "ContactRecord",
    "Ground",
    "HeightMap",
    "OtherBody",
    "Plane",
    "Steps",
    "bend_start",
    "check_one_motion",
    "contact_wrenches",
    "find_live_names",
    "load_contacts",
    "locate_forces",
    "make_contacts",
    "raise_start",
]
