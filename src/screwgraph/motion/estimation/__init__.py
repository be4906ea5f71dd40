"""Motions of models as factor graphs over time: smoothing, estimation, torques along a trajectory."""

from typing import TYPE_CHECKING

from screwgraph.base.deprecated import old_names
from screwgraph.motion.estimation.bayes import (
    BayesNetwork,
    BayesSolution,
    GivenNetwork,
    GraphFactor,
    Quantity,
    bayes_network,
)
from screwgraph.motion.estimation.estimate import PositionPrior, estimate
from screwgraph.motion.estimation.factors import FACTORS
from screwgraph.motion.estimation.graph_over_time import over
from screwgraph.motion.estimation.inverse_trajectory import inverse_trajectory
from screwgraph.motion.estimation.mechanism_noise import ModelNoise, Noise
from screwgraph.motion.estimation.mechanisms.forward_graph import INTEGRATORS, forward_graph
from screwgraph.motion.estimation.mechanisms.inverse_graph import inverse_graph
from screwgraph.motion.estimation.mechanisms.inverse_trajectory import inverse_mechanism_trajectory
from screwgraph.motion.estimation.online.replay import Replay, replay_measurements
from screwgraph.motion.estimation.online.smoother import OnlineSmoother
from screwgraph.motion.estimation.result import Estimate, InverseSolution, Slip
from screwgraph.motion.estimation.robots.inverse_trajectory import inverse_robot_trajectory
from screwgraph.motion.estimation.robots.motion_graph import Motion, Sigmas, get_mechanics
from screwgraph.motion.estimation.simulated_sensors import simulate_sensors
from screwgraph.motion.estimation.smoothing_simulation import simulate_by_smoothing

__all__ = [
    "FACTORS",
    "INTEGRATORS",
    "BayesNetwork",
    "BayesSolution",
    "Estimate",
    "GivenNetwork",
    "GraphFactor",
    "InverseSolution",
    "ModelNoise",
    "Motion",
    "Noise",
    "OnlineSmoother",
    "PositionPrior",
    "Quantity",
    "Replay",
    "Sigmas",
    "Slip",
    "bayes_network",
    "estimate",
    "forward_graph",
    "get_mechanics",
    "inverse_graph",
    "inverse_mechanism_trajectory",
    "inverse_robot_trajectory",
    "inverse_trajectory",
    "over",
    "replay_measurements",
    "simulate_by_smoothing",
    "simulate_sensors",
]

if not TYPE_CHECKING:
    __getattr__ = old_names(__name__)
