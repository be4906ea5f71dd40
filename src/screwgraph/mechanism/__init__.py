"""Planar multibody mechanisms in natural coordinates: models, kinematics, dynamics. Blanco-Claraco et al. (2021)."""

from screwgraph.mechanism.bayes import BayesNetwork, GraphFactor, Quantity, bayes_network
from screwgraph.mechanism.branch import followed
from screwgraph.mechanism.equations import Equations
from screwgraph.mechanism.estimate import estimate_motion
from screwgraph.mechanism.estimation import Estimate
from screwgraph.mechanism.factors import FACTORS
from screwgraph.mechanism.forward_graph import INTEGRATORS, forward_graph
from screwgraph.mechanism.inverse import InverseSolution, inverse_dynamics_of
from screwgraph.mechanism.inverse_graph import inverse_graph
from screwgraph.mechanism.kinematics import (
    acceleration_problem,
    finite_displacement,
    position_problem,
    velocity_problem,
)
from screwgraph.mechanism.measurements import Measurements, measured
from screwgraph.mechanism.mechanics import Mechanics, mechanics_of
from screwgraph.mechanism.run import Run
from screwgraph.mechanism.simulate import simulate_directly
from screwgraph.mechanism.sliding_window import check_windows
from screwgraph.mechanism.smoother import checked_window, simulate_by_smoothing
from screwgraph.mechanism.trajectory import DEGREE, checked_times, column, even_or_each
from screwgraph.mechanism.weights import ModelNoise, Noise
from screwgraph.models.mechanism.build_constraints import constraints_of
from screwgraph.models.mechanism.freedom import Freedom
from screwgraph.models.mechanism.load import load_mechanism, mechanism_names
from screwgraph.models.mechanism.mechanism import Mechanism
from screwgraph.models.mechanism.parts import Angle, Body, Damper, Force, Gear, Point, Sensor, Slider, Spring, Torque
from screwgraph.models.mechanism.pendulums import chain_of_pendulums
from screwgraph.models.mechanism.sensors import SENSORS, observed
from screwgraph.models.mechanism.text import from_texts, to_texts

__all__ = [
    "DEGREE",
    "FACTORS",
    "INTEGRATORS",
    "SENSORS",
    "Angle",
    "BayesNetwork",
    "Body",
    "Damper",
    "Equations",
    "Estimate",
    "Force",
    "Freedom",
    "Gear",
    "GraphFactor",
    "InverseSolution",
    "Measurements",
    "Mechanics",
    "Mechanism",
    "ModelNoise",
    "Noise",
    "Point",
    "Quantity",
    "Run",
    "Sensor",
    "Slider",
    "Spring",
    "Torque",
    "acceleration_problem",
    "bayes_network",
    "chain_of_pendulums",
    "check_windows",
    "checked_times",
    "checked_window",
    "column",
    "constraints_of",
    "estimate_motion",
    "even_or_each",
    "finite_displacement",
    "followed",
    "forward_graph",
    "from_texts",
    "inverse_dynamics_of",
    "inverse_graph",
    "load_mechanism",
    "measured",
    "mechanics_of",
    "mechanism_names",
    "observed",
    "position_problem",
    "simulate_by_smoothing",
    "simulate_directly",
    "to_texts",
    "velocity_problem",
]
