"""Poses, velocities, Jacobians, momenta, energies: compiled functions of positions, velocities, accelerations."""

from typing import TYPE_CHECKING

from screwgraph.deprecated import old_names
from screwgraph.kinematics import targets
from screwgraph.kinematics.center_of_mass import center_of_mass
from screwgraph.kinematics.center_of_mass_acceleration import center_of_mass_acceleration
from screwgraph.kinematics.center_of_mass_jacobian import center_of_mass_jacobian
from screwgraph.kinematics.center_of_mass_velocity import center_of_mass_velocity
from screwgraph.kinematics.centroidal_momentum import centroidal_momentum
from screwgraph.kinematics.centroidal_momentum_matrix import centroidal_momentum_matrix
from screwgraph.kinematics.centroidal_momentum_rate import centroidal_momentum_rate
from screwgraph.kinematics.coriolis_matrix import coriolis_matrix
from screwgraph.kinematics.difference import difference
from screwgraph.kinematics.forward_kinematics import forward_kinematics
from screwgraph.kinematics.frame_acceleration import frame_acceleration
from screwgraph.kinematics.frame_jacobian import frame_jacobian
from screwgraph.kinematics.frame_velocity import frame_velocity
from screwgraph.kinematics.integrate import integrate
from screwgraph.kinematics.inverse import InverseKinematics, Solution, inverse_kinematics
from screwgraph.kinematics.kinematic_function import compile_kinematics
from screwgraph.kinematics.kinetic_energy import kinetic_energy
from screwgraph.kinematics.link_poses import poses_in_world
from screwgraph.kinematics.neutral import neutral
from screwgraph.kinematics.potential_energy import potential_energy
from screwgraph.kinematics.random_positions import random

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
