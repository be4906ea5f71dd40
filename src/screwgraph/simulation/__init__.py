"""Motions of robots over time: methods of integration, closed chains kept closed, energy and violation reported."""

from screwgraph.simulation.energy import energies, integrated, potential_energy, work_done
from screwgraph.simulation.methods import METHODS, State
from screwgraph.simulation.run import Watch, collected, simulate, simulated, starting_state, tolerances_of
from screwgraph.simulation.start import initial_position, sample_times
from screwgraph.simulation.system import System
from screwgraph.simulation.trajectory import Trajectory, check_path, in_short, robot_columns, save_table

__all__ = [
    "METHODS",
    "State",
    "System",
    "Trajectory",
    "Watch",
    "check_path",
    "collected",
    "energies",
    "in_short",
    "initial_position",
    "integrated",
    "potential_energy",
    "robot_columns",
    "sample_times",
    "save_table",
    "simulate",
    "simulated",
    "starting_state",
    "tolerances_of",
    "work_done",
]
