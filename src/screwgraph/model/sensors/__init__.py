"""Sensors of robots and planar mechanisms: one file a kind, one line in `SENSORS`."""

from collections.abc import Mapping

from screwgraph.model.sensors.accelerometer import ACCELEROMETER
from screwgraph.model.sensors.angle import ANGLE
from screwgraph.model.sensors.base import SensorForm, SensorKind, SensorPlace
from screwgraph.model.sensors.contact import CONTACT
from screwgraph.model.sensors.force import FORCE
from screwgraph.model.sensors.gyroscope import GYROSCOPE
from screwgraph.model.sensors.height import HEIGHT
from screwgraph.model.sensors.joint_position import JOINT_POSITION
from screwgraph.model.sensors.joint_torque import JOINT_TORQUE
from screwgraph.model.sensors.joint_velocity import JOINT_VELOCITY
from screwgraph.model.sensors.load_cell import LOAD_CELL
from screwgraph.model.sensors.motion import MOTION
from screwgraph.model.sensors.pose import POSE
from screwgraph.model.sensors.position import POSITION
from screwgraph.model.sensors.tension import TENSION

SENSORS: Mapping[str, SensorKind] = {
    "pose": POSE,
    "gyroscope": GYROSCOPE,
    "accelerometer": ACCELEROMETER,
    "position": POSITION,
    "height": HEIGHT,
    "contact": CONTACT,
    "force": FORCE,
    "joint_position": JOINT_POSITION,
    "joint_velocity": JOINT_VELOCITY,
    "joint_torque": JOINT_TORQUE,
    "angle": ANGLE,
    "load_cell": LOAD_CELL,
    "motion": MOTION,
    "tension": TENSION,
}
"""Kinds of sensors, by the entry that names what a sensor is on; a base is placed by first readings in this order."""

__all__ = ["SENSORS", "SensorForm", "SensorKind", "SensorPlace"]
