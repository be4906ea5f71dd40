"""Parameters of robots that may be inputs of functions; one kind a file, a line each in `registry.KINDS`."""

from screwgraph.robot.parameters.registry import (
    GEOMETRY,
    LINEAR,
    MASSES,
    ROTORS,
    WEIGHTS,
    Parameter,
    checked_parameters,
    numbers,
    parameters_of,
    with_payload,
    with_values,
)
from screwgraph.robot.parameters.symbolic import (
    at_nominal,
    at_sample,
    has_symbols,
    nominal,
    parameter_key,
    samples_of,
    sizes,
    symbolic,
    with_numbers,
)

__all__ = [
    "GEOMETRY",
    "LINEAR",
    "MASSES",
    "ROTORS",
    "WEIGHTS",
    "Parameter",
    "at_nominal",
    "at_sample",
    "checked_parameters",
    "has_symbols",
    "nominal",
    "numbers",
    "parameter_key",
    "parameters_of",
    "samples_of",
    "sizes",
    "symbolic",
    "with_numbers",
    "with_payload",
    "with_values",
]
