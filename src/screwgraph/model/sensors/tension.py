"""Load cell along a bar of a mechanism."""

from screwgraph.model.sensors.base import SensorForm, SensorKind

TENSION = SensorKind(
    residual=lambda motion, place, measured: motion.tension(place.target) - measured,
    mechanism=SensorForm(
        "bar", ("q", "qdd", "multipliers"), text="body whose force along its line it reads, tension positive", unit="N"
    ),
    usual={"sigma": 0.5},
)
"""Force on a body at its second point, along the line from its first (N): of rods in space, too."""
