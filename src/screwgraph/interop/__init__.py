"""States of a robot in the coordinates of other libraries: order of joints, quaternions, halves of twists."""

from screwgraph.interop.mujoco import mujoco_states
from screwgraph.interop.pinocchio import pinocchio_states
from screwgraph.interop.states import States
from screwgraph.interop.twist_order import omega_first, v_first, w_first, w_last

__all__ = ["States", "mujoco_states", "omega_first", "pinocchio_states", "v_first", "w_first", "w_last"]
