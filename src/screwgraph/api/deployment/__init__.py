"""Functions for other programs: several together, written to a folder as a library in C, C++, Rust, ROS 2, CasADi."""

from screwgraph.api.deployment.combine import together
from screwgraph.api.deployment.export import LONGEST, check_prefix, export_library
from screwgraph.api.deployment.function_registry import FUNCTIONS, Choice, Kind, asked_functions, check_names

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
