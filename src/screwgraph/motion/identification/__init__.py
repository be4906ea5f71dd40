"""Identification of robots: parameters from logs of motions and torques."""

from screwgraph.motion.identification.filtering import Filter
from screwgraph.motion.identification.identify import identify
from screwgraph.motion.identification.log_pass import Options
from screwgraph.motion.identification.result import Identified

__all__ = ["Filter", "Identified", "Options", "identify"]
