"""What pushes planar mechanisms, one influence a file."""

from __future__ import annotations

from collections.abc import Mapping

from screwgraph.model.mechanism.forces.base import Influence, Motion, coordinate_slots
from screwgraph.model.mechanism.forces.damper import DAMPER
from screwgraph.model.mechanism.forces.force import FORCE
from screwgraph.model.mechanism.forces.gravity import GRAVITY
from screwgraph.model.mechanism.forces.spring import SPRING
from screwgraph.model.mechanism.forces.torque import TORQUE

INFLUENCES: Mapping[str, Influence] = {
    "gravity": GRAVITY,
    "spring": SPRING,
    "damper": DAMPER,
    "force": FORCE,
    "torque": TORQUE,
}
"""The influences by name."""

__all__ = ["INFLUENCES", "Influence", "Motion", "coordinate_slots"]
