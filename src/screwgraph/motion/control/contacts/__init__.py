"""What holds a robot to its surroundings: points and balls, that stay or glide, soles; one kind a file."""

from collections.abc import Mapping

from screwgraph.motion.control.contacts.base import Held, HeldContact, Rows
from screwgraph.motion.control.contacts.gliding import GlidingPoint
from screwgraph.motion.control.contacts.planar import PlanarPoint
from screwgraph.motion.control.contacts.point import PointContact
from screwgraph.motion.control.contacts.sole import Sole

CONTACTS: Mapping[str, type[HeldContact]] = {"soles": Sole, "gliding": GlidingPoint, "planar": PlanarPoint}
"""Kinds of contacts by the keys of their lists in files, beside `contacts`: those of simulations."""

__all__ = ["CONTACTS", "GlidingPoint", "Held", "HeldContact", "PlanarPoint", "PointContact", "Rows", "Sole"]
