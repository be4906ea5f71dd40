"""What controllers follow: joints, frames, the centre of mass, momenta, forces; one kind a file."""

from collections.abc import Mapping

from screwgraph.motion.control.tasks.axis import AxisTask
from screwgraph.motion.control.tasks.base import ACCELERATIONS, EFFORTS, ControlTask, MotionTask, TaskRow
from screwgraph.motion.control.tasks.center_of_mass import CenterOfMassTask
from screwgraph.motion.control.tasks.contact_force import ContactForceTask
from screwgraph.motion.control.tasks.damping import DampingTask
from screwgraph.motion.control.tasks.effort import EffortTask
from screwgraph.motion.control.tasks.frame import FrameTask
from screwgraph.motion.control.tasks.impedance import ImpedanceTask
from screwgraph.motion.control.tasks.momentum import MomentumTask
from screwgraph.motion.control.tasks.posture import PostureTask

TASKS: Mapping[str, type[ControlTask]] = {
    "frame": FrameTask,
    "impedance": ImpedanceTask,
    "axis_of": AxisTask,
    "posture": PostureTask,
    "center_of_mass": CenterOfMassTask,
    "momentum": MomentumTask,
    "damped": DampingTask,
    "force": ContactForceTask,
    "effort": EffortTask,
}
"""Kinds of tasks by the keys of their entries in files."""

__all__ = [
    "ACCELERATIONS",
    "EFFORTS",
    "TASKS",
    "AxisTask",
    "CenterOfMassTask",
    "ContactForceTask",
    "ControlTask",
    "DampingTask",
    "EffortTask",
    "FrameTask",
    "ImpedanceTask",
    "MomentumTask",
    "MotionTask",
    "PostureTask",
    "TaskRow",
]
