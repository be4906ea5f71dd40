"""Planar mechanisms in natural coordinates: what a file says, and the laws of its parts."""

from screwgraph.models.mechanism.assembly import assembled_states
from screwgraph.models.mechanism.balance import Balance, Rows, balances, kept_constraints
from screwgraph.models.mechanism.build_constraints import constraints_of
from screwgraph.models.mechanism.constraints import Constraint
from screwgraph.models.mechanism.freedom import Freedom
from screwgraph.models.mechanism.live import LiveBalance, LiveMechanism, LiveRows, live_mechanism
from screwgraph.models.mechanism.load import load_mechanism, mechanism_names
from screwgraph.models.mechanism.massless import regular_weights
from screwgraph.models.mechanism.mechanism import Mechanism, without_metadata
from screwgraph.models.mechanism.parts import Angle, Body, Damper, Force, Gear, Point, Sensor, Slider, Spring, Torque
from screwgraph.models.mechanism.pendulums import chain_of_pendulums
from screwgraph.models.mechanism.sensors import SENSORS, observed
from screwgraph.models.mechanism.text import from_texts, to_texts

__all__ = [
    "SENSORS",
    "Angle",
    "Balance",
    "Body",
    "Constraint",
    "Damper",
    "Force",
    "Freedom",
    "Gear",
    "LiveBalance",
    "LiveMechanism",
    "LiveRows",
    "Mechanism",
    "Point",
    "Rows",
    "Sensor",
    "Slider",
    "Spring",
    "Torque",
    "assembled_states",
    "balances",
    "chain_of_pendulums",
    "constraints_of",
    "from_texts",
    "kept_constraints",
    "live_mechanism",
    "load_mechanism",
    "mechanism_names",
    "observed",
    "regular_weights",
    "to_texts",
    "without_metadata",
]
