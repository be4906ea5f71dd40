"""Torque sensor of a joint or motor."""

from screwgraph.model.sensors.base import SensorForm, SensorKind

JOINT_TORQUE = SensorKind(
    residual=lambda motion, place, measured: motion.joint_torque(place.target) - measured,
    robot=SensorForm("joint", ("tau",)),
    mechanism=SensorForm("motor", ("tau",), text="motor whose torque it reads, which is unknown", unit="N m"),
    usual={"sigma": 0.1},
)
"""Torque or force of a joint or motor (N m, N), which is unknown."""
