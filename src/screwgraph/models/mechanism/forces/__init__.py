"""What pushes planar mechanisms, one influence a file."""

from __future__ import annotations

from collections.abc import Mapping

from screwgraph.models.mechanism.forces.base import Influence, Motion, coordinate_slots
from screwgraph.models.mechanism.forces.damper import DAMPER
from screwgraph.models.mechanism.forces.force import FORCE
from screwgraph.models.mechanism.forces.gravity import GRAVITY
from screwgraph.models.mechanism.forces.spring import SPRING
from screwgraph.models.mechanism.forces.torque import TORQUE

INFLUENCES: Mapping[str, Influence] = {
    "gravity": GRAVITY,
    "spring": SPRING,
    "damper": DAMPER,
    "force": FORCE,
    "torque": TORQUE,
}
"""The influences by name."""

__all__ = ["INFLUENCES", "Influence", "Motion", "coordinate_slots"]
