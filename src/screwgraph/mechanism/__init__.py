"""Planar multibody mechanisms in natural coordinates: models, kinematics, dynamics. Paper 1."""

from screwgraph.mechanism.build_constraints import constraints_of
from screwgraph.mechanism.equations import Equations, equations
from screwgraph.mechanism.freedom import Freedom
from screwgraph.mechanism.kinematics import (
    acceleration_problem,
    finite_displacement,
    position_problem,
    velocity_problem,
)
from screwgraph.mechanism.load import load_mechanism, mechanism_names
from screwgraph.mechanism.mechanics import Mechanics
from screwgraph.mechanism.mechanism import Mechanism
from screwgraph.mechanism.motor_torques import motor_torques
from screwgraph.mechanism.parts import Angle, Body, Damper, Force, Gear, Point, Slider, Spring, Torque
from screwgraph.mechanism.pendulums import chain_of_pendulums
from screwgraph.mechanism.reduced import Reduced, reduced
from screwgraph.mechanism.run import Run
from screwgraph.mechanism.simulate import simulate_directly

__all__ = [
    "Angle",
    "Body",
    "Damper",
    "Equations",
    "Force",
    "Freedom",
    "Gear",
    "Mechanics",
    "Mechanism",
    "Point",
    "Reduced",
    "Run",
    "Slider",
    "Spring",
    "Torque",
    "acceleration_problem",
    "chain_of_pendulums",
    "constraints_of",
    "equations",
    "finite_displacement",
    "load_mechanism",
    "mechanism_names",
    "motor_torques",
    "position_problem",
    "reduced",
    "simulate_directly",
    "velocity_problem",
]
