"""Motions of models over time: methods of integration, loops kept closed, energy and violation reported."""

from screwgraph.simulation.automatic import AUTO
from screwgraph.simulation.collect import Watch
from screwgraph.simulation.energy import energy_of, potential_energy
from screwgraph.simulation.methods import METHODS
from screwgraph.simulation.models import (
    Dynamics,
    Efforts,
    MechanismDynamics,
    RobotDynamics,
    dynamics_of,
    efforts,
    under,
)
from screwgraph.simulation.run import check_start, simulate, simulated
from screwgraph.simulation.start import initial_position, sample_times
from screwgraph.simulation.trajectory import (
    STATES,
    Trajectory,
    check_path,
    coordinate_names,
    model_texts,
    save_table,
    state_columns,
)

__all__ = [
    "AUTO",
    "METHODS",
    "STATES",
    "Dynamics",
    "Efforts",
    "MechanismDynamics",
    "RobotDynamics",
    "Trajectory",
    "Watch",
    "check_path",
    "check_start",
    "coordinate_names",
    "dynamics_of",
    "efforts",
    "energy_of",
    "initial_position",
    "model_texts",
    "potential_energy",
    "sample_times",
    "save_table",
    "simulate",
    "simulated",
    "state_columns",
    "under",
]
