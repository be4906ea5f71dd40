"""What pushes planar mechanisms, one influence a file."""

from __future__ import annotations

from collections.abc import Mapping

from screwgraph.mechanism.forces.base import Influence, Motion
from screwgraph.mechanism.forces.damper import DAMPER
from screwgraph.mechanism.forces.force import FORCE
from screwgraph.mechanism.forces.gravity import GRAVITY
from screwgraph.mechanism.forces.spring import SPRING
from screwgraph.mechanism.forces.torque import TORQUE

INFLUENCES: Mapping[str, Influence] = {
    "gravity": GRAVITY,
    "spring": SPRING,
    "damper": DAMPER,
    "force": FORCE,
    "torque": TORQUE,
}
"""The influences by name."""

__all__ = ["INFLUENCES", "Influence", "Motion"]
