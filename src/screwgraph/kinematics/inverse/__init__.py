"""Inverse kinematics: one compiled search a robot and set of targets."""

from screwgraph.kinematics.inverse.inverse_kinematics import InverseKinematics, inverse_kinematics
from screwgraph.kinematics.inverse.solution import Solution

__all__ = ["InverseKinematics", "Solution", "inverse_kinematics"]
