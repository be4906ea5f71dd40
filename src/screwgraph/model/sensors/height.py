"""Height of a frame."""

from screwgraph.model.sensors.base import SensorForm, SensorKind

HEIGHT = SensorKind(
    residual=lambda motion, place, measured: motion.position(place.target)[2:] - measured,
    robot=SensorForm("frame", ("q",)),
    usual={"sigma": 2e-2},
)
"""Height of a frame's origin in the base's axes (m): that of the terrain under it."""
