"""Planar multibody mechanisms in natural coordinates: compiled equations, kinematics. Blanco-Claraco et al. (2021)."""

from screwgraph.mechanism.branch import followed
from screwgraph.mechanism.compiled import CompiledMechanism, compiled_mechanism
from screwgraph.mechanism.kinematics import (
    acceleration_problem,
    finite_displacement,
    position_problem,
    velocity_problem,
)
from screwgraph.models.mechanism.build_constraints import constraints_of
from screwgraph.models.mechanism.freedom import Freedom
from screwgraph.models.mechanism.load import load_mechanism, mechanism_names
from screwgraph.models.mechanism.mechanism import Mechanism
from screwgraph.models.mechanism.parts import Angle, Body, Damper, Force, Gear, Point, Sensor, Slider, Spring, Torque
from screwgraph.models.mechanism.pendulums import chain_of_pendulums
from screwgraph.models.mechanism.sensors import SENSORS, observed
from screwgraph.models.mechanism.text import from_texts, to_texts

__all__ = [
    "SENSORS",
    "Angle",
    "Body",
    "CompiledMechanism",
    "Damper",
    "Force",
    "Freedom",
    "Gear",
    "Mechanism",
    "Point",
    "Sensor",
    "Slider",
    "Spring",
    "Torque",
    "acceleration_problem",
    "chain_of_pendulums",
    "compiled_mechanism",
    "constraints_of",
    "finite_displacement",
    "followed",
    "from_texts",
    "load_mechanism",
    "mechanism_names",
    "observed",
    "position_problem",
    "to_texts",
    "velocity_problem",
]
