"""Motions of robots as factor graphs over time: smoothing, estimation, torques along a trajectory."""

from screwgraph.estimation.estimate import PositionPrior, estimate_robot
from screwgraph.estimation.inverse_trajectory import inverse_robot_trajectory
from screwgraph.estimation.motion import Motion, Sigmas, mechanics_of
from screwgraph.estimation.over import over
from screwgraph.estimation.smoother import simulate_robot_by_smoothing

__all__ = [
    "Motion",
    "PositionPrior",
    "Sigmas",
    "estimate_robot",
    "inverse_robot_trajectory",
    "mechanics_of",
    "over",
    "simulate_robot_by_smoothing",
]
