"""Encoder of a joint."""

from screwgraph.model.sensors.base import SensorForm, SensorKind

JOINT_POSITION = SensorKind(
    residual=lambda motion, place, measured: motion.joint_position(place.target) - measured,
    robot=SensorForm("joint", ("q",)),
    usual={"sigma": 1e-3},
)
"""Position of a joint (rad, m)."""
