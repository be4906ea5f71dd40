"""Motions of robots over time: methods of integration, closed chains kept closed, energy and violation reported."""

from screwgraph.simulation.methods import METHODS
from screwgraph.simulation.run import Watch, simulate
from screwgraph.simulation.start import sample_times
from screwgraph.simulation.trajectory import Trajectory, check_path

__all__ = ["METHODS", "Trajectory", "Watch", "check_path", "sample_times", "simulate"]
