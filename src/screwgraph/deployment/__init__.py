"""Functions for other programs: several together, written to a folder as a library in C, C++, Rust, ROS 2, CasADi."""

from screwgraph.deployment.combine import together
from screwgraph.deployment.export import LONGEST, check_prefix, export_library
from screwgraph.deployment.function_registry import FUNCTIONS, Choice, Kind
from screwgraph.deployment.requested_functions import asked_functions, check_names

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
