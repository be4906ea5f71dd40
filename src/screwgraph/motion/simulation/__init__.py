"""Motions of models over time: methods of integration, loops kept closed, energy and violation reported."""

from typing import TYPE_CHECKING

from screwgraph.base.deprecated import old_names
from screwgraph.model import QUANTITIES, STATES, Column, coordinate_names
from screwgraph.motion.simulation.contacts import Contact, ContactInputs, Ground, HeightMap, OtherBody, Plane, Steps
from screwgraph.motion.simulation.driven_motion import read_driven_table
from screwgraph.motion.simulation.energy_balance import EnergyBalance
from screwgraph.motion.simulation.environment import Environment
from screwgraph.motion.simulation.initial_state import initial_position, initial_states, sample_times
from screwgraph.motion.simulation.mechanism_dynamics import MechanismDynamics
from screwgraph.motion.simulation.methods import AUTO, METHODS
from screwgraph.motion.simulation.model_dynamics import DYNAMICS, dynamics_of
from screwgraph.motion.simulation.motion_files import check_path, motion_columns, save_motion
from screwgraph.motion.simulation.parametric_start import live_states
from screwgraph.motion.simulation.robot_dynamics import RobotDynamics
from screwgraph.motion.simulation.rollout import rollout
from screwgraph.motion.simulation.rollouts import (
    Control,
    Controller,
    Rollouts,
    StepStates,
    join_parts,
    rolled_out,
    warn_of_divergence,
)
from screwgraph.motion.simulation.simulation import check_start, simulate, simulate_dynamics
from screwgraph.motion.simulation.simulator import Simulator
from screwgraph.motion.simulation.state_recorder import Watch
from screwgraph.motion.simulation.step_options import StepOptions
from screwgraph.motion.simulation.step_parameters import StepValues
from screwgraph.motion.simulation.step_rules import IMPLICIT
from screwgraph.motion.simulation.system import Dynamics, Efforts, accelerations_under, validate_torques
from screwgraph.motion.simulation.trajectory import (
    Place,
    States,
    Trajectory,
    check_places,
    label_of,
    path_of,
    read_trajectory,
    smooth_path,
)

__all__ = [
    "AUTO",
    "DYNAMICS",
    "IMPLICIT",
    "METHODS",
    "QUANTITIES",
    "STATES",
    "Column",
    "Contact",
    "ContactInputs",
    "Control",
    "Controller",
    "Dynamics",
    "Efforts",
    "EnergyBalance",
    "Environment",
    "Ground",
    "HeightMap",
    "MechanismDynamics",
    "OtherBody",
    "Place",
    "Plane",
    "RobotDynamics",
    "Rollouts",
    "Simulator",
    "States",
    "StepOptions",
    "StepStates",
    "StepValues",
    "Steps",
    "Trajectory",
    "Watch",
    "accelerations_under",
    "check_path",
    "check_places",
    "check_start",
    "coordinate_names",
    "dynamics_of",
    "initial_position",
    "initial_states",
    "join_parts",
    "label_of",
    "live_states",
    "motion_columns",
    "path_of",
    "read_driven_table",
    "read_trajectory",
    "rolled_out",
    "rollout",
    "sample_times",
    "save_motion",
    "simulate",
    "simulate_dynamics",
    "smooth_path",
    "validate_torques",
    "warn_of_divergence",
]

if not TYPE_CHECKING:
    __getattr__ = old_names(__name__)
