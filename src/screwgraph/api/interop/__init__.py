"""Other libraries: states of robots in their coordinates, environments, pose graphs in g2o files, graphs of GTSAM."""

from typing import TYPE_CHECKING

from screwgraph.api.interop.coordinate_conversions import omega_first, v_first, w_first, w_last
from screwgraph.api.interop.gymnasium_environments import gymnasium_environment, gymnasium_vector_environment
from screwgraph.api.interop.mujoco import mujoco_states
from screwgraph.api.interop.mujoco_model import mujoco_model
from screwgraph.api.interop.pinocchio import pinocchio_states
from screwgraph.api.interop.states import States

if TYPE_CHECKING:
    from screwgraph.api.interop.g2o import read_g2o, write_g2o
    from screwgraph.api.interop.pose_graph import Keyed

_LATER = {"Keyed": "pose_graph", "read_g2o": "g2o", "write_g2o": "g2o", "gtsam": ""}
"""What takes solvers along, and its file: loaded when it is first needed."""


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module 'screwgraph.api.interop' has no attribute {name!r}")
    from importlib import import_module

    module = import_module(f"screwgraph.api.interop.{_LATER[name] or name}")
    return getattr(module, name) if _LATER[name] else module


__all__ = [
    "Keyed",
    "States",
    "gymnasium_environment",
    "gymnasium_vector_environment",
    "mujoco_model",
    "mujoco_states",
    "omega_first",
    "pinocchio_states",
    "read_g2o",
    "v_first",
    "w_first",
    "w_last",
    "write_g2o",
]
