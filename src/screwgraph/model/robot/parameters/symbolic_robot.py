"""Robots whose numbers are scalars on a tape: what passes make of them follows the parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from screwgraph.model.robot.closure.mobility import share_analysis
from screwgraph.model.robot.parameters.registry import Parameter, with_values
from screwgraph.model.robot.robot import Robot
from screwgraph.spatial import Array
from screwgraph.tape import SAMPLES, WIDE, Number, Scalar, Tape, map_nested

SEED = 11


def parameter_key(parameter: Parameter, number: int) -> str:
    """Return the name of the input that a number of a parameter is."""
    return f"parameter:{parameter.name}[{number}]"


def samples_of(robot: Robot, parameter: Parameter) -> Float[np.ndarray, "states k"]:
    """Return values that a parameter may have, by which those of code are compared, then the file's, again and again.

    Passes look at the first: they take nothing for zero that a file says is zero by chance.
    """
    rng = np.random.default_rng([SEED, *parameter.name.encode()])
    near = [parameter.near(robot, rng) for _ in range(SAMPLES)]
    return np.array([*near, *([parameter.nominal(robot)] * WIDE)])


def symbolic(robot: Robot, parameters: Sequence[Parameter]) -> Robot:
    """Return a robot whose parameters are inputs of a tape, named `parameter_key`; without any, the robot itself."""
    if not parameters:
        return robot
    tape, numbers = Tape(), []
    for parameter in parameters:
        samples = samples_of(robot, parameter)
        names = [parameter_key(parameter, i) for i in range(samples.shape[1])]
        numbers += list(tape.vector(names, samples))
    return with_numbers(robot, parameters, numbers)


def with_numbers(
    robot: Robot, parameters: Sequence[Parameter], numbers: Sequence[Number] | Float[Array, " k"]
) -> Robot:
    """Return a robot with all numbers of its parameters, of any kind, one after the other; without any, itself.

    What is known of its loops is that of the file's lengths: which rows are independent, which joints lead the others.
    """
    if not parameters:
        return robot
    ends = np.cumsum([len(parameter.nominal(robot)) for parameter in parameters])
    own = np.split(np.asarray(numbers), ends[:-1])
    made = with_values(robot, dict(zip(parameters, own, strict=True)))
    return share_analysis(robot, made) if robot.is_closed else made


def has_symbols(part: object) -> bool:
    """Whether numbers of a part of a robot are scalars on a tape."""
    found = []
    map_nested(part, Scalar, lambda x: found.append(x) or x)
    return bool(found)


def sizes(numbers: Array) -> Float[np.ndarray, "..."]:
    """Return absolute values of numbers, of scalars the largest that they have among their samples."""
    return np.abs(map_nested(numbers, Scalar, lambda x: max(map(abs, x.samples))))


def at_sample(robot: Robot) -> Robot:
    """Return a robot with numbers in the place of scalars: values that parameters may have, none of them special."""
    return map_nested(robot, Scalar, lambda x: x.samples[0])


def nominal(scalar: Scalar) -> float:
    """Return what a scalar is where parameters have the file's values."""
    return float(scalar.tape.wide_samples(scalar)[0])


def at_nominal(robot: Robot) -> Robot:
    """Return a robot with the file's numbers in the place of scalars."""
    found = map_nested(robot, Scalar, nominal)
    return share_analysis(robot, replace(found)) if robot.is_closed and found is not robot else found
