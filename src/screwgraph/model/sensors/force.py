"""Force sensor of a foot."""

from screwgraph.model.sensors.base import XY, XYZ, SensorForm, SensorKind

FORCE = SensorKind(
    residual=lambda motion, place, measured: motion.force(place.target) - measured,
    robot=SensorForm("frame", ("forces",), XYZ),
    mechanism=SensorForm("point", ("forces",), XY, text="point that the ground pushes on: force there", unit="N"),
    usual={"sigma": 2.0},
)
"""Force of a contact on a frame, in its axes; on a point of a mechanism, in the axes of the ground (N)."""
