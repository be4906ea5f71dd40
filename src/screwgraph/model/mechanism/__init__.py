"""Planar and spatial mechanisms in natural coordinates: what a file says, and the laws of its parts."""

from screwgraph.model.mechanism.assembled_positions import find_assembled_states
from screwgraph.model.mechanism.build_constraints import constraints_of
from screwgraph.model.mechanism.constraints import Constraint
from screwgraph.model.mechanism.force_balance import (
    ConstraintRows,
    ForceBalance,
    find_slots,
    make_balances,
    regular_weights,
    select_constraints,
)
from screwgraph.model.mechanism.live_mechanism import (
    LiveBalance,
    LiveMechanism,
    LiveRows,
    find_moving_parameters,
    live_mechanism,
)
from screwgraph.model.mechanism.load import load_mechanism, mechanism_names
from screwgraph.model.mechanism.mechanism import Mechanism, without_metadata
from screwgraph.model.mechanism.mobility import MechanismMobility
from screwgraph.model.mechanism.parts import Angle, Body, Damper, Force, Gear, Point, Slider, Spring, Torque
from screwgraph.model.mechanism.pendulums import chain_of_pendulums
from screwgraph.model.mechanism.pin_force import PinForce, make_pin_forces
from screwgraph.model.mechanism.sensors import simulate_sensors
from screwgraph.model.mechanism.serialisation import from_texts, to_texts
from screwgraph.model.sensors import SENSORS
from screwgraph.model.sensors.sensor import Sensor

__all__ = [
    "SENSORS",
    "Angle",
    "Body",
    "Constraint",
    "ConstraintRows",
    "Damper",
    "Force",
    "ForceBalance",
    "Gear",
    "LiveBalance",
    "LiveMechanism",
    "LiveRows",
    "Mechanism",
    "MechanismMobility",
    "PinForce",
    "Point",
    "Sensor",
    "Slider",
    "Spring",
    "Torque",
    "chain_of_pendulums",
    "constraints_of",
    "find_assembled_states",
    "find_moving_parameters",
    "find_slots",
    "from_texts",
    "live_mechanism",
    "load_mechanism",
    "make_balances",
    "make_pin_forces",
    "mechanism_names",
    "regular_weights",
    "select_constraints",
    "simulate_sensors",
    "to_texts",
    "without_metadata",
]
