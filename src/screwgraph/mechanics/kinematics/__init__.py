"""Poses, velocities, Jacobians, momenta, energies: compiled functions of positions, velocities, accelerations."""

from typing import TYPE_CHECKING

from screwgraph.base.deprecated import old_names
from screwgraph.mechanics.kinematics import targets
from screwgraph.mechanics.kinematics.center_of_mass import (
    center_of_mass,
    center_of_mass_acceleration,
    center_of_mass_jacobian,
    center_of_mass_velocity,
)
from screwgraph.mechanics.kinematics.centroidal_momentum import (
    centroidal_momentum,
    centroidal_momentum_matrix,
    centroidal_momentum_rate,
)
from screwgraph.mechanics.kinematics.coriolis_matrix import coriolis_matrix
from screwgraph.mechanics.kinematics.forward_kinematics import forward_kinematics
from screwgraph.mechanics.kinematics.frame_jacobian import frame_jacobian
from screwgraph.mechanics.kinematics.frame_motion import frame_acceleration, frame_velocity
from screwgraph.mechanics.kinematics.integrate import difference, integrate
from screwgraph.mechanics.kinematics.inverse import InverseKinematics, Solution, inverse_kinematics
from screwgraph.mechanics.kinematics.kinematic_function import compile_kinematics
from screwgraph.mechanics.kinematics.kinetic_energy import kinetic_energy
from screwgraph.mechanics.kinematics.link_poses import poses_in_world
from screwgraph.mechanics.kinematics.neutral import neutral
from screwgraph.mechanics.kinematics.potential_energy import potential_energy
from screwgraph.mechanics.kinematics.random_positions import random

__all__ = [
    "InverseKinematics",
    "Solution",
    "center_of_mass",
    "center_of_mass_acceleration",
    "center_of_mass_jacobian",
    "center_of_mass_velocity",
    "centroidal_momentum",
    "centroidal_momentum_matrix",
    "centroidal_momentum_rate",
    "compile_kinematics",
    "coriolis_matrix",
    "difference",
    "forward_kinematics",
    "frame_acceleration",
    "frame_jacobian",
    "frame_velocity",
    "integrate",
    "inverse_kinematics",
    "kinetic_energy",
    "neutral",
    "poses_in_world",
    "potential_energy",
    "random",
    "targets",
]

if not TYPE_CHECKING:
    __getattr__ = old_names(__name__)
