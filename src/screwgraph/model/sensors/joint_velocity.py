"""Tachometer of a joint or of a coordinate."""

from screwgraph.model.sensors.base import SensorForm, SensorKind

JOINT_VELOCITY = SensorKind(
    residual=lambda motion, place, measured: motion.joint_velocity(place.target) - measured,
    robot=SensorForm("joint", ("qd",)),
    mechanism=SensorForm("coordinate", ("qd",), text="coordinate whose rate it reads", unit="rad/s or m/s"),
    usual={"sigma": 1e-2},
)
"""Velocity of a joint, or rate of a natural coordinate (rad/s, m/s)."""
