"""Motions of models over time: methods of integration, loops kept closed, energy and violation reported."""

from screwgraph.simulation.automatic import AUTO
from screwgraph.simulation.balance import Balance
from screwgraph.simulation.collect import Watch
from screwgraph.simulation.columns import QUANTITIES, STATES, Column, columns, coordinate_names
from screwgraph.simulation.energy import energy_of, potential_energy
from screwgraph.simulation.methods import METHODS
from screwgraph.simulation.models import (
    Dynamics,
    Efforts,
    MechanismDynamics,
    RobotDynamics,
    dynamics_of,
    efforts,
    under,
)
from screwgraph.simulation.run import check_start, simulate, simulated
from screwgraph.simulation.start import initial_position, sample_times
from screwgraph.simulation.tables import check_path, motion_columns, save_motion
from screwgraph.simulation.trajectory import States, Trajectory, read_trajectory

__all__ = [
    "AUTO",
    "METHODS",
    "QUANTITIES",
    "STATES",
    "Balance",
    "Column",
    "Dynamics",
    "Efforts",
    "MechanismDynamics",
    "RobotDynamics",
    "States",
    "Trajectory",
    "Watch",
    "check_path",
    "check_start",
    "columns",
    "coordinate_names",
    "dynamics_of",
    "efforts",
    "energy_of",
    "initial_position",
    "motion_columns",
    "potential_energy",
    "read_trajectory",
    "sample_times",
    "save_motion",
    "simulate",
    "simulated",
    "under",
]
