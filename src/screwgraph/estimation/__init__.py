"""Motions of robots as factor graphs over time: smoothing, estimation, torques along a trajectory."""

from screwgraph.estimation.motion import Motion, Sigmas, mechanics_of
from screwgraph.estimation.smoother import simulate_robot_by_smoothing

__all__ = ["Motion", "Sigmas", "mechanics_of", "simulate_robot_by_smoothing"]
