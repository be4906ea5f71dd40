"""Domains of arguments: unit quaternions, and parameters of a model that are not negative.

Calls from Python refuse other numbers. Code that is exported has nobody to tell: it makes quaternions unit, and
computes with a negative mass.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from screwgraph.compiler.backends.llvm import Domains
from screwgraph.compiler.signature import PARAMETERS, Argument
from screwgraph.compiler.unit_quaternions import check_unit, quaternion_places
from screwgraph.model.robot.parameters import check_values, is_never_negative


def argument_domains(arguments: Sequence[Argument]) -> Domains:
    """Return where the arguments of a function hold numbers that are not any."""
    nonnegative = [
        (i, place.start)
        for i, argument in enumerate(arguments)
        for name, place in parameter_places(argument).items()
        if is_never_negative(name, place.stop - place.start)
    ]
    return Domains(quaternion_places(arguments), tuple(nonnegative))


def check_domains(function: str, arguments: Sequence[Argument], domains: Domains, values: Sequence[Any]) -> None:
    """Refuse numbers outside of their domains; NaN, and arguments of wrong shapes, are left to others.

    Raises:
        InputError: a quaternion is not unit, or a mass, damping, ... is negative; it is named.
    """
    check_unit(arguments, domains.quaternions, values)
    for i in dict(domains.nonnegative):
        array = np.asarray(values[i])
        if array.dtype.kind == "O":
            with suppress(TypeError, ValueError):  # others refuse what is no number
                array = array.astype(float)
        if array.dtype.kind in "iuf" and array.shape[-1:] == (len(arguments[i].names),):
            for name, place in parameter_places(arguments[i]).items():
                if (i, place.start) in domains.nonnegative and not np.isnan(array[..., place.start]).all():
                    check_values(function, name, np.nan_to_num(array[..., place]))


def parameter_places(argument: Argument) -> dict[str, slice]:
    """Return the places of parameters, by name, in the argument that holds them; of another argument, none."""
    if argument.name != PARAMETERS:
        return {}
    found: dict[str, slice] = {}
    for k, number in enumerate(argument.names):  # those of a parameter stand side by side
        name = number.partition(":")[2].rpartition("[")[0]
        found[name] = slice(found[name].start if name in found else k, k + 1)
    return found
