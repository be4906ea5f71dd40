"""Torque sensor of a joint."""

from screwgraph.model.sensors.base import SensorForm, SensorKind

JOINT_TORQUE = SensorKind(
    residual=lambda motion, place, measured: motion.joint_torque(place.target) - measured,
    robot=SensorForm("joint", ("tau",)),
    usual={"sigma": 0.1},
)
"""Torque or force of a joint (N m, N), which is unknown."""
