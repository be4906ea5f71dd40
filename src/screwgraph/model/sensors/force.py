"""Force sensor of a foot."""

from screwgraph.model.sensors.base import XYZ, SensorForm, SensorKind

FORCE = SensorKind(
    residual=lambda motion, place, measured: motion.force(place.target) - measured,
    robot=SensorForm("frame", ("forces",), XYZ),
    usual={"sigma": 2.0},
)
"""Force of a contact on a frame, in its axes (N)."""
