"""Position of a point."""

import numpy as np

from screwgraph.model.sensors.base import XY, XYZ, SensorForm, SensorKind
from screwgraph.spatial import transform

POSITION = SensorKind(
    residual=lambda motion, place, measured: motion.position(place.target) - measured,
    robot=SensorForm("frame", ("q",), XYZ),
    mechanism=SensorForm("point", ("q",), XY, text="point whose place it reads", unit="m"),
    usual={"sigma": 1e-2},
    base_motion=lambda gravity, T, reading: transform(np.eye(3), reading - T[:3, 3]),
)
"""Origin of a frame in the base, point of a mechanism (m)."""
