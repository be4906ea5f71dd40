"""Multibody mechanisms in natural coordinates: compiled equations, kinematics. Blanco-Claraco et al. (2021)."""

from typing import TYPE_CHECKING

from screwgraph.base.deprecated import old_names
from screwgraph.mechanics.mechanism.branch_tracking import follow_branch
from screwgraph.mechanics.mechanism.kinematics import (
    acceleration_problem,
    finite_displacement,
    position_problem,
    velocity_problem,
)
from screwgraph.mechanics.mechanism.mechanism_functions import (
    CompiledMechanism,
    compile_mechanism,
    constraint_multipliers,
)
from screwgraph.model.mechanism.build_constraints import constraints_of
from screwgraph.model.mechanism.load import load_mechanism, mechanism_names
from screwgraph.model.mechanism.mechanism import Mechanism
from screwgraph.model.mechanism.mobility import MechanismMobility
from screwgraph.model.mechanism.parts import Angle, Body, Damper, Force, Gear, Point, Slider, Spring, Torque
from screwgraph.model.mechanism.pendulums import chain_of_pendulums
from screwgraph.model.mechanism.sensors import simulate_sensors
from screwgraph.model.mechanism.serialisation import from_texts, to_texts
from screwgraph.model.sensors import SENSORS
from screwgraph.model.sensors.sensor import Sensor

__all__ = [
    "SENSORS",
    "Angle",
    "Body",
    "CompiledMechanism",
    "Damper",
    "Force",
    "Gear",
    "Mechanism",
    "MechanismMobility",
    "Point",
    "Sensor",
    "Slider",
    "Spring",
    "Torque",
    "acceleration_problem",
    "chain_of_pendulums",
    "compile_mechanism",
    "constraint_multipliers",
    "constraints_of",
    "finite_displacement",
    "follow_branch",
    "from_texts",
    "load_mechanism",
    "mechanism_names",
    "position_problem",
    "simulate_sensors",
    "to_texts",
    "velocity_problem",
]

if not TYPE_CHECKING:
    __getattr__ = old_names(__name__)
