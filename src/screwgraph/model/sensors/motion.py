"""Motion of a coordinate of a mechanism that is known."""

from typing import Any

from screwgraph.model.sensors.base import SensorForm, SensorKind, SensorPlace
from screwgraph.spatial import concatenate

FORM = SensorForm(
    "coordinate",
    ("q", "qd", "qdd"),
    ("", "_rate", "_acceleration"),
    text="coordinate whose value, rate and acceleration are known",
    unit="rad or m",
)


def motion_residual(motion: Any, place: SensorPlace, measured: Any) -> Any:
    """Return value, rate and acceleration of a coordinate less those that are known (3,)."""
    return concatenate(*(motion.coordinate(place.target, order) for order in range(3))) - measured


MOTION = SensorKind(residual=motion_residual, mechanism=FORM)
"""Value, rate and acceleration of a natural coordinate (rad or m, and their rates)."""
