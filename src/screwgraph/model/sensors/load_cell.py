"""Load cell of a mechanism."""

from screwgraph.model.sensors.base import XY, SensorForm, SensorKind

LOAD_CELL = SensorKind(
    residual=lambda motion, place, measured: motion.pin_force(place.target) - measured,
    mechanism=SensorForm(
        "pin", ("q", "qdd", "multipliers"), XY, text="body and point: force on the body there, in its axes", unit="N"
    ),
    usual={"sigma": 0.5},
)
"""Force on a body at a pin, in the body's axes (N): along a bar at its second point, tension is positive."""
