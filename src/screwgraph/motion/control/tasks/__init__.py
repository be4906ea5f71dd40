"""What controllers follow: joints, frames, the centre of mass, forces; one kind a file."""

from screwgraph.motion.control.tasks.base import ACCELERATIONS, EFFORTS, ControlTask, MotionTask, TaskRow
from screwgraph.motion.control.tasks.center_of_mass import CenterOfMassTask
from screwgraph.motion.control.tasks.contact_force import ContactForceTask
from screwgraph.motion.control.tasks.effort import EffortTask
from screwgraph.motion.control.tasks.frame import FrameTask
from screwgraph.motion.control.tasks.posture import PostureTask

__all__ = [
    "ACCELERATIONS",
    "EFFORTS",
    "CenterOfMassTask",
    "ContactForceTask",
    "ControlTask",
    "EffortTask",
    "FrameTask",
    "MotionTask",
    "PostureTask",
    "TaskRow",
]
