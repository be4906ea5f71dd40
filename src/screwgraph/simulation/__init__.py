"""Motions of models over time: methods of integration, loops kept closed, energy and violation reported."""

from screwgraph.simulation.balance import Balance
from screwgraph.simulation.collect import Watch
from screwgraph.simulation.columns import QUANTITIES, STATES, Column, columns, coordinate_names
from screwgraph.simulation.live_start import live_states
from screwgraph.simulation.methods import AUTO, METHODS
from screwgraph.simulation.models import (
    Dynamics,
    Efforts,
    MechanismDynamics,
    RobotDynamics,
    dynamics_of,
    efforts,
    under,
)
from screwgraph.simulation.options import StepOptions
from screwgraph.simulation.paths import Place, check_places, label_of, path_of
from screwgraph.simulation.rollouts import (
    Control,
    Controller,
    Rollouts,
    StepStates,
    joined,
    rolled_out,
    warn_of_divergence,
)
from screwgraph.simulation.run import check_start, simulate, simulated
from screwgraph.simulation.simulator import Simulator
from screwgraph.simulation.start import initial_position, initial_states, sample_times
from screwgraph.simulation.step_parameters import Given
from screwgraph.simulation.step_rules import IMPLICIT
from screwgraph.simulation.tables import check_path, motion_columns, save_motion
from screwgraph.simulation.trajectory import States, Trajectory, read_trajectory

__all__ = [
    "AUTO",
    "IMPLICIT",
    "METHODS",
    "QUANTITIES",
    "STATES",
    "Balance",
    "Column",
    "Control",
    "Controller",
    "Dynamics",
    "Efforts",
    "Given",
    "MechanismDynamics",
    "Place",
    "RobotDynamics",
    "Rollouts",
    "Simulator",
    "States",
    "StepOptions",
    "StepStates",
    "Trajectory",
    "Watch",
    "check_path",
    "check_places",
    "check_start",
    "columns",
    "coordinate_names",
    "dynamics_of",
    "efforts",
    "initial_position",
    "initial_states",
    "joined",
    "label_of",
    "live_states",
    "motion_columns",
    "path_of",
    "read_trajectory",
    "rolled_out",
    "sample_times",
    "save_motion",
    "simulate",
    "simulated",
    "under",
    "warn_of_divergence",
]
