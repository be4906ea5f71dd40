"""Encoder of a planar mechanism."""

from typing import Any

from screwgraph.model.sensors.base import SensorForm, SensorKind, SensorPlace
from screwgraph.spatial import atan2, cos, sin

FORM = SensorForm("angle", ("q",), text="angle or line whose angle it reads", unit="rad")


def angle_residual(motion: Any, place: SensorPlace, measured: Any) -> Any:
    """Return an angle less its reading (rad): of a coordinate turns and all, of a line whole turns apart."""
    if not isinstance(place.target, tuple):
        return motion.angle(place.target) - measured
    (x, y), c, s = motion.line(place.target), cos(measured), sin(measured)
    return atan2(c * y - s * x, c * x + s * y)


ANGLE = SensorKind(residual=angle_residual, mechanism=FORM)
"""Angle among the coordinates, or of a line between two points from the x axis (rad)."""
