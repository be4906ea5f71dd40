"""Motions of models as factor graphs over time: smoothing, estimation, torques along a trajectory."""

from screwgraph.estimation.bayes import (
    BayesNetwork,
    BayesSolution,
    GivenNetwork,
    GraphFactor,
    Quantity,
    bayes_network,
)
from screwgraph.estimation.estimate import PositionPrior, estimate
from screwgraph.estimation.factors import FACTORS
from screwgraph.estimation.forward_graph import INTEGRATORS, forward_graph
from screwgraph.estimation.inverse_graph import inverse_graph
from screwgraph.estimation.inverse_robot import inverse_robot_trajectory
from screwgraph.estimation.inverse_stages import inverse_dynamics_of
from screwgraph.estimation.motion import Motion, Sigmas, mechanics_of
from screwgraph.estimation.noise import ModelNoise, Noise
from screwgraph.estimation.online import RobotSmoother
from screwgraph.estimation.over import over
from screwgraph.estimation.replay import Replay, replayed
from screwgraph.estimation.result import Estimate, InverseSolution, Slip
from screwgraph.estimation.smoother import simulate_by_smoothing

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
    "PositionPrior",
    "Quantity",
    "Replay",
    "RobotSmoother",
    "Sigmas",
    "Slip",
    "bayes_network",
    "estimate",
    "forward_graph",
    "inverse_dynamics_of",
    "inverse_graph",
    "inverse_robot_trajectory",
    "mechanics_of",
    "over",
    "replayed",
    "simulate_by_smoothing",
]
