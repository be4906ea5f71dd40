"""Encoder of a joint or of a coordinate."""

from screwgraph.model.sensors.base import SensorForm, SensorKind

JOINT_POSITION = SensorKind(
    residual=lambda motion, place, measured: motion.joint_position(place.target) - measured,
    robot=SensorForm("joint", ("q",)),
    mechanism=SensorForm("coordinate", ("q",), text="coordinate that it reads", unit="rad or m"),
    usual={"sigma": 1e-3},
)
"""Position of a joint, or value of a natural coordinate (rad, m)."""
