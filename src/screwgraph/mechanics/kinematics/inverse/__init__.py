"""Inverse kinematics: one compiled search a robot and set of targets."""

from screwgraph.mechanics.kinematics.inverse.inverse_kinematics import InverseKinematics, inverse_kinematics
from screwgraph.mechanics.kinematics.inverse.solution import Solution

__all__ = ["InverseKinematics", "Solution", "inverse_kinematics"]
