"""Tachometer of a joint."""

from screwgraph.model.sensors.base import SensorForm, SensorKind

JOINT_VELOCITY = SensorKind(
    residual=lambda motion, place, measured: motion.joint_velocity(place.target) - measured,
    robot=SensorForm("joint", ("qd",)),
    usual={"sigma": 1e-2},
)
"""Velocity of a joint (rad/s, m/s)."""
