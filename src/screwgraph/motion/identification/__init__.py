"""Identification of robots: parameters from logs of motions and torques."""

from screwgraph.motion.identification.excitation import Excitation
from screwgraph.motion.identification.filtering import Filter
from screwgraph.motion.identification.identify import identify
from screwgraph.motion.identification.log_pass import Options
from screwgraph.motion.identification.result import Identified

__all__ = ["Excitation", "Filter", "Identified", "Options", "identify"]
