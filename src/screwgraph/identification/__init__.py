"""Identification of robots: parameters from logs of motions and torques."""

from screwgraph.identification.filtering import Filter
from screwgraph.identification.identify import identify
from screwgraph.identification.log_pass import Options
from screwgraph.identification.result import Identified

__all__ = ["Filter", "Identified", "Options", "identify"]
