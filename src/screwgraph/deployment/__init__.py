"""Functions for other programs: several together, written to a folder as a library in C, C++, Rust, ROS 2, CasADi."""

from screwgraph.deployment.asked import asked_functions, check_names
from screwgraph.deployment.export import LONGEST, check_prefix, export_library
from screwgraph.deployment.functions import FUNCTIONS, Choice, Kind
from screwgraph.deployment.together import together

__all__ = [
    "FUNCTIONS",
    "LONGEST",
    "Choice",
    "Kind",
    "asked_functions",
    "check_names",
    "check_prefix",
    "export_library",
    "together",
]
