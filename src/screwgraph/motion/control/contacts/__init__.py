"""What holds a robot to its surroundings: points and balls, that stay or glide, soles; one kind a file."""

from screwgraph.motion.control.contacts.base import Held, HeldContact, Rows
from screwgraph.motion.control.contacts.gliding import GlidingPoint
from screwgraph.motion.control.contacts.point import PointContact
from screwgraph.motion.control.contacts.sole import Sole

__all__ = ["GlidingPoint", "Held", "HeldContact", "PointContact", "Rows", "Sole"]
