"""Gyroscope."""

from screwgraph.model.sensors.base import XYZ, SensorForm, SensorKind

GYROSCOPE = SensorKind(
    residual=lambda motion, place, measured: motion.angular_velocity(place.target) - measured,
    robot=SensorForm("frame", ("q", "qd"), XYZ),
    mechanism=SensorForm("body", ("q", "qd"), text="body whose angular velocity it reads", unit="rad/s"),
    usual={"sigma": 1e-2, "bias": 0.05},
)
"""Angular velocity of a frame or body, in its axes (rad/s)."""
